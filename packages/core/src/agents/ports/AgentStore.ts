import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { Agent } from "../rules/Agent.ts"
import type { AgentStatus } from "../rules/AgentStatus.ts"
import type { ListedAgent } from "./ListedAgent.ts"

/** Filter and order of the agent list. Archived agents are hidden unless `status` names them. */
export interface AgentQuery {
  readonly status?: AgentStatus
  readonly category?: string
  /** Case-insensitive substring of the name. */
  readonly search?: string
  readonly sort_by: "created_at" | "updated_at" | "name" | "status"
  readonly sort_order: "asc" | "desc"
}

/** Reads of agents. */
export class AgentStore extends Context.Service<
  AgentStore,
  {
    readonly find: (organizationId: string, agentId: string) => Effect.Effect<Agent | null, PortError>
    /** Whole agents, for who needs them whole; of large ones few at a time. */
    readonly page: (
      organizationId: string,
      query: AgentQuery,
      page: PageRequest,
    ) => Effect.Effect<Page<Agent>, PortError>
    /** The same as customers list them, by `agentLister`: however large the prompts are, a page of any size is as large as what it shows. */
    readonly list: (
      organizationId: string,
      query: AgentQuery,
      page: PageRequest,
    ) => Effect.Effect<Page<ListedAgent>, PortError>
    /** Whether an agent that is not archived answers from the knowledge base of this name. */
    readonly usesKnowledgeBase: (organizationId: string, collection: string) => Effect.Effect<boolean, PortError>
  }
>()("@carillon/core/agents/AgentStore") {}
