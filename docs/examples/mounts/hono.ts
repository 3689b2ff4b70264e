// The engine in Hono: `npm init -y && npm pkg set type=module`, `npm install hono @hono/node-server @carillon/core @carillon/http effect`, then `node hono.ts`.
import { createServer } from "node:http"
import { Carillon } from "@carillon/http"
import { closeServer } from "@carillon/http/node"
import { webHandler } from "@carillon/http/web"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { getRequestListener } from "@hono/node-server"
import { Hono } from "hono"

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
const app = new Hono()
// Before anything that reads bodies: the engine reads its own.
app.all("/v2/*", (context) => api(context.req.raw))
app.post("/hello", async (context) => {
  const { name } = await context.req.json()
  return context.json({ hello: name })
})

const listener = getRequestListener(app.fetch)
const server = createServer((request, response) => void listener(request, response))
server.listen(Number(process.env["PORT"] ?? 8080), () => {
  console.log(JSON.stringify({ address: server.address(), key }))
})
process.once("SIGTERM", () => void closeServer(server, carillon.close))
