import { E164, limits } from "@carillon/core"
import { Cause } from "effect"

/** A cause as the log may carry it: not without bound, and no phone numbers. */
export const told = (cause: Cause.Cause<unknown>): string =>
  E164.maskDigits(Cause.pretty(cause)).slice(0, limits.carrierMistakeCharacters)
