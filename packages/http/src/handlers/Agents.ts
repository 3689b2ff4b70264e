import {
  agentSortBy,
  agentStatusFilter,
  type ArchivedAgent,
  pageRequest,
  paginate,
  sortOrder,
  toWireAgent,
  toWireListedAgent,
} from "@carillon/api"
import { type Agent, Agents, Calls } from "@carillon/core"
import { type AgentBody, type AgentWrite, placeholderReader } from "@carillon/core/domain"
import type { AgentQuery } from "@carillon/core/ports"
import { Effect } from "effect"
import type { HandlersOf, Incoming } from "../Handler.ts"
import { callFilter, callPage, enumeration } from "./CallPages.ts"
import { rowsOf } from "../PageText.ts"

/** One agent as it is answered. */
const answered = <Status extends number>(status: Status, agent: Agent, droppedLanguages: ReadonlyArray<string> = []) =>
  Effect.map(placeholderReader()(agent), (placeholders) => ({
    status,
    body: toWireAgent(agent, placeholders, { droppedLanguages }),
  }))

const written = <Status extends number>(status: Status, { agent, dropped_languages }: AgentWrite) =>
  answered(status, agent, dropped_languages)

const agentQuery = Effect.fnUntraced(function* (query: Incoming<"agents.list">["query"]) {
  const { category, search, sort_by, sort_order, status } = query
  const found: AgentQuery = {
    ...(status === undefined ? {} : { status: yield* enumeration(agentStatusFilter(status)) }),
    ...(category === undefined ? {} : { category }),
    ...(search === undefined ? {} : { search }),
    sort_by: sort_by === undefined ? "created_at" : yield* enumeration(agentSortBy(sort_by)),
    sort_order: sort_order === undefined ? "desc" : yield* enumeration(sortOrder(sort_order)),
  }
  return found
})

/** Creating, reading and changing agents, and the calls that they made. */
export const agentHandlers = Effect.gen(function* () {
  const agents = yield* Agents
  const calls = yield* Calls

  const handlers: HandlersOf<"agents"> = {
    "agents.create": ({ caller, payload }) =>
      Effect.flatMap(agents.create(caller, payload as AgentBody), (write) => written(201, write)),
    "agents.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* agents.page(caller.organization_id, yield* agentQuery(query), request)
      return { status: 200, body: { data: rowsOf(items, toWireListedAgent), pagination: paginate(request, total) } }
    }),
    "agents.get": ({ caller, params }) =>
      Effect.flatMap(agents.find(caller.organization_id, params.agent_id), (agent) => answered(200, agent)),
    "agents.update": ({ caller, params, payload }) =>
      Effect.flatMap(agents.patch(caller, params.agent_id, payload as AgentBody), (write) => written(200, write)),
    "agents.replace": ({ caller, params, payload }) =>
      Effect.flatMap(agents.replace(caller, params.agent_id, payload as AgentBody), (write) => written(200, write)),
    "agents.archive": ({ caller, params }) =>
      Effect.map(agents.archive(caller, params.agent_id), (agent) => ({
        status: 200,
        body: { agent_id: agent.agent_id, status: "ARCHIVED", archived: true } satisfies ArchivedAgent,
      })),
    "agents.clone": ({ caller, params, payload }) =>
      Effect.flatMap(agents.clone(caller, params.agent_id, payload.display_name ?? null), (agent) =>
        answered(201, agent),
      ),
    "agents.deploy": ({ caller, params }) =>
      Effect.flatMap(agents.deploy(caller, params.agent_id), (agent) => answered(200, agent)),
    "agents.undeploy": ({ caller, params }) =>
      Effect.flatMap(agents.undeploy(caller, params.agent_id), (agent) => answered(200, agent)),
    "agents.executions": Effect.fnUntraced(function* ({ caller, params, query }) {
      const filter = yield* callFilter(query)
      const request = pageRequest(query)
      const page = yield* calls.executionsOf(caller.organization_id, params.agent_id, filter, request)
      return yield* callPage(calls, caller.organization_id, page, request, query)
    }),
  }
  return handlers
})
