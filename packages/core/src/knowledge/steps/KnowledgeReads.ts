import { knowledgeUsersOf } from "../../engine/rules/Guards.ts"
import { byKey, refuse, row } from "../../engine/steps/Reading.ts"
import type { SetDescription } from "../../engine/steps/SetDescription.ts"
import { NotFound, StateConflict } from "../../Errors.ts"
import type { KnowledgeBase } from "../rules/KnowledgeBase.ts"

/** Why something is refused that names a knowledge base. */
export const noSuchBase = new NotFound({ message: "Knowledge base not found." })

/** Why nothing more is added to a base that is being removed. */
export const isBeingRemoved = new StateConflict({
  message: "This knowledge base is being deleted. Delete it again to finish that.",
})

/** Why something is refused that names an upload. */
export const noSuchDocument = new NotFound({ message: "Document not found." })

/** A knowledge base of an organization by its name. */
export function* baseOf(organizationId: string, collection: string) {
  return (yield* byKey("knowledge_base", organizationId, collection)) ?? (yield* refuse(noSuchBase))
}

/** An upload of a base of an organization. */
export function* uploadOf(organizationId: string, retrievalId: string, documentId: string) {
  const upload = yield* row("knowledge_upload", documentId, { of: organizationId })
  return upload?.retrieval_id === retrievalId ? upload : yield* refuse(noSuchDocument)
}

/** Whether an agent that is not archived answers from a knowledge base. */
export const knowledgeUsers: SetDescription<Pick<KnowledgeBase, "organization_id" | "collection">, boolean> = {
  members: "agents of an organization that answer from knowledge bases",
  guard: ({ organization_id }) => knowledgeUsersOf(organization_id),
  read: ({ agents }, { collection, organization_id }) => agents.usesKnowledgeBase(organization_id, collection),
}
