import { type Outcome, put, refused, write } from "../../engine/rules/Outcome.ts"
import { all, glance, refuse, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { NotFound, StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { textBytes } from "../../Measure.ts"
import { type Delivery, newDelivery } from "../rules/Delivery.ts"
import { expiryWakeup } from "../rules/LedgerRows.ts"
import { targetedNow } from "./Targets.ts"

/** Why something is refused that names a delivery. */
export const noSuchDelivery = new NotFound({ message: "Delivery not found." })

/** Why a delivery is not repeated that is in the ledger: one of a redelivery stays there longer than its event is kept, and an erased event has nothing to say. */
const eventIsGone = new StateConflict({
  message: "The event of this delivery is not kept any more, so it cannot be sent again.",
})

interface RedeliveryAsked extends ByCaller {
  readonly delivery_id: string
  /** Where attempts may go beside the public network (`AllowedDestinations`). */
  readonly allowed: ReadonlyArray<string>
}

/** A caller has an event sent once more to where a delivery of it went: the same event, the same body, a new delivery. */
export const redeliverEvent = step({
  name: "webhook.redeliver",
  *reads({ allowed, caller: { organization_id }, delivery_id }: RedeliveryAsked) {
    const before = yield* glance(
      "grows",
      "Of which event it was, and where it went, never changes.",
      row("delivery", delivery_id, { of: organization_id }),
    )
    if (before === null) return yield* refuse(noSuchDelivery)
    const [event, targeted] = yield* all(
      glance("again", "An attempt finds that its event was erased or has gone.", row("event", before.event_id)),
      targetedNow(before, allowed, null),
    )
    return { before, event, targeted }
  },
  decide(
    { delivery_id: again },
    { before, event, targeted },
    { mint, now, nth },
  ): Outcome<Delivery, NotFound | StateConflict> {
    if (before.expires_at <= now) return refused(noSuchDelivery)
    if (event === null || event.erased === true) return refused(eventIsGone)
    if (targeted._tag === "Stopped") return refused(new StateConflict({ message: targeted.why }))
    const { agent_id, event_id, event_type, execution_id, organization_id, subscription_id } = before
    const delivery_id = mint("delivery", again, "again", now, nth("delivery"))
    const change = put(
      "delivery",
      null,
      newDelivery(
        {
          delivery_id,
          organization_id,
          event_id,
          event_type,
          subscription_id,
          subscription_revision: targeted.subscription_revision,
          agent_id,
          execution_id,
          body_bytes: textBytes(event.body),
        },
        now,
      ),
    )
    const resource = { type: "webhook_delivery", id: delivery_id }
    return write([change], {
      audit: [{ resource, details: { event_id, delivery_id: again } }],
      wakeups: [expiryWakeup(change.row.expires_at)],
      reply: change.row,
    })
  },
})
