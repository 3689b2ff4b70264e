import { DisconnectReason } from "@livekit/protocol"
import { type TwirpCode, TwirpFailure } from "./Twirp.ts"

/** livekit/protocol, `livekit/sip.go`, `sipCodeToGRPCCode`, as Twirp writes the code. A busy callee is a 429. */
const codes: ReadonlyMap<number, readonly [code: TwirpCode, name: string]> = new Map([
  [400, ["invalid_argument", "Bad Request"]],
  [401, ["permission_denied", "Unauthorized"]],
  [402, ["permission_denied", "Payment Required"]],
  [403, ["permission_denied", "Forbidden"]],
  [404, ["not_found", "Not Found"]],
  [407, ["unauthenticated", "Proxy Authentication Required"]],
  [408, ["deadline_exceeded", "Request Timeout"]],
  [410, ["not_found", "Gone"]],
  [480, ["resource_exhausted", "Temporarily Unavailable"]],
  [484, ["invalid_argument", "Address Incomplete"]],
  [486, ["resource_exhausted", "Busy Here"]],
  [487, ["aborted", "Request Terminated"]],
  [488, ["invalid_argument", "Not Acceptable Here"]],
  [500, ["failed_precondition", "Server Internal Error"]],
  [502, ["failed_precondition", "Bad Gateway"]],
  [503, ["failed_precondition", "Service Unavailable"]],
  [504, ["deadline_exceeded", "Server Time-out"]],
  [600, ["resource_exhausted", "Busy Everywhere"]],
  [603, ["permission_denied", "Decline"]],
  [604, ["not_found", "Does Not Exist Anywhere"]],
  [606, ["invalid_argument", "Not Acceptable"]],
  [607, ["permission_denied", "Unwanted"]],
  [608, ["permission_denied", "Rejected"]],
])

const classOf = (code: number): TwirpCode => (code >= 500 && code < 600 ? "failed_precondition" : "invalid_argument")

/** A final answer to an INVITE that is not 200. */
export interface SipAnswer {
  readonly code: number
  /** The reason phrase; that of the RFC where it is left out. */
  readonly status?: string
}

/** What `CreateSIPParticipant` fails with where it waits: livekit/protocol, `SIPStatus.GRPCStatus` and `TwirpErrorMeta`. */
export const sipFailure = ({ code, status }: SipAnswer): TwirpFailure => {
  const [twirp, name] = codes.get(code) ?? [classOf(code), `SIP_STATUS_${code}`]
  const reason = status ?? name
  return new TwirpFailure(twirp, `sip status ${code}: ${reason}`, { sip_status_code: String(code), sip_status: reason })
}

const unavailable = new Set([404, 408, 480])

/**
 * Why the participant left: livekit/sip, `classifyInviteError` for the state of the call, `CallStatus.DisconnectReason` for the reason that the
 * participant says when it leaves, and livekit/livekit, `signalhandler.go`, for what the server makes of it: what is neither unavailable nor
 * rejected is a leave like any other.
 */
export const leaveReason = ({ code, status }: SipAnswer): DisconnectReason => {
  if (unavailable.has(code)) return DisconnectReason.USER_UNAVAILABLE
  if (code < 500 || code >= 600) return DisconnectReason.USER_REJECTED
  const said = (status ?? "").toLowerCase()
  const isLimit = said.includes("cps limit exceeded") || said.includes("concurrent call limit exceeded")
  return isLimit ? DisconnectReason.USER_REJECTED : DisconnectReason.CLIENT_INITIATED
}
