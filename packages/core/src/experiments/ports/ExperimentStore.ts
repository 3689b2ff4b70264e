import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { Experiment } from "../rules/Experiment.ts"
import type { ExperimentStatus } from "../rules/ExperimentStatus.ts"

/** Reads of experiments. */
export class ExperimentStore extends Context.Service<
  ExperimentStore,
  {
    readonly find: (organizationId: string, versionId: string) => Effect.Effect<Experiment | null, PortError>
    /** The one active experiment of a control agent, or null. Read on every dial. */
    readonly active: (organizationId: string, mainAgentId: string) => Effect.Effect<Experiment | null, PortError>
    /** The experiments of a control agent, newest first. */
    readonly page: (
      organizationId: string,
      mainAgentId: string,
      status: ExperimentStatus | null,
      page: PageRequest,
    ) => Effect.Effect<Page<Experiment>, PortError>
  }
>()("@carillon/core/experiments/ExperimentStore") {}
