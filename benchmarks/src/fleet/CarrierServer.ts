import { createHash } from "node:crypto"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { parseArgs } from "node:util"
import { Carrier } from "./Carrier.ts"
import type { Report } from "./Protocol.ts"
import { announce } from "./Process.ts"

/**
 * The carrier as a process of its own, which outlives every engine: `/dial`, `/find` and `/hangup` for engines, `/hook/…` for their
 * webhooks, and for the one who runs the fleet `/expect`, `/engines`, `/look`, `/gaps`, `/legs` and `/hooks`.
 */
const { values } = parseArgs({ options: { pace: { type: "string", default: "" } } })

const reportMs = 5_000
const agent = new Agent({ keepAlive: true })
let engines: ReadonlyArray<string> = []
let turn = 0

/** Whether an engine has taken the report. */
const send = (report: Report): Promise<boolean> =>
  new Promise((resolve) => {
    const engine = engines[turn++ % Math.max(1, engines.length)]
    if (engine === undefined) return resolve(false)
    const headers = { "content-type": "application/json" }
    const sent = request(`${engine}/carrier`, { method: "POST", agent, headers, timeout: reportMs }, (answer) => {
      answer.resume()
      answer.on("end", () => resolve(answer.statusCode === 204)).on("error", () => resolve(false))
    })
    sent
      .on("timeout", () => sent.destroy())
      .on("error", () => resolve(false))
      .on("close", () => resolve(false))
    sent.end(JSON.stringify(report))
  })

const carrier = new Carrier(JSON.parse(values.pace), send)

/** Deliveries by event: how often each came, and whether its bytes were the same each time. */
const hooks = new Map<string, { count: number; readonly hash: string; changed: boolean }>()

const received = (event: string, body: string): void => {
  const hash = createHash("sha256").update(body).digest("hex")
  const known = hooks.get(event)
  if (known === undefined) hooks.set(event, { count: 1, hash, changed: false })
  else {
    known.count += 1
    if (known.hash !== hash) known.changed = true
  }
}

const read = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

const answer = (response: ServerResponse, body: unknown) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(incoming.url ?? "/", "http://carrier")
  const body = await read(incoming)
  const id = url.searchParams.get("id") ?? ""
  switch (url.pathname) {
    case "/dial": {
      const outcome = carrier.dial(JSON.parse(body))
      // No word at all: whoever dialled cannot know whether there is a leg.
      if (outcome === null) incoming.socket.destroy()
      else answer(response, outcome)
      return
    }
    case "/find":
      return answer(response, carrier.find(id))
    case "/hangup":
      return answer(response, carrier.hangup(id))
    case "/hook":
      received(String(incoming.headers["x-event-id"] ?? JSON.parse(body).event_id), body)
      return answer(response, {})
    case "/expect":
      carrier.expect(JSON.parse(body))
      return answer(response, {})
    case "/engines":
      engines = JSON.parse(body)
      return answer(response, {})
    case "/look":
      return answer(response, carrier.look())
    case "/gaps":
      return answer(response, carrier.gaps(Number(url.searchParams.get("since"))))
    case "/legs":
      return answer(response, carrier.legs())
    case "/hooks":
      return answer(
        response,
        [...hooks].map(([event, { changed, count }]) => ({ event, changed, count })),
      )
    default:
      response.writeHead(404).end()
  }
}

const server = createServer((incoming, response) => {
  handle(incoming, response).catch(() => response.destroy())
})
server.keepAliveTimeout = 60_000
announce(server)
