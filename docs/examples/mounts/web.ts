// The engine wherever `Request` and `Response` are spoken: `npm install @carillon/core @carillon/http effect`.
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { nodeWebhookTransport } from "@carillon/http/webhooks"

const carillon = await Carillon.inMemory({
  carrier: {
    dial: async (call) => ({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  },
  webhooks: nodeWebhookTransport(),
})
export const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })

export const fetch = webHandler(carillon.handle)
/** What runs comes to its end; call it when the server has stopped listening. */
export const stop = (): Promise<void> => carillon.close()
