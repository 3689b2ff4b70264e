import {
  Campaigns,
  type DialCommand,
  Erasure,
  Organizations,
  Portable,
  Retention,
  Suppressions,
  Usage,
  Verification,
} from "@carillon/core"
import { CallStore, rowPorts } from "@carillon/core/ports"
import { TestWorld } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"
import { beforeCountedDays } from "./EarlierSchema.ts"
import { differingHours } from "./Hours.ts"

const { agentId, caller, ordinary, organizationId, World } = TestWorld

const scope = Scope.makeUnsafe()
const embedded = [await newPglite(), await newPglite()]

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  for (const { remove } of embedded) remove()
})

const day = 24 * 3_600_000
const numberOf = (nth: number): string => `+1555300${1_000 + nth}`

/** Every third number is busy, every fourth goes on under another record. */
const script = ({ to_number }: DialCommand): TestWorld.Script => {
  const nth = Number(to_number.slice(-3))
  if (nth % 3 === 0) return { ...ordinary, end: { status: "busy", duration_seconds: null, hangup_reason: "dial_busy" } }
  const [initiated = [0, "initiated"], ...rest] = ordinary.reports
  return nth % 4 === 0 ? { ...ordinary, reports: [initiated, [400, "recovered"], ...rest] } : ordinary
}

const installation = Effect.fnUntraced(function* (directory: string, options: Partial<TestWorld.WorldOptions>) {
  const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(directory))
  const context = yield* Layer.buildWithScope(layer, scope)
  const world = new World({ script, storage: rowPorts(context), ...options })
  yield* world.start()
  return { world, calls: Context.get(context, CallStore), sql: Context.get(context, SqlClient.SqlClient) }
})

type Place = Effect.Success<ReturnType<typeof installation>>

const key = "organization_id, subject, status, direction, voicemail"

/** What the triggers keep and the rows do not say, or the other way round. */
const differences = ({ sql }: Place) =>
  sql.unsafe(
    `with kept as (select ${key}, sum(calls)::bigint as calls from carillon.call_counts group by ${key} having sum(calls) <> 0),
    counted as (
      select ${key}, count(*) as calls
      from carillon.calls cross join lateral (values (''), (agent_id), (campaign_id), (batch_id)) as s (subject)
      where listed and subject is not null and status in (select distinct status from carillon.call_counts)
      group by ${key})
    (table kept except table counted) union all (table counted except table kept)`,
  )

const dayKey = "organization_id, subject, day, status, direction, voicemail"

/** The same of the counts by day. */
const differencesOfDays = ({ sql }: Place) =>
  sql.unsafe(
    `with kept as (select ${dayKey}, sum(calls)::bigint as calls from carillon.call_days group by ${dayKey} having sum(calls) <> 0),
    counted as (
      select ${dayKey}, count(*) as calls
      from (select *, created_at - created_at % ${day} as day from carillon.calls) as c
        cross join lateral (values (''), (agent_id), (campaign_id)) as s (subject)
      where listed and subject is not null and status in (select distinct status from carillon.call_days)
      group by ${dayKey})
    (table kept except table counted) union all (table counted except table kept)`,
  )

/** That counts are those of the rows, and lists tell as many calls as they show. */
const assertCounted = Effect.fnUntraced(function* (place: Place, when: string) {
  assert.deepStrictEqual(yield* differences(place), [], when)
  assert.deepStrictEqual(yield* differencesOfDays(place), [], when)
  assert.deepStrictEqual(yield* Effect.provideService(differingHours, SqlClient.SqlClient, place.sql), [], when)
  const { items, total } = yield* place.calls.page(organizationId, {}, { page: 1, page_size: 500 })
  assert.strictEqual(total, items.length, when)
  const { faults } = yield* place.world.run(
    Effect.flatMap(Verification, (verification) => verification.verify(organizationId)),
  )
  assert.deepStrictEqual(faults, [], when)
  return total
})

const usageOf = ({ world }: Place, since: number) =>
  world.run(
    Effect.flatMap(Usage, (usage) =>
      usage.report(organizationId, { from_date: since + 500, to_date: world.now, group_by: "campaign" }),
    ),
  )

it("counts of calls are those of the rows, whatever goes, is erased or comes", { timeout: 180_000 }, async () => {
  const [first, second] = embedded
  assert(first !== undefined && second !== undefined)
  const program = Effect.gen(function* () {
    const from = yield* installation(first.directory, {})
    const { world } = from
    const since = world.now
    const contacts = (count: number, nth: number) =>
      Array.from({ length: count }, (_, more) => ({ to_number: numberOf(nth + more), variables: {} }))
    const create = (name: string, nth: number) =>
      world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.create(caller, { name, agent_id: agentId }, { contacts: contacts(6, nth), file_name: null }),
        ),
      )
    yield* create("Old", 0)
    yield* world.placed({ to_number: numberOf(1) })
    yield* world.advance(day)
    yield* create("New", 4)
    const said = { agent_id: null, campaign_id: null, reason: "opt_out", source: null, note: null, expires_at: null }
    yield* world.run(Effect.flatMap(Suppressions, (service) => service.add(caller, [numberOf(4), numberOf(5)], said)))
    yield* world.advance(day)
    const all = yield* assertCounted(from, "after the calls")
    assert.isAbove(all, 12)
    yield* world.run(Effect.flatMap(Erasure, (erasure) => erasure.erase(organizationId, numberOf(5))))
    assert.strictEqual(yield* assertCounted(from, "after an erasure"), all)
    yield* world.run(Effect.flatMap(Retention, (retention) => retention.purge(organizationId, since + day / 2)))
    const left = yield* assertCounted(from, "after a purge")
    assert.isAbove(left, 0)
    assert.isBelow(left, all)
    yield* world.run(Effect.flatMap(Organizations, (tenants) => tenants.change(organizationId, { retention_days: 7 })))
    const lines: Array<string> = []
    const write = (text: string) => Effect.sync(() => void lines.push(text))
    yield* world.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
    const to = yield* installation(second.directory, { isEmpty: true })
    to.world.now = world.now
    yield* to.world.run(
      Effect.flatMap(Portable, (portable) => portable.import(Stream.encodeText(Stream.fromIterable(lines)))),
    )
    assert.strictEqual(yield* assertCounted(to, "after an import"), left)
    yield* Effect.provideService(beforeCountedDays(Effect.void), SqlClient.SqlClient, to.sql)
    assert.strictEqual(yield* assertCounted(to, "after the steps were taken on a database that had calls"), left)
    assert.deepStrictEqual(yield* usageOf(to, since), yield* usageOf(from, since))
    // What is left goes there, and every figure stays.
    yield* to.world.advance(9 * day)
    assert.strictEqual(yield* assertCounted(to, "after a purge elsewhere"), 0)
    const { total } = yield* usageOf(to, since)
    assert.strictEqual(total.calls, all)
  })
  await Effect.runPromise(Effect.scoped(program))
})
