import { isObject, type JsonObject, parseJson } from "../http/Json.ts"
import type { Control } from "./Control.ts"

/** How an inbox answers; the words are those of the control contract. */
export interface InboxBehaviour {
  readonly status?: number
  readonly statuses?: ReadonlyArray<number>
  readonly delay_ms?: number
  readonly error?: "dns_error" | "connect_error" | "tls_error" | "timeout"
}

/** A request that an inbox got. */
export interface Received {
  /** Epoch milliseconds. */
  readonly at: number
  readonly method: unknown
  readonly body: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as JSON; an empty object where it is none. */
  readonly payload: JsonObject
}

/** One endpoint of the simulated world. */
export class Inbox {
  readonly #control: Control
  readonly #name: string

  constructor(control: Control, name: string) {
    this.#control = control
    this.#name = name
  }

  /** What a webhook names to reach this inbox. */
  get url(): string {
    return `https://${this.#name}.inbox.test/hook`
  }

  async behave(behaviour: InboxBehaviour): Promise<void> {
    await this.#control.ask("PUT", `/inbox/${this.#name}`, behaviour)
  }

  /** Everything it got, oldest first. */
  async received(): Promise<ReadonlyArray<Received>> {
    const { data } = await this.#control.ask("GET", `/inbox/${this.#name}`)
    return (Array.isArray(data) ? data : []).filter(isObject).map((request) => {
      const body = typeof request["body"] === "string" ? request["body"] : ""
      const payload = parseJson(body)
      const headers = isObject(request["headers"]) ? request["headers"] : {}
      return {
        at: Date.parse(String(request["received_at"])),
        method: request["method"],
        body,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
        ),
        payload: isObject(payload) ? payload : {},
      }
    })
  }
}
