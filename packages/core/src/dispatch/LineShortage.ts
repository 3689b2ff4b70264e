import { Effect } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import type { Blocking } from "../campaigns/rules/CampaignRecords.ts"
import { type ContactMoment, ContactStore } from "../contacts/ports/ContactStore.ts"
import type { PortError } from "../Errors.ts"
import { Experiments } from "../experiments/Experiments.ts"
import { ceilingsOf } from "../limits/rules/ConcurrencyFigures.ts"
import { Gate } from "../limits/Gate.ts"
import { lineReasons } from "./rules/BlockedContacts.ts"
import { batchesOf, type CountedBatch, followUpAgents, idsOf, isForFollowUps, sumOf } from "./rules/CountedBatch.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { agentsAsked } from "./rules/OpenMarks.ts"

/** Looks why contacts that lack nothing else have no line. */
export const makeLineShortage = Effect.gen(function* () {
  const calls = yield* CallStore
  const contacts = yield* ContactStore
  const experiments = yield* Experiments
  const gate = yield* Gate
  const dispatcher = yield* Dispatcher

  const isPlatformFull = Effect.fnUntraced(function* (ceiling: number | null) {
    const [used = 0] = yield* calls.holding([{ level: "platform", key: "platform", ceiling }])
    return ceiling !== null && used >= ceiling
  })

  /** Of the agents that contacts of batches ask for those without a free line, their own or that of a challenger of theirs. */
  const fullAgents = Effect.fnUntraced(function* (
    campaign: Campaign,
    some: ReadonlyArray<CountedBatch>,
    ceiling: number | null,
  ): Effect.fn.Return<ReadonlySet<string>, PortError> {
    if (ceiling === null) return new Set()
    const routes = new Map<string, ReadonlyArray<string>>()
    for (const control of agentsAsked(campaign, batchesOf(some), false)) {
      routes.set(control, (yield* experiments.routes(campaign.organization_id, control)).agent_ids)
    }
    const sides = [...new Set([...routes.values()].flat())]
    const used = yield* calls.holding(sides.map((key) => ({ level: "agent" as const, key, ceiling })))
    const full = new Set(sides.filter((_, nth) => (used[nth] ?? 0) >= ceiling))
    return new Set([...routes].flatMap(([control, ids]) => (ids.some((id) => full.has(id)) ? [control] : [])))
  })

  /** How many of the contacts of batches that could be dialled lack a line of their agent. */
  const lackingAgentLine = Effect.fnUntraced(function* (
    campaign: Campaign,
    some: ReadonlyArray<CountedBatch>,
    moment: ContactMoment,
    ceiling: number | null,
  ) {
    const full = yield* fullAgents(campaign, some, ceiling)
    const isFirstFull = (each: CountedBatch) => !isForFollowUps(campaign, each) && full.has(each.batch.agent_id)
    const ofBatches = some.filter(isFirstFull)
    const ofFollowUps = some.filter(
      (each) => !isFirstFull(each) && followUpAgents(campaign, each.batch).some((agentId) => full.has(agentId)),
    )
    const { dialable } = yield* contacts.load(idsOf(ofBatches), moment)
    const due = yield* contacts.load(idsOf(ofFollowUps), moment)
    return dialable + Math.min(due.dialable, sumOf(ofFollowUps, "contact:follow_up_scheduled"))
  })

  /** Why contacts of batches that could be dialled have no line, and how many of them lack nothing else. */
  return Effect.fnUntraced(function* (
    campaign: Campaign,
    some: ReadonlyArray<CountedBatch>,
    moment: ContactMoment,
    of: { readonly dialable: number; readonly heldUntil: number | null },
  ) {
    const none: ReadonlyArray<Blocking> = []
    if (of.dialable === 0) return { ready: 0, blocking: none }
    const { campaign_id, max_concurrent_calls, organization_id } = campaign
    const verdict = yield* dispatcher.verdict(organization_id, campaign_id)
    const without = { ...of, ofAgents: 0, isPlatformFull: false }
    if (verdict === "lines_full" || verdict === "floor" || verdict === "borrow") {
      const { agent, platform } = ceilingsOf(yield* gate.figures(organization_id), max_concurrent_calls)
      if (verdict !== "lines_full") without.ofAgents = yield* lackingAgentLine(campaign, some, moment, agent)
      without.isPlatformFull = yield* isPlatformFull(platform)
    }
    return { ready: verdict === "empty" ? 0 : of.dialable, blocking: lineReasons(verdict, without) }
  })
})
