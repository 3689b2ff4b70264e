import { Carillon } from "@carillon/http"
import { nodeServer } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"

export const carillon = await Carillon.inMemory({
  carrier: {
    dial: async (call) => ({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  },
  webhooks: nodeWebhookTransport(),
})
export const tenant = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
export const server = nodeServer(carillon.handle).listen(Number(process.env["PORT"] ?? 8080))
