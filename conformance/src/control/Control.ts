import type { Answer } from "../http/Answer.ts"
import type { Exchange } from "../http/Exchange.ts"
import { isObject, type JsonObject } from "../http/Json.ts"
import { NoAnswer, type Outgoing, type Wire } from "../http/Wire.ts"
import { type Company, WantsToBeAlone } from "./Company.ts"

/** The control surface does not do what it declares: what depends on it cannot be tested. */
export class ControlFailure extends Error {
  override readonly name = "ControlFailure"
  readonly exchange: Exchange

  constructor(message: string, exchange: Exchange) {
    super(message)
    this.exchange = exchange
  }
}

/** What nobody else notices: an organization is made, or the clock is read. */
const unnoticed: ReadonlySet<string> = new Set(["POST /organizations", "GET /clock"])

/** Requests to the control surface under `/_sim`. */
export class Control {
  readonly #wire: Wire
  readonly #url: string
  readonly #token: string | undefined
  readonly #company: Company

  constructor(wire: Wire, url: string, token: string | undefined, company: Company = "alone") {
    this.#wire = wire
    this.#url = url.replace(/\/+$/, "").replace(/\/_sim$/, "")
    this.#token = token
    this.#company = company
  }

  /** The answer to a request under `/_sim`, whatever it is. */
  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    if (this.#company === "beside" && !unnoticed.has(`${method} ${path}`)) {
      throw new WantsToBeAlone(`${method} /_sim${path} is for all`)
    }
    const headers: Record<string, string> = {}
    if (this.#token !== undefined) headers["authorization"] = `Bearer ${this.#token}`
    if (body !== undefined) headers["content-type"] = "application/json"
    const request: Outgoing = { method, url: `${this.#url}/_sim${path}`, headers }
    try {
      return await this.#wire.send(body === undefined ? request : { ...request, body: JSON.stringify(body) })
    } catch (error) {
      // Beside others it is left to whoever executes the case: they keep connections that lie idle.
      if (error instanceof NoAnswer && error.dropped && this.#company === "beside") throw error
      if (error instanceof NoAnswer) throw new ControlFailure(error.message, error.exchange)
      throw error
    }
  }

  /** The object that a request under `/_sim` is answered with; an empty one for an empty body. */
  async ask(method: string, path: string, body?: unknown): Promise<JsonObject> {
    const answer = await this.send(method, path, body)
    const { json } = answer
    if (!answer.succeeded || !(isObject(json) || answer.text === "")) {
      throw new ControlFailure(`${method} /_sim${path} answered ${answer.status}`, answer.exchange)
    }
    return isObject(json) ? json : {}
  }
}
