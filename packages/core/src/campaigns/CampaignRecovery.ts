import { Context, Effect, Layer } from "effect"
import { BatchStore } from "../batches/BatchStore.ts"
import { CallStore } from "../calls/CallStore.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { LaneStore } from "../dispatch/LaneStore.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { type Wakeup, Wakeups } from "../engine/Wakeups.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { Campaign } from "./Campaign.ts"
import { CampaignStore } from "./CampaignStore.ts"
import { Lifecycle } from "./Lifecycle.ts"

/** Every row of a paged read. */
const everyRow = <A>(
  page: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<A>, PortError>,
  idOf: (row: A) => string,
) =>
  Effect.gen(function* () {
    const rows: Array<A> = []
    for (let after: string | null = null; ;) {
      const some: ReadonlyArray<A> = yield* page(after, limits.reconcilePage)
      rows.push(...some)
      const last = some.at(-1)
      if (some.length < limits.reconcilePage || last === undefined) return rows
      after = idOf(last)
    }
  })

interface CampaignRecoveryShape {
  /** Sets the wake-ups of campaigns and dispatchers anew, also those that are being handled, and repairs. Returns how many were set. */
  readonly rebuild: Effect.Effect<number, PortError>
  /** Finishes what a process that died left between two commits, and has every dispatcher look. It disturbs nobody. */
  readonly repair: Effect.Effect<void, PortError>
}

/** Makes up for what was lost with a process, from the rows. */
export class CampaignRecovery extends Context.Service<CampaignRecovery, CampaignRecoveryShape>()(
  "@carillon/core/campaigns/CampaignRecovery",
) {
  static readonly layer = Layer.effect(
    CampaignRecovery,
    Effect.gen(function* () {
      const campaigns = yield* CampaignStore
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const calls = yield* CallStore
      const lanes = yield* LaneStore
      const contactCalls = yield* ContactCalls
      const lifecycle = yield* Lifecycle
      const wakeups = yield* Wakeups
      const clock = yield* DomainClock

      /** Returns how many dispatchers are to look. */
      const repaired = Effect.fnUntraced(function* (set: (wakeup: Wakeup) => Effect.Effect<void, PortError>) {
        for (const contact of yield* everyRow(contacts.waitingForNumbers, (row) => row.contact_id)) {
          const row = yield* contacts.find(contact.batch_id, contact.row)
          if (row === null) continue
          const lane_id = contact.campaign_id ?? contact.batch_id
          const { to_number } = row.entry
          const [live = 0] = yield* calls.live([{ lane_id, to_number }])
          if (live === 0) yield* contactCalls.numberFreed(lane_id, to_number)
        }
        const organizations = yield* everyRow(lanes.organizations, (row) => row)
        for (const organizationId of organizations) {
          const known = yield* lanes.changed(organizationId, 0)
          for (const lane of known.lanes) {
            for (const batch of yield* batches.unfinished(lane)) yield* lifecycle.settle(batch.batch_id)
          }
          yield* set({ kind: "dispatch", subject: organizationId, at: clock.now() })
        }
        return organizations.length
      })

      return CampaignRecovery.of({
        rebuild: Effect.gen(function* () {
          const set = wakeups.setAnew
          let count = 0
          for (const campaign of yield* everyRow<Campaign>(campaigns.ending, (row) => row.campaign_id)) {
            if (campaign.end_time === null) continue
            yield* set({ kind: "campaign", subject: campaign.campaign_id, at: campaign.end_time })
            count += 1
          }
          return count + (yield* repaired(set))
        }),
        repair: Effect.asVoid(repaired(wakeups.set)),
      })
    }),
  )
}
