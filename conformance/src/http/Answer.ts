import type { Exchange } from "./Exchange.ts"
import { parseJson, valueAt } from "./Json.ts"

/** What the server under test answered to one request. */
export class Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown
  readonly #record: () => Exchange
  #exchange: Exchange | undefined

  constructor(parts: { status: number; headers: Headers; text: string; record: () => Exchange }) {
    this.status = parts.status
    this.headers = parts.headers
    this.text = parts.text
    this.json = parseJson(parts.text)
    this.#record = parts.record
  }

  /** The redacted record of the request and this answer. It is made when somebody asks, since most are never shown. */
  get exchange(): Exchange {
    return (this.#exchange ??= this.#record())
  }

  /** The integer of the error envelope; undefined when there is none. */
  get code(): number | undefined {
    const code = this.at("error")
    return typeof code === "number" ? code : undefined
  }

  /** The message of the error envelope; empty when there is none. */
  get message(): string {
    return this.string("message")
  }

  /** True for a 2xx. */
  get succeeded(): boolean {
    return this.status >= 200 && this.status < 300
  }

  /** The value at a dotted path of the body. */
  at(path: string): unknown {
    return valueAt(this.json, path)
  }

  /** The string at a dotted path of the body; empty when there is none. */
  string(path: string): string {
    const value = this.at(path)
    return typeof value === "string" ? value : ""
  }

  /** The number at a dotted path of the body; NaN when there is none. */
  number(path: string): number {
    const value = this.at(path)
    return typeof value === "number" ? value : Number.NaN
  }

  /** The array at a dotted path of the body; empty when there is none. */
  items(path = "data"): ReadonlyArray<unknown> {
    const value = this.at(path)
    return Array.isArray(value) ? value : []
  }

  /** A header, or null. */
  header(name: string): string | null {
    return this.headers.get(name)
  }

  /** A header read as a whole number; NaN when it is absent or something else. */
  integerHeader(name: string): number {
    const value = this.headers.get(name)
    return value !== null && /^\d+$/.test(value) ? Number(value) : Number.NaN
  }
}
