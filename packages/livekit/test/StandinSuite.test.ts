import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { CarrierReport } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { CarrierSuite } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { afterAll, assert, it } from "vitest"
import { ManualClock } from "../../twilio/test/standin/Clock.ts"
import { makeLiveKit } from "../src/index.ts"
import { nodeCallbacks } from "../src/node.ts"
import type { Fate, Refusal } from "./standin/Fate.ts"
import { startLiveKitStandIn } from "./standin/StandIn.ts"

const hour = 3_600_000
const talking: Fate = { outcome: "answered", talk_s: 7_200 }
const fates: Readonly<Record<string, Fate | Refusal>> = {
  "01": talking,
  "02": talking,
  "03": { outcome: { code: 486 } },
  "04": { outcome: "unanswered" },
  "05": { outcome: { code: 500 } },
  "07": { outcome: { code: 403 } },
  "21": { refused: "not_found" },
  "22": { refused: "resource_exhausted" },
}

const clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000)
const port = { public: 0 }
const livekit = await startLiveKitStandIn({
  clock,
  script: ({ to }) => fates[to.slice(-2)] ?? { outcome: "answered" },
  webhooks: () => new URL(`http://127.0.0.1:${port.public}/livekit/webhook`),
  faults: {
    request: ({ about, on }) => (on === "CreateSIPParticipant" && about.endsWith("02") ? "lost_after" : null),
    webhook: () => null,
  },
})

const { apiKey, apiSecret, trunkId, url } = livekit
const adapter = makeLiveKit({
  url,
  apiKey,
  apiSecret,
  trunkId,
  agentName: "carillon",
  publicUrl: "https://voice.example.com/livekit",
  reportWaitSeconds: 0,
  acceptAfterMs: 0,
})
const reports: Array<CarrierReport> = []
const handle = adapter.callbacks(async (report) => reports.push(report))
const server = createServer(nodeCallbacks(handle, "/livekit"))
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
port.public = (server.address() as AddressInfo).port

afterAll(async () => {
  server.close().closeAllConnections()
  await livekit.close()
})

const callsOf = (id: string) => livekit.calls().filter(({ room }) => room === `call-${id}`)

/** The answers of requests that waited are taken in the machine's own time. */
const taken = () => new Promise<void>((resolve) => void setTimeout(resolve, 5))

const step = async (until?: number): Promise<boolean> => {
  const stepped = await clock.step(until)
  await taken()
  return stepped
}

const phases = { ringing: "ringing", answered: "active", ended: "ended" } as const

const stage = Layer.succeed(CarrierSuite.CarrierStage, {
  reach: (id, phase) =>
    Effect.promise(async () => {
      const isThere = () => callsOf(id).every(({ status }) => status === phases[phase] || status === "ended")
      while (!isThere() && (await step()));
      // Its webhooks come as soon as the clock goes on.
      while (await step(clock.now()));
    }),
  pass: (ms) =>
    Effect.promise(async () => {
      const until = clock.now() + ms
      while (await step(until));
      await clock.runTo(until)
    }),
  legs: (id) => Effect.sync(() => callsOf(id).length),
  reported: (id) => Effect.sync(() => reports.filter((report) => report.execution_id === id)),
})

const carrier = adapter.carrier.pipe(Layer.provide(MemoryStore.layer(new MemoryTables())))

CarrierSuite.suite("LiveKit's carrier at a stand-in that somebody else wrote", Layer.merge(carrier, stage), {
  numbers: {
    completed: "+12125550100",
    talking: "+12125550101",
    unheard: "+12125550102",
    ends: { busy: "+12125550103", "no-answer": "+12125550104", failed: "+12125550105", error: "+12125550107" },
    refused: { rejected: "+12125550121", throttled: "+12125550122" },
  },
  onePerId: false,
})

it("does nothing that LiveKit would warn of", async () => {
  await clock.advance(hour)
  assert.isNotEmpty(livekit.webhooks())
  assert.deepStrictEqual(livekit.warnings(), [])
})
