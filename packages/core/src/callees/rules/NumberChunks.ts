import { hash32 } from "../../engine/rules/Hash.ts"
import { limits } from "../../Limits.ts"

/** Numbers of a file that are looked at before others have their turn. */
const lookedAt = 2_000

/** Numbers that are told apart in so many sets, so that none grows so large that to enlarge it holds everybody up. */
const parts = 256

/** The numbers, each once, some at a time. Nothing is done for those that nobody has asked for yet. */
export function* chunksOf(toNumbers: ReadonlyArray<string>): Generator<ReadonlyArray<string>> {
  const seen = Array.from({ length: parts }, () => new Set<string>())
  let chunk: Array<string> = []
  for (const [nth, toNumber] of toNumbers.entries()) {
    const part = seen[hash32(toNumber) % parts]
    if (part?.has(toNumber) === false) {
      part.add(toNumber)
      chunk.push(toNumber)
    }
    // A file may name the same numbers over and over.
    if (chunk.length === limits.suppressionChunk || nth % lookedAt === lookedAt - 1) {
      yield chunk
      chunk = []
    }
  }
  if (chunk.length > 0) yield chunk
}
