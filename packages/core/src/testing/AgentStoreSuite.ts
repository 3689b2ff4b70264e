import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Agent } from "../agents/rules/Agent.ts"
import { agentStatuses } from "../agents/rules/AgentStatus.ts"
import { type AgentQuery, AgentStore } from "../agents/ports/AgentStore.ts"
import { agentLister } from "../agents/ports/ListedAgent.ts"
import { Store } from "../engine/ports/Store.ts"
import { limits } from "../Limits.ts"
import { jsonBytes } from "../Measure.ts"
import { law } from "./Law.ts"
import { refusalOf } from "./Refusals.ts"
import { fresh, sampleAgent, sampleCommit, sampleEpoch } from "./Samples.ts"

// Characters that a pattern language might take for its own, beside letters of both cases.
const word = fc.string({ unit: fc.constantFrom("a", "B", "c", "_", ".", "(", "-"), minLength: 1, maxLength: 5 })

const described = fc.record({
  display_name: word,
  status: fc.constantFrom(...agentStatuses),
  category: fc.constantFrom(null, "sales", "Sales"),
  created_at: fc.nat(4).map((n) => sampleEpoch + n),
  updated_at: fc.nat(4).map((n) => sampleEpoch + 10 + n),
})

const filters = fc.record(
  {
    status: fc.constantFrom(...agentStatuses),
    category: fc.constantFrom("sales", "support"),
    search: word,
  },
  { requiredKeys: [] },
)

/** What a query leaves, said without any index. Archived agents are shown only where they are named. */
const matches = (agent: Agent, query: Partial<AgentQuery>): boolean =>
  (query.status === undefined ? agent.status !== "ARCHIVED" : agent.status === query.status) &&
  (query.category === undefined || agent.category === query.category) &&
  (query.search === undefined || agent.display_name.toLowerCase().includes(query.search.toLowerCase()))

const putAgent = Effect.fnUntraced(function* (row: Agent) {
  yield* (yield* Store).commit(sampleCommit(row.organization_id, { changes: [{ put: "agent", row }] }))
})

const everyPage = Effect.fnUntraced(function* (organizationId: string, query: AgentQuery, page_size: number) {
  const agents = yield* AgentStore
  const items: Array<Agent> = []
  for (let page = 1; ; page++) {
    const answer = yield* agents.page(organizationId, query, { page, page_size })
    assert.isAtMost(answer.items.length, page_size)
    items.push(...answer.items)
    if (answer.items.length === 0) return { items, total: answer.total }
  }
})

const byId = (agents: ReadonlyArray<Agent>): ReadonlyArray<Agent> =>
  agents.toSorted((a, b) => (a.agent_id < b.agent_id ? -1 : 1))

/** Lays down what every adapter of `AgentStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | AgentStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("shows an agent to its own organization only", () =>
      Effect.gen(function* () {
        const agents = yield* AgentStore
        const agent = sampleAgent(fresh("org_"), { multilingual: { enabled: true, languages: {} } })
        yield* putAgent(agent)
        const stranger = fresh("org_")
        assert.deepStrictEqual(yield* agents.find(agent.organization_id, agent.agent_id), agent)
        assert.isNull(yield* agents.find(stranger, agent.agent_id))
        const query = { sort_by: "created_at", sort_order: "desc" } as const
        const page = yield* agents.page(stranger, query, { page: 1, page_size: 10 })
        assert.deepStrictEqual(page, { items: [], total: 0 })
      }),
    )

    it.effect("pages through exactly what matches, in the order asked for", () =>
      law(
        fc.record({
          created: fc.array(described, { minLength: 1, maxLength: 12 }),
          changed: fc.array(fc.tuple(fc.nat(), described), { maxLength: 6 }),
          asked: fc.array(filters, { minLength: 1, maxLength: 5 }),
          sort_by: fc.constantFrom("created_at" as const, "updated_at" as const, "status" as const),
          sort_order: fc.constantFrom<AgentQuery["sort_order"]>("asc", "desc"),
          page_size: fc.integer({ min: 1, max: 5 }),
        }),
        Effect.fnUntraced(function* ({ created, changed, asked, sort_by, sort_order, page_size }) {
          const organizationId = fresh("org_")
          const rows = created.map((changes) => sampleAgent(organizationId, changes))
          yield* Effect.forEach(rows, putAgent, { discard: true })
          for (const [nth, { created_at: _, ...changes }] of changed) {
            const position = nth % rows.length
            const before = rows[position]
            assert(before !== undefined)
            const row = { ...before, ...changes, revision: before.revision + 1 }
            rows[position] = row
            yield* putAgent(row)
          }
          for (const filter of [{}, ...asked]) {
            const expected = rows.filter((row) => matches(row, filter))
            const { items, total } = yield* everyPage(organizationId, { ...filter, sort_by, sort_order }, page_size)
            assert.strictEqual(total, expected.length)
            assert.deepStrictEqual(byId(items), byId(expected))
            const keys = items.map((agent) => agent[sort_by])
            const sorted = keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
            assert.deepStrictEqual(keys, sort_order === "asc" ? sorted : sorted.toReversed())
          }
        }),
        { numRuns: 40 },
      ),
    )

    it.effect(
      "tells whether an agent that is not archived uses a knowledge base, by its own name or its language model's",
      () =>
        Effect.gen(function* () {
          const agents = yield* AgentStore
          const organizationId = fresh("org_")
          const uses = (collection: string) => agents.usesKnowledgeBase(organizationId, collection)
          const collections = { runtime: { language_model: { knowledge_base_config: { collections: ["b", "c"] } } } }
          const agent = sampleAgent(organizationId, { knowledge_base: "a", configuration: collections })
          yield* putAgent(agent)
          yield* putAgent(sampleAgent(organizationId, { knowledge_base: "old", status: "ARCHIVED" }))
          yield* putAgent(sampleAgent(fresh("org_"), { knowledge_base: "foreign" }))
          assert.deepStrictEqual(yield* Effect.forEach(["a", "b", "c", "A", "old", "foreign", ""], uses), [
            true,
            true,
            true,
            false,
            false,
            false,
            false,
          ])
          yield* putAgent({ ...agent, revision: 2, knowledge_base: null, configuration: {} })
          assert.deepStrictEqual(yield* Effect.forEach(["a", "b", "c"], uses), [false, false, false])
        }),
    )

    it.effect("sorts by name, and newest first by creation and then by commit order", () =>
      Effect.gen(function* () {
        const organizationId = fresh("org_")
        const names = ["delta", "alpha", "charlie", "bravo"]
        yield* Effect.forEach(names, (display_name) => putAgent(sampleAgent(organizationId, { display_name })))
        const sorted = Effect.fnUntraced(function* (
          sort_by: AgentQuery["sort_by"],
          sort_order: AgentQuery["sort_order"],
        ) {
          const { items } = yield* everyPage(organizationId, { sort_by, sort_order }, 3)
          return items.map((agent) => agent.display_name)
        })
        assert.deepStrictEqual(yield* sorted("name", "asc"), ["alpha", "bravo", "charlie", "delta"])
        assert.deepStrictEqual(yield* sorted("name", "desc"), ["delta", "charlie", "bravo", "alpha"])
        assert.deepStrictEqual(yield* sorted("created_at", "desc"), ["bravo", "charlie", "alpha", "delta"])
        assert.deepStrictEqual(yield* sorted("created_at", "asc"), names)
      }),
    )

    it.effect("reads back whatever it has taken, and refuses a page that is too large for one answer", () =>
      Effect.gen(function* () {
        const agents = yield* AgentStore
        const organizationId = fresh("org_")
        const stranger = sampleAgent(fresh("org_"))
        yield* putAgent(stranger)
        const taken: Array<Agent> = []
        for (const bytes of [1, 2, 3, 4, 5].map((part) => (part * limits.rowBytes) / 4)) {
          // What is escaped twice, and what takes three bytes for a character.
          for (const text of ['"', "…"]) {
            const agent = sampleAgent(organizationId, { greeting_message: text.repeat(bytes / jsonBytes(text)) })
            const refusal = yield* refusalOf(putAgent(agent))
            if (refusal === null) taken.push(agent)
            else assert.deepInclude(refusal, { _tag: "InvalidField", field: "greeting_message" })
          }
        }
        assert.isAtLeast(taken.length, 4, "a store carries every row of up to rowBytes")
        const reads = yield* Effect.forEach(
          [...taken, stranger, ...taken],
          (agent) => agents.find(agent.organization_id, agent.agent_id),
          { concurrency: "unbounded" },
        )
        assert.deepStrictEqual(reads, [...taken, stranger, ...taken])
        const query = { sort_by: "created_at", sort_order: "desc" } as const
        const all = yield* refusalOf(agents.page(organizationId, query, { page: 1, page_size: 100 }))
        assert.deepInclude(all, { _tag: "InvalidField", field: "page_size" })
        for (const [index, agent] of taken.toReversed().entries()) {
          const one = yield* agents.page(organizationId, query, { page: index + 1, page_size: 1 })
          assert.deepStrictEqual(one, { items: [agent], total: taken.length })
        }
      }),
    )

    it.effect("lists agents as they are, without their prompts, but with the placeholders of these", () =>
      law(
        fc.record({
          texts: fc.array(fc.constantFrom("Hello {name}", "{a}{b}{a}", "\0{nul}", "{1}", '"{q}"', "plain"), {
            minLength: 1,
            maxLength: 8,
          }),
          page_size: fc.integer({ min: 1, max: 5 }),
          sort_order: fc.constantFrom<AgentQuery["sort_order"]>("asc", "desc"),
        }),
        Effect.fnUntraced(function* ({ texts, page_size, sort_order }) {
          const agents = yield* AgentStore
          const organizationId = fresh("org_")
          yield* Effect.forEach(texts, (text) =>
            putAgent(sampleAgent(organizationId, { prompts: { system: text, "~": text }, knowledge_base: "base" })),
          )
          const query = { sort_by: "created_at", sort_order } as const
          for (let page = 1; page <= texts.length; page++) {
            const whole = yield* agents.page(organizationId, query, { page, page_size })
            const lister = agentLister()
            const expected = yield* Effect.forEach(whole.items, lister)
            const listed = yield* agents.list(organizationId, query, { page, page_size })
            assert.deepStrictEqual(listed, { items: expected, total: texts.length })
            for (const row of listed.items) assert.doesNotHaveAnyKeys(row, ["prompts", "knowledge_base"])
          }
        }),
        { numRuns: 15 },
      ),
    )

    it.effect("lists a full page however large its agents are, and refuses one only for what it shows", () =>
      Effect.gen(function* () {
        const agents = yield* AgentStore
        const query = { sort_by: "created_at", sort_order: "desc" } as const
        const full = { page: 1, page_size: limits.pageSize.max }
        const prompts = { system: `{name} ${"x".repeat(limits.agentBytes - 4_096)}` }
        const unseen = fresh("org_")
        const count = Math.ceil((1.2 * limits.pageBytes) / limits.agentBytes)
        yield* Effect.forEach(Array.from({ length: count }), () => putAgent(sampleAgent(unseen, { prompts })))
        const listed = yield* agents.list(unseen, query, full)
        assert.deepStrictEqual(
          [listed.total, listed.items.length, listed.items.every(({ placeholders }) => placeholders[0] === "name")],
          [count, count, true],
        )
        const shown = fresh("org_")
        const greeting_message = "x".repeat(limits.rowBytes - 4_096)
        yield* Effect.forEach([1, 2], () => putAgent(sampleAgent(shown, { greeting_message })))
        assert.lengthOf((yield* agents.list(shown, query, full)).items, 2)
        yield* putAgent(sampleAgent(shown, { greeting_message: "x".repeat(8_192) }))
        assert.deepInclude(yield* refusalOf(agents.list(shown, query, full)), {
          _tag: "InvalidField",
          field: "page_size",
        })
      }),
    )

    it.effect("fails nobody for what another organization writes at the same time", () =>
      Effect.gen(function* () {
        const rows = Array.from({ length: 20 }, (_, nth) =>
          sampleAgent(fresh("org_"), { greeting_message: nth % 2 === 0 ? "x".repeat(2 * limits.rowBytes) : "hello" }),
        )
        const refusals = yield* Effect.forEach(rows, (row) => refusalOf(putAgent(row)), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          refusals.filter((_, nth) => nth % 2 === 1).map((refusal) => refusal?._tag ?? "taken"),
          Array.from({ length: 10 }, () => "taken"),
        )
      }),
    )
  })
