import type { Agent, AgentQuery, AgentStore, Experiment, ExperimentStore } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { searchKeyOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { agents, experiments } from "../rows/Tables.ts"
import { newestFirst, pageOf, rowWhere } from "./Rows.ts"
import { Where } from "./Where.ts"

const sortColumns = {
  created_at: "created_at",
  updated_at: "updated_at",
  name: "name_order",
  status: "status",
} as const

const filtered = (organizationId: string, query: AgentQuery): Where => {
  const where = new Where().is("organization_id", organizationId)
  if (query.status === undefined) where.and("status <> 'ARCHIVED'")
  return where
    .is("status", query.status)
    .is("category", query.category)
    .also(
      "position(decode(?::text, 'hex') in name_search) > 0",
      query.search === undefined ? undefined : searchKeyOf(query.search),
    )
}

export const makeAgentStore = (sql: SqlClient.SqlClient): AgentStore["Service"] => ({
  find: (organizationId, agentId) =>
    reading(
      "agent_service",
      rowWhere<Agent>(sql, agents.name, new Where().is("agent_id", agentId).is("organization_id", organizationId)),
    ),
  page: (organizationId, query, page) => {
    const order = query.sort_order === "asc" ? "asc" : "desc"
    const by = `${sortColumns[query.sort_by]} ${order}, sequence ${order}`
    return reading("agent_service", pageOf<Agent>(sql, agents.name, filtered(organizationId, query), by, page))
  },
  usesKnowledgeBase: (organizationId, collection) =>
    reading(
      "agent_service",
      Effect.map(
        sql.unsafe(
          "select 1 from carillon.agents where organization_id = $1 and status <> 'ARCHIVED' and $2 = any(knowledge_bases) limit 1",
          [organizationId, textOf(collection)],
        ),
        (found) => found.length > 0,
      ),
    ),
})

export const makeExperimentStore = (sql: SqlClient.SqlClient): ExperimentStore["Service"] => ({
  find: (organizationId, versionId) =>
    reading(
      "agent_service",
      rowWhere<Experiment>(
        sql,
        experiments.name,
        new Where().is("version_id", versionId).is("organization_id", organizationId),
      ),
    ),
  active: (organizationId, mainAgentId) =>
    reading(
      "agent_service",
      rowWhere<Experiment>(
        sql,
        experiments.name,
        new Where().is("organization_id", organizationId).is("main_agent_id", mainAgentId).and("status = 'active'"),
      ),
    ),
  page: (organizationId, mainAgentId, status, page) =>
    reading(
      "agent_service",
      pageOf<Experiment>(
        sql,
        experiments.name,
        new Where()
          .is("organization_id", organizationId)
          .is("main_agent_id", mainAgentId)
          .is("status", status ?? undefined),
        newestFirst,
        page,
      ),
    ),
})
