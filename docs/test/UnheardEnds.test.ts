import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { makeTwilio } from "@carillon/twilio"
import { nodeCallbacks } from "@carillon/twilio/node"
import { Layer, Logger, Redacted } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { startTwilioStandIn } from "../../packages/twilio/test/standin/StandIn.ts"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"

const server = await startPostgres({ durable: true })

/** Longer than the vendor tries to tell of an end. A minute is the same, and takes longer. */
const awayMs = 20_000
/** In which all lines are used again: a question about silent calls would come after ten minutes. */
const againMs = 30_000
const lines = 5

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const until = async (withinMs: number, holds: () => Promise<boolean>): Promise<void> => {
  const end = Date.now() + withinMs
  while (!(await holds().catch(() => false))) {
    if (Date.now() > end) throw new Error("It did not come about.")
    await pause(100)
  }
}

if (typeof server === "string")
  it(`cannot be run: calls that end while PostgreSQL is away (${server})`, ({ skip }) => skip())
describe.skipIf(typeof server === "string")("calls that end while PostgreSQL is away", async () => {
  if (typeof server === "string") return
  const port = { public: 0 }
  const vendor = await startTwilioStandIn({
    callsPerSecond: 1_000,
    script: () => ({ outcome: "completed", setup_s: 0.05, ring_s: 0.2, talk_s: 10, priced_after_s: 0.5 }),
    reach: ({ pathname, search }) => new URL(`http://127.0.0.1:${port.public}${pathname}${search}`),
  })
  const { accountSid, authToken } = vendor
  const twilio = makeTwilio({
    accountSid,
    authToken,
    baseUrl: vendor.url,
    publicUrl: "https://voice.example.com/twilio",
    from: "+12125550199",
    voice: () => ({ type: "say", text: "Hello." }),
  })

  const told: Array<string> = []
  const logger = Logger.make(({ message }) => void told.push(String(message)))
  const rows = Postgres.layer({ url: Redacted.make(server.url()), maxConnections: 6 })
  const ports = Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer(), nodeWebhookTransport()).pipe(
    Layer.merge(Layer.provideMerge(twilio.carrier, rows)),
  )
  const carillon = await Carillon.make({ ports, telemetry: Logger.layer([logger]) })
  const callbacks = nodeCallbacks(twilio.callbacks(carillon.report), "/twilio")
  const api = nodeListener(carillon.handle)
  const host = createServer((request, response) => callbacks(request, response, () => api(request, response)))
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve))
  port.public = (host.address() as AddressInfo).port
  afterAll(async () => {
    host.close().closeAllConnections()
    await carillon.close()
    await vendor.close()
    await server.stop()
  })

  it("give their lines back within seconds of its return", async () => {
    const { key, organization } = await carillon.organizations.open({
      name: "Acme",
      wallet: { balance: 100, currency: "USD" },
      concurrency: { organization: lines },
    })
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const ask = async (path: string, body?: object) => {
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      return Object(await (await fetch(`http://127.0.0.1:${port.public}/v2${path}`, { headers, ...sent })).json())
    }
    const { agent_id } = await ask("/agents", { display_name: "Reminder", status: "ACTIVE" })
    const ids = await Promise.all(
      Array.from({ length: lines }, async (_, nth) => {
        const { execution_id } = await ask("/calls", { agent_id, to_number: `+1212555010${nth}` })
        return String(execution_id)
      }),
    )
    const statuses = async () => {
      const calls = await Promise.all(ids.map((id) => ask(`/calls/${id}`)))
      return calls.map(({ status }) => status)
    }
    await until(10_000, async () => (await statuses()).every((status) => status === "in-progress"))
    await server.kill()
    await pause(awayMs)
    await server.start()
    const inUse = async () => (await carillon.organizations.show(organization.organization_id)).lines.current
    await until(againMs, async () => (await inUse()) === 0)
    assert.deepStrictEqual(await statuses(), Array(lines).fill("completed"))
    await until(againMs, async () => told.some((line) => line.includes("could not be stored before were handed in")))
  })
})
