import type { Agent } from "../agents/rules/Agent.ts"
import { knowledgeBasesOf } from "../agents/rules/AgentKnowledge.ts"
import type { AgentQuery } from "../agents/ports/AgentStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"

const sortKeys = {
  created_at: (agent: Agent) => agent.created_at,
  updated_at: (agent: Agent) => agent.updated_at,
  name: (agent: Agent) => agent.display_name,
  status: (agent: Agent) => agent.status,
} as const

/** The agents of the world by organization, in commit order. An organization has few, so its list is filtered and sorted on read. */
export class AgentTable {
  readonly #agents = new Map<string, Map<string, Agent>>()
  readonly #byId = new Map<string, Agent>()

  get(agentId: string): Agent | undefined {
    return this.#byId.get(agentId)
  }

  values(): Iterable<Agent> {
    return this.#byId.values()
  }

  find(organizationId: string, agentId: string): Agent | undefined {
    return this.#agents.get(organizationId)?.get(agentId)
  }

  put(agent: Agent): void {
    this.#byId.set(agent.agent_id, agent)
    const own = this.#agents.get(agent.organization_id)
    if (own === undefined) this.#agents.set(agent.organization_id, new Map([[agent.agent_id, agent]]))
    else own.set(agent.agent_id, agent)
  }

  usesKnowledgeBase(organizationId: string, collection: string): boolean {
    for (const agent of this.#agents.get(organizationId)?.values() ?? []) {
      if (agent.status !== "ARCHIVED" && knowledgeBasesOf(agent).includes(collection)) return true
    }
    return false
  }

  page(organizationId: string, query: AgentQuery, { page, page_size }: PageRequest): Page<Agent> {
    const found: Array<Agent> = []
    for (const agent of this.#agents.get(organizationId)?.values() ?? []) if (matches(agent, query)) found.push(agent)
    const key = sortKeys[query.sort_by]
    found.sort((a, b) => compare(key(a), key(b)))
    // Reversing the whole keeps commit order as the second key of "newest first".
    if (query.sort_order === "desc") found.reverse()
    const skip = (page - 1) * page_size
    return { items: found.slice(skip, skip + page_size), total: found.length }
  }
}

const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)

const matches = (agent: Agent, query: AgentQuery): boolean =>
  (query.status === undefined ? agent.status !== "ARCHIVED" : agent.status === query.status) &&
  (query.category === undefined || agent.category === query.category) &&
  (query.search === undefined || agent.display_name.toLowerCase().includes(query.search.toLowerCase()))
