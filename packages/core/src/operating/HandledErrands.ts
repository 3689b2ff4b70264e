import { Effect, Layer } from "effect"
import { settleBatch } from "../batches/steps/SettleBatch.ts"
import { makeDialErrands } from "../calls/DialErrands.ts"
import { hangUpCall } from "../calls/steps/StopCall.ts"
import { Callees } from "../callees/Callees.ts"
import { completeCampaign } from "../campaigns/steps/CompleteCampaign.ts"
import { mendCampaign } from "../campaigns/steps/MendCampaign.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { Activity } from "../engine/Activity.ts"
import { type AskingHandlers, ErrandHandling, type NextStep, nextStep, replies } from "../engine/ErrandHandling.ts"
import type { Errand } from "../Errands.ts"
import type { PortError } from "../Errors.ts"
import { makeRemovals } from "../knowledge/Removals.ts"
import { Gate } from "../limits/Gate.ts"
import { carrierPort } from "../telephony/CarrierPort.ts"
import { makeSend } from "../webhooks/SendDelivery.ts"
import { endAttempt } from "../webhooks/steps/EndAttempt.ts"

/** Says who does an errand, by its kind, and which step takes what came of it. */
export const handledErrands = Layer.effect(
  ErrandHandling,
  Effect.gen(function* () {
    const gate = yield* Gate
    const callees = yield* Callees
    const activity = yield* Activity
    const telephony = yield* carrierPort
    const send = yield* makeSend
    const contacts = yield* ContactStore
    const dials = yield* makeDialErrands

    const handle = (errand: Errand): Effect.Effect<NextStep<unknown> | null, PortError> => {
      const { subject } = errand
      switch (errand.errand) {
        case "line.give_back":
          return Effect.as(gate.release(errand.organization_id, subject, errand.fence), null)
        case "line.decline":
          return Effect.as(gate.decline(subject, errand.fence), null)
        case "batch.settle":
          return Effect.succeed(nextStep(settleBatch, { organization_id: null, batch_id: subject }))
        case "campaign.complete":
          return Effect.succeed(nextStep(completeCampaign, { organization_id: null, campaign_id: subject }))
        case "campaign.mend":
          return Effect.succeed(nextStep(mendCampaign, { organization_id: null, campaign_id: subject }))
        case "campaign.tell_mended": {
          const line = "A campaign had ended and some of its batches had not."
          return Effect.as(Effect.logWarning(line, subject, errand.mended), null)
        }
        case "callees.meet":
          return Effect.as(
            Effect.sync(() => callees.met(subject)),
            null,
          )
      }
    }

    const asking: AskingHandlers = {
      "call.dial": dials,
      "call.hang_up": (errand) =>
        Effect.map(activity.track(telephony.hangup(errand.live.execution_id, errand.live.call_sid)), (answer) =>
          nextStep(hangUpCall, { ...errand, answer }),
        ),
      "delivery.send": (errand) =>
        Effect.map(send(errand), (ended) =>
          nextStep(endAttempt, {
            organization_id: errand.delivery.organization_id,
            delivery: errand.delivery,
            ...ended,
          }),
        ),
      "knowledge.remove_chunks": yield* makeRemovals,
      "contacts.discard": ({ subject }) => Effect.as(contacts.discard(subject), replies(undefined)),
      "contacts.overwrite": ({ batch_id, entry, place }) =>
        Effect.as(contacts.replace(batch_id, place, entry), replies("Erased" as const)),
    }

    return ErrandHandling.of({ handle, ask: (errand) => asking[errand.errand](errand) })
  }),
)
