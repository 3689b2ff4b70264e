import { AuditTrail, CallOrders, Campaigns, type DialCommand, Portable, Usage } from "@carillon/core"
import { RetrievalIndex, rowPorts } from "@carillon/core/ports"
import {
  sampleAgent,
  sampleExperiment,
  sampleInboundAgent,
  sampleKnowledgeBase,
  sampleKnowledgeUpload,
  samplePhoneNumber,
  sampleProvider,
  sampleSubscription,
  TestWorld,
} from "@carillon/core/testing"
import { memoryRows } from "@carillon/core/memory"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope, Stream } from "effect"
import { afterAll } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"

const { agentId, caller, ordinary, organizationId, World } = TestWorld

const scope = Scope.makeUnsafe()
const embedded = [await newPglite(), await newPglite()]

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  for (const { remove } of embedded) remove()
})

const numberOf = (nth: number): string => `+1555300${1_000 + nth}`

const contacts = (count: number, from: number) =>
  Array.from({ length: count }, (_, nth) => ({
    to_number: numberOf(from + nth),
    variables: { "~": nth, "\\\u0000": "\ud800" },
  }))

const script = ({ to_number }: DialCommand): TestWorld.Script => {
  const nth = Number(to_number.slice(-3))
  if (nth % 3 === 0) return { ...ordinary, end: { status: "busy", duration_seconds: null, hangup_reason: "dial_busy" } }
  const [initiated, ringing, answered, ...rest] = ordinary.reports
  const isRecovered = nth % 4 === 0 && initiated !== undefined && ringing !== undefined && answered !== undefined
  return {
    reports: isRecovered ? [initiated, ringing, answered, [7_000, "recovered"], ...rest] : ordinary.reports,
    facts: {
      media: { transcript: [{ role: "user", content: "Hello.", start_ms: 0, end_ms: 9 }], setup: null, turns: null },
    },
  }
}

/** What the organization is made with. */
const furniture = () => {
  const [number, spare] = ["+15552001234", "+15552001235"].map((text) => samplePhoneNumber(organizationId, text))
  const other = sampleAgent(organizationId)
  const base = sampleKnowledgeBase(organizationId, { documents: 1 })
  const upload = sampleKnowledgeUpload(base)
  assert(number !== undefined && spare !== undefined)
  const rows = [
    { put: "agent", row: other },
    { put: "agent", row: sampleAgent(organizationId, { status: "ARCHIVED" }) },
    { put: "provider", row: sampleProvider(organizationId) },
    { put: "phone_number", row: number },
    { put: "phone_number", row: spare },
    { put: "inbound_agent", row: sampleInboundAgent(number, { agent_id: agentId }) },
    {
      put: "experiment",
      row: sampleExperiment(organizationId, { main_agent_id: agentId, variant_agent_id: other.agent_id }),
    },
    { put: "subscription", row: sampleSubscription(organizationId, agentId) },
    { put: "subscription", row: sampleSubscription(organizationId, null) },
    { put: "knowledge_base", row: base },
    { put: "knowledge_upload", row: upload },
  ] as const
  return { rows, upload }
}

const campaignsOf = <A, E>(world: TestWorld.World, use: (campaigns: Campaigns["Service"]) => Effect.Effect<A, E>) =>
  world.run(Effect.flatMap(Campaigns, use))

const lived = Effect.gen(function* () {
  const { rows, upload } = furniture()
  const world = new World({
    script,
    rows,
    keepEvents: true,
    organization: { concurrency: { organization: 2, per_agent: null, enforced: true } },
  })
  yield* world.start()
  const { document_id, retrieval_id } = upload
  const chunks = [{ file: "sample.pdf", chunk: 0, text: "Parking is free." }]
  yield* memoryRows(world.tables).retrieval.add(organizationId, retrieval_id, document_id, chunks)
  yield* world.placed({ to_number: numberOf(8) })
  const { campaign_id } = yield* campaignsOf(world, (campaigns) =>
    campaigns.create(caller, { name: "A", agent_id: agentId }, { contacts: contacts(8, 40), file_name: null }),
  )
  const asked = { priority_column: "~", contacts: "last_come" } as const
  yield* world.run(Effect.flatMap(CallOrders, (orders) => orders.set(caller, campaign_id, asked)))
  yield* campaignsOf(world, (campaigns) =>
    campaigns.append(caller, campaign_id, { contacts: contacts(4, 60), file_name: null }),
  )
  yield* world.advance(60_000)
  yield* campaignsOf(world, (campaigns) => campaigns.pause(caller, campaign_id))
  yield* world.placed({ to_number: numberOf(70), scheduled_at: world.now + 7_200_000 })
  yield* world.advance(3_600_000)
  return { world, campaign_id, retrieval_id }
})

const exported = Effect.fnUntraced(function* (world: TestWorld.World) {
  const lines: Array<string> = []
  const write = (text: string) => Effect.sync(() => void lines.push(text))
  yield* world.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
  return lines
})

const imported = (world: TestWorld.World, lines: ReadonlyArray<string>) =>
  world.run(Effect.flatMap(Portable, (portable) => portable.import(Stream.encodeText(Stream.fromIterable(lines)))))

/** The rows of a file in their order, as every installation has them. */
const rowsOf = (lines: ReadonlyArray<string>) =>
  lines
    .slice(1, -1)
    .filter((line) => !line.startsWith('{"kind":"audit"'))
    .map((line) => line.replaceAll(/"revision":\d+/g, '"revision":0'))

const countsOf = (world: TestWorld.World, campaignId: string) =>
  world.run(
    Effect.gen(function* () {
      const stats = yield* (yield* Campaigns).stats(organizationId, campaignId)
      const range = { from_date: world.now - 86_400_000, to_date: world.now }
      return { stats, usage: yield* (yield* Usage).report(organizationId, range) }
    }),
  )

/** An empty installation on PostgreSQL. */
const installation = Effect.fnUntraced(function* (directory: string, now: number) {
  const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(directory))
  const context = yield* Layer.buildWithScope(layer, scope)
  const world = new World({ script, isEmpty: true, storage: rowPorts(context), keepEvents: true })
  world.now = now
  yield* world.start()
  return { world, retrieval: Context.get(context, RetrievalIndex) }
})

it(
  "an organization moves from memory to PostgreSQL, on to PostgreSQL, and back, as it is",
  { timeout: 300_000 },
  async () => {
    const program = Effect.gen(function* () {
      const { campaign_id, retrieval_id, world: first } = yield* lived
      const before = yield* exported(first)
      const counts = yield* countsOf(first, campaign_id)
      const places: Array<Effect.Success<ReturnType<typeof installation>>> = []
      let lines: ReadonlyArray<string> = before
      for (const { directory } of embedded) {
        const next = yield* installation(directory, first.now)
        yield* imported(next.world, lines)
        lines = yield* exported(next.world)
        assert.deepStrictEqual(rowsOf(lines), rowsOf(before))
        assert.deepStrictEqual(yield* countsOf(next.world, campaign_id), counts)
        places.push(next)
      }
      const back = new World({ script, isEmpty: true, keepEvents: true })
      back.now = first.now
      yield* back.start()
      yield* imported(back, lines)
      assert.deepStrictEqual(rowsOf(yield* exported(back)), rowsOf(before))
      const report = yield* back.run(Effect.flatMap(AuditTrail, (trail) => trail.verify(organizationId, {})))
      assert.isTrue(report.valid)
      const [, place] = places
      assert(place !== undefined)
      const { retrieval, world: last } = place
      assert.lengthOf(yield* retrieval.search(organizationId, retrieval_id, "parking", 5), 1)
      yield* campaignsOf(last, (campaigns) => campaigns.resume(caller, campaign_id))
      yield* last.advance(2 * 3_600_000)
      const firsts = [...first.dials, ...last.dials].filter(
        (dial) => dial.campaign_id === campaign_id && dial.retry_count === 0,
      )
      assert.lengthOf(firsts, 12)
      assert.lengthOf(new Set(firsts.map(({ to_number }) => to_number)), 12)
      assert.lengthOf(
        last.dials.filter(({ to_number }) => to_number === numberOf(70)),
        1,
      )
    })
    await Effect.runPromise(Effect.scoped(program))
  },
)
