import { Context, Effect, Layer, Result } from "effect"
import { Audit } from "../audit/Audit.ts"
import { type Commit, type Decision, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Ids } from "../engine/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, NotFound, type PortError, StateConflict } from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { Agent } from "./Agent.ts"
import { type AgentBody, defaultSettings, type SettingsFault, writeSettings } from "./AgentSettings.ts"
import { type AgentRefusal, type AgentStatus, agentStatuses, decideAgent } from "./AgentStatus.ts"
import { type AgentQuery, AgentStore } from "./AgentStore.ts"
import { AllowedDestinations } from "../webhooks/Destination.ts"

/** An agent as a write left it, with the languages that could not be saved. */
export interface AgentWrite {
  readonly agent: Agent
  readonly dropped_languages: ReadonlyArray<string>
}

interface AgentsShape {
  /** Allocates an agent and configures it in one write: version 2, DRAFT unless the body asks for another status. */
  readonly create: (caller: Caller, body: AgentBody) => Effect.Effect<AgentWrite, EngineError>
  readonly find: (organizationId: string, agentId: string) => Effect.Effect<Agent, EngineError>
  readonly page: (organizationId: string, query: AgentQuery, page: PageRequest) => Effect.Effect<Page<Agent>, PortError>
  /** Applies a JSON merge patch; every success raises the version by one. */
  readonly patch: (caller: Caller, agentId: string, body: AgentBody) => Effect.Effect<AgentWrite, EngineError>
}

const createdVersion = 2

const refusals: { readonly [reason in AgentRefusal]: (status: AgentStatus) => string } = {
  active: () => "This agent is active and must be set to INACTIVE first.",
  archived: () => "This agent is archived and cannot be changed.",
  not_a_move: (status) => `This agent cannot move to that status (status=${status}).`,
}

/** Contacts may have been waiting for the agent. */
const activated = (before: Agent, { organization_id, status, updated_at }: Agent): Commit["wakeups"] =>
  status === "ACTIVE" && before.status !== "ACTIVE"
    ? [{ set: { kind: "dispatch", subject: organization_id, at: updated_at } }]
    : []

const statusOf = (body: AgentBody): AgentStatus | null =>
  agentStatuses.find((status) => status === body["status"]) ?? null

/** Agents as customers create, read and change them (specification, "Agents"). */
export class Agents extends Context.Service<Agents, AgentsShape>()("@carillon/core/agents/Agents") {
  static readonly layer = Layer.effect(
    Agents,
    Effect.gen(function* () {
      const store = yield* AgentStore
      const steps = yield* Steps
      const audit = yield* Audit
      const clock = yield* DomainClock
      const ids = yield* Ids
      const allowed = yield* AllowedDestinations
      let nth = 0

      const find: AgentsShape["find"] = (organizationId, agentId) =>
        Effect.flatMap(store.find(organizationId, agentId), (agent) =>
          agent === null ? Effect.fail(new NotFound({ message: "Agent not found." })) : Effect.succeed(agent),
        )

      const edited = (before: Agent, body: AgentBody): Result.Result<AgentWrite, SettingsFault | StateConflict> => {
        const move = decideAgent(before.status, { kind: "edit", fields: Object.keys(body), status: statusOf(body) })
        if (!move.ok) {
          return Result.fail(new StateConflict({ message: refusals[move.reason](move.status) }))
        }
        return Result.map(writeSettings(before, body, allowed), ({ settings, dropped_languages }) => ({
          dropped_languages,
          agent: {
            ...before,
            ...settings,
            status: move.to,
            revision: before.revision + 1,
            version: before.version + 1,
            updated_at: clock.now(),
          },
        }))
      }

      const create: AgentsShape["create"] = Effect.fnUntraced(function* (caller, body) {
        const now = clock.now()
        const allocated: Agent = {
          ...defaultSettings,
          agent_id: ids.mint("agent", caller.organization_id, nth++),
          organization_id: caller.organization_id,
          revision: 0,
          status: "DRAFT",
          version: createdVersion - 1,
          created_at: now,
          updated_at: now,
        }
        const written = yield* Effect.fromResult(edited(allocated, body))
        yield* steps.commit({
          organization_id: caller.organization_id,
          changes: [{ put: "agent", row: written.agent }],
          audit: [
            audit.allowed(caller, { action: "agent.create", resource: { type: "agent", id: written.agent.agent_id } }),
          ],
        })
        return written
      })

      const patch: AgentsShape["patch"] = Effect.fnUntraced(function* (caller, agentId, body) {
        if (Object.keys(body).length === 0) {
          return yield* new Malformed({ message: "The request body has no field to change." })
        }
        const { reply } = yield* steps.run(
          find(caller.organization_id, agentId),
          (agent): Decision<Result.Result<AgentWrite, SettingsFault | StateConflict>> => {
            const reply = edited(agent, body)
            if (Result.isFailure(reply)) return unchanged(reply)
            return write(
              {
                organization_id: caller.organization_id,
                changes: [{ put: "agent", row: reply.success.agent }],
                wakeups: activated(agent, reply.success.agent),
                audit: [audit.allowed(caller, { action: "agent.update", resource: { type: "agent", id: agentId } })],
              },
              reply,
            )
          },
        )
        return yield* Effect.fromResult(reply)
      })

      return Agents.of({ create, find, page: store.page, patch })
    }),
  )
}
