import { Effect } from "effect"
import { canPlaceCalls } from "../agents/rules/AgentStatus.ts"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import type { Batch } from "../batches/rules/Batch.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import type { BlockingReason, InactiveAgent } from "../campaigns/rules/CampaignRecords.ts"
import { followUpAgentOf, followUpPolicyOf } from "../contacts/rules/ContactProgress.ts"
import type { PortError } from "../Errors.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { Funds } from "../organizations/ports/Funds.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { callerIdChoice } from "./CallerIdChoice.ts"
import { batchesOf, type CountedBatch, followUpsHeldOf, isForFollowUps } from "./rules/CountedBatch.ts"
import { agentsToFinish } from "./rules/FinishEstimate.ts"

/** Looks what batches lack, lines aside: an agent that may place calls, money, a caller ID, or a carrier. */
export const makeBatchLacks = Effect.gen(function* () {
  const agents = yield* AgentStore
  const accounts = yield* AccountStore
  const funds = yield* Funds
  const dialling = yield* Dialling
  const callerIds = yield* callerIdChoice

  /** Of these batches those that call from numbers of their choice only, every one of which was given up. */
  const withoutCallerId = Effect.fnUntraced(function* (campaign: Campaign, some: ReadonlyArray<Batch>) {
    // Most of them have the campaign's, which is looked at once.
    const byList = Map.groupBy(some, (batch) => batch.phone_numbers ?? campaign.phone_numbers ?? [])
    const found: Array<Batch> = []
    for (const [numbers, theirs] of byList) {
      const isOwn = numbers.length === 0 || (yield* callerIds.isAnyOwn(campaign.organization_id, numbers))
      if (!isOwn) found.push(...theirs)
    }
    return found
  })

  /** The agent as it is shown where it may place no calls; null where it may. */
  const inactive = Effect.fnUntraced(function* (organizationId: string, agentId: string) {
    const agent = yield* agents.find(organizationId, agentId)
    if (agent !== null && canPlaceCalls(agent.status)) return null
    return { agent_id: agentId, status: agent?.status ?? null } satisfies InactiveAgent
  })

  const isCovered = Effect.fnUntraced(function* (organizationId: string) {
    const organization = yield* accounts.organization(organizationId)
    return organization === null || (yield* funds.open(organization))
  })

  return {
    /** Of batches that may dial those of which nobody can be dialled, by what they lack, and the agents among that; null: nothing but a line. */
    byLack: Effect.fnUntraced(function* (campaign: Campaign, open: ReadonlyArray<CountedBatch>) {
      const { organization_id } = campaign
      const away = new Map<string, InactiveAgent>()
      const asking = open.filter((each) => !isForFollowUps(campaign, each))
      for (const agentId of new Set(asking.map(({ batch }) => batch.agent_id))) {
        const agent = yield* inactive(organization_id, agentId)
        if (agent !== null) away.set(agentId, agent)
      }
      const all: BlockingReason | null = (yield* isCovered(organization_id)) ? null : "wallet"
      const numberless = new Set(yield* withoutCallerId(campaign, batchesOf(open)))
      const carrier: BlockingReason | null = (yield* dialling.standing) === null ? null : "carrier"
      const isAway = (each: CountedBatch) => !isForFollowUps(campaign, each) && away.has(each.batch.agent_id)
      const batches = Map.groupBy(open, (each): BlockingReason | null =>
        isAway(each) ? "agent_inactive" : (all ?? (numberless.has(each.batch) ? "caller_id" : carrier)),
      )
      return { batches, agents: [...away.values()] }
    }),
    /** How many of the batches' held contacts are follow-ups whose own agent may place no calls, and these agents. */
    followUpsHeld: Effect.fnUntraced(function* (campaign: Campaign, open: ReadonlyArray<CountedBatch>) {
      const byAgent = Map.groupBy(open, ({ batch }) =>
        followUpPolicyOf(batch, campaign).enabled ? followUpAgentOf(batch, campaign) : null,
      )
      const found: Array<InactiveAgent> = []
      let count = 0
      for (const [agentId, some] of byAgent) {
        const agent = agentId === null ? null : yield* inactive(campaign.organization_id, agentId)
        if (agent === null) continue
        const sum = some.reduce((held, each) => held + followUpsHeldOf(each), 0)
        count += sum
        if (sum > 0) found.push(agent)
      }
      return { count, agents: found }
    }),
    /** What keeps all that is left, or some of it, from being dialled until somebody acts, whether its time has come or not. */
    stopOf: Effect.fnUntraced(function* (
      campaign: Campaign,
      toFinish: ReadonlyArray<CountedBatch>,
    ): Effect.fn.Return<BlockingReason | null, PortError> {
      const { organization_id } = campaign
      for (const agentId of agentsToFinish(campaign, toFinish)) {
        if ((yield* inactive(organization_id, agentId)) !== null) return "agent_inactive"
      }
      if (!(yield* isCovered(organization_id))) return "wallet"
      if ((yield* withoutCallerId(campaign, batchesOf(toFinish))).length > 0) return "caller_id"
      return (yield* dialling.standing) === null ? null : "carrier"
    }),
  }
})
