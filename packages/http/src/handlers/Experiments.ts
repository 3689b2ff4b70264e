import {
  type DeletedExperiment,
  experimentStatus,
  type ExperimentPatch,
  pageRequest,
  paginate,
  toWireExperiment,
} from "@carillon/api"
import { Experiments } from "@carillon/core"
import type { ExperimentBody } from "@carillon/core/domain"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { enumeration, instant } from "./CallPages.ts"
import { rowsOf } from "../PageText.ts"

const optionalInstant = (field: string, text: string | null) =>
  text === null ? Effect.succeed(null) : instant(field, text)

/** The body with its status and its dates read. */
const experimentBody = Effect.fnUntraced(function* ({ end_date, start_date, status, ...body }: ExperimentPatch) {
  const read: ExperimentBody = {
    ...body,
    ...(status === undefined ? {} : { status: yield* enumeration(experimentStatus(status)) }),
    ...(start_date === undefined ? {} : { start_date: yield* optionalInstant("start_date", start_date) }),
    ...(end_date === undefined ? {} : { end_date: yield* optionalInstant("end_date", end_date) }),
  }
  return read
})

/** A/B experiments of a control agent. */
export const experimentHandlers = Effect.gen(function* () {
  const experiments = yield* Experiments

  const handlers: HandlersOf<"experiments"> = {
    "experiments.list": Effect.fnUntraced(function* ({ caller, params, query }) {
      const status = query.status === undefined ? null : yield* enumeration(experimentStatus(query.status))
      const request = pageRequest(query)
      const page = yield* experiments.page(caller.organization_id, params.agent_id, status, request)
      return {
        status: 200,
        body: { data: rowsOf(page.items, toWireExperiment), pagination: paginate(request, page.total) },
      }
    }),
    "experiments.create": Effect.fnUntraced(function* ({ caller, params, payload }) {
      const { variant_agent_id, version_name } = payload
      const body = { ...(yield* experimentBody(payload)), variant_agent_id, version_name }
      return { status: 201, body: toWireExperiment(yield* experiments.create(caller, params.agent_id, body)) }
    }),
    "experiments.get": ({ caller, params }) =>
      Effect.map(experiments.find(caller.organization_id, params.agent_id, params.version_id), (experiment) => ({
        status: 200,
        body: toWireExperiment(experiment),
      })),
    "experiments.update": Effect.fnUntraced(function* ({ caller, params, payload }) {
      const body = yield* experimentBody(payload)
      const experiment = yield* experiments.patch(caller, params.agent_id, params.version_id, body)
      return { status: 200, body: toWireExperiment(experiment) }
    }),
    "experiments.delete": ({ caller, params }) =>
      Effect.as(experiments.remove(caller, params.agent_id, params.version_id), {
        status: 200,
        body: { version_id: params.version_id, deleted: true } satisfies DeletedExperiment,
      }),
  }
  return handlers
})
