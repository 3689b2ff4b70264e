import { errorStatuses } from "@carillon/api"
import { callStatuses } from "@carillon/core/domain"

/** The conflicts that `/v2` knows, as their messages begin. */
const conflicts = [
  "This call already ended",
  "The call is still being placed",
  "The telephony provider refused to hang up this call",
  "This agent is not active",
  "This agent is active and must be set to INACTIVE first",
  "This agent is archived and cannot be changed",
  "This agent cannot move to that status",
  "This campaign has already ended",
  "This campaign is still running",
  "This campaign is archived and cannot be revived",
  "This campaign has batches that are not finished",
  "This campaign cannot be edited",
  "The agent of this campaign cannot be changed now",
  "This campaign has ended",
  "This batch has already finished",
  "This batch has already started",
  "This batch is paused",
  "This phone number is already registered",
  "This phone number is not available to this organization",
  "A campaign, a batch or a booked call that may still dial calls from this phone number",
  "An agent already answers this phone number",
  "A provider of this name already exists",
  "This experiment is concluded",
  "This experiment cannot move to that status",
  "Another experiment of this agent is active",
  "This experiment cannot be deleted",
  "This organization already has a default webhook subscription",
  "An agent may have at most",
  "The subscription was deleted",
  "The subscription was disabled",
  "The agent has no webhook URL any more",
  "You cannot revoke the key",
  "This Idempotency-Key was used with another request",
  "The first request with this Idempotency-Key is still running",
  "This number is suppressed",
  "This number was called as often as the call caps allow",
] as const

/** Conflicts that are known and that no request of the soak brings about: a window that never opens is refused when it is written. */
const unreached = ["The calling window of this agent never opens"] as const

/** 1500 says that there is a bug; a world that answers it has failed. */
export const bugCode = 1500

const codes = Object.keys(errorStatuses).filter((code) => code !== String(bugCode))

/** What must have happened in some world of a long enough soak. */
export const goals: ReadonlyArray<string> = [
  ...callStatuses.map((status) => `status ${status}`),
  ...codes.map((code) => `error ${code}`),
  ...conflicts.map((conflict) => `409 ${conflict}`),
  "202 scheduled",
  "202 unconfirmed",
  "202 deferred by the calling window",
  "a campaign borrows lines",
  "a campaign returns borrowed lines",
  "a campaign dials across a DST gap",
  "a campaign dials across a DST overlap",
  "a crash",
  "rows go that were kept for their time",
  "a delivery succeeds after a failure",
  "a delivery is given up",
]

/** The goal of an answer that refuses for the state of things; undefined for a message that is not among them. */
export const conflictGoal = (message: string): string | undefined => {
  const known = [...conflicts, ...unreached].find((conflict) => message.startsWith(conflict))
  return known === undefined ? undefined : `409 ${known}`
}
