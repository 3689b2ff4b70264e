import { Effect } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { ceilingsOf } from "../limits/rules/ConcurrencyFigures.ts"
import { Gate } from "../limits/Gate.ts"
import type { Tally } from "../tallies/rules/Tally.ts"
import { makeBatchLacks } from "./BatchLacks.ts"
import { makeBoundMarks } from "./BoundMarks.ts"
import { batchesOf, type CountedBatch, idsOf } from "./rules/CountedBatch.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { batchesToFinish, finishEstimate, unsaid } from "./rules/FinishEstimate.ts"

/** Gathers what the estimate of a campaign's end rests on, and makes it. */
export const makeCampaignEstimate = Effect.gen(function* () {
  const calls = yield* CallStore
  const contacts = yield* ContactStore
  const gate = yield* Gate
  const dispatcher = yield* Dispatcher
  const lacks = yield* makeBatchLacks
  const marks = yield* makeBoundMarks

  /** The ceilings above the campaign's lines, the lines of other organizations taken off the platform's. */
  const ceilingsLeft = Effect.fnUntraced(function* ({ max_concurrent_calls, organization_id }: Campaign) {
    const figures = yield* gate.figures(organization_id)
    const { agent, organization, platform } = ceilingsOf(figures, max_concurrent_calls)
    const [all = 0, own = 0] = yield* calls.holding([
      { level: "platform", key: "platform", ceiling: platform },
      { level: "organization", key: organization_id, ceiling: organization },
    ])
    return { platform: platform === null ? null : platform - (all - own), organization, agent }
  })

  return Effect.fnUntraced(function* (
    campaign: Campaign,
    tally: Tally,
    open: ReadonlyArray<CountedBatch>,
    now: number,
  ) {
    const mayEnd = campaign.status === "active" || campaign.status === "created"
    const unfinished = mayEnd ? open : []
    const toFinish = batchesToFinish(unfinished)
    const facts = {
      campaign,
      tally,
      unfinished,
      times: yield* contacts.times(idsOf(toFinish), now),
      callable: yield* marks.callableOf(campaign, batchesOf(toFinish), now),
      ceilings: yield* ceilingsLeft(campaign),
      stop: toFinish.length === 0 ? null : yield* lacks.stopOf(campaign, toFinish),
    }
    const because = unsaid(facts, now)
    // All lanes of the organization are looked at for it, and its dispatch is waited for.
    if (because !== null) return { at: null, because }
    const beside = yield* dispatcher.beside(campaign.organization_id, campaign.campaign_id)
    return finishEstimate({ ...facts, beside }, now)
  })
})
