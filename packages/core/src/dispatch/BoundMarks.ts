import { Effect } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { Callees } from "../callees/Callees.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import { hoursOf } from "../campaigns/rules/CampaignSettings.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { allCallable, callableOfMarks } from "./rules/FinishEstimate.ts"
import { least } from "./rules/Lane.ts"
import { entriesOf, hoursOfMarks, isBound } from "./rules/OpenMarks.ts"
import { eachOfMarks, openMarksInTurns } from "./MarksInTurns.ts"

/** Looks by which hours of their callees the contacts of batches may be called. */
export const makeBoundMarks = Effect.gen(function* () {
  const callees = yield* Callees
  const contacts = yield* ContactStore
  const clock = yield* DomainClock

  /** The callee hours that bind calls of batches, and the marks of those who wait; null where none do. */
  const boundMarks = Effect.fnUntraced(function* (campaign: Campaign, some: ReadonlyArray<Batch>) {
    const now = clock.now()
    const { setting } = yield* callees.sureHours(campaign.organization_id, Math.max(now, campaign.start_time ?? now))
    const entries = entriesOf(setting, campaign, some)
    return isBound(entries) ? { entries, marks: yield* contacts.marks(some.map(({ batch_id }) => batch_id)) } : null
  })

  return {
    /**
     * The marks of batches whose callees may be called, and when the first of the others may be, in the campaign's hours; null where no hours bind
     * them.
     */
    openOf: Effect.fnUntraced(function* (campaign: Campaign, some: ReadonlyArray<Batch>, now: number) {
      const bound = yield* boundMarks(campaign, some)
      if (bound === null) return null
      const { open, opens: first } = yield* openMarksInTurns(bound.entries, bound.marks, now)
      if (!hoursOf(campaign).enforced) return { open, opens: first }
      const isOpen = new Set(open)
      const closed = bound.marks.filter((mark) => !isOpen.has(mark))
      let opens: number | null = null
      yield* eachOfMarks(bound.entries, closed, (marks) => {
        opens = least(opens, ...callableOfMarks(campaign, hoursOfMarks(bound.entries, marks), now))
      })
      return { open, opens }
    }),
    /** From when on all who wait for the hours of their callees may have been called; null where some never may in sight. */
    callableOf: Effect.fnUntraced(function* (campaign: Campaign, left: ReadonlyArray<Batch>, now: number) {
      const bound = yield* boundMarks(campaign, left)
      let last = allCallable(campaign, [], now)
      if (bound === null) return last
      yield* eachOfMarks(bound.entries, bound.marks, (some) => {
        const callable = last === null ? null : allCallable(campaign, hoursOfMarks(bound.entries, some), now)
        last = last === null || callable === null ? null : Math.max(last, callable)
      })
      return last
    }),
  }
})
