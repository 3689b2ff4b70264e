import { type Call, callLimits, Carriers, Telephony } from "@carillon/core"
import { CallReports } from "@carillon/core/domain"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { sampleCall } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { keepsRows } from "../../core/test/carrier/KeptRows.ts"
import { makeLiveKit } from "../../livekit/src/index.ts"
import { startLiveKitStandIn } from "../../livekit/test/standin/StandIn.ts"
import { makeTwilio } from "../../twilio/src/index.ts"
import { ManualClock } from "../../twilio/test/standin/Clock.ts"
import { startTwilioStandIn } from "../../twilio/test/standin/StandIn.ts"
import { makeTelnyx } from "../src/index.ts"
import { commandFor } from "./Samples.ts"
import { startTelnyxStandIn } from "./standin/StandIn.ts"

const talkSeconds = 7_200
const times = callLimits()
const clock = new ManualClock()
/** The carriers that give no answer. */
const away = new Set<string>()
/** Callbacks find nobody: what is known of a leg is asked for. */
const reach = () => new URL("http://127.0.0.1:9/")

const twilio = await startTwilioStandIn({
  clock,
  script: () => ({ outcome: "completed", talk_s: talkSeconds, price: 0.5 }),
  reach,
  faults: { request: () => (away.has("twilio") ? "error_before" : null), callback: () => "lost" },
})
const telnyx = await startTelnyxStandIn({
  clock,
  script: () => ({ outcome: "answered", talk_s: talkSeconds, cost: 0.25, costed_after_s: 1 }),
  costWebhooks: true,
  reach,
  faults: { request: () => (away.has("telnyx") ? "error_before" : null), callback: () => "lost" },
})
const livekit = await startLiveKitStandIn({ clock, script: () => ({ outcome: "answered" }), webhooks: () => null })

afterAll(() => Promise.all([twilio.close(), telnyx.close(), livekit.close()]))

const from = "+12125550199"
const voice = () => ({ type: "stream", url: "wss://media.example.com/talk" }) as const

/** The route of a process that has just begun: it knows what is in the rows. */
const begun = (tables: MemoryTables, first: "twilio" | "telnyx") => {
  const carriers = {
    livekit: {
      carrier: makeLiveKit({ ...livekit, agentName: "carillon", publicUrl: "https://voice.example.com/livekit" })
        .carrier,
    },
    telnyx: {
      carrier: makeTelnyx({
        ...telnyx,
        baseUrl: telnyx.url,
        publicUrl: "https://voice.example.com/telnyx",
        from,
        voice,
      }).carrier,
    },
    twilio: {
      carrier: makeTwilio({
        ...twilio,
        baseUrl: twilio.url,
        publicUrl: "https://voice.example.com/twilio",
        from,
        voice,
      }).carrier,
    },
  }
  const route = Carriers.route({ carriers, choose: () => first })
  const port = Layer.provide(route, MemoryStore.layer(tables))
  return <A>(ask: (carrier: Telephony["Service"]) => Effect.Effect<A>): Promise<A> =>
    Effect.runPromise(Effect.scoped(Effect.provide(Effect.flatMap(Telephony, ask), port)))
}

const minute = 60_000

/** A call that a process has dialled and that was answered, as its row stands when the process dies. */
const talking = async (first: "twilio" | "telnyx") => {
  const tables = new MemoryTables()
  const command = commandFor("+12125550101")
  const said = await begun(tables, first)(({ dial }) => dial(command))
  assert(said._tag === "Accepted", said._tag)
  await clock.advance(minute)
  const { execution_id } = command
  const facts: Partial<Call> = { dial: "accepted", call_sid: said.call_sid, ringing_at: clock.now() }
  const row = sampleCall("org_1", { ...command, ...facts, status: "in-progress", answered_at: clock.now() })
  await Effect.runPromise(keepsRows(tables)({ ...row, execution_id }))
  return { tables, row }
}

const find = (tables: MemoryTables, first: "twilio" | "telnyx", id: string) =>
  begun(tables, first)((carrier) => carrier.find(id))

describe.each(["twilio", "telnyx"] as const)("a call that %s has, after a restart behind a route of three", (own) => {
  it("goes on while its carrier gives no answer, whatever the others know of it", async () => {
    const { row, tables } = await talking(own)
    away.add(own)
    const silent = await find(tables, own, row.execution_id)
    away.clear()
    assert.deepStrictEqual(silent, { _tag: "NoAnswer" })
    const { call } = CallReports.applyAnswer(row, silent, clock.now(), "USD", times)
    assert.deepInclude(call, { status: "in-progress", final_report_at: null })
    const live = await find(tables, own, row.execution_id)
    assert.deepInclude(live, { _tag: "Live", phase: "answered", call_sid: row.call_sid })
  })

  it("ends as its carrier says, at its length, and by nobody else's word", async () => {
    const { row, tables } = await talking(own)
    const over: Call = { ...row, status: "completed", completed_at: clock.now() }
    await clock.advance((talkSeconds + 600) * 1_000)
    for (const known of [row, over]) {
      // A row of its own for each: as the process left it, and as a report of the end did that was not its last.
      const kept = { ...known, execution_id: row.execution_id }
      const rows = new MemoryTables()
      await Effect.runPromise(keepsRows(rows)(kept))
      away.add(own)
      const silent = await find(rows, own, row.execution_id)
      away.clear()
      assert.deepStrictEqual(silent, { _tag: "NoAnswer" }, known.status)
      const found = await find(rows, own, row.execution_id)
      assert(found._tag === "Ended", found._tag)
      assert.approximately(found.end.duration_seconds ?? Number.NaN, talkSeconds, 1)
      assert.isAbove(found.facts.cost?.total ?? 0, 0)
    }
    assert.strictEqual(tables.calls.get(row.execution_id)?.status, "in-progress")
  })
})
