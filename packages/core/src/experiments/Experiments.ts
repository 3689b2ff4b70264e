import { Context, Effect, Layer } from "effect"
import type { Agent } from "../agents/rules/Agent.ts"
import { knownAgent, noSuchAgent } from "../agents/steps/AgentReads.ts"
import { canPlaceCalls } from "../agents/rules/AgentStatus.ts"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import type { Call } from "../calls/rules/Call.ts"
import { shutOut } from "../calls/rules/PlaceCall.ts"
import type { Expectation } from "../engine/rules/Commit.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { row } from "../engine/steps/Reading.ts"
import { Steps } from "../engine/Steps.ts"
import type { EngineError, PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { route, type RoutedSubject } from "./rules/Assignment.ts"
import { createExperiment, type NewExperiment } from "./steps/CreateExperiment.ts"
import { editExperiment } from "./steps/EditExperiment.ts"
import type { Experiment } from "./rules/Experiment.ts"
import type { ExperimentBody } from "./rules/ExperimentEdit.ts"
import { experimentOf } from "./steps/ExperimentReads.ts"
import type { ExperimentStatus } from "./rules/ExperimentStatus.ts"
import { ExperimentStore } from "./ports/ExperimentStore.ts"
import { removeExperiment } from "./steps/RemoveExperiment.ts"

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
  readonly create: (caller: Caller, mainAgentId: string, body: NewExperiment) => Effect.Effect<Experiment, EngineError>
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
      const clock = yield* DomainClock

      const controlExists = Effect.fnUntraced(function* (organizationId: string, mainAgentId: string) {
        const control = yield* steps.look(() => knownAgent(organizationId, mainAgentId))
        if (control === null) return yield* noSuchAgent
      })

      return Experiments.of({
        create: (caller, main_agent_id, body) => steps.take(createExperiment, { caller, main_agent_id, body }),
        find: (organizationId, mainAgentId, versionId) =>
          steps.look(() => experimentOf(organizationId, mainAgentId, versionId)),
        page: (organizationId, mainAgentId, status, page) =>
          Effect.andThen(
            controlExists(organizationId, mainAgentId),
            store.page(organizationId, mainAgentId, status, page),
          ),
        patch: (caller, main_agent_id, version_id, body) =>
          steps.take(editExperiment, { caller, main_agent_id, version_id, body }),
        remove: (caller, main_agent_id, version_id) =>
          steps.take(removeExperiment, { caller, main_agent_id, version_id }),
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
                steps.look(() => row("experiment", ab_version_id, { of: organization_id })),
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
