// The engine in Fastify: `npm install fastify @carillon/core @carillon/http effect`, then `node fastify.ts`.
import { createServer } from "node:http"
import { Organizations, Telephony } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Effect, Layer } from "effect"
import { fastify } from "fastify"

const carrier = Layer.succeed(Telephony, {
  dial: (call) => Effect.succeed({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})
const storage = MemoryStore.layer(new MemoryTables())

const carillon = await Carillon.make({
  ports: Layer.mergeAll(storage, MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport()),
})
const { key } = await carillon.run(
  Effect.flatMap(Organizations, (organizations) =>
    organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } }),
  ),
)

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
