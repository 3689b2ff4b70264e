import { Cause, Effect } from "effect"
import type { TerminalCallStatus } from "../calls/rules/CallStatus.ts"
import { told } from "../engine/rules/Told.ts"
import type { LegEnd, LegFacts } from "../telephony/rules/Leg.ts"

/** What a carrier charges for a call, positive, in the currency of the account there. */
export interface Price {
  readonly amount: number
  readonly currency: string
}

/** The leg of an execution, by both names. */
export interface LegName {
  readonly execution_id: string
  readonly call_sid: string
}

/** A leg that is over, as its host is asked about it. */
export interface EndedLeg extends LegName {
  readonly status: TerminalCallStatus
  readonly duration_seconds: number | null
  /** What the carrier charges for the call, in the currency of the account there; null while it does not say. */
  readonly price: Price | null
}

/** What only the host knows of a leg: what was said, and what the whole call costs in the organization's currency. */
export type HostFacts = Pick<LegFacts, "cost" | "media">

/** A host that is asked for the facts of a leg that is over. */
export interface AsksHost {
  readonly facts: (leg: EndedLeg) => HostFacts | Promise<HostFacts>
}

const noCost = { llm: 0, network: 0, platform: 0, synthesizer: 0, transcriber: 0 }

/** The facts where the host says none: the price of the call is the whole cost, and there is no transcript. */
export const priceAlone = ({ price }: EndedLeg): HostFacts => ({
  cost: price === null ? null : { total: price.amount, breakdown: { ...noCost, telephony: price.amount } },
  media: null,
})

/**
 * The end of a call whose callee heard nobody any more, by the carrier's own word; `error` says why. How long it was is said by the end of its leg.
 */
export const cutOff = (error: string): LegEnd => ({
  status: "call-disconnected",
  hangup_reason: "carrier_error",
  hangup_by: null,
  duration_seconds: null,
  answered_by_voicemail: null,
  error,
})

/** What the host says of a leg that is over; a mistake of its own is loud, and then it has said nothing. */
export const factsOf = (
  host: AsksHost,
  name: LegName,
  end: Pick<LegEnd, "status" | "duration_seconds">,
  price: Price | null,
): Effect.Effect<HostFacts> =>
  Effect.promise(async () =>
    host.facts({ ...name, status: end.status, duration_seconds: end.duration_seconds, price }),
  ).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logError("The host's facts of a call have a mistake.", told(cause)).pipe(
            Effect.annotateLogs({ execution_id: name.execution_id }),
            Effect.as({ cost: null, media: null }),
          ),
    ),
  )
