import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { CarrierReport } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { CarrierSuite } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { afterAll, assert, it } from "vitest"
import { makeTwilio } from "../src/index.ts"
import { nodeCallbacks } from "../src/node.ts"
import { ManualClock } from "./standin/Clock.ts"
import type { ProgressEvent } from "./standin/Contract.ts"
import type { Fate, Refusal } from "./standin/Fate.ts"
import { startTwilioStandIn } from "./standin/StandIn.ts"

const hour = 3_600_000
const answered: Fate = { outcome: "completed", price: 0.014, priced_after_s: 30 }
const talking: Fate = { ...answered, talk_s: 7_200 }
const fates: Readonly<Record<string, Fate | Refusal>> = {
  "01": talking,
  "02": talking,
  "03": { outcome: "busy" },
  "04": { outcome: "no-answer" },
  "05": { outcome: "failed" },
  "20": { refused: 21211 },
  "21": { refused: 20003 },
  "22": { refused: 20429, retry_after_s: 3 },
}

/** Who is told of before the answer to their dial, and how far: those who talk until they ring, who is not heard until the answer, others whole. */
const early = (to: string): ProgressEvent => {
  const end = to.slice(-2)
  return end === "02" ? "answered" : end === "00" || end === "01" ? "ringing" : "completed"
}

const phases = { ringing: ["ringing"], answered: ["in-progress"], ended: [] } as const
const over = ["completed", "busy", "failed", "no-answer", "canceled"]

/** An adapter at a stand-in that answers dials at once, or only after callbacks. */
const suiteAt = async (name: string, answersAfter: (to: string) => ProgressEvent | null) => {
  const clock = new ManualClock(Date.now())
  const port = { public: 0 }
  const twilio = await startTwilioStandIn({
    clock,
    callsPerSecond: 1_000,
    answersAfter,
    script: ({ to }) => fates[to.slice(-2)] ?? answered,
    reach: ({ pathname, search }) => new URL(`http://127.0.0.1:${port.public}${pathname}${search}`),
    faults: {
      request: ({ on, to }) => (on === "create" && to.endsWith("02") ? "lost_after" : null),
      callback: () => null,
    },
  })

  const { accountSid, authToken, url } = twilio
  const adapter = makeTwilio({
    accountSid,
    authToken,
    baseUrl: url,
    publicUrl: "https://voice.example.com/twilio",
    from: "+12125550199",
    voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
    priceWaitSeconds: 0,
  })
  const reports: Array<CarrierReport> = []
  const handle = adapter.callbacks(async (report) => reports.push(report))
  const server = createServer(nodeCallbacks(handle, "/twilio"))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  port.public = (server.address() as AddressInfo).port

  afterAll(async () => {
    server.close().closeAllConnections()
    await twilio.close()
  })

  const callsOf = (id: string) =>
    twilio.calls().filter(({ asked }) => asked.text("StatusCallback")?.includes(`execution_id=${id}#`) === true)

  const isThere = (id: string, phase: keyof typeof phases): boolean =>
    callsOf(id).every(({ status }) => [...phases[phase], ...over].includes(status))

  const stage = Layer.succeed(CarrierSuite.CarrierStage, {
    reach: (id, phase) =>
      Effect.promise(async () => {
        while (!isThere(id, phase) && (await clock.step()));
      }),
    pass: (ms) => Effect.promise(() => clock.advance(ms)),
    legs: (id) => Effect.sync(() => callsOf(id).length),
    reported: (id) => Effect.sync(() => reports.filter((report) => report.execution_id === id)),
  })

  const carrier = adapter.carrier.pipe(Layer.provide(MemoryStore.layer(new MemoryTables())))

  CarrierSuite.suite(name, Layer.merge(carrier, stage), {
    numbers: {
      completed: "+12125550100",
      talking: "+12125550101",
      unheard: "+12125550102",
      ends: { busy: "+12125550103", "no-answer": "+12125550104", failed: "+12125550105" },
      refused: { invalid_destination: "+12125550120", rejected: "+12125550121", throttled: "+12125550122" },
    },
    onePerId: false,
  })

  it(`does nothing that Twilio would warn of: ${name}`, async () => {
    await clock.advance(hour)
    assert.isNotEmpty(twilio.callbacks())
    assert.deepStrictEqual(twilio.warnings(), [])
  })
}

await suiteAt("Twilio's carrier at a stand-in that somebody else wrote", () => null)
await suiteAt("Twilio's carrier at a stand-in that calls back before it answers", early)
