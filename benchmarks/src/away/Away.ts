import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Contender, Round } from "../Harness.ts"

const answered = (child: ChildProcess) =>
  new Promise<Round>((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`A contender's process ended with code ${code}.`))
    child.once("exit", failed).once("message", (round: Round) => {
      child.off("exit", failed)
      resolve(round)
    })
  })

/** A world that remembers 100,000 calls takes more than Node would give it. */
const heapMiB = 8_000

/**
 * A contender that works in a process of its own, which is started by its first round and becomes warm by what it does before that. Its CPU
 * time is that process's.
 */
export const away = (name: string, file: string, values: ReadonlyArray<number>): Contender => {
  let child: ChildProcess | undefined
  return {
    name,
    asItIs: true,
    round: () => {
      child ??= fork(fileURLToPath(new URL(file, import.meta.url)), values.map(String), {
        execArgv: ["--conditions=@carillon/source", "--expose-gc", `--max-old-space-size=${heapMiB}`],
      })
      const round = answered(child)
      child.send("round")
      return round
    },
    close: async () => {
      child?.kill()
    },
  }
}
