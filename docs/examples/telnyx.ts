import { createServer } from "node:http"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { makeTelnyx } from "@carillon/telnyx"
import { nodeWebhooks } from "@carillon/telnyx/node"

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`Set ${name}.`)
  return value
}

const hello = setting("AUDIO_URL")

const telnyx = makeTelnyx({
  apiKey: setting("TELNYX_API_KEY"),
  publicKey: setting("TELNYX_PUBLIC_KEY"),
  connectionId: setting("TELNYX_CONNECTION_ID"),
  from: setting("TELNYX_NUMBER"),
  publicUrl: `${setting("PUBLIC_URL")}/telnyx`,
  baseUrl: process.env["TELNYX_BASE_URL"] ?? "https://api.telnyx.com",
  voice: () => ({ type: "audio", url: hello }),
})

export const carillon = await Carillon.inMemory({ carrier: telnyx.carrier, webhooks: nodeWebhookTransport() })
export const tenant = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })

const webhooks = nodeWebhooks(telnyx.webhooks(carillon.report), "/telnyx")
const api = nodeListener(carillon.handle)
export const server = createServer((request, response) =>
  webhooks(request, response, () => api(request, response)),
).listen(Number(process.env["PORT"] ?? 8080))

console.log(`KEY=${tenant.key}`)
