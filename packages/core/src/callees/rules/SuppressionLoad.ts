import { limits } from "../../Limits.ts"
import { jsonBytes } from "../../Measure.ts"
import type { Callee } from "./Callee.ts"

/** What a commit writes of numbers so far. */
export class SuppressionLoad {
  #bytes = 0

  /** Whether one more fits; the first one does. */
  takes({ suppressions }: Callee): boolean {
    const bytes = jsonBytes(suppressions)
    if (this.#bytes > 0 && this.#bytes + bytes > limits.suppressionChunkBytes) return false
    this.#bytes += bytes
    return true
  }
}
