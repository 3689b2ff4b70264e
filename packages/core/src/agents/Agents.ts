import { Context, Effect, Layer } from "effect"
import { Activity } from "../engine/Activity.ts"
import { allowance } from "../engine/Allowance.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { Parking } from "../engine/Parking.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, type PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { AllowedDestinations } from "../webhooks/ports/AllowedDestinations.ts"
import type { Agent } from "./rules/Agent.ts"
import type { AgentWrite } from "./steps/AgentEdit.ts"
import { agentOf } from "./steps/AgentReads.ts"
import type { AgentBody } from "./rules/AgentSettings.ts"
import { type AgentQuery, AgentStore } from "./ports/AgentStore.ts"
import { configureAgent, patchAgent, replaceAgent } from "./steps/EditAgent.ts"
import type { ListedAgent } from "./ports/ListedAgent.ts"
import { abandonAgent, allocateAgent, cloneAgent } from "./steps/MakeAgent.ts"
import { archiveAgent, deployAgent, undeployAgent } from "./steps/MoveAgent.ts"

interface AgentsShape {
  /**
   * Allocates an agent and configures it by the write that a patch makes: version 2, DRAFT unless the body asks for another
   * status. What is refused is refused before anything is written; where configuring fails, the half-made agent is archived and the write's
   * error returned.
   */
  readonly create: (caller: Caller, body: AgentBody) => Effect.Effect<AgentWrite, EngineError>
  readonly find: (organizationId: string, agentId: string) => Effect.Effect<Agent, EngineError>
  readonly page: (
    organizationId: string,
    query: AgentQuery,
    page: PageRequest,
  ) => Effect.Effect<Page<ListedAgent>, PortError>
  /** Applies a JSON merge patch; every success raises the version by one. */
  readonly patch: (caller: Caller, agentId: string, body: AgentBody) => Effect.Effect<AgentWrite, EngineError>
  /** Replaces all settings; what the body leaves out returns to its default, the status alone stays. */
  readonly replace: (caller: Caller, agentId: string, body: AgentBody) => Effect.Effect<AgentWrite, EngineError>
  /** Sets the agent ACTIVE. */
  readonly deploy: (caller: Caller, agentId: string) => Effect.Effect<Agent, EngineError>
  /** Sets the agent INACTIVE. */
  readonly undeploy: (caller: Caller, agentId: string) => Effect.Effect<Agent, EngineError>
  /** Archives the agent for good; one that is archived already stays as it is. */
  readonly archive: (caller: Caller, agentId: string) => Effect.Effect<Agent, EngineError>
  /** Makes a DRAFT of the same settings, under the given name or one derived from the copied agent's. */
  readonly clone: (caller: Caller, agentId: string, displayName: string | null) => Effect.Effect<Agent, EngineError>
}

/** Agents as customers create, read and change them (specification, "Agents"). */
export class Agents extends Context.Service<Agents, AgentsShape>()("@carillon/core/agents/Agents") {
  static readonly layer = Layer.effect(
    Agents,
    Effect.gen(function* () {
      const store = yield* AgentStore
      const steps = yield* Steps
      const ids = yield* Ids
      const allowed = yield* AllowedDestinations
      const within = allowance("agent_service", {
        activity: yield* Activity,
        clock: yield* DomainClock,
        parking: yield* Parking,
      })
      let nth = 0
      const mint = ({ organization_id }: Caller) => ids.mint("agent", organization_id, nth++)

      /** Where configuring fails, or is given up, the half-made agent is archived. */
      const create: AgentsShape["create"] = Effect.fnUntraced(function* (caller, body) {
        const agent = { caller, agent_id: mint(caller) }
        const edit = { ...agent, body, allowed }
        return yield* Effect.andThen(steps.take(allocateAgent, edit), steps.take(configureAgent, edit)).pipe(
          (creating) => within(limits.agentCreateAllowanceMs, creating),
          Effect.onError(() => Effect.ignore(steps.take(abandonAgent, agent))),
        )
      })

      const inTime = <A, E>(effect: Effect.Effect<A, E>) => within(limits.allowanceMs, effect)

      return Agents.of({
        create,
        find: (organizationId, agentId) => steps.look(() => agentOf(organizationId, agentId)),
        page: store.list,
        patch: (caller, agent_id, body) =>
          Object.keys(body).length === 0
            ? Effect.fail(new Malformed({ message: "The request body has no field to change." }))
            : inTime(steps.take(patchAgent, { caller, agent_id, body, allowed })),
        replace: (caller, agent_id, body) => inTime(steps.take(replaceAgent, { caller, agent_id, body, allowed })),
        deploy: (caller, agent_id) => inTime(steps.take(deployAgent, { caller, agent_id })),
        undeploy: (caller, agent_id) => inTime(steps.take(undeployAgent, { caller, agent_id })),
        archive: (caller, agent_id) => inTime(steps.take(archiveAgent, { caller, agent_id })),
        clone: (caller, source_id, display_name) =>
          inTime(
            Effect.suspend(() => steps.take(cloneAgent, { caller, agent_id: mint(caller), source_id, display_name })),
          ),
      })
    }),
  )
}
