import { Context, Effect, Layer } from "effect"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { makeCallExplanation } from "../calls/CallExplanation.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import type { CallExplanation } from "../calls/rules/CallWaiting.ts"
import { type HeldLines, heldLines } from "../calls/HeldLines.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import type { CampaignExplanation, WaitingForNumber } from "../campaigns/rules/CampaignRecords.ts"
import { hoursOf } from "../campaigns/rules/CampaignSettings.ts"
import { contactId } from "../contacts/rules/Contact.ts"
import { type ContactMoment, ContactStore } from "../contacts/ports/ContactStore.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { figure } from "../tallies/rules/Tally.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import { makeBatchCounts } from "./BatchCounts.ts"
import { makeBatchLacks } from "./BatchLacks.ts"
import { heldReasons } from "./rules/BlockedContacts.ts"
import { BlockingBook } from "./rules/BlockingBook.ts"
import { makeBoundMarks } from "./BoundMarks.ts"
import { nextWindow } from "./rules/CallingWindow.ts"
import { makeCampaignEstimate } from "./CampaignEstimate.ts"
import { batchesOf, type CountedBatch, idsOf, sumOf } from "./rules/CountedBatch.ts"
import { gateOf, type LaneGate, least } from "./rules/Lane.ts"
import { makeLineShortage } from "./LineShortage.ts"

interface ExplainerShape {
  readonly explain: (campaign: Campaign) => Effect.Effect<CampaignExplanation, PortError>
  /** What the lines of an organization wait for. */
  readonly lines: (organizationId: string) => Effect.Effect<HeldLines, PortError>
  /** What a call waits for, of whichever organization; null where there is no such call. */
  readonly explainCall: (executionId: string) => Effect.Effect<CallExplanation | null, PortError>
}

/** Inactive agents that are shown. */
const agentsShown = 10
/** Contacts that wait for their number and are shown. */
const waitingShown = 10

const nobody = { dialable: 0, agents: [], waiting: [] }

/** Says why a campaign dials nothing, or not more, now (decisions.md, "Campaigns and batches", the extensions), and what a call waits for. */
export class Explainer extends Context.Service<Explainer, ExplainerShape>()("@carillon/core/dispatch/Explainer") {
  static readonly layer = Layer.effect(
    Explainer,
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const tallies = yield* TallyStore
      const calls = yield* CallStore
      const activity = yield* Activity
      const clock = yield* DomainClock
      const counts = yield* makeBatchCounts
      const lacks = yield* makeBatchLacks
      const boundMarks = yield* makeBoundMarks
      const shortage = yield* makeLineShortage
      const estimateOf = yield* makeCampaignEstimate
      const explainCall = yield* makeCallExplanation

      /** Some of the contacts that wait for their number, and the call for whose end each of them waits. */
      const waitingForNumber = Effect.fnUntraced(function* (laneId: string, batchIds: ReadonlyArray<string>) {
        const rows = yield* contacts.waitingIn(laneId, waitingShown, batchIds)
        const live = yield* activity.together(rows.map(({ entry }) => calls.onNumber(laneId, entry.to_number)))
        return rows
          .map(({ batch_id, contact, entry, row }, nth): WaitingForNumber => ({
            contact_id: contactId(batch_id, row),
            batch_id,
            to_number: entry.to_number,
            waits_since: contact?.waits_since ?? null,
            execution_id: live[nth]?.execution_id ?? null,
          }))
          .toSorted((one, other) => (one.waits_since ?? 0) - (other.waits_since ?? 0))
      })

      /** Enters what keeps contacts of batches that may dial from being dialled now, though their time has come or they were held. */
      const blockDue = Effect.fnUntraced(function* (
        campaign: Campaign,
        open: ReadonlyArray<CountedBatch>,
        moment: ContactMoment,
        book: BlockingBook,
      ) {
        const { agents: away, batches } = yield* lacks.byLack(campaign, open)
        const agents = new Map(away.map((agent) => [agent.agent_id, agent]))
        let dialable = 0
        for (const [lack, some] of batches) {
          const ids = idsOf(some)
          const load = yield* contacts.load(ids, moment)
          const { held } = yield* contacts.times(ids, moment.now)
          if (lack !== null) {
            book.block(lack, load.dialable + held.contacts)
            continue
          }
          const followUps = held.contacts === 0 ? null : yield* lacks.followUpsHeld(campaign, some)
          for (const agent of followUps?.agents ?? []) agents.set(agent.agent_id, agent)
          const beforeDial = sumOf(some, "held_before_dial")
          book.enter(heldReasons({ ...held, ofAgents: followUps?.count ?? 0, beforeDial }))
          const ready = { dialable: load.dialable, heldUntil: held.next_due }
          const found = yield* shortage(campaign, some, moment, ready)
          book.enter(found.blocking)
          dialable += found.ready
        }
        return { dialable, agents: [...agents.values()] }
      })

      /** Enters what keeps contacts of a campaign that may dial from being dialled. */
      const blockOpen = Effect.fnUntraced(function* (
        campaign: Campaign,
        unfinished: ReadonlyArray<CountedBatch>,
        { in_hours, open }: LaneGate,
        now: number,
        book: BlockingBook,
      ) {
        const booked = unfinished.filter(({ batch }) => batch.status === "scheduled" && !open.includes(batch))
        const due = least(...booked.map(({ batch }) => batch.scheduled_at))
        book.block("batch_not_due", yield* counts.leftIn(booked, now), due)
        const paused = unfinished.filter(({ batch }) => batch.status === "paused")
        book.block("batch_paused", yield* counts.leftIn(paused, now))
        const marks = yield* boundMarks.openOf(campaign, open, now)
        const moment: ContactMoment = { now, in_hours, ...(marks === null ? {} : { marks: marks.open }) }
        const ids = open.map(({ batch_id }) => batch_id)
        const load = yield* contacts.load(ids, moment)
        const inHours = in_hours ? load : yield* contacts.load(ids, { ...moment, in_hours: true })
        const opens = nextWindow(hoursOf(campaign).window, now)?.opens ?? null
        book.block("outside_hours", inHours.dialable - load.dialable, opens)
        const any = marks === null ? inHours : yield* contacts.load(ids, { now, in_hours: true })
        book.block("callee_hours", any.dialable - inHours.dialable, marks?.opens ?? null)
        const { planned } = yield* contacts.times(ids, now)
        book.block("cooldown", planned.contacts, planned.next_due)
        const mayDial = unfinished.filter(({ batch }) => open.includes(batch))
        const busy = sumOf(mayDial, "number_busy")
        book.block("number_busy", busy)
        const found = yield* blockDue(campaign, mayDial, moment, book)
        return { ...found, waiting: busy === 0 ? [] : yield* waitingForNumber(campaign.campaign_id, ids) }
      })

      const explain: ExplainerShape["explain"] = Effect.fnUntraced(function* (campaign) {
        const now = clock.now()
        const { campaign_id } = campaign
        const unfinished = yield* counts.counted(yield* batches.unfinished(campaign_id))
        const tally = yield* tallies.read(campaign_id)
        const judged = gateOf({ lane_id: campaign_id, campaign, batches: batchesOf(unfinished) }, now)
        const book = new BlockingBook()
        if (judged.closed !== null) {
          // What waits for its own time is held back by the closed lane as well: the lane is the reason that counts.
          const { reason, until } = judged.closed
          const over = reason === "finished" ? yield* counts.leftOver(campaign_id) : 0
          book.block(reason, over + (yield* counts.leftIn(unfinished, now)), until)
        }
        const found = judged.closed === null ? yield* blockOpen(campaign, unfinished, judged, now, book) : nobody
        const estimate = yield* estimateOf(campaign, tally, unfinished, now)
        return {
          campaign_id,
          status: campaign.status,
          at: now,
          in_flight: figure(tally, "contact:in_progress"),
          dialable: found.dialable,
          blocking: book.entries,
          inactive_agents: found.agents.slice(0, agentsShown),
          waiting_for_number: found.waiting,
          estimated_finish_at: estimate.at,
          no_estimate_reason: estimate.because,
        }
      })

      return Explainer.of({
        explain,
        explainCall,
        lines: (organizationId) => heldLines(calls, organizationId, clock.now()),
      })
    }),
  )
}
