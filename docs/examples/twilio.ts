import { createServer } from "node:http"
import { Organizations } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { makeTwilio } from "@carillon/twilio"
import { nodeCallbacks } from "@carillon/twilio/node"
import { Effect, Layer } from "effect"

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`Set ${name}.`)
  return value
}

const twilio = makeTwilio({
  accountSid: setting("TWILIO_ACCOUNT_SID"),
  authToken: setting("TWILIO_AUTH_TOKEN"),
  from: setting("TWILIO_NUMBER"),
  publicUrl: `${setting("PUBLIC_URL")}/twilio`,
  baseUrl: process.env["TWILIO_BASE_URL"] ?? "https://api.twilio.com",
  voice: (_, agent) => ({ type: "say", text: `Hello. This is ${agent?.display_name ?? "your agent"}. Goodbye.` }),
})

const storage = MemoryStore.layer(new MemoryTables())
const ports = Layer.mergeAll(twilio.carrier, MemorySlots.layer(), MemoryRates.layer(), nodeWebhookTransport())

export const carillon = await Carillon.make({ ports: ports.pipe(Layer.provideMerge(storage)) })
export const tenant = await carillon.run(
  Effect.flatMap(Organizations, (organizations) =>
    organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } }),
  ),
)

const callbacks = nodeCallbacks(twilio.callbacks(carillon.report), "/twilio")
const api = nodeListener(carillon.handle)
export const server = createServer((request, response) =>
  callbacks(request, response, () => api(request, response)),
).listen(Number(process.env["PORT"] ?? 8080))

console.log(`KEY=${tenant.key}`)
