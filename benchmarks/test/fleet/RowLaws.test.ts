import type { SlotMember } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { rowLaws } from "../../src/fleet/RowLaws.ts"
import { Stillness } from "../../src/fleet/Stillness.ts"
import { linesOfNobody, noTickMs, Standing, Ticks, twoTicksMs } from "../../src/fleet/Standing.ts"

const now = Date.UTC(2026, 0, 5, 9)
const number = "+15550100"

const campaign = (id: string, status: string) =>
  `insert into carillon.campaigns (campaign_id, organization_id, revision, status, ending, created_at, row)
    values ('${id}', 'org_1', 1, '${status}', false, ${now}, '{}')`

const batch = (id: string, status: string, campaignId: string) =>
  `insert into carillon.batches
    (batch_id, organization_id, revision, status, agent_id, campaign_id, lane_id, finished, created_at, row)
    values ('${id}', 'org_1', 1, '${status}', 'agt_1', '${campaignId}', '${campaignId}', ${status === "completed"}, ${now}, '{}')`

const contact = (batchId: string, row: number, status: string, waits: boolean) =>
  `insert into carillon.contacts (batch_id, row_number, to_number, entry, revision, waits_for_number, contact)
    values ('${batchId}', ${row}, '${number}', '{}', 1, ${waits}, '${JSON.stringify({ status })}')`

const call = (id: string, holdsLine: boolean, final_report_at: number | null) =>
  `insert into carillon.calls
    (execution_id, organization_id, revision, listed, status, direction, voicemail, agent_id, campaign_id, to_number, holds_line, due,
      processing, created_at, row)
    values ('${id}', 'org_1', 1, true, 'completed', 'outbound', false, 'agt_1', 'cmp_1', '${number}', ${holdsLine}, false, false, ${now},
      '${JSON.stringify({ final_report_at })}')`

/** Rows, and what is said of them. */
const plants: Readonly<Record<string, readonly [rows: ReadonlyArray<string>, said: ReadonlyArray<string>]>> = {
  "a campaign that has ended, and all of its batches with it": [
    [campaign("cmp_1", "completed"), batch("bat_1", "completed", "cmp_1"), batch("bat_2", "cancelled", "cmp_1")],
    [],
  ],
  "a batch that goes on in a campaign that has ended": [
    [campaign("cmp_1", "completed"), batch("bat_1", "dispatched", "cmp_1"), batch("bat_2", "completed", "cmp_1")],
    ["L4: cmp_1 is completed, and its batch bat_1 is dispatched"],
  ],
  "a batch that was never begun in a campaign that was cancelled": [
    [campaign("cmp_1", "cancelled"), batch("bat_1", "created", "cmp_1")],
    ["L4: cmp_1 is cancelled, and its batch bat_1 is created"],
  ],
  "a contact that waits for a number which is being called": [
    [
      campaign("cmp_1", "active"),
      batch("bat_1", "dispatched", "cmp_1"),
      contact("bat_1", 0, "retry_scheduled", true),
      call("exec_1", true, null),
    ],
    [],
  ],
  "a contact that waits for one whose turn it is": [
    [
      campaign("cmp_1", "active"),
      batch("bat_1", "dispatched", "cmp_1"),
      contact("bat_1", 0, "pending", true),
      contact("bat_1", 1, "retry_scheduled", false),
    ],
    [],
  ],
  "a contact that waits for a number when the call to it is over": [
    [
      campaign("cmp_1", "active"),
      batch("bat_1", "dispatched", "cmp_1"),
      contact("bat_1", 0, "retry_scheduled", true),
      contact("bat_1", 1, "completed", false),
      call("exec_1", false, now - 1),
    ],
    [`L5: bat_1 0 waits for ${number}, which nobody holds`],
  ],
  "a contact that waits for one of a batch that was stopped": [
    [
      campaign("cmp_1", "active"),
      batch("bat_1", "dispatched", "cmp_1"),
      batch("bat_2", "cancelled", "cmp_1"),
      contact("bat_1", 0, "pending", true),
      contact("bat_2", 0, "pending", false),
    ],
    [`L5: bat_1 0 waits for ${number}, which nobody holds`],
  ],
  "a call that has just ended and holds its line": [[call("exec_1", true, now - twoTicksMs)], []],
  "a call that holds its line two ticks after it is over": [
    [call("exec_1", true, now - twoTicksMs - 1), call("exec_2", false, now - 2 * twoTicksMs)],
    [`S3: exec_1 holds its line ${twoTicksMs + 1} ms after its final report`],
  ],
}

const server = await startPostgres()

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  const scope = Scope.makeUnsafe()
  const client = Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 1 })
  const context = await Effect.runPromise(Layer.buildWithScope(Layer.provideMerge(Postgres.layerNoDeps, client), scope))
  const query = <A extends object>(statement: string) =>
    Effect.runPromise(
      Effect.provideContext(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(statement)),
        context,
      ),
    )

  afterEach(() =>
    query(
      "with k as (delete from carillon.campaigns), b as (delete from carillon.batches), c as (delete from carillon.contacts) delete from carillon.calls",
    ),
  )
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await server.stop()
  })

  describe("the judge of the fleet's rows", () => {
    it.each(Object.entries(plants))("knows %s", async (_, [rows, said]) => {
      for (const row of rows) await query(row)
      const found: Array<string> = []
      for (const law of rowLaws(now)) {
        found.push(...(await query<{ readonly violation: string }>(law)).map(({ violation }) => violation))
      }
      expect(found).toEqual(said)
    })
  })
}

describe("the judge of the fleet's lines", () => {
  const member = (execution_id: string, state: SlotMember["state"], reserved_until: number): SlotMember => ({
    execution_id,
    organization_id: "org_1",
    fence: 7,
    levels: [],
    state,
    reserved_until,
  })

  afterEach(() => vi.useRealTimers())

  it("knows a line that is held for no call, and one that was reserved until long ago", () => {
    const members = [
      member("exec_live", "held", 0),
      member("exec_over", "held", 0),
      member("exec_soon", "reserved", now),
      member("exec_late", "reserved", now - 5_000),
    ]
    expect(linesOfNobody(members, new Set(["exec_live"]), now)).toEqual(["exec_over 7", "exec_late 7"])
  })

  it("names a line once it has outlived its call by two ticks, and not before", () => {
    vi.useFakeTimers({ toFake: ["Date"], now })
    const ticks = new Ticks()
    const lines = new Standing(ticks)
    const tick = () => ticks.see(Date.now() + 15_000)
    const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)
    expect(lines.look(["exec_1 7"])).toEqual([])
    for (let nth = 0; nth < 2; nth++) {
      tick()
      pass(15_000)
      expect(lines.look(["exec_1 7"])).toEqual([])
    }
    tick()
    pass(15_000)
    expect(lines.look(["exec_1 7", "exec_2 8"])).toEqual(["exec_1 7"])
    expect(lines.look(["exec_1 7", "exec_2 8"])).toEqual([])
    // Where nobody ticks at all, that is no excuse.
    pass(noTickMs + 1)
    expect(lines.look(["exec_2 8"])).toEqual(["exec_2 8"])
  })
})

describe("a day that stands still", () => {
  afterEach(() => vi.useRealTimers())

  it("is given up after its time without a move, and on a machine that hardly lets anybody look after more looks", () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    const still = new Stillness(60_000, 1_000)
    const look = (moves: boolean, afterMs: number) => {
      vi.advanceTimersByTime(afterMs)
      still.look(moves)
      return still.isLong
    }
    for (let nth = 0; nth < 100; nth++) expect(look(nth % 30 === 0, 1_000)).toBe(false)
    expect(look(true, 50_000)).toBe(false)
    expect(look(false, 100_000)).toBe(false)
    for (let nth = 0; nth < 14; nth++) expect(look(false, 1_000)).toBe(false)
    expect(look(false, 1_000)).toBe(true)
    expect(still.seconds).toBe(115)
    expect(look(true, 1_000)).toBe(false)
  })
})
