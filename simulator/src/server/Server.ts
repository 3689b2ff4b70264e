import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { EdgeResponse, PageResponse } from "@carillon/http"
import { closeServer, nodeListener, refuseUnreadable } from "@carillon/http/node"
import { isControlPath, isEventsRequest, refused } from "../control/Control.ts"
import { dashboardPage, isDashboardPath } from "../dashboard/Dashboard.ts"
import { eventStreamHeaders, type Simulator } from "../Simulator.ts"
import { isLoopback } from "./Loopback.ts"
import { type Provenance, webFault } from "./WebGuard.ts"

/** A simulator on a socket. */
export interface Server {
  /** Where it can be reached from this machine. */
  readonly url: string
  readonly port: number
  /** Takes no more requests, answers those that are open, and lets go of every connection. */
  readonly close: () => Promise<void>
}

/** Control bodies are small; the largest are lists of rules. */
const controlBodyMaxBytes = 16 * 1024 * 1024

const everywhere: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "[::1]"],
])

const urlOf = (host: string, port: number): string =>
  `http://${everywhere.get(host) ?? (host.includes(":") ? `[${host}]` : host)}:${port}`

const oversize: EdgeResponse = {
  status: 413,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ error: 1000, message: "The request body is larger than 16 MiB." }),
}

const send = (response: ServerResponse, { body, headers, status }: PageResponse): void => {
  if (response.destroyed) return
  response.writeHead(status, { ...headers, "Content-Length": body === null ? 0 : Buffer.byteLength(body) })
  response.end(body ?? undefined)
}

const readBody = (request: IncomingMessage): Promise<Uint8Array | "oversize"> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= controlBodyMaxBytes) chunks.push(chunk)
    })
    // Without an end the client has gone away, and nobody waits for an answer.
    request.on("end", () => resolve(length > controlBodyMaxBytes ? "oversize" : Buffer.concat(chunks)))
    request.on("error", () => {})
  })

/** Sends the events stream as fast as its reader takes it, until one of the two has had enough. */
const sendEvents = async (simulator: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const events = simulator.events({
    target: request.url ?? "/",
    authorization: request.headers.authorization ?? null,
    lastEventId: request.headersDistinct["last-event-id"]?.[0] ?? null,
  })
  if (!(events instanceof ReadableStream)) return send(response, events)
  response.writeHead(200, eventStreamHeaders)
  const reader = events.getReader()
  const closed = new Promise<void>((resolve) => {
    response.once("close", () => {
      void reader.cancel()
      resolve()
    })
  })
  for (;;) {
    const { done, value } = await reader.read()
    if (done || response.destroyed) break
    if (response.write(value)) continue
    await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed])
  }
  response.end()
}

/** Answers what is not `/v2`: the control surface, the pages about the API, and `/healthz`. */
const beside = async (simulator: Simulator, request: IncomingMessage): Promise<PageResponse> => {
  const { method = "GET", url: target = "/" } = request
  const [path = "/"] = target.split("?", 1)
  if (isControlPath(path)) {
    const body = await readBody(request)
    if (body === "oversize") return oversize
    return simulator.control({ method, target, authorization: request.headers.authorization ?? null, body })
  }
  return simulator.beside({ method, target, header: (name) => text(request.headers[name]), body: null })
}

const provenance = ({ headers, method = "GET" }: IncomingMessage, path: string): Provenance => {
  const { "content-length": length, "transfer-encoding": encoding, host, origin } = headers
  return {
    method,
    host: host ?? null,
    origin: origin ?? null,
    fetchSite: text(headers["sec-fetch-site"]),
    fetchMode: text(headers["sec-fetch-mode"]),
    contentType: headers["content-type"] ?? null,
    hasBody: encoding !== undefined || (length !== undefined && length !== "0"),
    isPage: isDashboardPath(path) && dashboardPage(path) !== null,
  }
}

const text = (header: string | Array<string> | undefined): string | null =>
  header === undefined ? null : String(header)

/** Serves a simulator; rejects with the error of the socket where it cannot be bound. `/_sim` answers to `names` beside its own. */
export const serve = (
  simulator: Simulator,
  host: string,
  port: number,
  names: ReadonlyArray<string> = [],
): Promise<Server> => {
  const api = nodeListener(simulator.handle)
  // Elsewhere nobody knows what the machine is called, and the token keeps strangers out.
  const trusted = isLoopback(host) ? new Set(names) : null
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    api(request, response, () => {
      const [path = "/"] = (request.url ?? "/").split("?", 1)
      const fault = isControlPath(path) ? webFault(provenance(request, path), trusted) : null
      if (fault !== null) return send(response, refused(fault))
      if (isEventsRequest(request.method ?? "GET", path)) return void sendEvents(simulator, request, response)
      void beside(simulator, request).then((answer) => send(response, answer))
    })
  const server = createServer({ requireHostHeader: false }, listener)
    .on("checkExpectation", listener)
    .on("clientError", refuseUnreadable(simulator.handle))
  const close = () => closeServer(server, () => simulator.close())
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, () => {
      const address = server.address()
      // Only a pipe has a name for an address.
      const bound = typeof address === "object" && address !== null ? address.port : port
      resolve({ url: urlOf(host, bound), port: bound, close })
    })
  })
}
