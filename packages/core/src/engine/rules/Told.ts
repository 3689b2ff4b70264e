import { Cause } from "effect"
import { limits } from "../../Limits.ts"
import * as E164 from "../../phone/E164.ts"

/** A cause as the log may carry it: not without bound, and no phone numbers. */
export const told = (cause: Cause.Cause<unknown>): string =>
  E164.maskDigits(Cause.pretty(cause)).slice(0, limits.carrierMistakeCharacters)
