import { pageRequest, paginate, toWireDeletion, toWireDocument, toWireHit, toWireKnowledgeBase } from "@carillon/api"
import { Knowledge, limits } from "@carillon/core"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { rowsOf } from "../PageText.ts"

/** Chunks that the default would not leave room in share a quarter: nobody is refused for a field that he did not send. */
const defaultOverlapping = (chunk_size: number): number => {
  const { default: usual } = limits.knowledgeOverlapping
  return usual < chunk_size ? usual : Math.floor(chunk_size / 4)
}

/** Filling, asking and deleting knowledge bases. */
export const knowledgeHandlers = Effect.gen(function* () {
  const knowledge = yield* Knowledge

  const handlers: HandlersOf<"knowledge"> = {
    "knowledge.create": ({ caller, payload }) => {
      const chunk_size = payload.chunk_size ?? limits.knowledgeChunkSize.default
      const body = {
        collection: payload.collection,
        description: payload.description ?? null,
        chunk_size,
        overlapping: payload.overlapping ?? defaultOverlapping(chunk_size),
        files: payload.files,
      }
      return Effect.map(knowledge.create(caller, body), (result) => ({ status: 201, body: result }))
    },
    "knowledge.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* knowledge.page(caller.organization_id, request)
      const data = rowsOf(items, toWireKnowledgeBase)
      return { status: 200, body: { data, pagination: paginate(request, total) } }
    }),
    "knowledge.get": ({ caller, params }) =>
      Effect.map(knowledge.find(caller.organization_id, params.collection), (base) => ({
        status: 200,
        body: toWireKnowledgeBase(base),
      })),
    "knowledge.remove": ({ caller, params }) =>
      Effect.map(knowledge.remove(caller, params.collection), (removed) => ({
        status: 200,
        body: toWireDeletion(removed),
      })),
    "knowledge.upload": ({ caller, params, payload }) =>
      Effect.map(knowledge.add(caller, params.collection, payload.files), (result) => ({ status: 201, body: result })),
    "knowledge.documents": Effect.fnUntraced(function* ({ caller, params, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* knowledge.uploads(caller.organization_id, params.collection, request)
      const data = rowsOf(items, toWireDocument)
      return { status: 200, body: { data, pagination: paginate(request, total) } }
    }),
    "knowledge.removeDocument": ({ caller, params }) =>
      Effect.map(knowledge.removeUpload(caller, params.collection, params.document_id), (removed) => ({
        status: 200,
        body: toWireDeletion(removed),
      })),
    "knowledge.query": ({ caller, params, payload: { query, top_k = limits.knowledgeTopK.default } }) =>
      Effect.map(knowledge.query(caller.organization_id, params.collection, { query, top_k }), (hits) => ({
        status: 200,
        body: { data: hits.map(toWireHit) },
      })),
  }
  return handlers
})
