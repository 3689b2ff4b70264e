import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Carriers } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { makeTwilio } from "@carillon/twilio"
import { nodeCallbacks } from "@carillon/twilio/node"
import { Layer, Logger } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { startTwilioStandIn } from "../../packages/twilio/test/standin/StandIn.ts"
import { Proxy } from "../../scripts/servers/Proxy.ts"

const lines = 8
/** Long enough that contacts wait, the carrier is left alone, and dials without an answer hold lines, all for longer than `backMs`. */
const awayMs = 31_000
const backMs = 14_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe("a carrier that is there again", () => {
  it("has all lines used within seconds, however long it was away", { timeout: 90_000 }, async () => {
    const port = { public: 0 }
    let isBack = false
    const vendor = await startTwilioStandIn({
      callsPerSecond: 1_000,
      // Short calls before, and then such as last, so that they add up to all lines.
      script: () => ({
        outcome: "completed",
        setup_s: 0.05,
        ring_s: 0.1,
        talk_s: isBack ? 60 : 1,
        priced_after_s: 0.1,
      }),
      reach: ({ pathname, search }) => new URL(`http://127.0.0.1:${port.public}${pathname}${search}`),
    })
    const line = await Proxy.open(Number(new URL(vendor.url).port))
    const twilio = makeTwilio({
      accountSid: vendor.accountSid,
      authToken: vendor.authToken,
      baseUrl: `http://127.0.0.1:${line.port}`,
      publicUrl: "https://voice.example.com/twilio",
      from: "+12125550199",
      voice: () => ({ type: "say", text: "Hello." }),
    })
    const rows = MemoryStore.layer(new MemoryTables())
    const carrier = Carriers.route({ carriers: { main: { carrier: twilio.carrier } }, choose: () => "main" })
    const outside = Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer(), nodeWebhookTransport(), carrier)
    const told: Array<string> = []
    const logger = Logger.make(({ message }) => void told.push(String(message)))
    const carillon = await Carillon.make({
      ports: Layer.provideMerge(outside, rows),
      telemetry: Logger.layer([logger]),
    })
    const callbacks = nodeCallbacks(twilio.callbacks(carillon.report), "/twilio")
    const api = nodeListener(carillon.handle)
    const host = createServer((request, response) => callbacks(request, response, () => api(request, response)))
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve))
    port.public = (host.address() as AddressInfo).port
    onTestFinished(async () => {
      host.close().closeAllConnections()
      await carillon.close()
      await line.close()
      await vendor.close()
    })
    const { key } = await carillon.organizations.open({
      name: "Acme",
      wallet: { balance: 1_000, currency: "USD" },
      concurrency: { organization: lines },
      phone_numbers: ["+12125550199"],
    })
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const post = async (path: string, body: object) => {
      const sent = { method: "POST", headers, body: JSON.stringify(body) }
      return Object(await (await fetch(`http://127.0.0.1:${port.public}/v2${path}`, sent)).json())
    }
    const { agent_id } = await post("/agents", { display_name: "Reminder", status: "ACTIVE" })
    const contacts = Array.from({ length: 2_000 }, (_, nth) => ({ to_number: `+1212${5_550_000 + nth}` }))
    await post("/campaigns", { name: "One", agent_id, contacts })
    const live = () => vendor.calls().filter(({ endedAt }) => endedAt === null).length
    const until = async (withinMs: number, holds: () => boolean): Promise<void> => {
      const end = Date.now() + withinMs
      while (!holds()) {
        assert.isBelow(Date.now(), end, `${live()} legs of ${vendor.calls().length}; ${told.slice(-5).join("\n")}`)
        await pause(50)
      }
    }
    await until(20_000, () => vendor.calls().length > 2 * lines)
    line.cut()
    await pause(awayMs)
    isBack = true
    line.mend()
    // One dial in the end of the outage may still be asked about.
    await until(backMs, () => live() >= lines - 1)
    // Nobody was dialled twice.
    assert.strictEqual(new Set(vendor.calls().map(({ to }) => to)).size, vendor.calls().length)
  })
})
