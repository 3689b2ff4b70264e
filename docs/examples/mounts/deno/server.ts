// The engine in Deno: `deno add npm:@carillon/core npm:@carillon/http npm:effect`, then `deno run --allow-net --allow-env server.ts`.
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
const hello = async (request: Request): Promise<Response> => Response.json({ hello: Object(await request.json()).name })

const server = Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8080) }, (request) =>
  new URL(request.url).pathname === "/hello" ? hello(request) : api(request),
)
console.log(JSON.stringify({ address: server.addr, key }))
// The server takes nothing more on and answers what is open, while the engine comes to its end.
Deno.addSignalListener("SIGTERM", () => void Promise.all([server.shutdown(), carillon.close()]))
