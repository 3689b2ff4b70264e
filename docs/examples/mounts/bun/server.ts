// The engine in Bun: `bun add @carillon/core @carillon/http effect`, then `bun server.ts`.
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
const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })

const api = webHandler(carillon.handle)
const server = Bun.serve({
  port: Number(process.env["PORT"] ?? 8080),
  // A dial may wait thirteen seconds for a line and for the carrier; Bun would hang up after ten.
  idleTimeout: 30,
  routes: {
    "/v2/*": api,
    "/hello": { POST: async (request) => Response.json({ hello: Object(await request.json()).name }) },
  },
  fetch: () => new Response("Not found\n", { status: 404 }),
})
console.log(JSON.stringify({ address: { port: server.port }, key }))
// The server takes nothing more on and answers what is open, while the engine comes to its end.
process.once("SIGTERM", () => void Promise.all([server.stop(), carillon.close()]))
