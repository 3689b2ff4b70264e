import { Context, type Effect } from "effect"
import type { Call } from "../calls/rules/Call.ts"
import type { TerminalCallStatus } from "../calls/rules/CallStatus.ts"
import type { CarrierReport } from "../telephony/rules/Leg.ts"
import type { DialOutcome } from "../telephony/rules/Dial.ts"

/** Why a carrier refuses a dial. */
export type RefusalKind = Extract<DialOutcome, { readonly _tag: "Refused" }>["kind"]

/** What the suite may ask of the carrier under test. */
export interface CarrierTraits {
  /** Whom to dial, E.164, for each thing that the carrier can do. What is left out is not judged. */
  readonly numbers: {
    /** Rings, is answered, and ends by itself as `completed`. */
    readonly completed: string
    /** Rings, is answered, and talks for an hour at least unless it is hung up. */
    readonly talking: string
    /** The same, but the answer to its dial gets lost on the way back. */
    readonly unheard: string
    /** Legs that end by themselves with another status. */
    readonly ends?: { readonly [status in Exclude<TerminalCallStatus, "completed">]?: string }
    /** Dials that the carrier refuses. */
    readonly refused?: { readonly [kind in RefusalKind]?: string }
  }
  /** The carrier takes the execution id as its idempotency key, so that a dial which is repeated makes no second leg. */
  readonly onePerId: boolean
}

/** A callback as it was posted. The names of its headers are in lower case. */
export interface SentCallback {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The far end of the carrier under test, and the hand that moves it: a stand-in that can pass a month in no time. It tells what is true there,
 * not what the adapter believes.
 */
export class CarrierStage extends Context.Service<
  CarrierStage,
  {
    /** Lets a leg go on until it is in this phase or over; what is reported on the way has come in by then. */
    readonly reach: (executionId: string, phase: "ringing" | "answered" | "ended") => Effect.Effect<void>
    /** Lets so many milliseconds of the carrier's time pass. */
    readonly pass: (ms: number) => Effect.Effect<void>
    /** How many legs were ever made under this id. */
    readonly legs: (executionId: string) => Effect.Effect<number>
    /** What was handed to the host's `report` of this id, oldest first. */
    readonly reported: (executionId: string) => Effect.Effect<ReadonlyArray<CarrierReport>>
    /** The vendor's callbacks, for forgeries and replays. Left out where there are none, or where it signs none. */
    readonly callbacks?: {
      /** Those that have come in so far, oldest first. */
      readonly sent: () => ReadonlyArray<SentCallback>
      /** Hands one to the adapter, which nobody remembers; the HTTP status that it is answered with. */
      readonly take: (callback: SentCallback) => Promise<number>
    }
    /** Puts a row where the carrier reads the engine's calls. Left out by a carrier that reads none. */
    readonly keepRow?: (call: Call) => Effect.Effect<void>
  }
>()("@carillon/core/testing/CarrierStage") {}
