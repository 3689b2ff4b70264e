import { seen } from "../../engine/steps/Reading.ts"
import type { Keyed } from "../../keys/rules/Caller.ts"

/** That the key of the request was not taken over; a request without one rests on nothing. */
export const keyHeld = (keyed: Keyed | undefined) =>
  seen(
    keyed === undefined ? [] : [{ held: keyed.held }],
    "the `Idempotency-Key` of the request, where it has one: nobody has taken it over",
  )
