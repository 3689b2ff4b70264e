import type { Caller } from "../../keys/rules/Caller.ts"
import type { Call } from "./Call.ts"

/** The carrier is asked to hang up a call that a caller stops. */
export interface HangsUp {
  readonly errand: "call.hang_up"
  /** The call. */
  readonly subject: string
  readonly caller: Caller
  readonly live: Call
  readonly reason: string
}

/** Has the carrier hang up a call, and then stops it for a caller. */
export const hangsUp = (caller: Caller, live: Call, reason: string): HangsUp => ({
  errand: "call.hang_up",
  subject: live.execution_id,
  caller,
  live,
  reason,
})
