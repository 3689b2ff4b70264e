import type { Agent } from "@carillon/core"
import type { ListedAgent } from "@carillon/core/domain"
import {
  agentLister,
  type AgentQuery,
  type AgentStore,
  type Experiment,
  type ExperimentStore,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, searchKeyOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { agents, experiments } from "../rows/Tables.ts"
import { detached } from "../Detached.ts"
import { gather } from "./Gather.ts"
import { newestFirst, ownedBy, pageInPieces, pageOf, rowById, rowWhere } from "./Rows.ts"
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
    .chosen("status", query.status)
    .chosen("category", query.category)
    .also(
      "position(decode(?::text, 'hex') in name_search) > 0",
      query.search === undefined ? undefined : searchKeyOf(query.search),
    )
}

const orderOf = ({ sort_by, sort_order }: AgentQuery): string => {
  const order = sort_order === "asc" ? "asc" : "desc"
  return `${sortColumns[sort_by]} ${order}, sequence ${order}`
}

export const makeAgentStore = (sql: SqlClient.SqlClient): AgentStore["Service"] => {
  const locate = rowById<Agent>(sql, agents)
  return {
    find: (organizationId, agentId) => Effect.map(locate(agentId), ownedBy(organizationId)),
    page: (organizationId, query, page) =>
      pageOf<Agent>(sql, agents, filtered(organizationId, query), orderOf(query), page),
    list: (organizationId, query, page) =>
      pageInPieces<Agent, ListedAgent>(
        sql,
        agents,
        filtered(organizationId, query),
        orderOf(query),
        page,
        agentLister(),
      ),
    usesKnowledgeBase: (organizationId, collection) =>
      reading(
        agents.dependency,
        Effect.map(
          sql.unsafe(
            "select 1 from carillon.agents where organization_id = $1 and status <> 'ARCHIVED' and $2 = any(knowledge_bases) limit 1",
            [organizationId, textOf(collection)],
          ),
          (found) => found.length > 0,
        ),
      ),
  }
}

interface Control {
  readonly organizationId: string
  readonly mainAgentId: string
}

const controlName = ({ mainAgentId, organizationId }: Control): string =>
  `${textOf(organizationId)} ${textOf(mainAgentId)}`

/** The active experiments of control agents, of which each has one at most. */
const activeIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), controlName, (asked: ReadonlyArray<Control>) =>
    reading(
      experiments.dependency,
      Effect.map(
        sql.unsafe<{ readonly row: Experiment }>(
          "select row from carillon.experiments where organization_id = any($1::text[]) and main_agent_id = any($2::text[]) and status = 'active'",
          [
            [...new Set(asked.map(({ organizationId }) => textOf(organizationId)))],
            [...new Set(asked.map(({ mainAgentId }) => textOf(mainAgentId)))],
          ],
        ),
        (found) => {
          const active = new Map(
            found.map((stored) => {
              const row: Experiment = rowOf(stored.row)
              return [
                controlName({ organizationId: row.organization_id, mainAgentId: row.main_agent_id }),
                row,
              ] as const
            }),
          )
          return (control: Control): Experiment | null => active.get(controlName(control)) ?? null
        },
      ),
    ),
  )

export const makeExperimentStore = (sql: SqlClient.SqlClient): ExperimentStore["Service"] => {
  const active = activeIn(sql)
  return {
    find: (organizationId, versionId) =>
      reading(
        experiments.dependency,
        rowWhere<Experiment>(
          sql,
          experiments.name,
          new Where().is("version_id", versionId).is("organization_id", organizationId),
        ),
      ),
    active: (organizationId, mainAgentId) => active({ organizationId, mainAgentId }),
    page: (organizationId, mainAgentId, status, page) =>
      pageOf<Experiment>(
        sql,
        experiments,
        new Where()
          .is("organization_id", organizationId)
          .is("main_agent_id", mainAgentId)
          .chosen("status", status ?? undefined),
        newestFirst,
        page,
      ),
  }
}
