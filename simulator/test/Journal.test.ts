import { callLimits } from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import { expect, test } from "vitest"
import { replayCommand } from "../src/cli/ReplayCommand.ts"
import { usage } from "../src/cli/Flags.ts"
import { Journal, readJournal } from "../src/journal/Journal.ts"
import { replay, worldOptionsOf } from "../src/journal/Replay.ts"
import { replayReport } from "../src/journal/ReplayReport.ts"
import { Client } from "./Client.ts"

const journalOf = async (client: Client) => (await client.get("/_sim/journal")).text

/** A day with everything in it that an input can be. */
const live = async (client: Client) => {
  await client.put("/_sim/telephony/rules", {
    rules: [{ match: { to_number: "+12125550001" }, outcome: { result: "busy" } }],
  })
  await client.post("/v2/webhooks", { callback_url: "https://all.inbox.test/" })
  await client.dial("+12125550001")
  await client.advance({ by_ms: 700 })
  await client.post("/_sim/organizations", { name: "Zweite Organisation — ü" })
  await client.put("/_sim/faults", { slot_store: { mode: "timeout", times: 2 } })
  await client.simulator.crash(7)
  const open = client.dial("+999210000000001")
  await client.dial("+999240000000001")
  await client.send("POST", "/v2/calls", "no JSON")
  await client.advance({ by_ms: 60_000 })
  await open
  await client.get("/v2/calls?page_size=3")
  await client.post("/_sim/inbound", {
    organization_id: client.simulator.info.organization_id,
    from_number: "+12125550009",
    to_number: "+12125550008",
    agent_id: client.simulator.info.agent_id,
  })
  await client.idle()
}

/** Everything that a world can be asked. */
const said = async (client: Client): Promise<ReadonlyArray<string>> => {
  client.key = client.simulator.info.key
  const answers: Array<string> = []
  for (const path of ["/v2/calls?include_transcript=true", "/_sim/telephony/legs", "/_sim/inbox/all", "/_sim/clock"]) {
    answers.push((await client.get(path)).text)
  }
  answers.push(
    (await client.dial("+12125550777")).text,
    (await client.post("/v2/agents", { display_name: "Late" })).text,
  )
  return answers
}

test("a journal is JSON lines that can be replayed to the same world, hash for hash", async () => {
  const client = await Client.start({ seed: "j" })
  await live(client)
  const text = await journalOf(client)
  const journal = readJournal(text)
  expect(journal.head).toMatchObject({ journal: 1, seed: "j", clock: { mode: "manual" }, forgotten: 0 })
  const [first, second] = [await replayReport(journal), await replayReport(journal)]
  expect(second).toEqual(first)
  expect(first.violations).toEqual([])
  expect(first.now).toBe(Date.parse((await client.get("/_sim")).body.clock.now))
  const other = await replayReport({ head: { ...journal.head, seed: "k" }, lines: journal.lines })
  expect(other.hash).not.toBe(first.hash)
})

test("a journal holds secrets as they came, says so, and its replay sends and signs what the world has", async () => {
  const client = await Client.start()
  const headers = { Authorization: "Bearer planted-header" }
  const hook = { callback_url: "https://own.inbox.test/", secret: "whsec_planted", headers }
  expect((await client.post("/v2/webhooks", hook)).status).toBe(201)
  await client.dial("+12125550001")
  await client.idle()
  const sent = (await client.get("/_sim/inbox/own")).body["data"]
  expect(JSON.stringify(sent)).toContain("planted-header")
  expect(JSON.stringify(sent)).toContain("X-Service-Signature")
  const text = await journalOf(client)
  for (const secret of ["whsec_planted", "planted-header", client.simulator.info.key]) expect(text).toContain(secret)
  const journal = readJournal(text)
  const stage = await replay(worldOptionsOf(journal), journal)
  const again = stage.world.inboxes.received("own")
  expect(again.map((request) => ({ ...request, received_at: Timestamp.formatUtc(request.received_at) }))).toEqual(sent)
  const document = JSON.stringify((await client.get("/_sim/openapi.json")).body)
  for (const warning of [usage, document]) expect(warning).toContain("secrets and provider values stand")
})

test("the command replays a file, twice if asked to, and says what is wrong with a file", async () => {
  const client = await Client.start()
  await live(client)
  const text = await journalOf(client)
  const run = (...args: ReadonlyArray<string>) => replayCommand(args, (file) => (file === "j" ? text : text.slice(1)))
  expect((await run("j")).exitCode).toBe(0)
  const twice = await run("j", "--check-determinism")
  expect(twice.exitCode).toBe(0)
  expect(twice.text).toContain("The second run did the same.")
  await expect(run("k")).rejects.toThrow("line 1 is not of a journal")
  await expect(run()).rejects.toThrow("needs the file of one journal")
  await expect(run("j", "--what")).rejects.toThrow("--what")
})

test("a world whose host has set times of calls keeps them, and is replayed with them", async () => {
  const client = await Client.start({ callLimits: { ringGraceMs: 5_000 } })
  const { body: silent } = await client.dial("+999600000000001")
  const statusAfter = async (by_ms: number) => {
    await client.advance({ by_ms })
    return (await client.get(`/v2/calls/${silent.execution_id}`)).body.status
  }
  expect(await statusAfter(35_000)).toBe("initiated")
  expect(await statusAfter(2_000)).toBe("in-progress")
  const journal = readJournal(await journalOf(client))
  expect(journal.head.call_limits).toEqual({ ...callLimits(), ringGraceMs: 5_000 })
  const report = await replayReport(journal)
  const { call_limits: _, ...otherwise } = journal.head
  expect((await replayReport({ head: otherwise, lines: journal.lines })).hash).not.toBe(report.hash)
  const wrong = { ...journal.head, call_limits: { ringGraceMs: 1 } }
  await expect(replayReport({ head: wrong, lines: journal.lines })).rejects.toThrow("its limits are not known")
})

test("what ran in real time is replayed at the same moments", async () => {
  const client = await Client.start({ clock: "scaled:1000000", epoch: "2026-01-05T09:00:00Z" })
  await client.dial("+999000100000001")
  while ((await client.get("/_sim/stats")).body["live"] !== 0);
  await client.dial("+999010000000001")
  await client.put("/_sim/clock", { mode: "manual" })
  await client.idle()
  const journal = readJournal(await journalOf(client))
  const report = await replayReport(journal)
  expect(report.violations).toEqual([])
  expect(report).toEqual(await replayReport(journal))
  expect(report.now).toBe(Date.parse((await client.get("/_sim")).body.clock.now))
})

test("a journal that has lost its beginning says so and cannot be replayed", async () => {
  const client = await Client.start({ retention: 2 })
  for (let nth = 0; nth < 3; nth++) await client.dial(`+99901000000000${nth}`)
  const text = await journalOf(client)
  expect(text.split("\n")).toHaveLength(4)
  expect(() => readJournal(text)).toThrow("its first 1 inputs were forgotten")
  const { status, body } = await client.post("/_sim/snapshot")
  expect([status, body.error]).toEqual([409, 1201])
})

test("a restored world is the one that was kept, and goes on like it", async () => {
  const client = await Client.start({ seed: "snap" })
  await live(client)
  const { body, status } = await client.post("/_sim/snapshot")
  expect(status).toBe(201)
  const before = await said(client)
  await client.put("/_sim/faults", { account: { mode: "error" } })
  await client.advance({ by: "PT1H" })
  const restored = await client.post("/_sim/restore", { snapshot_id: body["snapshot_id"] })
  expect([restored.status, restored.text]).toEqual([204, ""])
  expect(await said(client)).toEqual(before)
  expect((await client.post("/_sim/restore", { snapshot_id: body["snapshot_id"] })).status).toBe(204)
  expect(await said(client)).toEqual(before)
})

test("a world is kept only at rest and in manual mode, and only until the next reset", async () => {
  const client = await Client.start()
  const { body } = await client.post("/_sim/snapshot")
  void client.dial("+999210000000001")
  while ((await client.get("/_sim/clock")).body.waiting.length === 0);
  expect((await client.post("/_sim/snapshot")).status).toBe(409)
  await client.put("/_sim/clock", { mode: "realtime" })
  expect((await client.post("/_sim/snapshot")).status).toBe(409)
  await client.post("/_sim/reset")
  client.key = client.simulator.info.key
  const gone = await client.post("/_sim/restore", { snapshot_id: body["snapshot_id"] })
  expect([gone.status, gone.body.error]).toEqual([404, 1200])
})

test("a client that cannot be gone is watched as any other: whoever watches takes a turn, also where it is lived through again", () => {
  const limits = { text: "spec" }
  const journal = new Journal({
    seed: "1",
    epoch: 0,
    clock: { mode: "manual" },
    limits,
    retention: 1,
    allowWebhookHosts: [],
  })
  const moment = () => ({ at: 0, catch_up: false })
  const asked = journal.request(moment, { method: "GET", target: "/v2/scopes", header: () => null, body: null })
  expect(asked.whenGone?.(() => {})).toBeTypeOf("function")
})
