import type { Effect, Layer } from "effect"
import type { AgentStore } from "../agents/ports/AgentStore.ts"
import type { Call } from "../calls/rules/Call.ts"
import type { CallStore } from "../calls/ports/CallStore.ts"
import type { Telephony } from "../telephony/ports/Telephony.ts"
import type { CarrierReport } from "../telephony/rules/Leg.ts"

/** The time of a carrier's stand-in, which the day moves; epoch milliseconds. */
export interface DayClock {
  readonly now: () => number
  /** Plans something; returns what takes it back. */
  readonly at: (time: number, action: () => Promise<void>) => () => void
  /** When something is due next, or null. */
  readonly next: () => number | null
  /** Does the next thing, callbacks and their answers too; false where nothing is due by then. */
  readonly step: (by: number) => Promise<boolean>
  /** Does all that is due until then, which it is afterwards. */
  readonly runTo: (time: number) => Promise<void>
}

/** Which calls of the day a host may settle in the evening; epoch milliseconds, inclusive. */
export interface DayCalls {
  readonly organization_id: string
  readonly from: number
  readonly to: number
}

/** The adapter as one process of its host has it. */
export interface DayAdapter {
  readonly carrier: Layer.Layer<Telephony, never, CallStore | AgentStore>
  /** Mounts its callbacks, in the place of those of the process before. `report` is the engine's. */
  readonly mount: (report: (report: CarrierReport) => Promise<unknown>) => void
  /** What its host does in the evening with what the dead took with them; it may fail, and is done three times. */
  readonly settle?: (calls: DayCalls) => Effect.Effect<unknown, unknown, CallStore>
}

/** A leg as it truly was, at the far end. */
export interface DayLeg {
  /** Whose leg it was; null where the far end cannot tell, which is a fault. */
  readonly execution_id: string | null
  readonly to_number: string
  readonly createdAt: number
  readonly endedAt: number | null
  /** Somebody was reached, and everybody could know it: who was is not called again. */
  readonly wasReached: boolean
}

/** The stand-in of a carrier for one day, with what goes wrong in it. */
export interface DayStage {
  readonly clock: DayClock
  /** Lets what is on its way on this machine come in; a millisecond of its own time is enough for most. */
  readonly pause: () => Promise<void>
  /** Sets the adapter up for one more process. */
  readonly start: () => DayAdapter
  /** All legs that there ever were, the first one first. */
  readonly legs: () => ReadonlyArray<DayLeg>
  /** Judges by the carrier's own words: calls against legs, and what the carrier would warn of. Throws. */
  readonly judge: (calls: ReadonlyArray<Call>) => void
  readonly close: () => Promise<void>
}

/** What a day is made of, and what it must at least have shown. */
export interface DayTraits {
  /** Contacts of the campaign: `+12125550000` and so on. Each may be called three times. */
  readonly contacts: number
  /** Until the process dies for the first time. */
  readonly morningMs: number
  /** What remains of the day after the second time. */
  readonly eveningMs: number
  /** At least so many of the contacts are reached, over at least so many legs. */
  readonly reached: number
  readonly legs: number
  /** What the day is drawn from. Default: `monday`. */
  readonly seed?: string
}
