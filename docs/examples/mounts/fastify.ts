// The engine in Fastify: `npm init -y && npm pkg set type=module`, `npm install fastify @carillon/core @carillon/http effect`, then `node fastify.ts`.
import { createServer } from "node:http"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { fastify } from "fastify"

const carillon = await Carillon.inMemory({
  carrier: {
    dial: async (call) => ({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  },
  webhooks: nodeWebhookTransport(),
})
const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })

const api = nodeListener(carillon.handle)
const app = fastify({
  // The engine stands before Fastify, which reads bodies: what is not under /v2 is Fastify's.
  serverFactory: (handler) =>
    createServer((request, response) => api(request, response, () => handler(request, response))),
})
app.post<{ Body: { name: string } }>("/hello", (request) => Promise.resolve({ hello: request.body.name }))

await app.listen({ port: Number(process.env["PORT"] ?? 8080) })
console.log(JSON.stringify({ address: app.server.address(), key }))
// The engine answers what still waits with 1501, so that Fastify has nothing left to wait for.
process.once("SIGTERM", () => void Promise.all([app.close(), carillon.close()]))
