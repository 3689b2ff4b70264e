import { type Call, limits } from "@carillon/core"
import { directDial, newCall } from "@carillon/core/domain"
import {
  AccountStore,
  AgentStore,
  AuditStore,
  batchesOf,
  BatchStore,
  CallStore,
  CampaignStore,
  ContactStore,
  DeliveryStore,
  IdempotencyStore,
  KeyStore,
  LaneStore,
  NumberStore,
  RateStore,
  RetrievalIndex,
  rowKinds,
  SlotStore,
  Store,
  SubscriptionStore,
  TallyStore,
  UsageStore,
  Wakeups,
  type WebhookEvent,
} from "@carillon/core/ports"
import { sampleBatch } from "@carillon/core/testing"
import { Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, describe, expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { history, present, tenth } from "./History.ts"

const server = await startPostgres()

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Node>
}

type Plan = ReadonlyArray<{ readonly Plan: Node }>

const nodes = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodes)]

/** Tables that grow with what happens. */
const histories = new Set([
  "calls",
  "call_media",
  "contacts",
  "events",
  "kept_events",
  "deliveries",
  "audit_records",
  "commits",
])

/** Those, and what grows with how many customers there are and with how much is under way. */
const growing = new Set([
  ...histories,
  "batches",
  "caller_ids",
  "campaign_entries",
  "lanes",
  "wakeups",
  "tallies",
  "usage",
  "idempotency",
  "rates",
  "organizations",
  "api_keys",
  "phone_numbers",
  "agents",
  "subscriptions",
  "knowledge_documents",
  "knowledge_pieces",
])

const scanned = (plan: Plan, tables: ReadonlySet<string>): ReadonlyArray<string> =>
  plan.flatMap(({ Plan }) =>
    nodes(Plan).flatMap(({ "Node Type": type, "Relation Name": relation = "" }) =>
      type === "Seq Scan" && tables.has(relation) ? [relation] : [],
    ),
  )

/** Pages of 8 kB that one run of a statement may touch, whatever lies in the history. */
const pagesMax = 400

const pages = (plan: Plan): number =>
  plan.reduce((sum, { Plan }) => sum + (Plan["Shared Hit Blocks"] ?? 0) + (Plan["Shared Read Blocks"] ?? 0), 0)

const call = (nth: number): Call => {
  const request = {
    agent_id: "agt_1",
    to_number: "+15555550100",
    from_number: null,
    variables: {},
    metadata: {},
    scheduled_at: null,
    record: true,
    timeout_seconds: 30,
  }
  return newCall("org_big", `exec_new_${nth}`, request, directDial, present)
}

let nth = 0

/** Everything that is asked of the storage for a request, a call, a contact, a wake-up or a delivery. */
const hot = Effect.gen(function* () {
  const store = yield* Store
  const calls = yield* CallStore
  const contacts = yield* ContactStore
  const batches = yield* BatchStore
  const campaigns = yield* CampaignStore
  const lanes = yield* LaneStore
  const wakeups = yield* Wakeups
  const deliveries = yield* DeliveryStore
  const slots = yield* SlotStore
  const idempotency = yield* IdempotencyStore
  const accounts = yield* AccountStore
  const id = nth++
  const placed = call(id)
  const levels = [
    { level: "platform", key: "platform", ceiling: 1000 },
    { level: "organization", key: "org_big", ceiling: 1000 },
    { level: "agent", key: "agt_1", ceiling: 1000 },
    { level: "campaign", key: "cmp_1", ceiling: 1000 },
  ] as const
  const wakeup = { kind: "call", subject: placed.execution_id } as const
  const commit = (name: string) => ({
    id: `cmt_${name}_${id}`,
    organization_id: "org_big",
    expect: [
      { kind: "campaign", id: "cmp_1", revision: 3 },
      { guard: batchesOf("cmp_1"), version: 1 },
      { free: { lane_id: "cmp_1", to_number: "+15559990000" } },
    ] as const,
    wakeups: [{ set: { ...wakeup, at: present } }],
    events: [],
    audit: [],
  })
  yield* store.admit(
    {
      ...commit("placed"),
      changes: [
        { put: "call", row: placed },
        { put: "tally", subject: "cmp_1", add: { "status:1": 1 } },
      ],
    },
    levels,
  )
  yield* store.commit({
    ...commit("changed"),
    changes: [
      { put: "call", row: { ...placed, revision: 2 } },
      { put: "debit", organization_id: "org_big", amount: 1 },
    ],
    wakeups: [{ clear: wakeup }],
  })
  // A call and a contact that were kept for their time; the next run finds neither.
  const removed = { ...placed, execution_id: `exec_gone_${id}` }
  yield* store.commit({ ...commit("to be removed"), changes: [{ put: "call", row: removed }] })
  yield* store.commit({
    ...commit("removed"),
    changes: [
      { put: "removal", organization_id: "org_big", kind: "call", id: removed.execution_id, revision: 1 },
      { put: "discard", organization_id: "org_big", kind: "call_media", id: removed.execution_id },
      { put: "discard", organization_id: "org_big", kind: "contact", id: `con_new${id}_0` },
      { put: "discard", organization_id: "org_big", kind: "delivery", id: `dlv_new_${id}` },
      { put: "discard", organization_id: "org_big", kind: "event", id: `evt_new_${id}` },
    ],
    wakeups: [],
  })
  yield* store.versions([batchesOf("cmp_1")])
  yield* store.rows([
    ...rowKinds.map((kind) => ({ kind, id: kind === "contact" ? "con_1_3" : `${kind}_77` })),
    ...rowKinds.map((kind) => ({ kind, organization_id: "org_77", key: "+15550000077" })),
  ])
  yield* calls.find("org_big", "exec_77")
  yield* calls.locate("exec_77")
  yield* calls.media("org_big", "exec_77")
  yield* calls.holding(levels)
  yield* calls.live([{ organization_id: "org_big", from_number: "+15550000001" }])
  yield* calls.onNumber("cmp_1", "+15550000077")
  const before = present - 86_400_000
  yield* calls.oldest("org_big", { before, after: null, limit: limits.purgedCalls })
  const after = { created_at: before - 1_000, sequence: 77 }
  yield* calls.oldest("org_big", { before: present, after, limit: limits.purgedCalls })
  yield* calls.holders(null, 500)
  yield* calls.watched("cmp_1", 500)
  yield* calls.due("exec_5", 500)
  yield* calls.processing(null, 500)
  const page = { page: 1, page_size: 20 }
  yield* calls.page("org_big", { contact_id: "con_77" }, page)
  yield* calls.page("org_big", { to_number: "+15550000077" }, page)
  const moment = { now: present, in_hours: true }
  yield* contacts.next(["bat_1", "bat_2"], moment, [{ batch_id: "bat_1", row: 40 }], "all")
  yield* contacts.next(["bat_1"], { ...moment, in_hours: false }, [], "all")
  yield* contacts.next(["bat_1", "bat_2"], moment, [], "unheld")
  // Nobody is due that early.
  yield* contacts.next(["bat_1", "bat_2"], { now: 0, in_hours: true, by_priority: true }, [], "all")
  yield* contacts.times(["bat_1", "bat_2"], present)
  const open = { ...moment, marks: ["", "Europe/Paris", "+1212"] }
  // Everybody in the second one is due, and nobody's hours are open.
  const closed = ["bat_1", "bat_hours"]
  yield* contacts.next(closed, open, [], "all")
  yield* contacts.next(closed, open, [], "unheld")
  yield* contacts.load(closed, open)
  yield* contacts.load(["bat_1", "bat_2"], moment)
  yield* contacts.marks(closed)
  yield* contacts.marked(closed, "Europe/Paris", 10)
  yield* contacts.find("bat_1", 3)
  yield* contacts.rows("bat_1", 100, 100)
  yield* contacts.heirs("cmp_1", "+15550000077")
  yield* contacts.waitingIn("cmp_1", 10)
  yield* contacts.waitingIn("cmp_1", 10, ["bat_1", "bat_2"])
  yield* contacts.fill(`bat_new_${id}`, 1, [{ to_number: "+15550000077", variables: {} }])
  yield* contacts.discard(`bat_new_${id}`)
  yield* batches.unfinished("cmp_1")
  const known = sampleBatch("org_big", { batch_id: "bat_1", revision: 3 })
  yield* batches.unfinished("cmp_1", new Map([[known.batch_id, known]]))
  yield* batches.movable("cmp_1")
  yield* batches.movableBytes("cmp_1")
  yield* batches.pageOfCampaign("cmp_1", page)
  yield* batches.contactsOfCampaign("cmp_1", page)
  yield* batches.callsFrom("org_big", "+15550000001")
  yield* campaigns.callsFrom("org_big", "+15550000001")
  yield* batches.find("org_big", "bat_1")
  yield* batches.locate("bat_1")
  yield* campaigns.locate("cmp_1")
  yield* campaigns.ending(null, 500)
  yield* campaigns.lastEntry("cmp_1")
  yield* campaigns.watched(null, 500)
  yield* campaigns.entries("cmp_1", page)
  yield* lanes.changed("org_big", Number.MAX_SAFE_INTEGER)
  yield* lanes.any("org_big")
  yield* (yield* TallyStore).read("cmp_1")
  const midnight = present - (present % 86_400_000)
  const days = { from: midnight - 2 * 86_400_000, to: midnight + 600_000, agent_id: null }
  yield* (yield* UsageStore).parts("org_big", days, "day")
  const [claim] = yield* wakeups.claimDue(present, 64, { owner: "prc_plans", ms: 60_000 })
  yield* wakeups.claimDue(present, 64, { owner: "prc_plans", ms: 60_000 }, "latest")
  yield* wakeups.claimDue(present, 64, { owner: "prc_plans", ms: 60_000 }, "in turn")
  if (claim !== undefined) {
    yield* wakeups.defer(claim, present)
    yield* wakeups.complete(claim)
  }
  yield* wakeups.set({ kind: "dispatch", subject: "org_big", at: present })
  yield* wakeups.setAnew({ kind: "dispatch", subject: "org_big", at: present })
  yield* wakeups.next({ housekeeping: true, owner: "prc_plans" })
  yield* wakeups.next({ housekeeping: false, owner: "prc_plans" })
  const keeping = (event: number) => {
    const event_id = `evt_${event}`
    const row: WebhookEvent = {
      event_id,
      organization_id: "org_big",
      revision: 1,
      event_type: "call_completed",
      execution_id: placed.execution_id,
      agent_id: "agt_1",
      body: "{}",
      raised_at: present,
      routed_at: present,
      expires_at: present + 1_000_000,
      kept: true,
    }
    return store.commit({ ...commit(event_id), expect: [], changes: [{ put: "event", row }], wakeups: [] })
  }
  yield* keeping(10_000_000 + 2 * id)
  yield* deliveries.kept(25_000, limits.keptEventsAtOnce)
  yield* deliveries.lastKept
  // One that has no place yet, when the statements are explained.
  yield* keeping(10_000_001 + 2 * id)
  yield* deliveries.event("evt_77")
  yield* deliveries.locate("dlv_77")
  yield* deliveries.standings("org_big", {
    event_ids: Array.from({ length: 40 }, (_, nth) => `evt_${nth}`),
    execution_ids: Array.from({ length: 20 }, (_, nth) => `exec_${nth}`),
    deliveries_of_call: limits.deliveriesOfCall + 1,
  })
  yield* deliveries.waiting(null, 500)
  yield* deliveries.due(null, 500)
  yield* deliveries.expired(present, 500)
  yield* deliveries.page("org_big", { execution_id: "exec_77" }, page, present)
  const subscriptions = yield* SubscriptionStore
  yield* subscriptions.listeners("org_big", "agt_big_77")
  yield* subscriptions.page("org_77", {}, { page: 1, page_size: 1 })
  yield* subscriptions.page("org_big", { agent_id: "agt_big_77" }, page)
  yield* subscriptions.find("org_77", "sub_77")
  yield* subscriptions.fallback("org_77")
  yield* subscriptions.after("org_77", "sub_77", 10)
  const request = { organization_id: "org_big", route: "POST /v2/calls", key: `key_new_${id}`, fingerprint: "print" }
  const taking = { now: present, expires_at: present + 1000, held_until: present, subject: `exec_new_${id}` }
  yield* idempotency.begin(request, taking)
  const standing = yield* idempotency.begin(request, taking)
  if (standing._tag === "TakenOver") {
    const { held } = standing
    yield* idempotency.renew(held, present)
    yield* idempotency.rename(held, taking.subject)
    yield* store.commit({ ...commit("rests on a key"), expect: [{ held }], changes: [] })
    yield* idempotency.release(held, present)
    yield* idempotency.keep(held, { status: 201, body: "{}" })
    yield* idempotency.abandon(held)
  }
  yield* idempotency.forget(present, 500)
  yield* (yield* KeyStore).findByHash("0")
  yield* accounts.organization("org_77")
  yield* accounts.organizations("org_77", 100)
  yield* accounts.platform
  yield* accounts.purge("org_77")
  yield* accounts.number("org_77", "+15550000077")
  yield* accounts.numbers("org_77")
  const numbers = yield* NumberStore
  yield* numbers.live("org_big", ["+15550000001", "+15550000002"])
  yield* numbers.bindingOf("org_77", "pn_77")
  yield* (yield* AgentStore).find("org_77", "agt_77")
  const retrieval = yield* RetrievalIndex
  yield* retrieval.search("org_big", "kb_big", "fjord", 5)
  yield* retrieval.add("org_77", "kb_77", `doc_new_${id}`, [{ file: "a.pdf", chunk: 0, text: "aardvark" }])
  yield* retrieval.document("org_77", "kb_77", `doc_new_${id}`)
  yield* retrieval.remove("org_77", "kb_77", `doc_new_${id}`)
  const audit = yield* AuditStore
  yield* audit.after("org_big", 5000, 100)
  yield* audit.find("org_big", "aud_77")
  const rates = yield* RateStore
  yield* rates.hit("org_77", "calls.create", 10, present)
  yield* rates.peek("org_77", "calls.create", 10, present)
  const line = {
    execution_id: placed.execution_id,
    organization_id: "org_big",
    levels,
    now: present,
    reservedUntil: present + 1000,
    waitUntil: null,
  }
  const taken = yield* slots.acquire(line)
  yield* slots.used(levels)
  yield* slots.members(null, 500)
  yield* slots.want("org_big", true, present)
  yield* slots.want("org_big", false, present)
  yield* slots.lapse(present)
  if (taken._tag === "Acquired") {
    yield* slots.hold(placed.execution_id, taken.fence)
    yield* slots.release(placed.execution_id, taken.fence, present)
  }
})

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())
  const client = Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 2 })

  /** For what takes longer than a session of the engine may. */
  const plain = PgClient.layer({ url: Redacted.make(server.url()), maxConnections: 1 })

  /** Runs what is hot and returns every statement of it with the parameters that it was first given. */
  const statements = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = new Map<string, ReadonlyArray<unknown>>()
    const recording = new Proxy(sql, {
      get: (target, name) =>
        name === "unsafe"
          ? (text: string, parameters?: ReadonlyArray<unknown>) => {
              if (!seen.has(text)) seen.set(text, parameters ?? [])
              return target.unsafe(text, parameters)
            }
          : Reflect.get(target, name),
    })
    const ports = Layer.provide(
      Layer.mergeAll(Postgres.layerNoDeps, PostgresRates.layer, PostgresSlots.layer),
      Layer.succeed(SqlClient.SqlClient, recording),
    )
    const services = yield* Layer.build(ports)
    seen.clear()
    yield* Effect.provideContext(hot, services)
    return [...seen].filter(([text]) => /^\s*(select|insert|update|delete|with)\b/.test(text))
  })

  /** How a statement is planned: for its parameters, or as PostgreSQL plans one that was prepared and has been run some times. */
  type How = "for its parameters" | "as prepared"

  /** The fifth run is the last that is planned for its parameters whatever it costs. */
  const runs = 6

  let prepared = 0

  const literal = (value: unknown): string => {
    if (value === null || typeof value === "number" || typeof value === "boolean") return String(value)
    const text = Array.isArray(value) ? `{${value.map((item) => JSON.stringify(item)).join()}}` : String(value)
    return `'${text.replaceAll("'", "''")}'`
  }

  const explanation = (how: How, text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const explain = "explain (analyze, buffers, format json)"
      const plan = (statement: string, given: ReadonlyArray<unknown>) =>
        Effect.map(
          sql.unsafe<{ readonly "QUERY PLAN": Plan }>(`${explain} ${statement}`, given),
          ([found]) => found?.["QUERY PLAN"] ?? [],
        )
      if (how === "for its parameters") return yield* plan(text, parameters)
      const name = `explained_${prepared++}`
      const execute = `execute ${name}${parameters.length === 0 ? "" : `(${parameters.map(literal).join()})`}`
      yield* sql.unsafe(`prepare ${name} as ${text}`)
      for (let run = 1; run < runs; run++) yield* sql.unsafe(execute)
      return yield* plan(execute, [])
    })

  const explained = Effect.fnUntraced(function* (how: How, text: string, parameters: ReadonlyArray<unknown>) {
    const sql = yield* SqlClient.SqlClient
    let plan: Plan = []
    // What it does is undone, so that every statement is explained in the same state.
    const undone = Effect.tap(explanation(how, text, parameters), (found) => {
      plan = found
      return Effect.fail("undone")
    })
    const exit = yield* Effect.exit(sql.withTransaction(undone))
    if (plan.length === 0) return yield* Effect.die(new Error(`cannot be explained: ${text} ${String(exit)}`))
    return plan
  })

  const offenders = (how: How, tables: ReadonlySet<string>) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const found: Array<string> = []
        for (const [text, parameters] of yield* statements) {
          // It cannot be run twice with the same parameters, and there is nothing to plan about it.
          if (/^\s*insert (?:[^;]* values |into carillon\.kept_events )/.test(text)) continue
          const plan = yield* explained(how, text, parameters)
          const read = scanned(plan, tables)
          if (read.length > 0) found.push(`reads all of ${read.join(", ")}: ${text}`)
          if (tables === growing && pages(plan) > pagesMax) found.push(`touches ${pages(plan)} pages: ${text}`)
        }
        return found
      }).pipe(Effect.scoped, Effect.provide(client)),
    )

  describe("with 100,000 calls and contacts, what is asked for one request, call, contact, wake-up or delivery reads no whole table", () => {
    it("of the history, before PostgreSQL has looked at the tables", async () => {
      await Effect.runPromise(
        Effect.gen(function* () {
          yield* Layer.build(Postgres.layerNoDeps)
          const sql = yield* SqlClient.SqlClient
          for (const text of history) yield* sql.unsafe(text)
        }).pipe(Effect.scoped, Effect.provide(plain)),
      )
      expect(await offenders("for its parameters", histories)).toEqual([])
    })

    it("of those that grow, after it has", async () => {
      await Effect.runPromise(
        Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe("vacuum analyze")),
          plain,
        ),
      )
      expect(await offenders("for its parameters", growing)).toEqual([])
    })

    it("of those that grow, by statements that were prepared and have been run some times", async () => {
      expect(await offenders("as prepared", growing)).toEqual([])
    })

    it("of a tenth of that history, where reading all of it is cheaper than looking up a hundred rows", async () => {
      const sql = [...tenth, "vacuum (full, analyze)"]
      await Effect.runPromise(
        Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, (client) =>
            Effect.forEach(sql, (text) => client.unsafe(text), { discard: true }),
          ),
          plain,
        ),
      )
      expect(await offenders("for its parameters", new Set([...histories, "wakeups"]))).toEqual([])
    })
  })
}
