import { Agent, createServer, request } from "node:http"
import type { Lived, Tenant } from "./Messages.ts"

/**
 * The quiet neighbour, a process of its own: places calls, reads them and takes their webhooks, at the pace of a small customer. It tells
 * its parent how it fared since it was asked last.
 */

const pauseMs = 20
/** A neighbour that waits longer than this was not served. */
const patienceMs = 10_000

let tookMs: Array<number> = []
let errors: Array<string> = []
let deliveries = 0

const endpoint = createServer((asked, response) => {
  asked.resume()
  asked.on("end", () => {
    deliveries += 1
    response.writeHead(204).end()
  })
})
endpoint.listen(0, "127.0.0.1", () => {
  const address = endpoint.address()
  process.send?.({ endpoint: `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}` })
})

const agent = new Agent({ keepAlive: true })

const ask = (port: number, key: string, method: string, path: string, body?: object): Promise<string> =>
  new Promise((resolve) => {
    const text = body === undefined ? "" : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": text.length,
    }
    const start = performance.now()
    const failed = (why: string) => {
      errors.push(`${method} ${path}: ${why}`)
      resolve("{}")
    }
    const sent = request({ host: "127.0.0.1", port, method, path, headers, agent, timeout: patienceMs }, (response) => {
      let answer = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk))
      response.on("end", () => {
        tookMs.push(performance.now() - start)
        if ((response.statusCode ?? 0) < 300) resolve(answer)
        else failed(`${response.statusCode} ${answer}`)
      })
    })
    sent.on("timeout", () => sent.destroy(new Error(`not within ${patienceMs} ms`)))
    sent.on("error", (error) => failed(error.message)).end(text)
  })

const live = async (port: number, { agent_id, key }: Tenant, destination: string): Promise<void> => {
  const subscription = { callback_url: `http://${destination}/hook`, event_types: ["call_completed"] }
  await ask(port, key, "POST", "/v2/webhooks", subscription)
  for (let nth = 0; ; nth++) {
    const placed: { readonly execution_id?: string } = JSON.parse(
      await ask(port, key, "POST", "/v2/calls", { agent_id, to_number: `+1555${String(nth).padStart(7, "0")}` }),
    )
    await ask(port, key, "GET", `/v2/calls/${placed.execution_id ?? "none"}`)
    await ask(port, key, "GET", nth % 2 === 0 ? "/v2/calls?page_size=20" : "/v2/user/me")
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

process.on(
  "message",
  (message: { readonly port: number; readonly tenant: Tenant; readonly endpoint: string } | "tell") => {
    if (message !== "tell") return void live(message.port, message.tenant, message.endpoint)
    const lived: Lived = { tookMs, errors, deliveries }
    tookMs = []
    errors = []
    deliveries = 0
    process.send?.(lived)
  },
)
process.on("disconnect", () => process.exit(0))
