import { Context, Effect, Layer } from "effect"
import { laneOf } from "../batches/Batch.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import type { Call } from "../calls/Call.ts"
import { contactChange } from "../calls/CallCommit.ts"
import { isTerminal } from "../calls/CallStatus.ts"
import { CampaignStore } from "../campaigns/CampaignStore.ts"
import { Lifecycle } from "../campaigns/Lifecycle.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { unchanged, write } from "../engine/Commit.ts"
import { Steps } from "../engine/Steps.ts"
import type { PortError } from "../Errors.ts"
import { placeOf } from "./Contact.ts"
import { type ContactContext, numberFree } from "./ContactProgress.ts"
import { ContactStore } from "./ContactStore.ts"

interface ContactCallsShape {
  /** What decides over the call's contact; null for a call without one. */
  readonly context: (call: Call) => Effect.Effect<ContactContext | null, PortError>
  /** Follows up a committed change of a call: its batch may be done. Should this fail, the dispatcher sees to it. */
  readonly committed: (before: Call, after: Call) => Effect.Effect<void>
  /** Lets the next contact of the lane that waited for the number be dialled. */
  readonly numberFreed: (laneId: string, toNumber: string) => Effect.Effect<void, PortError>
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
      const clock = yield* DomainClock

      const numberFreed: ContactCallsShape["numberFreed"] = Effect.fnUntraced(function* (laneId, toNumber) {
        yield* steps.run(contacts.waitingFor(laneId, toNumber), (waiting) => {
          if (waiting === null) return unchanged(undefined)
          const now = clock.now()
          const change = contactChange(waiting, numberFree(waiting, now), now)
          return write({ organization_id: waiting.organization_id, ...change }, undefined)
        })
      })

      return ContactCalls.of({
        numberFreed,
        context: Effect.fnUntraced(function* (call) {
          const place = call.contact_id === null ? null : placeOf(call.contact_id)
          if (place === null) return null
          const row = yield* contacts.find(place.batch_id, place.row)
          const batch = yield* batches.locate(place.batch_id)
          if (row === null || row.contact === null || batch === null) return null
          const campaign = batch.campaign_id === null ? null : yield* campaigns.locate(batch.campaign_id)
          const heir = yield* contacts.waitingFor(laneOf(batch), row.entry.to_number)
          return { contact: row.contact, batch, campaign, heir }
        }),
        committed: (before, after) =>
          after.batch_id === null || isTerminal(before.status) || !isTerminal(after.status)
            ? Effect.void
            : Effect.ignore(lifecycle.settle(after.batch_id)),
      })
    }),
  )
}
