import type { Round } from "../Harness.ts"

/** Works for the parent, round by round. */
export const serve = (round: () => Promise<Round>): void => {
  const work = async () => {
    process.send?.(await round())
    // What a round leaves is not collected in somebody else's.
    globalThis.gc?.()
  }
  process.on("message", () => void work())
  process.on("disconnect", () => process.exit(0))
}

/** The values that the parent gave. */
export const given = (): ReadonlyArray<number> => process.argv.slice(2).map(Number)
