import { Context, Effect, Layer } from "effect"
import { laneOf } from "../batches/Batch.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import type { Call } from "../calls/Call.ts"
import { isTerminal } from "../calls/CallStatus.ts"
import { CampaignStore } from "../campaigns/CampaignStore.ts"
import { Lifecycle } from "../campaigns/Lifecycle.ts"
import { Steps } from "../engine/Steps.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { type Contact, placeOf } from "./Contact.ts"
import type { ContactContext } from "./ContactProgress.ts"
import { ContactStore } from "./ContactStore.ts"
import { freeHeirs, waitForCall } from "./NumberTurns.ts"

interface ContactCallsShape {
  /** What decides over the call's contact; null for a call without one. */
  readonly context: (call: Call) => Effect.Effect<ContactContext | null, PortError>
  /** Follows up a committed change of a call: its batch may be done. Should this fail, the dispatcher sees to it. */
  readonly committed: (before: Call, after: Call) => Effect.Effect<void>
  /**
   * Sets a contact aside until the call to its number is over. Nothing happens where there is no such call, or no longer, or the row of
   * the contact has changed: who looks again finds that it may be dialled.
   */
  readonly waitForNumber: (contact: Contact, toNumber: string) => Effect.Effect<void, PortError>
  /** Lets the next contacts of the lane that wait for a number be dialled where nobody is in a call with it. */
  readonly freeNumber: (laneId: string, toNumber: string) => Effect.Effect<void, PortError>
  /** The same for some of the numbers that contacts of the lane wait for. Once they no longer wait, others are found. */
  readonly freeWaiting: (laneId: string) => Effect.Effect<void, PortError>
}

/** Where calls meet the contacts for which they are made. */
export class ContactCalls extends Context.Service<ContactCalls, ContactCallsShape>()(
  "@carillon/core/contacts/ContactCalls",
) {
  static readonly layer = Layer.effect(
    ContactCalls,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const batches = yield* BatchStore
      const campaigns = yield* CampaignStore
      const lifecycle = yield* Lifecycle
      const steps = yield* Steps

      const freeNumber = (lane_id: string, to_number: string) =>
        steps.take(freeHeirs, { organization_id: null, lane_id, to_number })

      return ContactCalls.of({
        waitForNumber: (contact, to_number) =>
          steps.take(waitForCall, { organization_id: contact.organization_id, contact, to_number }),
        freeNumber,
        freeWaiting: Effect.fnUntraced(function* (laneId) {
          const waiting = yield* contacts.waitingIn(laneId, limits.numberHeirs)
          const numbers = new Set(waiting.map(({ entry }) => entry.to_number))
          yield* Effect.forEach(numbers, (toNumber) => freeNumber(laneId, toNumber), { discard: true })
        }),
        context: Effect.fnUntraced(function* (call) {
          const place = call.contact_id === null ? null : placeOf(call.contact_id)
          if (place === null) return null
          const row = yield* contacts.find(place.batch_id, place.row)
          const batch = yield* batches.locate(place.batch_id)
          if (row === null || row.contact === null || batch === null) return null
          const campaign = batch.campaign_id === null ? null : yield* campaigns.locate(batch.campaign_id)
          const heirs = yield* contacts.heirs(laneOf(batch), row.entry.to_number)
          return { contact: row.contact, batch, campaign, heirs }
        }),
        committed: (before, after) =>
          after.batch_id === null || isTerminal(before.status) || !isTerminal(after.status)
            ? Effect.void
            : Effect.ignore(lifecycle.settle(after.batch_id)),
      })
    }),
  )
}
