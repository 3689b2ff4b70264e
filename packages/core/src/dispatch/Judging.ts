import { Effect } from "effect"
import type { Agent } from "../agents/rules/Agent.ts"
import { canPlaceCalls } from "../agents/rules/AgentStatus.ts"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import type { Batch } from "../batches/rules/Batch.ts"
import { Callees } from "../callees/Callees.ts"
import type { SeenCallee } from "../callees/rules/SeenCallee.ts"
import { suppressionOf } from "../callees/rules/Suppression.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import { dialledUntil, turnOf } from "../contacts/rules/NextAttempt.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Ids } from "../engine/ports/Ids.ts"
import type { PortError } from "../Errors.ts"
import { Experiments } from "../experiments/Experiments.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { Funds } from "../organizations/ports/Funds.ts"
import { Wallets } from "../organizations/Wallets.ts"
import { callerIdChoice } from "./CallerIdChoice.ts"
import { agentOfDial, callOf } from "./rules/ContactCall.ts"
import type { Desk } from "./Desk.ts"
import type { OpenLane } from "./rules/OpenLane.ts"
import { inHours, type Judged, restsUntil, type Unlooked } from "./rules/Judged.ts"

/** Judges contacts whose turn has come. */
export const makeJudge = Effect.gen(function* () {
  const calls = yield* CallStore
  const agents = yield* AgentStore
  const callees = yield* Callees
  const experiments = yield* Experiments
  const accounts = yield* AccountStore
  const funds = yield* Funds
  const wallets = yield* Wallets
  const clock = yield* DomainClock
  const callerIds = yield* callerIdChoice
  const ids = yield* Ids

  /** Looks at the contact that is `nth` of its lane to be dialled now; changes nothing. */
  return Effect.fnUntraced(function* (
    desk: Desk,
    lane: OpenLane,
    row: ContactRow,
    batch: Batch,
    nth: number,
  ): Effect.fn.Return<Judged, PortError> {
    const now = clock.now()
    const { dial, isOpen: isCallable, mark, until: closes } = inHours(lane, row, batch, now)
    const { contact } = dial
    const turn = turnOf(dial, now)
    if (turn._tag !== "Now") return { _tag: "NotNow", dial, row, turn }
    const { organization_id } = batch
    const { to_number } = row.entry
    if ((yield* calls.onNumber(lane.lane_id, to_number)) !== null) return { _tag: "NumberLive", dial, row }
    const agentId = agentOfDial(dial)
    const seen = yield* callees.look({ organization_id, to_number })
    const isSuppressed = ({ callee }: SeenCallee, ...agent_ids: ReadonlyArray<string>) =>
      suppressionOf(callee, { campaign_id: batch.campaign_id, agent_ids }, now) !== null
    if (isSuppressed(seen, agentId)) return { _tag: "Suppressed", dial, row }
    if (!isCallable) return { _tag: "OutOfHours", dial, row, mark }
    const rests = restsUntil(lane, seen.callee, now)
    if (rests !== null) return { _tag: "Capped", dial, row, until: rests, callee: seen }
    // What is not dialled has no dial's commit to say that its callee was not looked at.
    const undialled = (other: Unlooked, ...agent_ids: ReadonlyArray<string>) =>
      Effect.map(callees.sure({ organization_id, to_number }), (sure): Judged =>
        isSuppressed(sure, ...agent_ids) ? { _tag: "Suppressed", dial, row } : { ...other, dial, row, callee: sure },
      )
    const agent: Agent | null = yield* agents.find(organization_id, agentId)
    const organization = yield* accounts.organization(organization_id)
    const isActive = agent !== null && canPlaceCalls(agent.status)
    const isOpen = organization === null || (yield* wallets.open(organization))
    const { attempts, contact_id, holds, revision } = contact
    // Rows of holds may begin anew, and a dial that was taken back was made under an id of its own.
    const executionId = ids.mint("execution", contact_id, attempts, holds, ...(revision === 0 ? [] : [revision]))
    if (agent === null || !isActive || !isOpen) {
      const call = agent === null ? null : callOf(dial, executionId, agent, null, now)
      return yield* undialled({ _tag: "Held", call, because: isActive ? "wallet" : "agent" }, agentId)
    }
    const covered = organization === null || (yield* funds.covers(organization, { to_number, direct: false }))
    if (!covered) {
      return yield* undialled({ _tag: "Unfunded", call: callOf(dial, executionId, agent, null, now) }, agentId)
    }
    const {
      agent: routed,
      routing,
      ...experiment
    } = yield* experiments.route(agent, {
      contact_id: contact.contact_id,
      to_number,
    })
    if (isSuppressed(seen, routed.agent_id)) return { _tag: "Suppressed", dial, row }
    if (desk.agents.isFull(routed.agent_id)) return { _tag: "AgentFull", dial, row, agent_id: routed.agent_id }
    const from = yield* callerIds.choose(dial, executionId, nth)
    const call = { ...callOf(dial, executionId, routed, from?.from_number ?? null, now), ...experiment }
    if (from === null) {
      return yield* undialled({ _tag: "Held", call, because: "caller_id" }, agentId, routed.agent_id)
    }
    const { advance, number } = from
    const until = Math.min(dialledUntil(dial, now), closes)
    return { _tag: "Fit", dial, row, call, advance, number, until, agents: [agent, routed], routing, callee: seen }
  })
})

export type Judge = Effect.Success<typeof makeJudge>
