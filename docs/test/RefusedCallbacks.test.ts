import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { makeTwilio } from "@carillon/twilio"
import { nodeCallbacks } from "@carillon/twilio/node"
import { Layer, Logger } from "effect"
import { assert, describe, it, onTestFinished, vi } from "vitest"
import { startTwilioStandIn } from "../../packages/twilio/test/standin/StandIn.ts"

const foundWithinMs = 30_000

describe("a carrier whose callbacks are refused", () => {
  it("is told of in the log and by metrics, and its calls end by being asked about", { timeout: 60_000 }, async () => {
    const port = { public: 0 }
    const vendor = await startTwilioStandIn({
      script: () => ({ outcome: "completed", setup_s: 0.05, ring_s: 0.2, talk_s: 1, priced_after_s: 0.1 }),
      // A proxy that changes the address makes each signature wrong.
      reach: ({ pathname }) => new URL(`http://127.0.0.1:${port.public}${pathname}?by=proxy`),
    })
    const twilio = makeTwilio({
      accountSid: vendor.accountSid,
      authToken: vendor.authToken,
      baseUrl: vendor.url,
      publicUrl: "https://voice.example.com/twilio",
      from: "+12125550199",
      voice: () => ({ type: "say", text: "Hello." }),
    })
    const told: Array<string> = []
    const logger = Logger.make(({ message }) => void told.push(String(message)))
    const rows = MemoryStore.layer(new MemoryTables())
    const ports = Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer(), nodeWebhookTransport()).pipe(
      Layer.merge(Layer.provideMerge(twilio.carrier, rows)),
    )
    const carillon = await Carillon.make({
      ports,
      telemetry: Logger.layer([logger]),
      limits: { ringGraceMs: 1_000, answeredSilenceMs: 5_000 },
    })
    const callbacks = nodeCallbacks(twilio.callbacks(carillon.report), "/twilio")
    const api = nodeListener(carillon.handle)
    const host = createServer((request, response) => callbacks(request, response, () => api(request, response)))
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve))
    port.public = (host.address() as AddressInfo).port
    onTestFinished(async () => {
      host.close().closeAllConnections()
      await carillon.close()
      await vendor.close()
    })
    const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const ask = async (path: string, body?: object) => {
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      return Object(await (await fetch(`http://127.0.0.1:${port.public}/v2${path}`, { headers, ...sent })).json())
    }
    const { agent_id } = await ask("/agents", { display_name: "Reminder", status: "ACTIVE" })
    const { execution_id } = await ask("/calls", { agent_id, to_number: "+12125550100", timeout_seconds: 5 })
    await vi.waitFor(async () => assert.strictEqual((await ask(`/calls/${execution_id}`)).status, "completed"), {
      timeout: foundWithinMs,
      interval: 100,
    })
    const lines = told.join("\n")
    assert.include(lines, "Callbacks of the carrier are refused: their signatures are wrong.")
    assert.include(lines, "The carrier did not report the end of calls")
    const metrics = await carillon.metrics()
    assert.match(metrics, /^carillon_carrier_callbacks_total\{carrier="carrier",answer="forged"\} [1-9]/m)
    assert.match(metrics, /^carillon_call_ends_total\{heard="asked"\} 1$/m)
  })
})
