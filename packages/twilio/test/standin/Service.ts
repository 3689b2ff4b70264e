import type { IncomingMessage, ServerResponse } from "node:http"
import { type Api, type ApiRequest, type ApiResponse, errorResponse, type Intent } from "./Api.ts"
import { type ApiError, apiError } from "./Errors.ts"
import { type Faults, Occasions, type RequestFault } from "./Faults.ts"
import type { Journal } from "./Journal.ts"

/** A request's body; longer ones are refused. */
const longestBodyBytes = 65_536
const payloadTooLarge = 413

/** Null: it is too long. */
const readBody = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.byteLength
    if (bytes > longestBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Only a form is read; anything else is as if nothing had been sent. */
const formOf = (request: IncomingMessage, body: string): URLSearchParams =>
  new URLSearchParams(request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ? body : "")

const isIntent = (read: Intent | ApiError): read is Intent => "act" in read

interface Answered {
  /** Null: the connection is cut. */
  readonly response: ApiResponse | null
  readonly fault: RequestFault | null
}

/** Serves the API over HTTP, with faults: an answer can be lost before or after anything was done. */
export class Service {
  readonly #api: Api
  readonly #faults: Faults
  readonly #occasions = new Occasions()
  readonly #journal: Journal
  readonly #now: () => number
  readonly #tooMany: ApiError

  constructor(api: Api, faults: Faults, journal: Journal, now: () => number, retryAfter: number | undefined) {
    this.#api = api
    this.#faults = faults
    this.#journal = journal
    this.#now = now
    this.#tooMany = retryAfter === undefined ? apiError(20429) : { ...apiError(20429), retryAfter }
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    if (body === null) return void response.writeHead(payloadTooLarge, { connection: "close" }).end()
    const url = new URL(request.url ?? "/", "http://twilio.test")
    const read: ApiRequest = {
      method: request.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      form: formOf(request, body),
      authorization: request.headers.authorization ?? null,
    }
    const at = this.#now()
    const { fault, response: answered } = await this.#answer(read)
    this.#journal.requests.add({
      at,
      method: read.method,
      path: url.pathname + url.search,
      form: [...read.form],
      status: answered?.status ?? null,
      fault,
    })
    if (answered === null) response.destroy()
    else response.writeHead(answered.status, { ...answered.headers }).end(answered.body)
  }

  async #answer(request: ApiRequest): Promise<Answered> {
    const read = this.#api.read(request)
    if (!isIntent(read)) return { response: errorResponse(read), fault: null }
    const fault = this.#faults.request(this.#occasions.next(read.operation, read.to))
    switch (fault) {
      case null:
        return { response: await read.act(), fault }
      case "lost_before":
        return { response: null, fault }
      case "lost_after":
        await read.act()
        return { response: null, fault }
      case "too_many":
        return { response: errorResponse(this.#tooMany), fault }
      case "error_before":
        return { response: errorResponse(apiError(20500)), fault }
      case "error_after":
        await read.act()
        return { response: errorResponse(apiError(20500)), fault }
    }
  }
}
