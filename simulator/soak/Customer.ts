import { Schema } from "effect"
import type { Simulator } from "../src/Simulator.ts"

const Optional = Schema.optionalKey

/** What is read of an answer; every field may be absent. */
const Seen = Schema.Struct({
  error: Optional(Schema.Unknown),
  message: Optional(Schema.String),
  dispatch: Optional(Schema.Unknown),
  deferred_by_calling_guard: Optional(Schema.Unknown),
  events: Optional(Schema.Unknown),
  reached: Optional(Schema.Unknown),
  now: Optional(Schema.String),
  organization_id: Optional(Schema.NullOr(Schema.String)),
  agent_id: Optional(Schema.NullOr(Schema.String)),
  execution_id: Optional(Schema.NullOr(Schema.String)),
  campaign_id: Optional(Schema.NullOr(Schema.String)),
  batch_id: Optional(Schema.NullOr(Schema.String)),
  subscription_id: Optional(Schema.NullOr(Schema.String)),
  version_id: Optional(Schema.NullOr(Schema.String)),
  phone_number_id: Optional(Schema.NullOr(Schema.String)),
  key_id: Optional(Schema.NullOr(Schema.String)),
  key: Optional(Schema.String),
  phone_numbers: Optional(Schema.Array(Schema.Unknown)),
  keys: Optional(Schema.Array(Schema.Struct({ key: Schema.String, key_id: Schema.String }))),
  slots: Optional(Schema.Struct({ platform: Schema.Number })),
  campaigns: Optional(
    Schema.Array(
      Schema.Struct({ campaign_id: Schema.String, used: Schema.Number, demand: Schema.Number, share: Schema.Number }),
    ),
  ),
  violations: Optional(Schema.Array(Schema.Unknown)),
  waiting: Optional(Schema.Array(Schema.Unknown)),
  next_due: Optional(Schema.NullOr(Schema.String)),
  in_flight_contacts: Optional(Schema.Unknown),
  per_week: Optional(Schema.Unknown),
  per_thirty_days: Optional(Schema.Unknown),
  paused_reason: Optional(Schema.Unknown),
  contact_counts: Optional(Schema.Record(Schema.String, Schema.Unknown)),
  data: Optional(Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  pagination: Optional(Schema.Struct({ has_more: Schema.Boolean })),
})

/** An answer, as far as the soak reads it. */
export type Answer = typeof Seen.Type & { readonly status: number }

const read = Schema.decodeUnknownSync(Schema.fromJsonString(Seen))

/** An answer as it came. */
interface Told {
  readonly status: number
  readonly body: string | null
}

const answerOf = ({ body, status }: Told): Answer => ({ status, ...(body === null || body === "" ? {} : read(body)) })

const nothing = new Uint8Array()

/** Speaks to a world over its public surface, and notes what it was told. */
export class Customer {
  readonly #simulator: Simulator
  readonly #heard: (answer: Answer, what: string) => void
  /** Requests that are not answered yet. */
  open = 0

  constructor(simulator: Simulator, heard: (answer: Answer, what: string) => void) {
    this.#simulator = simulator
    this.#heard = heard
  }

  /** Sends a request and lets it run until it is answered or waits for time to pass; null where it waits. */
  async ask(
    key: string | null,
    method: string,
    target: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | null> {
    const hear = (told: Told) => this.#heard(answerOf(told), `${method} ${target}`)
    const told = await this.#send(key, method, target, body, headers, hear)
    return told === null ? null : answerOf(told)
  }

  /** The same for whoever reads the answer by itself, which may be any: nobody else is told of it. */
  send(
    key: string | null,
    method: string,
    target: string,
    body: Uint8Array | null,
    headers: Readonly<Record<string, string>>,
  ): Promise<Told | null> {
    return this.#send(key, method, target, body ?? undefined, headers, () => {})
  }

  async #send(
    key: string | null,
    method: string,
    target: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    hear: (told: Told) => void,
  ): Promise<Told | null> {
    let told: Told | null = null
    const sent: Readonly<Record<string, string>> = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    }
    const bytes =
      body === undefined || body instanceof Uint8Array
        ? (body ?? null)
        : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
    this.open += 1
    this.#simulator.handle(
      { method, target, header: (name) => sent[name] ?? null, body: bytes },
      ({ body: text, status }) => {
        this.open -= 1
        told = { status, body: text }
        hear(told)
      },
    )
    // The lane is free again once the request has been answered or parked.
    await this.control("GET", "/_sim")
    return told
  }

  async control(method: string, target: string, body?: unknown): Promise<Answer> {
    const answered = await this.#simulator.control({
      method,
      target,
      authorization: null,
      body: body === undefined ? nothing : Buffer.from(JSON.stringify(body)),
    })
    return answerOf(answered)
  }
}
