import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type CarrierReport, Telephony } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { CarrierSuite } from "@carillon/core/testing"
import { Clock, Effect, Layer } from "effect"
import { afterAll, assert, it } from "vitest"
import { ManualClock } from "../../twilio/test/standin/Clock.ts"
import { makeTelnyx } from "../src/index.ts"
import { nodeWebhooks } from "../src/node.ts"
import { commandFor } from "./Samples.ts"
import { phaseOf } from "./standin/CallRecord.ts"
import type { Fate, Refusal } from "./standin/Fate.ts"
import { startTelnyxStandIn } from "./standin/StandIn.ts"

const hour = 3_600_000
const answered: Fate = { outcome: "answered", cost: 0.014, costed_after_s: 30 }
const talking: Fate = { ...answered, talk_s: 7_200 }
const fates: Readonly<Record<string, Fate | Refusal>> = {
  "01": talking,
  "02": talking,
  "03": { outcome: "busy" },
  "04": { outcome: "no_answer" },
  "05": { outcome: "failed" },
  "07": { outcome: "busy" },
  "20": { refused: 10016 },
  "21": { refused: 10009 },
  "22": { refused: 10011, retry_after_s: 3 },
}

const clock = new ManualClock()
const port = { public: 0 }
/** Whether Telnyx's list of events cannot be had. */
const away = { events: false }
const telnyx = await startTelnyxStandIn({
  clock,
  dialsPerSecond: 1_000,
  costWebhooks: true,
  script: ({ to }) => fates[to.slice(-2)] ?? answered,
  reach: ({ pathname, search }) => new URL(`http://127.0.0.1:${port.public}${pathname}${search}`),
  faults: {
    request: ({ on, to }) => {
      if (on === "events" && away.events) return "error_before"
      return on === "create" && (to.endsWith("02") || to.endsWith("07")) ? "lost_after" : null
    },
    callback: ({ to }) => (to.endsWith("07") ? "lost" : null),
  },
})

const { apiKey, connectionId, publicKey, url } = telnyx
const adapter = makeTelnyx({
  apiKey,
  publicKey,
  connectionId,
  baseUrl: url,
  publicUrl: "https://voice.example.com/telnyx",
  from: "+12125550199",
  voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
})
const reports: Array<CarrierReport> = []
const handle = adapter.webhooks(async (report) => reports.push(report))
const server = createServer(nodeWebhooks(handle, "/telnyx"))
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
port.public = (server.address() as AddressInfo).port

afterAll(async () => {
  server.close().closeAllConnections()
  await telnyx.close()
})

const callsOf = (id: string) => telnyx.calls().filter(({ asked }) => asked.text("command_id") === id)

/** Telnyx does not say that a phone rings: it does from the dial on. */
const isThere = (id: string, phase: "ringing" | "answered" | "ended"): boolean =>
  callsOf(id).every((call) => {
    const now = phaseOf(call)
    return now === "ended" || now === phase || (phase === "ringing" && now === "dialling")
  })

const stage = Layer.succeed(CarrierSuite.CarrierStage, {
  reach: (id, phase) =>
    Effect.promise(async () => {
      // What happens at once has been told by then, too.
      await clock.advance(0)
      while (!isThere(id, phase) && (await clock.step()));
    }),
  pass: (ms) => Effect.promise(() => clock.advance(ms)),
  legs: (id) => Effect.sync(() => callsOf(id).length),
  reported: (id) => Effect.sync(() => reports.filter((report) => report.execution_id === id)),
})

/** Webhooks are judged by the stand-in's time. */
const time: Clock.Clock = {
  currentTimeMillisUnsafe: clock.now,
  currentTimeMillis: Effect.sync(clock.now),
  currentTimeNanosUnsafe: () => BigInt(clock.now()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(clock.now()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(clock.now()) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(clock.now()) * 1_000_000n),
  sleep: () => Effect.never,
}
const carrier = adapter.carrier.pipe(
  Layer.provide(MemoryStore.layer(new MemoryTables())),
  Layer.provideMerge(Layer.succeed(Clock.Clock, time)),
)

CarrierSuite.suite("Telnyx's carrier at a stand-in that somebody else wrote", Layer.merge(carrier, stage), {
  numbers: {
    completed: "+12125550100",
    talking: "+12125550101",
    unheard: "+12125550102",
    ends: { busy: "+12125550103", "no-answer": "+12125550104", failed: "+12125550105" },
    refused: { invalid_destination: "+12125550120", rejected: "+12125550121", throttled: "+12125550122" },
  },
  onePerId: false,
})

it("says nothing of a leg that nobody heard of, while the events are away that would name it", async () => {
  const command = commandFor("+12125550107")
  const id = command.execution_id
  const asking = <A>(ask: (port: Telephony["Service"]) => Effect.Effect<A>) =>
    Effect.runPromise(Effect.provide(Effect.flatMap(Telephony, ask), carrier))
  assert.strictEqual((await asking(({ dial }) => dial(command)))._tag, "Unknown")
  while (!isThere(id, "ended") && (await clock.step()));
  away.events = true
  assert.deepStrictEqual(await asking(({ find }) => find(id)), { _tag: "NoAnswer" })
  away.events = false
  const found = await asking(({ find }) => find(id))
  assert.strictEqual(found._tag === "Ended" && found.end.status, "busy")
  // It is over and shown no more: what is left of it is its events.
  await clock.advance(hour)
  assert.strictEqual((await asking(({ find }) => find(id)))._tag, "Ended")
})

it("does nothing that Telnyx would warn of", async () => {
  await clock.advance(hour)
  assert.isNotEmpty(telnyx.webhooks())
  assert.deepStrictEqual(telnyx.warnings(), [])
})
