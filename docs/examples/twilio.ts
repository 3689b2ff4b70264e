import { createServer } from "node:http"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { makeTwilio } from "@carillon/twilio"
import { nodeCallbacks } from "@carillon/twilio/node"

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

export const carillon = await Carillon.inMemory({ carrier: twilio.carrier, webhooks: nodeWebhookTransport() })
export const tenant = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })

const callbacks = nodeCallbacks(twilio.callbacks(carillon.report), "/twilio")
const api = nodeListener(carillon.handle)
export const server = createServer((request, response) =>
  callbacks(request, response, () => api(request, response)),
).listen(Number(process.env["PORT"] ?? 8080))

console.log(`KEY=${tenant.key}`)
