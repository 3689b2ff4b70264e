import { seen } from "../../engine/steps/Reading.ts"
import type { Expectation } from "../../engine/rules/Commit.ts"
import type { Keyed } from "../../keys/rules/Caller.ts"

/** What a commit expects that makes what a request with a key has asked for; a request without one rests on nothing. */
export const keyAsHeld = (keyed: Keyed | undefined): ReadonlyArray<Expectation> =>
  keyed === undefined ? [] : [{ held: keyed.held }]

/** That nobody has taken over the key of a request. */
export const keyHeld = (keyed: Keyed | undefined) => seen(keyAsHeld(keyed), "the key of its request, where it has one")
