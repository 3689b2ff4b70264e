import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { KnowledgeBase, KnowledgeUpload } from "../rules/KnowledgeBase.ts"

/** Reads of knowledge bases and uploads. Pages are newest first. A base takes its uploads with it when it is removed. */
export class KnowledgeStore extends Context.Service<
  KnowledgeStore,
  {
    readonly find: (organizationId: string, collection: string) => Effect.Effect<KnowledgeBase | null, PortError>
    readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<KnowledgeBase>, PortError>
    readonly upload: (
      organizationId: string,
      retrievalId: string,
      documentId: string,
    ) => Effect.Effect<KnowledgeUpload | null, PortError>
    readonly uploads: (
      organizationId: string,
      retrievalId: string,
      page: PageRequest,
    ) => Effect.Effect<Page<KnowledgeUpload>, PortError>
  }
>()("@carillon/core/knowledge/KnowledgeStore") {}
