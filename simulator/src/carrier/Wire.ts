import type { DialOutcome } from "@carillon/core"
import type { Script } from "./Outcome.ts"
import type { LegResult, Timeline } from "./Timeline.ts"

/** How a leg goes that came over a vendor's wire, if nobody hangs it up. Times in milliseconds. */
export interface Course {
  readonly result: LegResult
  /** From the dial to the first ring. */
  readonly setup_ms: number
  /** From the first ring to the pick-up, or to the end where nobody picks up. */
  readonly ring_ms: number
  /** From the pick-up to the end. */
  readonly talk_ms: number
}

/** A leg of the world's carrier, as the vendor tells of it. */
export interface WireLeg {
  readonly course: Course
  readonly answered: () => void
  /** Somebody asked the vendor to end it. */
  readonly hungUp: () => void
  readonly ended: () => void
}

/** The carrier refuses a dial: there is no leg. */
export interface WireRefusal {
  readonly refused: Extract<DialOutcome, { readonly _tag: "Refused" }>["kind"]
  readonly retryAfterSeconds: number | null
}

/** The world's carrier as a vendor's stand-in has it. */
export interface Wire {
  /** A dial came over the wire, for this execution as far as the wire tells. */
  readonly dial: (executionId: string | null, toNumber: string) => WireLeg | WireRefusal
}

/** How a leg goes whose life was laid out. */
export const courseOf = (
  { connected_at, ended_at, initiated_at, result, ringing_at }: Timeline,
  placedAt: number,
): Course => {
  const rings = ringing_at ?? initiated_at
  const pickedUp = connected_at ?? ended_at
  return { result, setup_ms: rings - placedAt, ring_ms: pickedUp - rings, talk_ms: ended_at - pickedUp }
}

/** What the carrier says to a dial of which no leg comes; null where one does. What gets lost on the way is the vendor's to lose. */
export const refusalOf = ({ result, retry_after_seconds = null }: Script): WireRefusal | null => {
  switch (result) {
    case "unreachable":
    case "rejected":
      return { refused: result, retryAfterSeconds: null }
    case "invalid":
      return { refused: "invalid_destination", retryAfterSeconds: null }
    case "throttled":
      return { refused: "throttled", retryAfterSeconds: retry_after_seconds }
    default:
      return null
  }
}
