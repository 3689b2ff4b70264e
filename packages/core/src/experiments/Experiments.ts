import { Context, Effect, Layer, Result } from "effect"
import type { Agent } from "../agents/Agent.ts"
import { canPlaceCalls } from "../agents/AgentStatus.ts"
import { AgentStore } from "../agents/AgentStore.ts"
import { Audit } from "../audit/Audit.ts"
import type { Call } from "../calls/Call.ts"
import { shutOut } from "../calls/PlaceCall.ts"
import { type Decision, type Expectation, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Ids } from "../engine/Ids.ts"
import { put, raised } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, MissingField, NotFound, type PortError, StateConflict } from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { route, type RoutedSubject } from "./Assignment.ts"
import type { Experiment } from "./Experiment.ts"
import {
  decideExperiment,
  type ExperimentRefusal,
  type ExperimentStatus,
  type ExperimentWinner,
} from "./ExperimentStatus.ts"
import { ExperimentStore } from "./ExperimentStore.ts"

/** What its owner writes of an experiment; what is left out stays as it is. Dates are epoch milliseconds. */
export interface ExperimentBody {
  readonly variant_agent_id?: string | undefined
  readonly version_name?: string | undefined
  readonly description?: string | null | undefined
  readonly variable_tested?: string | null | undefined
  readonly variant_traffic_pct?: number | undefined
  readonly status?: ExperimentStatus | undefined
  readonly winner?: ExperimentWinner | undefined
  readonly start_date?: number | null | undefined
  readonly end_date?: number | null | undefined
}

/** The agent that runs a call of a control agent, and the experiment that the call carries; both null without one. */
export interface RoutedAgent {
  readonly agent: Agent
  readonly ab_version_id: string | null
  readonly ab_is_variant: boolean | null
}

/** The agent of a call, and what the dial rests on beside the rows of its agents: the experiment as it was read, where one is on. */
export interface ReadRoute extends RoutedAgent {
  readonly routing: ReadonlyArray<Expectation>
}

/** Whether a call that was routed before would be routed so again. */
export const isRoutedSo = (
  call: Pick<Call, "agent_id" | "ab_version_id" | "ab_is_variant">,
  { ab_is_variant, ab_version_id, agent }: RoutedAgent,
): boolean =>
  call.agent_id === agent.agent_id && call.ab_version_id === ab_version_id && call.ab_is_variant === ab_is_variant

/** How the calls of a control agent are routed. */
export interface Routes {
  /** The agents that may run them. */
  readonly agent_ids: ReadonlyArray<string>
  /** Another text whenever a call may be routed otherwise than before. */
  readonly version: string
}

interface ExperimentsShape {
  readonly create: (
    caller: Caller,
    mainAgentId: string,
    body: ExperimentBody & { readonly variant_agent_id: string; readonly version_name: string },
  ) => Effect.Effect<Experiment, EngineError>
  /** An experiment of this control agent. */
  readonly find: (
    organizationId: string,
    mainAgentId: string,
    versionId: string,
  ) => Effect.Effect<Experiment, EngineError>
  /** The experiments of a control agent, which must exist, newest first. */
  readonly page: (
    organizationId: string,
    mainAgentId: string,
    status: ExperimentStatus | null,
    page: PageRequest,
  ) => Effect.Effect<Page<Experiment>, EngineError>
  readonly patch: (
    caller: Caller,
    mainAgentId: string,
    versionId: string,
    body: ExperimentBody,
  ) => Effect.Effect<Experiment, EngineError>
  readonly remove: (caller: Caller, mainAgentId: string, versionId: string) => Effect.Effect<void, EngineError>
  /** Sends a call of a control agent to the side of its subject: sticky, so that retries stay with it. */
  readonly route: (agent: Agent, subject: RoutedSubject) => Effect.Effect<ReadRoute, PortError>
  /** The agent that a booked call asks for, also where it was routed already. */
  readonly addressed: (
    call: Pick<Call, "organization_id" | "agent_id" | "ab_version_id">,
  ) => Effect.Effect<string, PortError>
  /** How the calls of a control agent are routed now. */
  readonly routes: (organizationId: string, mainAgentId: string) => Effect.Effect<Routes, PortError>
}

type Refused = Malformed | MissingField | StateConflict

const refusals: { readonly [reason in ExperimentRefusal]: (status: ExperimentStatus) => Refused } = {
  winner_without_concluding: () =>
    new Malformed({ message: "A winner can only be given to an experiment that is being concluded." }),
  winner_required: () => new MissingField({ field: "winner" }),
  concluded: () => new StateConflict({ message: "This experiment is concluded and cannot be changed." }),
  not_a_move: (status) =>
    new StateConflict({ message: `This experiment cannot move to that status (status=${status}).` }),
  control_taken: () => new StateConflict({ message: "Another experiment of this agent is active." }),
  running: (status) => new StateConflict({ message: `This experiment cannot be deleted (status=${status}).` }),
}

const noSuchAgent = new NotFound({ message: "Agent not found." })
const noSuchVersion = new NotFound({ message: "Version not found." })

/** A/B experiments (specification, "Agent experiments"; decisions.md, "Experiments"). */
export class Experiments extends Context.Service<Experiments, ExperimentsShape>()(
  "@carillon/core/experiments/Experiments",
) {
  static readonly layer = Layer.effect(
    Experiments,
    Effect.gen(function* () {
      const store = yield* ExperimentStore
      const agents = yield* AgentStore
      const steps = yield* Steps
      const audit = yield* Audit
      const clock = yield* DomainClock
      const ids = yield* Ids
      let nth = 0

      const controlExists = Effect.fnUntraced(function* (organizationId: string, mainAgentId: string) {
        if ((yield* agents.find(organizationId, mainAgentId)) === null) return yield* noSuchAgent
      })

      /** A challenger of another organization is as unknown as one that does not exist (1000, as the specification has it). */
      const challengerExists = Effect.fnUntraced(function* (
        organizationId: string,
        mainAgentId: string,
        variantAgentId: string | undefined,
      ) {
        if (variantAgentId === undefined) return
        if (variantAgentId === mainAgentId) {
          return yield* new Malformed({ message: "The variant_agent_id names the control agent itself." })
        }
        if ((yield* agents.find(organizationId, variantAgentId)) === null) {
          return yield* new Malformed({ message: "The variant_agent_id names no agent of this organization." })
        }
      })

      const find = Effect.fnUntraced(function* (organizationId: string, mainAgentId: string, versionId: string) {
        const experiment = yield* store.find(organizationId, versionId)
        return experiment?.main_agent_id === mainAgentId ? experiment : yield* noSuchVersion
      })

      const isTaken = (active: Experiment | null, versionId: string) =>
        active !== null && active.version_id !== versionId

      const edited = (
        before: Experiment,
        body: ExperimentBody,
        active: Experiment | null,
        now: number,
      ): Result.Result<Experiment, Refused> => {
        const decision = decideExperiment(before.status, {
          kind: "edit",
          status: body.status ?? null,
          winner: body.winner ?? null,
          controlIsTaken: isTaken(active, before.version_id),
        })
        if (!decision.ok) return Result.fail(refusals[decision.reason](decision.status))
        // An edit never deletes.
        const status = decision.to === "deleted" ? before.status : decision.to
        const after: Experiment = {
          ...before,
          variant_agent_id: body.variant_agent_id ?? before.variant_agent_id,
          version_name: body.version_name ?? before.version_name,
          description: body.description === undefined ? before.description : body.description,
          variable_tested: body.variable_tested === undefined ? before.variable_tested : body.variable_tested,
          variant_traffic_pct: body.variant_traffic_pct ?? before.variant_traffic_pct,
          status,
          winner: decision.winner ?? before.winner,
          start_date: body.start_date === undefined ? before.start_date : body.start_date,
          end_date: body.end_date === undefined ? before.end_date : body.end_date,
          updated_at: now,
        }
        return Result.succeed(raised(before, after))
      }

      const writing = (
        caller: Caller,
        action: string,
        before: Experiment,
        edited: Result.Result<Experiment, Refused>,
      ): Decision<Result.Result<Experiment, Refused>> => {
        if (Result.isFailure(edited)) return unchanged(edited)
        const experiment = edited.success
        return write(
          {
            organization_id: caller.organization_id,
            changes: [put("experiment", before, experiment)],
            audit: [audit.allowed(caller, { action, resource: { type: "experiment", id: experiment.version_id } })],
          },
          edited,
        )
      }

      return Experiments.of({
        create: Effect.fnUntraced(function* (caller, mainAgentId, body) {
          const { organization_id } = caller
          yield* controlExists(organization_id, mainAgentId)
          yield* challengerExists(organization_id, mainAgentId, body.variant_agent_id)
          const now = clock.now()
          const draft: Experiment = {
            version_id: ids.mint("version", organization_id, mainAgentId, nth++),
            revision: 0,
            organization_id,
            main_agent_id: mainAgentId,
            variant_agent_id: body.variant_agent_id,
            version_name: body.version_name,
            description: null,
            variable_tested: null,
            variant_traffic_pct: 0,
            status: "draft",
            winner: null,
            start_date: null,
            end_date: null,
            created_by: caller.key.developer.id,
            created_at: now,
            updated_at: now,
          }
          const { reply } = yield* steps.run(store.active(organization_id, mainAgentId), (active, at) =>
            writing(caller, "experiment.create", draft, edited(draft, body, active, at)),
          )
          return yield* Effect.fromResult(reply)
        }),
        find,
        page: (organizationId, mainAgentId, status, page) =>
          Effect.andThen(
            controlExists(organizationId, mainAgentId),
            store.page(organizationId, mainAgentId, status, page),
          ),
        patch: Effect.fnUntraced(function* (caller, mainAgentId, versionId, body) {
          const { organization_id } = caller
          const view = Effect.all({
            experiment: find(organization_id, mainAgentId, versionId),
            active: store.active(organization_id, mainAgentId),
          })
          yield* find(organization_id, mainAgentId, versionId)
          if (Object.keys(body).length === 0) {
            return yield* new Malformed({ message: "The request body has no field to change." })
          }
          yield* challengerExists(organization_id, mainAgentId, body.variant_agent_id)
          const { reply } = yield* steps.run(view, ({ active, experiment }, now) =>
            writing(caller, "experiment.update", experiment, edited(experiment, body, active, now)),
          )
          return yield* Effect.fromResult(reply)
        }),
        remove: Effect.fnUntraced(function* (caller, mainAgentId, versionId) {
          const { organization_id } = caller
          const view = find(organization_id, mainAgentId, versionId)
          const { reply } = yield* steps.run(view, (experiment): Decision<Refused | null> => {
            const decision = decideExperiment(experiment.status, { kind: "delete" })
            if (!decision.ok) return unchanged(refusals[decision.reason](decision.status))
            const { revision } = experiment
            return write(
              {
                organization_id,
                changes: [{ put: "removal", organization_id, kind: "experiment", id: versionId, revision }],
                audit: [
                  audit.allowed(caller, {
                    action: "experiment.delete",
                    resource: { type: "experiment", id: versionId },
                  }),
                ],
              },
              null,
            )
          })
          if (reply !== null) return yield* reply
        }),
        route: Effect.fnUntraced(function* (agent, subject) {
          const control: ReadRoute = { agent, ab_version_id: null, ab_is_variant: null, routing: [] }
          const experiment = yield* store.active(agent.organization_id, agent.agent_id)
          if (experiment === null) return control
          const challenger = yield* agents.find(agent.organization_id, experiment.variant_agent_id)
          const isThere = challenger !== null && canPlaceCalls(challenger.status)
          // The windows of both bind a direct call. One that they would never let ring stays with the control.
          const isShut = subject.contact_id === null && isThere && shutOut(agent, challenger, clock.now())
          const routed = route(experiment, isThere && !isShut, subject)
          if (routed === null) return control
          const { ab_is_variant, ab_version_id } = routed
          return {
            agent: ab_is_variant && challenger !== null ? challenger : agent,
            ab_version_id,
            ab_is_variant,
            routing: [{ kind: "experiment", id: ab_version_id, revision: experiment.revision }],
          }
        }),
        addressed: ({ ab_version_id, agent_id, organization_id }) =>
          ab_version_id === null
            ? Effect.succeed(agent_id)
            : Effect.map(
                store.find(organization_id, ab_version_id),
                (experiment) => experiment?.main_agent_id ?? agent_id,
              ),
        routes: Effect.fnUntraced(function* (organizationId, mainAgentId) {
          const experiment = yield* store.active(organizationId, mainAgentId)
          if (experiment === null) return { agent_ids: [mainAgentId], version: mainAgentId }
          const { revision, variant_agent_id, version_id } = experiment
          const challenger = yield* agents.find(organizationId, variant_agent_id)
          const isThere = challenger !== null && canPlaceCalls(challenger.status)
          return { agent_ids: [mainAgentId, variant_agent_id], version: `${version_id} ${revision} ${isThere}` }
        }),
      })
    }),
  )
}
