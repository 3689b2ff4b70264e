import { Effect } from "effect"
import { type Batch, laneOf } from "../batches/rules/Batch.ts"
import { calleeAsRead, Callees } from "../callees/Callees.ts"
import { suppressionOf } from "../callees/rules/Suppression.ts"
import type { Call } from "../calls/rules/Call.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { priorityOf } from "../contacts/rules/Priority.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { limits } from "../Limits.ts"
import { Withheld } from "../operating/Withheld.ts"
import { closeOff } from "./steps/CloseOff.ts"
import { concludeContact } from "./steps/ConcludeContact.ts"
import { agentOfDial, isFollowUp } from "./rules/ContactCall.ts"
import type { Desk } from "./Desk.ts"
import type { OpenLane } from "./rules/OpenLane.ts"
import { lacksOf } from "./DeskPicture.ts"
import { holdContact } from "./steps/HoldContact.ts"
import {
  type Capped,
  dialOf,
  inHours,
  type Judged,
  type Lack,
  type OutOfHours,
  restsUntil,
  type Suppressed,
} from "./rules/Judged.ts"
import { leaveContact } from "./steps/LeaveContact.ts"
import { entriesOf } from "./rules/OpenMarks.ts"
import { restContacts } from "./steps/RestContacts.ts"
import { skipContacts } from "./steps/SkipContacts.ts"

/** The contacts from one on that have never been dialled. */
export const makeFresh = Effect.gen(function* () {
  const contacts = yield* ContactStore

  /** Up to the first whose number comes a second time, or behind which those of other batches may come: it is of another priority. */
  return Effect.fnUntraced(function* ({ batch_id, entry, row }: ContactRow, most: number) {
    const numbers = new Set<string>()
    const fresh: Array<ContactRow> = []
    for (const next of yield* contacts.rows(batch_id, row, most)) {
      if (next.contact !== null || numbers.has(next.entry.to_number)) break
      if (priorityOf(next.entry) !== priorityOf(entry)) break
      numbers.add(next.entry.to_number)
      fresh.push(next)
    }
    return fresh
  })
})

/** Of contacts that nobody has touched those that stand first and are left for the same reason: contacts are first touched in order. */
export const makeAlike = Effect.gen(function* () {
  const callees = yield* Callees
  const clock = yield* DomainClock
  const freshFrom = yield* makeFresh

  const several = (organizationId: string, rows: ReadonlyArray<ContactRow>) =>
    callees.several(
      organizationId,
      rows.map(({ entry }) => entry.to_number),
    )

  /** The first ones whose numbers must not be called. */
  const barredOf = Effect.fnUntraced(function* (lane: OpenLane, batch: Batch, rows: ReadonlyArray<ContactRow>) {
    const known = yield* several(batch.organization_id, rows)
    const barred: Array<Suppressed> = []
    for (const row of rows) {
      const dial = dialOf(lane, { ...row, contact: null }, batch)
      const scope = { campaign_id: batch.campaign_id, agent_ids: [agentOfDial(dial)] }
      if (suppressionOf(known.get(row.entry.to_number) ?? null, scope, clock.now()) === null) break
      barred.push({ _tag: "Suppressed", dial, row })
    }
    return barred
  })

  return {
    barredOf,
    /** Those that stand behind one that is skipped, and are skipped with it. */
    barredAfter: Effect.fnUntraced(function* (lane: OpenLane, row: ContactRow, batch: Batch) {
      const [, ...others] = yield* freshFrom(row, limits.skippedTogether)
      return yield* barredOf(lane, batch, others)
    }),
    /** Those that may not be called at this hour, the first one among them. */
    closedFrom: Effect.fnUntraced(function* (lane: OpenLane, first: OutOfHours, batch: Batch) {
      const closed: Array<OutOfHours> = []
      const now = clock.now()
      for (const row of yield* freshFrom(first.row, limits.skippedTogether)) {
        const { dial, isOpen, mark } = inHours(lane, row, batch, now)
        if (isOpen) break
        closed.push({ _tag: "OutOfHours", dial, row, mark })
      }
      return closed.length === 0 ? [first] : closed
    }),
    /** Those whose numbers rest, the first one among them. */
    restingFrom: Effect.fnUntraced(function* (lane: OpenLane, first: Capped, batch: Batch) {
      const { organization_id } = batch
      const rows = yield* freshFrom(first.row, limits.skippedTogether)
      const known = yield* several(organization_id, rows)
      const resting: Array<Capped> = []
      const now = clock.now()
      for (const row of rows) {
        const { to_number } = row.entry
        const found = known.get(to_number) ?? null
        const until = restsUntil(lane, found, now)
        // Who may be suppressed is judged by itself.
        if (until === null || (found?.suppressions.length ?? 0) > 0) break
        const callee = calleeAsRead({ organization_id, to_number }, found)
        resting.push({ _tag: "Capped", dial: inHours(lane, row, batch, now).dial, row, until, callee })
      }
      return resting.length === 0 ? [first] : resting
    }),
  }
})

/** What becomes of contacts that are not dialled when their turn comes. */
export const makeLeft = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const steps = yield* Steps
  const activity = yield* Activity
  const withheld = yield* Withheld
  const alike = yield* makeAlike

  return {
    /**
     * Holds the contact back. Its lane waits with it, so that one outage does not go through all contacts; what a follow-up lacks may
     * be its own agent, and then it waits alone.
     */
    hold: Effect.fnUntraced(function* (
      desk: Desk,
      lane: OpenLane,
      { because, callee, dial, row: { contact: stored } }: Extract<Judged, { _tag: "Held" }>,
    ) {
      const { contact } = dial
      const { organization_id } = contact
      const after = yield* steps.propose(holdContact, { organization_id, stored, contact, because, callee })
      const { eligible_at: until } = after
      if (until === null || isFollowUp(contact)) return
      if (because === "wallet") desk.waits.paused.set(lane.lane_id, { until, because })
      else {
        const [agent, callerIds] = lacksOf(dial.batch)
        const pause = { until, because, agent_id: agentOfDial(dial) }
        const name = because === "agent" ? agent : callerIds
        desk.waits.pauseBatches(lane.lane_id, new Map(desk.waits.pausedBatches(lane.lane_id)).set(name, pause))
      }
    }),
    /** Ends an attempt on a contact without anybody having been rung. */
    conclude: Effect.fnUntraced(function* (
      { callee, dial, row }: Extract<Judged, { _tag: "Held" | "Unfunded" }>,
      call: Call,
      because: Lack | "funds",
    ) {
      const { organization_id } = call
      const heirs = yield* contacts.heirs(laneOf(dial.batch), call.to_number)
      yield* steps.propose(concludeContact, {
        organization_id,
        stored: row.contact,
        dial,
        call,
        because,
        heirs,
        callee,
      })
    }),
    /** The contact is dialled at another time, or not at all, and then its batch may be done. */
    leave: Effect.fnUntraced(function* ({ dial, row, turn }: Extract<Judged, { _tag: "NotNow" }>) {
      const { batch } = dial
      const { organization_id } = batch
      const at = turn._tag === "Never" ? null : turn.at
      // It had its turn at its number.
      const heirs = at === null ? yield* contacts.heirs(laneOf(batch), row.entry.to_number) : []
      yield* steps.propose(leaveContact, { organization_id, stored: row.contact, dial, at, heirs })
    }),
    /** Skips contacts of one batch whose numbers must not be called. */
    skip: Effect.fnUntraced(function* (batch: Batch, some: ReadonlyArray<Suppressed>) {
      if (some.length === 0) return
      const { organization_id } = batch
      const heirs = yield* activity.together(some.map(({ row }) => contacts.heirs(laneOf(batch), row.entry.to_number)))
      yield* steps.propose(skipContacts, { organization_id, batch, some, heirs })
      yield* withheld.note(organization_id, "contact", "suppressed", some.length)
    }),
    /** Sets contacts aside whose callees may not be called at this hour: from then on they wait in the queue of their mark, and need no write. Returns how many. */
    closeOff: Effect.fnUntraced(function* (lane: OpenLane, first: OutOfHours, batch: Batch) {
      const { organization_id } = batch
      const some = first.row.contact === null ? yield* alike.closedFrom(lane, first, batch) : [first]
      const entries = entriesOf(lane.hours.setting, lane.campaign, [batch, ...lane.batches.values()])
      yield* steps.propose(closeOff, { organization_id, some, hours: lane.hours, entries })
      yield* withheld.note(organization_id, "contact", "hours", some.length)
      return some.length
    }),
    /** Sets contacts aside whose numbers were called as often as may be, until they may be called again. Returns how many. */
    rest: Effect.fnUntraced(function* (lane: OpenLane, first: Capped, batch: Batch) {
      const { organization_id } = batch
      const some = first.row.contact === null ? yield* alike.restingFrom(lane, first, batch) : [first]
      yield* steps.propose(restContacts, { organization_id, some, hours: lane.hours })
      yield* withheld.note(organization_id, "contact", "caps", some.length)
      return some.length
    }),
  }
})
