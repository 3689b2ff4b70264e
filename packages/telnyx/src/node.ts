import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { WebhookHandler } from "./Webhooks.ts"

/** Handles a request of `node:http`; what is not its own goes to `next`. */
export type NodeWebhooks = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

/** Express cuts the path of a mount off `url` and keeps it in `originalUrl`. */
const targetOf = (request: IncomingMessage): string =>
  "originalUrl" in request && typeof request.originalUrl === "string" ? request.originalUrl : (request.url ?? "/")

const webRequest = (request: IncomingMessage, target: string, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string") headers.set(name, value)
  }
  const method = request.method ?? "GET"
  // The host of the request is not asked for.
  const url = `http://webhooks.invalid${target}`
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal })
  return new Request(url, { method, headers, signal, body: Readable.toWeb(request), duplex: "half" })
}

const send = async (response: ServerResponse, answer: Response): Promise<void> => {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) response.end()
  else await pipeline(Readable.fromWeb(answer.body), response)
}

/**
 * Mounts the webhooks on `node:http`, beside the API: `path` is that of `publicUrl` as it arrives here, such as `/telnyx`. Mount it before
 * anything that reads bodies.
 */
export const nodeWebhooks = (handle: WebhookHandler, path: string): NodeWebhooks => {
  const prefix = path.endsWith("/") ? path : `${path}/`
  return (request, response, next) => {
    const target = targetOf(request)
    if (!target.startsWith(prefix)) {
      if (next !== undefined) next()
      else response.writeHead(404).end()
      return
    }
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    handle(webRequest(request, target, gone.signal))
      .then((answer) => send(response, answer))
      .catch(() => response.destroy())
  }
}
