import type { IncomingMessage, ServerResponse } from "node:http"
import { type ClaimGrants, TokenVerifier } from "livekit-server-sdk"
import type { Acted, Intent, methodsOf } from "./Api.ts"
import { type Faults, Occasions, type RequestFault } from "./Faults.ts"
import type { Journal } from "./Journal.ts"
import { encoded, failed, type Format, formatOf, TwirpFailure, type TwirpResponse, type Wire } from "./Twirp.ts"

/** A request's body; longer ones are refused. */
const longestBodyBytes = 1_048_576
const payloadTooLarge = 413
const prefix = "/twirp/"
const bearer = "Bearer "

/** Null: it is too long. */
const readBody = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.byteLength
    if (bytes > longestBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export interface ServiceOptions {
  readonly apiKey: string
  readonly apiSecret: string
  readonly faults: Faults
  readonly journal: Journal
  readonly now: () => number
  readonly methods: ReturnType<typeof methodsOf>
  /** Sent with a 429, in seconds; no such header where it is null. */
  readonly retryAfterSeconds: number | null
}

interface Asked {
  readonly intent: Intent
  readonly format: Format
  readonly name: string
}

type Token = { readonly grants: ClaimGrants | null } | { readonly refused: string }

interface Answered {
  /** Null: the connection is cut. */
  readonly response: TwirpResponse | null
  readonly fault: RequestFault | null
}

const plain = (status: number, body: string): TwirpResponse => ({ status, type: "text/plain; charset=utf-8", body })

const failureOf = (error: unknown): TwirpResponse => {
  if (error instanceof TwirpFailure) return failed(error)
  throw error
}

/** Serves the API over HTTP, with faults: an answer can be lost before or after anything was done. */
export class Service {
  readonly #options: ServiceOptions
  readonly #occasions = new Occasions()
  readonly #verifier: TokenVerifier

  constructor(options: ServiceOptions) {
    this.#options = options
    this.#verifier = new TokenVerifier(options.apiKey, options.apiSecret)
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    if (body === null) return void response.writeHead(payloadTooLarge, { connection: "close" }).end()
    const { pathname } = new URL(request.url ?? "/", "http://livekit.test")
    const name = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : pathname
    const at = this.#options.now()
    let message: unknown = null
    response.once("close", () => {
      if (!response.writableEnded && fault === null) this.#options.journal.warn("gone_before_answer", name)
    })
    let fault: RequestFault | null = null
    const asked = await this.#read(request, name, body)
    if ("status" in asked) return this.#answer(response, at, name, message, { response: asked, fault })
    message = asked.intent.message.toJson()
    fault = this.#options.faults.request(this.#occasions.next(asked.name, asked.intent.about))
    return this.#answer(response, at, name, message, { response: await this.#act(asked, fault), fault })
  }

  #answer(response: ServerResponse, at: number, method: string, message: unknown, answered: Answered): void {
    const { fault, response: said } = answered
    const { journal, retryAfterSeconds } = this.#options
    journal.requests.add({ at, method, message, status: said?.status ?? null, fault })
    if (said === null) return void response.destroy()
    const wait =
      said.status === 429 && fault === "too_many" && retryAfterSeconds !== null
        ? { "retry-after": String(retryAfterSeconds) }
        : {}
    response.writeHead(said.status, { "content-type": said.type, ...wait }).end(said.body)
  }

  async #read(request: IncomingMessage, name: string, body: Buffer): Promise<Asked | TwirpResponse> {
    const { journal, methods } = this.#options
    const token = await this.#token(request.headers.authorization)
    if ("refused" in token) return plain(401, token.refused)
    const method = methods.get(name)
    const format = formatOf(request.headers["content-type"])
    if (request.method !== "POST" || method === undefined || format === null)
      return failed(new TwirpFailure("bad_route", `no handler for ${request.method} ${name}`))
    try {
      const intent = method(body, format, token.grants, () =>
        journal.warn("unknown_field", `${name}: ${body.toString()}`),
      )
      if (intent.denied !== null) return failed(new TwirpFailure("unauthenticated", intent.denied))
      return { intent, format, name: name.slice(name.indexOf("/") + 1) }
    } catch (error) {
      return failureOf(error)
    }
  }

  /** livekit/livekit, `auth.go`. Without a token nothing is granted. Its time is the machine's own. */
  async #token(header: string | undefined): Promise<Token> {
    if (header === undefined || header === "") return { grants: null }
    if (!header.startsWith(bearer)) return { refused: `invalid authorization header. Must start with ${bearer}` }
    try {
      return { grants: await this.#verifier.verify(header.slice(bearer.length)) }
    } catch {
      return { refused: "invalid authorization token" }
    }
  }

  async #act({ format, intent }: Asked, fault: RequestFault | null): Promise<TwirpResponse | null> {
    const answer = (wire: Wire) => encoded(wire, format)
    const answered = async (acted: Acted) => answer(typeof acted === "function" ? await acted() : acted)
    /** What goes wrong in an act of which nobody hears is as if it had not been asked for. */
    const unheard = () => intent.act().then(() => undefined, failureOf)
    switch (fault) {
      case null:
        return intent.act().then(answered).catch(failureOf)
      case "lost_before":
        return null
      case "lost_after":
        // Where it would wait for an answer, the phone rings on.
        await unheard()
        return null
      case "too_many":
        return failed(new TwirpFailure("resource_exhausted", "rate limit exceeded"))
      case "unavailable_before":
        return failed(new TwirpFailure("unavailable", "no response from servers"))
      case "unavailable_after":
        await unheard()
        return failed(new TwirpFailure("unavailable", "no response from servers"))
    }
  }
}
