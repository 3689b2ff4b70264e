import { limits } from "@carillon/core"
import { RetrievalIndex } from "@carillon/core/ports"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Context, Effect, Layer, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { type KeptIndex, KeptIndexes } from "./KeptIndexes.ts"
import { makeKnowledgeDocuments } from "./KnowledgeDocuments.ts"

/** Has one thing done at a time for each key; who waits for a key waits for nobody else. */
const makeTurns = () => {
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; waiting: number }>()

  const inTurn = <A, E>(key: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const own = turns.get(key) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
      turns.set(key, own)
      own.waiting += 1
      return Effect.ensuring(
        own.turn.withPermit(effect),
        Effect.sync(() => {
          own.waiting -= 1
          if (own.waiting === 0) turns.delete(key)
        }),
      )
    })

  return { inTurn, has: (key: string) => turns.has(key) }
}

type Turns = ReturnType<typeof makeTurns>

const keyOf = (organizationId: string, retrievalId: string): string => `${organizationId} ${retrievalId}`

/** Brings what a process has indexed in line with the rows. */
const makeFollowing = (
  index: RetrievalIndex["Service"],
  documents: ReturnType<typeof makeKnowledgeDocuments>,
  kept: KeptIndexes,
  asking: Turns,
) => {
  const indexing = makeTurns()
  const indexings = Semaphore.makeUnsafe(limits.knowledgeIndexings)

  /** Lets go of what is kept of a base. Whoever is being answered from it at this moment is. */
  const drop = (base: KeptIndex) =>
    Effect.suspend(() => {
      kept.drop(base)
      base.documents.clear()
      return index.remove(base.organizationId, base.retrievalId, null)
    })

  const makeRoom = Effect.fnUntraced(function* (asked: KeptIndex) {
    for (;;) {
      const base = kept.surplus(asked, (other) => asking.has(keyOf(other.organizationId, other.retrievalId)))
      if (base === null) return
      yield* drop(base)
    }
  })

  /** Indexes what is missing of a base, for which there is room first. */
  const fill = Effect.fnUntraced(function* (base: KeptIndex, present: ReadonlySet<string>) {
    const { organizationId, retrievalId } = base
    // From now on it does not give way: what is in it and what is missing are all of it.
    base.coming = 1
    const missing = [...present].filter((id) => !base.documents.has(id))
    const places = yield* documents.places(retrievalId)
    const charactersOf = (id: string) => (places.get(id) ?? []).reduce((sum, { characters }) => sum + characters, 0)
    for (const id of missing) base.coming += charactersOf(id)
    kept.keep(base)
    yield* makeRoom(base)
    for (const id of missing) {
      // One at a time: each may be as large as an upload.
      const chunks = yield* documents.chunks(retrievalId, places.get(id) ?? [])
      if (chunks === null) continue
      yield* index.add(organizationId, retrievalId, id, chunks)
      base.documents.set(id, charactersOf(id))
      base.coming -= charactersOf(id)
    }
  })

  /** Brings the index of a base up to date, and returns whether there is anything in it. */
  const follow = Effect.fnUntraced(function* (base: KeptIndex) {
    const { organizationId, retrievalId } = base
    const present = yield* documents.ids(organizationId, retrievalId)
    for (const id of base.documents.keys()) {
      if (present.has(id)) continue
      yield* index.remove(organizationId, retrievalId, id)
      base.documents.delete(id)
    }
    if (present.size === 0) {
      yield* drop(base)
      return false
    }
    if (kept.has(base)) kept.keep(base)
    if (base.documents.size === present.size) return true
    const filling = Effect.ensuring(
      fill(base, present),
      Effect.sync(() => {
        base.coming = 0
      }),
    )
    yield* indexing.inTurn(organizationId, indexings.withPermit(filling))
    return true
  })

  return follow
}

/**
 * The pieces of documents are rows, and every process has an index of its own over the bases that it is asked about. Before each search it compares which
 * documents there are, so what another process has added or removed is found and gone at once. A few bases are indexed at a time, each of another
 * organization, and there is room for them before any of their chunks is read.
 */
export const makeRetrievalIndex = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const index = Context.get(yield* Layer.build(MemoryStore.layer(new MemoryTables())), RetrievalIndex)
  const documents = makeKnowledgeDocuments(sql)
  const kept = new KeptIndexes()
  const asking = makeTurns()
  const follow = makeFollowing(index, documents, kept, asking)

  const search: RetrievalIndex["Service"]["search"] = Effect.fnUntraced(
    function* (organizationId, retrievalId, query, limit) {
      for (;;) {
        const base = kept.find(organizationId, retrievalId)
        if (!(yield* follow(base))) return []
        const hits = yield* index.search(organizationId, retrievalId, query, limit)
        // It may have given way to another one just before it was looked into.
        if (hits.length > 0 || kept.has(base)) return hits
      }
    },
  )

  return RetrievalIndex.of({
    add: documents.add,
    remove: documents.remove,
    document: documents.document,
    search: (organizationId, retrievalId, query, limit) =>
      asking.inTurn(keyOf(organizationId, retrievalId), search(organizationId, retrievalId, query, limit)),
  })
})
