// The engine in Express: `npm init -y && npm pkg set type=module`, `npm install express @carillon/core @carillon/http effect`, then `node express.ts`.
import { Carillon } from "@carillon/http"
import { closeServer, nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import express from "express"

const carillon = await Carillon.inMemory({
  carrier: {
    dial: async (call) => ({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  },
  webhooks: nodeWebhookTransport(),
})
const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })

const app = express()
// Before anything that reads bodies: the engine reads its own.
app.use(nodeListener(carillon.handle))
app.use(express.json())
app.post("/hello", (request, response) => {
  response.json({ hello: request.body.name })
})

const server = app.listen(Number(process.env["PORT"] ?? 8080), () => {
  console.log(JSON.stringify({ address: server.address(), key }))
})
// What is open is answered, what runs comes to its end, then the process ends by itself.
process.once("SIGTERM", () => void closeServer(server, carillon.close))
