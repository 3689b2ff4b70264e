import { Context } from "effect"
import { type CallLimits, callLimits } from "../../CallLimits.ts"

/** The times of calls in this engine; those of `limits` unless its host sets some. */
export const CurrentCallLimits = Context.Reference<CallLimits>("@carillon/core/calls/CurrentCallLimits", {
  defaultValue: () => callLimits(),
})
