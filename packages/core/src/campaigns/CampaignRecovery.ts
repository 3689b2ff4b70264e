import { Context, Effect, Layer } from "effect"
import { laneOf } from "../batches/rules/Batch.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import type { Contact } from "../contacts/rules/Contact.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import { isForgotten } from "../contacts/rules/ContactProgress.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { LaneStore } from "../dispatch/ports/LaneStore.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { Wakeup } from "../engine/rules/Wakeup.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { figure } from "../tallies/rules/Tally.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import type { Campaign } from "./rules/Campaign.ts"
import { CampaignStore } from "./ports/CampaignStore.ts"
import { mayExpire } from "./rules/CampaignWork.ts"
import { Lifecycle } from "./Lifecycle.ts"

/** A page at a time. */
const together = { concurrency: "unbounded" } as const

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
  /** Looks on at those who wait for a number: who was forgotten is dialled. Returns when to look on; null where nobody waits. */
  readonly lookOn: Effect.Effect<number | null, PortError>
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
      const lanes = yield* LaneStore
      const contactCalls = yield* ContactCalls
      const tallies = yield* TallyStore
      const lifecycle = yield* Lifecycle
      const wakeups = yield* Wakeups
      const clock = yield* DomainClock

      /** Lets those of a page of waiting contacts be dialled whose number nobody has. */
      const freeNumbers = Effect.fnUntraced(function* (after: string | null, isMeant: (contact: Contact) => boolean) {
        const page = yield* contacts.waitingForNumbers(after, limits.reconcilePage)
        const waiting = page.filter(isMeant)
        const rows = yield* Effect.forEach(waiting, ({ batch_id, row }) => contacts.find(batch_id, row), together)
        const numbers = new Map<string, { readonly laneId: string; readonly toNumber: string }>()
        for (const [index, contact] of waiting.entries()) {
          const laneId = laneOf(contact)
          const toNumber = rows[index]?.entry.to_number
          if (toNumber !== undefined) numbers.set(`${laneId} ${toNumber}`, { laneId, toNumber })
        }
        yield* Effect.forEach(
          numbers.values(),
          ({ laneId, toNumber }) => contactCalls.freeNumber(laneId, toNumber),
          together,
        )
        const last = page.length < limits.reconcilePage ? null : (page.at(-1)?.contact_id ?? null)
        return { last, isEmpty: page.length === 0 }
      })

      /** After whom of the waiting contacts to look on. */
      let lookedAt: string | null = null

      /** Returns how many dispatchers are to look. */
      const repaired = Effect.fnUntraced(function* (set: (wakeup: Wakeup) => Effect.Effect<void, PortError>) {
        for (let after: string | null = null, isOver = false; !isOver;) {
          const { last }: { readonly last: string | null } = yield* freeNumbers(after, () => true)
          after = last
          isOver = last === null
        }
        const organizations = yield* everyRow(lanes.organizations, (row) => row)
        for (const organizationId of organizations) {
          const known = yield* lanes.changed(organizationId, 0)
          for (const lane of known.lanes) {
            for (const batch of yield* batches.unfinished(lane)) yield* lifecycle.settle(batch)
          }
          yield* set({
            kind: "dispatch",
            subject: organizationId,
            at: clock.now(),
            organization_id: organizationId,
          })
        }
        return organizations.length
      })

      return CampaignRecovery.of({
        rebuild: Effect.gen(function* () {
          const set = wakeups.setAnew
          let count = 0
          for (const campaign of yield* everyRow<Campaign>(campaigns.ending, (row) => row.campaign_id)) {
            const { campaign_id: subject, end_time: at, organization_id } = campaign
            const hasContacts = figure(yield* tallies.read(subject), "contacts") > 0
            if (at === null || !mayExpire(campaign, hasContacts)) continue
            yield* set({ kind: "campaign", subject, at, organization_id })
            count += 1
          }
          for (const campaign of yield* everyRow<Campaign>(campaigns.watched, (row) => row.campaign_id)) {
            const { breaker, campaign_id: subject, organization_id } = campaign
            yield* set({ kind: "breaker", subject, at: breaker?.trip?.resume_at ?? clock.now(), organization_id })
            count += 1
          }
          return count + (yield* repaired(set))
        }),
        repair: Effect.asVoid(repaired(wakeups.set)),
        lookOn: Effect.gen(function* () {
          const now = clock.now()
          const isFirst = lookedAt === null
          const { isEmpty, last } = yield* freeNumbers(lookedAt, (contact) => isForgotten(contact, now))
          lookedAt = last
          return isFirst && isEmpty ? null : now + limits.forgottenLookMs
        }),
      })
    }),
  )
}
