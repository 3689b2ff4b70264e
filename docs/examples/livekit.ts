import { createServer } from "node:http"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { makeLiveKit } from "@carillon/livekit"
import { nodeCallbacks } from "@carillon/livekit/node"

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`Set ${name}.`)
  return value
}

const livekit = makeLiveKit({
  url: setting("LIVEKIT_URL"),
  apiKey: setting("LIVEKIT_API_KEY"),
  apiSecret: setting("LIVEKIT_API_SECRET"),
  trunkId: setting("LIVEKIT_TRUNK_ID"),
  agentName: "carillon",
  publicUrl: `${setting("PUBLIC_URL")}/livekit`,
})

export const carillon = await Carillon.inMemory({ carrier: livekit.carrier, webhooks: nodeWebhookTransport() })
export const tenant = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })

const callbacks = nodeCallbacks(livekit.callbacks(carillon.report), "/livekit")
const api = nodeListener(carillon.handle)
export const server = createServer((request, response) =>
  callbacks(request, response, () => api(request, response)),
).listen(Number(process.env["PORT"] ?? 8080))

console.log(`KEY=${tenant.key}`)
