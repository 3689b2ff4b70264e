import { ExperimentStatus } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { chosen, described, documentedAs, EndpointOrigin, NullsAreMalformed, wordOf } from "./Annotations.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery, queryWord } from "./Query.ts"
import {
  NonEmptyText,
  nonEmptyTextUpTo,
  nullable,
  objectOf,
  OffsetTimestamp,
  oneOf,
  Quantity,
  Text,
  textUpTo,
  Timestamp,
} from "./Scalars.ts"

/** Characters that the texts of an experiment may have. */
export const experimentTextBounds = { versionName: 200, description: 2_000, variableTested: 200 } as const

/** The experiment object (specification, "A/B experiment (agent version)"). */
export const Experiment = Schema.Struct({
  version_id: Text,
  main_agent_id: described(Text, "The control agent: the one in the path."),
  variant_agent_id: described(Text, "The challenger."),
  version_name: Text,
  description: nullable(Text),
  variable_tested: described(nullable(Text), "Such as a voice, script or cadence label."),
  variant_traffic_pct: described(
    Quantity,
    "0 to 100; the remainder goes to the control. 0 pauses the variant, 100 promotes it.",
  ),
  status: oneOf(ExperimentStatus.experimentStatuses),
  winner: described(nullable(oneOf(ExperimentStatus.experimentWinners)), "Set only on a concluded experiment."),
  start_date: described(nullable(Timestamp), "Informational: it gates nothing."),
  end_date: described(nullable(Timestamp), "Informational: it gates nothing."),
  created_by: Text,
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "Experiment", description: "A share of a control agent's calls goes to a challenger." })
export type Experiment = typeof Experiment.Type

/** A page of experiments. */
export const ExperimentPage = pageOf(Experiment).annotate({ identifier: "ExperimentPage" })

const TrafficShare = Quantity.check(
  Schema.isBetween({ minimum: 0, maximum: 100 }, { message: "must be between 0 and 100" }),
)

const VersionName = nonEmptyTextUpTo(experimentTextBounds.versionName)

const optionalFields = {
  description: Schema.optionalKey(nullable(textUpTo(experimentTextBounds.description))),
  variable_tested: Schema.optionalKey(nullable(textUpTo(experimentTextBounds.variableTested))),
  variant_traffic_pct: Schema.optionalKey(TrafficShare),
  // An unknown token is malformed (1000) and not a validation failure, so it is judged beside the schema.
  status: documentedAs(Schema.optionalKey(Text), wordOf(ExperimentStatus.experimentStatuses)),
  winner: described(
    Schema.optionalKey(oneOf(ExperimentStatus.experimentWinners)),
    "Only, and always, with `status: concluded`.",
  ),
  start_date: Schema.optionalKey(nullable(OffsetTimestamp)),
  end_date: Schema.optionalKey(nullable(OffsetTimestamp)),
}

/** The body of `POST /v2/agents/{agent_id}/versions`. */
export const ExperimentCreate = objectOf({
  variant_agent_id: NonEmptyText,
  version_name: VersionName,
  ...optionalFields,
}).annotate({ identifier: "ExperimentCreate", "x-origin": "chosen" })
export type ExperimentCreate = typeof ExperimentCreate.Type

/** The body of `PATCH /v2/agents/{agent_id}/versions/{version_id}`. */
export const ExperimentPatch = objectOf({
  variant_agent_id: Schema.optionalKey(NonEmptyText),
  version_name: Schema.optionalKey(VersionName),
  ...optionalFields,
}).annotate({ identifier: "ExperimentPatch", "x-origin": "chosen" })
export type ExperimentPatch = typeof ExperimentPatch.Type

/** 200 of `DELETE /v2/agents/{agent_id}/versions/{version_id}`. */
export const DeletedExperiment = Schema.Struct({
  version_id: chosen(Text),
  deleted: chosen(Schema.Literal(true)),
}).annotate({ identifier: "DeletedExperiment", description: "The experiment is deleted." })
export type DeletedExperiment = typeof DeletedExperiment.Type

/** The query of `GET /v2/agents/{agent_id}/versions`. */
export const ExperimentsQuery = Schema.Struct({
  status: described(queryWord(ExperimentStatus.experimentStatuses), "All when omitted."),
  ...pageQuery,
  ...organizationQuery,
})

const organizationOnly = Schema.Struct(organizationQuery)
const agentPath = { agent_id: Schema.String }
const versionPath = { agent_id: Schema.String, version_id: Schema.String }
const notNull = ["variant_agent_id", "version_name", "variant_traffic_pct", "status", "winner"]

/** A/B experiments of a control agent (specification, "Agent experiments"). */
export const ExperimentsGroup = HttpApiGroup.make("experiments").add(
  HttpApiEndpoint.get("list", "/agents/:agent_id/versions", {
    params: agentPath,
    query: ExperimentsQuery,
    success: ExperimentPage,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(OpenApi.annotations({ summary: "List an agent's experiments", description: "Newest first." })),
  HttpApiEndpoint.post("create", "/agents/:agent_id/versions", {
    params: agentPath,
    query: organizationOnly,
    payload: ExperimentCreate,
    success: Experiment.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(EndpointOrigin, "chosen")
    .annotate(NullsAreMalformed, notNull)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Create an experiment",
        description: "A control agent has one active experiment at most (1201).",
      }),
    ),
  HttpApiEndpoint.get("get", "/agents/:agent_id/versions/:version_id", {
    params: versionPath,
    query: organizationOnly,
    success: Experiment,
  }).annotateMerge(
    OpenApi.annotations({
      summary: "Read an experiment",
      description: "An id under a different control agent is 404.",
    }),
  ),
  HttpApiEndpoint.patch("update", "/agents/:agent_id/versions/:version_id", {
    params: versionPath,
    query: organizationOnly,
    payload: ExperimentPatch,
    success: Experiment,
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(EndpointOrigin, "chosen")
    .annotate(NullsAreMalformed, notNull)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Change an experiment",
        description: "Concluding needs a `winner`; a concluded experiment is final (1201).",
      }),
    ),
  HttpApiEndpoint.delete("delete", "/agents/:agent_id/versions/:version_id", {
    params: versionPath,
    query: organizationOnly,
    success: DeletedExperiment,
    error: Conflict,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Delete an experiment",
        description: "Only a draft or a concluded one (1201).",
      }),
    ),
)
