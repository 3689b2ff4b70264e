import { Effect, Layer } from "effect"
import { AgentStore } from "../agents/AgentStore.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import type { Call } from "../calls/Call.ts"
import { CallStore } from "../calls/CallStore.ts"
import { Store } from "../engine/Store.ts"
import { KeyStore } from "../keys/KeyStore.ts"
import { KnowledgeStore } from "../knowledge/KnowledgeStore.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import { retrievalLayer } from "./MemoryRetrieval.ts"
import type { MemoryTables } from "./MemoryTables.ts"
import { uploadPlacesLayer } from "./MemoryUploadPlaces.ts"
import { wakeupsLayer } from "./MemoryWakeups.ts"

const executionIdOf = (call: Call): string => call.execution_id

/** Up to `limit` rows in ascending order of execution id after `after`; for the few calls that hold a line or are due. */
const after = (calls: Iterable<Call>, id: string | null, limit: number): ReadonlyArray<Call> => {
  const found: Array<Call> = []
  for (const call of calls) if (id === null || executionIdOf(call) > id) found.push(call)
  return found.sort((a, b) => (executionIdOf(a) < executionIdOf(b) ? -1 : 1)).slice(0, limit)
}

/** A commit's refusal as a failure of the effect. */
const applied = <E>(run: () => E | undefined): Effect.Effect<void, E> =>
  Effect.suspend(() => {
    const refusal = run()
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  })

/** Every storage port over one set of tables. */
export const layer = (tables: MemoryTables) => {
  const ofOrganization = (organizationId: string, executionId: string): Call | null => {
    const call = tables.calls.get(executionId)
    return call?.organization_id === organizationId ? call : null
  }
  return Layer.mergeAll(
    Layer.succeed(Store, {
      commit: (commit) => applied(() => tables.commit(commit)),
      admit: (commit, levels) => applied(() => tables.admit(commit, levels)),
    }),
    Layer.succeed(CallStore, {
      find: (organizationId, executionId) => Effect.sync(() => ofOrganization(organizationId, executionId)),
      locate: (executionId) => Effect.sync(() => tables.calls.get(executionId) ?? null),
      media: (organizationId, executionId) =>
        Effect.sync(() => {
          const media = tables.calls.media(executionId)
          return media?.organization_id === organizationId ? media : null
        }),
      page: (organizationId, filter, page) => Effect.sync(() => tables.calls.page(organizationId, filter, page)),
      holding: (levels) => Effect.sync(() => levels.map(({ level, key }) => tables.calls.holding(level, key))),
      holders: (id, limit) => Effect.sync(() => after(tables.calls.holders(), id, limit)),
      due: (id, limit) => Effect.sync(() => after(tables.calls.due(), id, limit)),
    }),
    Layer.succeed(AgentStore, {
      find: (organizationId, agentId) => Effect.sync(() => tables.agents.find(organizationId, agentId) ?? null),
      page: (organizationId, query, page) => Effect.sync(() => tables.agents.page(organizationId, query, page)),
      usesKnowledgeBase: (organizationId, collection) =>
        Effect.sync(() => tables.agents.usesKnowledgeBase(organizationId, collection)),
    }),
    Layer.succeed(KeyStore, {
      findByHash: (hash) => Effect.sync(() => tables.keyByHash(hash) ?? null),
      find: (organizationId, keyId) => Effect.sync(() => tables.keys(organizationId).get(keyId) ?? null),
      page: (organizationId, { page, page_size }) =>
        Effect.sync(() => {
          const keys = [...tables.keys(organizationId).values()].sort((a, b) => a.created_at - b.created_at).reverse()
          const skip = (page - 1) * page_size
          return { items: keys.slice(skip, skip + page_size), total: keys.length }
        }),
    }),
    Layer.succeed(AccountStore, {
      organization: (organizationId) => Effect.sync(() => tables.organizations.get(organizationId) ?? null),
      platform: Effect.sync(() => tables.platform),
      number: (organizationId, number) => Effect.sync(() => tables.numbers(organizationId).get(number) ?? null),
      numbers: (organizationId) => Effect.sync(() => [...tables.numbers(organizationId).values()]),
    }),
    Layer.succeed(AuditStore, {
      after: (organizationId, sequence, limit) =>
        Effect.sync(() => tables.auditTrail(organizationId).slice(sequence, sequence + limit)),
    }),
    Layer.succeed(KnowledgeStore, {
      find: (organizationId, collection) => Effect.sync(() => tables.knowledge.find(organizationId, collection)),
      page: (organizationId, page) => Effect.sync(() => tables.knowledge.page(organizationId, page)),
      upload: (organizationId, retrievalId, documentId) =>
        Effect.sync(() => {
          const upload = tables.knowledge.upload(documentId)
          const isOurs = upload?.organization_id === organizationId && upload.retrieval_id === retrievalId
          return isOurs ? upload : null
        }),
      uploads: (organizationId, retrievalId, page) =>
        Effect.sync(() => tables.knowledge.uploads(organizationId, retrievalId, page)),
    }),
    retrievalLayer(tables.retrieval),
    uploadPlacesLayer(tables.uploadPlaces),
    wakeupsLayer(tables.wakeups),
  )
}
