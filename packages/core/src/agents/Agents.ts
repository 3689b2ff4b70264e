import { Context, Effect, Layer, Result } from "effect"
import { Audit } from "../audit/Audit.ts"
import { Activity } from "../engine/Activity.ts"
import { allowance } from "../engine/Allowance.ts"
import { type Change, type Commit, type Decision, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { knowledgeUsersOf } from "../engine/Guards.ts"
import { Ids } from "../engine/Ids.ts"
import { Parking } from "../engine/Parking.ts"
import { put, raised } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, NotFound, type PortError, StateConflict } from "../Errors.ts"
import { isJsonObject } from "../Json.ts"
import type { Caller } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { Agent, AgentSettings } from "./Agent.ts"
import { cloneName } from "./AgentClone.ts"
import { knowledgeBasesOf } from "./AgentKnowledge.ts"
import { type AgentBody, defaultSettings, type SettingsFault, writeSettings } from "./AgentSettings.ts"
import { type AgentCommand, type AgentRefusal, type AgentStatus, agentStatuses, decideAgent } from "./AgentStatus.ts"
import { type AgentQuery, AgentStore } from "./AgentStore.ts"
import { AllowedDestinations } from "../webhooks/Destination.ts"

/** An agent as a write left it, with the languages that could not be saved. */
export interface AgentWrite {
  readonly agent: Agent
  readonly dropped_languages: ReadonlyArray<string>
}

type Written = Result.Result<AgentWrite, SettingsFault | StateConflict>

interface AgentsShape {
  /**
   * Allocates an agent and configures it by the write that a patch makes: version 2, DRAFT unless the body asks for another
   * status. Where configuring fails, the half-made agent is archived and the write's error returned.
   */
  readonly create: (caller: Caller, body: AgentBody) => Effect.Effect<AgentWrite, EngineError>
  readonly find: (organizationId: string, agentId: string) => Effect.Effect<Agent, EngineError>
  readonly page: (organizationId: string, query: AgentQuery, page: PageRequest) => Effect.Effect<Page<Agent>, PortError>
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

const allocatedVersion = 1

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

/** An agent that is given a knowledge base joins those by which is decided whether one may be removed. */
const beginsToUse = (before: Agent | null, after: Agent): ReadonlyArray<Change> => {
  const had = new Set(before === null ? [] : knowledgeBasesOf(before))
  return knowledgeBasesOf(after).every((collection) => had.has(collection))
    ? []
    : [{ put: "guard", guard: knowledgeUsersOf(after.organization_id) }]
}

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
      const within = allowance("agent_service", {
        activity: yield* Activity,
        clock,
        parking: yield* Parking,
      })
      let nth = 0

      const find: AgentsShape["find"] = (organizationId, agentId) =>
        Effect.flatMap(store.find(organizationId, agentId), (agent) =>
          agent === null ? Effect.fail(new NotFound({ message: "Agent not found." })) : Effect.succeed(agent),
        )

      const moved = (before: Agent, command: AgentCommand): Result.Result<AgentStatus, StateConflict> => {
        const move = decideAgent(before.status, command)
        return move.ok
          ? Result.succeed(move.to)
          : Result.fail(new StateConflict({ message: refusals[move.reason](move.status) }))
      }

      const updated = (before: Agent, changes: Partial<Agent>, now: number): Agent =>
        raised(before, { ...before, ...changes, version: before.version + 1, updated_at: now })

      /** The agent after a body was applied to `base`: its own settings in a patch, the defaults in a replacement. */
      const edited = (before: Agent, base: AgentSettings, body: AgentBody, now: number): Written =>
        Result.flatMap(
          moved(before, { kind: "edit", fields: Object.keys(body), status: statusOf(body) }),
          (status): Written =>
            Result.map(writeSettings(base, body, allowed), ({ settings, dropped_languages }) => ({
              dropped_languages,
              agent: updated(before, { ...settings, status }, now),
            })),
        )

      const writing = (caller: Caller, action: string, before: Agent, written: Written): Decision<Written> => {
        if (Result.isFailure(written)) return unchanged(written)
        const { agent } = written.success
        return write(
          {
            organization_id: caller.organization_id,
            changes: [put("agent", before, agent), ...beginsToUse(before, agent)],
            wakeups: activated(before, agent),
            audit: [audit.allowed(caller, { action, resource: { type: "agent", id: agent.agent_id } })],
          },
          written,
        )
      }

      const change = Effect.fnUntraced(function* (
        caller: Caller,
        agentId: string,
        action: string,
        decide: (agent: Agent, now: number) => Written,
      ) {
        const view = find(caller.organization_id, agentId)
        const { reply } = yield* steps.run(view, (agent, now) => writing(caller, action, agent, decide(agent, now)))
        return yield* Effect.fromResult(reply)
      })

      /** The agent that follows up must be one of the organization's (decisions.md, "Readings"). */
      const followUpExists = (caller: Caller, body: AgentBody) => {
        const config = body["follow_up_config"]
        const named = isJsonObject(config) ? config["follow_up_agent_id"] : undefined
        return typeof named === "string" && named !== "" ? find(caller.organization_id, named) : Effect.void
      }

      const patched = (caller: Caller, agentId: string, action: string, body: AgentBody) =>
        Effect.andThen(
          followUpExists(caller, body),
          change(caller, agentId, action, (agent, now) => edited(agent, agent, body, now)),
        )

      const archive = (caller: Caller, agentId: string) =>
        steps.run(
          find(caller.organization_id, agentId),
          (agent, now): Decision<Result.Result<Agent, StateConflict>> => {
            const to = moved(agent, { kind: "archive" })
            if (Result.isFailure(to)) return unchanged(Result.fail(to.failure))
            if (agent.status === to.success) return unchanged(Result.succeed(agent))
            const archived = updated(agent, { status: to.success }, now)
            const row = put("agent", agent, archived)
            const entry = audit.allowed(caller, { action: "agent.archive", resource: { type: "agent", id: agentId } })
            return write(
              { organization_id: caller.organization_id, changes: [row], audit: [entry] },
              Result.succeed(archived),
            )
          },
        )

      const create: AgentsShape["create"] = Effect.fnUntraced(function* (caller, body) {
        const now = clock.now()
        const allocated: Agent = {
          ...defaultSettings,
          display_name: typeof body["display_name"] === "string" ? body["display_name"] : "",
          agent_id: ids.mint("agent", caller.organization_id, nth++),
          organization_id: caller.organization_id,
          revision: 1,
          status: "DRAFT",
          version: allocatedVersion,
          created_at: now,
          updated_at: now,
        }
        const allocate = steps.commit({
          organization_id: caller.organization_id,
          changes: [put("agent", null, allocated)],
        })
        return yield* Effect.andThen(allocate, patched(caller, allocated.agent_id, "agent.create", body)).pipe(
          (writing) => within(limits.agentCreateAllowanceMs, writing),
          Effect.onError(() => Effect.ignore(archive(caller, allocated.agent_id))),
        )
      })

      const settled = (caller: Caller, agentId: string, action: string, command: AgentCommand) =>
        within(
          limits.allowanceMs,
          change(caller, agentId, action, (agent, now) =>
            Result.map(moved(agent, command), (status) => ({
              dropped_languages: [],
              agent: updated(agent, { status }, now),
            })),
          ),
        ).pipe(Effect.map(({ agent }) => agent))

      return Agents.of({
        create,
        find,
        page: store.page,
        patch: (caller, agentId, body) =>
          Object.keys(body).length === 0
            ? Effect.fail(new Malformed({ message: "The request body has no field to change." }))
            : within(limits.allowanceMs, patched(caller, agentId, "agent.update", body)),
        replace: (caller, agentId, body) =>
          within(
            limits.allowanceMs,
            Effect.andThen(
              followUpExists(caller, body),
              change(caller, agentId, "agent.replace", (agent, now) => edited(agent, defaultSettings, body, now)),
            ),
          ),
        deploy: (caller, agentId) => settled(caller, agentId, "agent.deploy", { kind: "deploy" }),
        undeploy: (caller, agentId) => settled(caller, agentId, "agent.undeploy", { kind: "undeploy" }),
        archive: (caller, agentId) =>
          within(
            limits.allowanceMs,
            Effect.flatMap(archive(caller, agentId), ({ reply }) => Effect.fromResult(reply)),
          ),
        clone: (caller, agentId, displayName) =>
          within(
            limits.allowanceMs,
            Effect.gen(function* () {
              const source = yield* find(caller.organization_id, agentId)
              const now = clock.now()
              const copy: Agent = {
                ...source,
                display_name: displayName ?? cloneName(source.display_name),
                agent_id: ids.mint("agent", caller.organization_id, nth++),
                revision: 1,
                status: "DRAFT",
                version: allocatedVersion + 1,
                created_at: now,
                updated_at: now,
              }
              yield* steps.commit({
                organization_id: caller.organization_id,
                changes: [put("agent", null, copy), ...beginsToUse(null, copy)],
                audit: [
                  audit.allowed(caller, {
                    action: "agent.clone",
                    resource: { type: "agent", id: copy.agent_id },
                    details: { agent_id: agentId },
                  }),
                ],
              })
              return copy
            }),
          ),
      })
    }),
  )
}
