import type { DialOutcome } from "@carillon/core"
import type { Answer } from "./Clients.ts"
import { meaningOfSip } from "./Words.ts"

type Refused = Exclude<Answer<never>, { readonly _tag: "Done" }>

/** Codes of LiveKit's protocol (Twirp) that deny the request itself, beside the HTTP status. */
const denied: ReadonlySet<string> = new Set([
  "invalid_argument",
  "malformed",
  "not_found",
  "bad_route",
  "already_exists",
  "permission_denied",
  "unauthenticated",
  "unimplemented",
  "out_of_range",
])

const throttled: DialOutcome = { _tag: "Refused", kind: "throttled", retryAfterSeconds: null }
const rejected: DialOutcome = { _tag: "Refused", kind: "rejected" }
const unreachable: DialOutcome = { _tag: "Refused", kind: "unreachable" }

const isThrottled = ({ code, status }: Extract<Refused, { readonly _tag: "Failed" }>): boolean =>
  status === 429 || code === "resource_exhausted"

/** What it means for a dial that its room or its agent could not be had: the callee's leg was not asked for, so there is none. */
export const beforeTheLeg = (answer: Refused): DialOutcome => {
  if (answer._tag !== "Failed") return unreachable
  if (isThrottled(answer)) return throttled
  return answer.status >= 500 ? unreachable : rejected
}

/** Words of a trunk whose own limit is reached; its answer is a 5xx then. */
const limitReached = /cps limit exceeded|concurrent call limit exceeded/i

/**
 * What the answer to the request for the leg means, while its dial is watched. `Ended`: there was a leg, and it is over. A leg is denied only on
 * LiveKit's own word, or on the trunk's, or where the request was never sent.
 */
export const legOutcome = (answer: Refused): DialOutcome | { readonly _tag: "Ended"; readonly sip: number | null } => {
  switch (answer._tag) {
    case "NotSent":
      return unreachable
    case "Lost":
      return { _tag: "Unknown" }
    case "Sip": {
      if (limitReached.test(answer.text)) return throttled
      const { hangup_reason, status } = meaningOfSip(answer.sip)
      if (hangup_reason === "invalid_destination") return { _tag: "Refused", kind: "invalid_destination" }
      return status === "error" ? rejected : { _tag: "Ended", sip: answer.sip }
    }
    case "Failed":
      if (isThrottled(answer)) return throttled
      // The invitation was sent and came to nothing: LiveKit's way to say that the call must not be tried again by itself.
      if (answer.code === "failed_precondition") return { _tag: "Ended", sip: null }
      return answer.code !== null && denied.has(answer.code) ? rejected : { _tag: "Unknown" }
  }
}
