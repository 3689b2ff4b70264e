import type { EngineError } from "../../Errors.ts"

/**
 * What is found of a request whose process is gone, by the id of what it may have made: what was made, with the answer to it; that it was refused, with a
 * record of that; that nobody can say yet, and when to ask again; or nothing, and nothing can be made of it any more.
 */
export type Recalled<Made> =
  | { readonly _tag: "Made"; readonly made: Made }
  | { readonly _tag: "Refused"; readonly error: EngineError }
  | { readonly _tag: "Open"; readonly until: number }
  | { readonly _tag: "Nothing" }

export const nothingMade = { _tag: "Nothing" } as const
