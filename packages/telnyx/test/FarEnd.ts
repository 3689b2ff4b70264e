import { generateKeyPairSync, sign } from "node:crypto"

const { privateKey, publicKey: key } = generateKeyPairSync("ed25519")
/** The last 32 bytes of the DER form are the key itself. */
const rawKeyBytes = 32

export const apiKey = "KEY-that-nobody-may-see"
export const publicKey = key.export({ type: "spki", format: "der" }).subarray(-rawKeyBytes).toString("base64")
export const connectionId = "1234567890"
const storageHost = "storage.example.com"
export const publicUrl = "https://voice.example.com/telnyx"

/** The headers of a webhook as Telnyx sends them; the SDK of the vendor takes them (`Signature.test.ts`). */
export const signed = (body: string, now: number): Record<string, string> => {
  const timestamp = String(Math.floor(now / 1000))
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64")
  return { "telnyx-timestamp": timestamp, "telnyx-signature-ed25519": signature, "content-type": "application/json" }
}

type Fields = Readonly<Record<string, unknown>>
type Happening = readonly [afterMs: number, name: string, fields?: Fields]
type Plan = ReadonlyArray<Happening>

export interface Leg {
  readonly call_control_id: string
  readonly call_leg_id: string
  readonly call_session_id: string
  readonly asked: Fields
  readonly made: number
  plan: Plan
  phase: "dialled" | "ringing" | "answered" | "ended"
  endedAt: number | null
  /** What Telnyx keeps of it. */
  readonly events: Array<{ readonly name: string; readonly at: number; readonly payload: Fields }>
}

const hangup = (hangup_cause: string, hangup_source: string, sip_hangup_cause: string): Fields => ({
  hangup_cause,
  hangup_source,
  sip_hangup_cause,
})
const cost: Happening = [
  5_000,
  "call.cost",
  { status: "success", total_cost: "0.014", cost_parts: [{ currency: "USD" }] },
]

const answered = (talkMs: number): Plan => [
  [1_000, "call.initiated"],
  [5_000, "call.answered"],
  [talkMs, "call.hangup", hangup("normal_clearing", "callee", "200")],
  cost,
]
const ending = (...words: Parameters<typeof hangup>): Plan => [
  [1_000, "call.initiated"],
  [9_000, "call.hangup", hangup(...words)],
]

/** What becomes of a leg, by the last digits of the number. */
const plans: Readonly<Record<string, Plan>> = {
  "01": answered(2 * 3_600_000),
  "02": answered(2 * 3_600_000),
  "03": ending("user_busy", "callee", "486"),
  "04": ending("timeout", "caller", "487"),
  "05": ending("unspecified", "unknown", "503"),
  "06": ending("originator_cancel", "caller", "487"),
}

/** Errors at a dial, by the last digits of the number. */
const refused: Readonly<Record<string, readonly [status: number, code: string, pointer: string]>> = {
  "20": [422, "10016", "/to"],
  "21": [401, "10009", "/"],
  "22": [429, "10011", "/"],
}

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

const failure = (status: number, code: string, pointer = "/", headers?: Record<string, string>) =>
  json(status, { errors: [{ code, title: "No.", detail: "No.", source: { pointer } }] }, headers)

/** One request that came, as it came. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Fields
}

const read = (text: string): Fields => (text === "" ? {} : JSON.parse(text))

/** How long Telnyx shows a call after its end. */
const shownMs = 10 * 60_000

/**
 * A small stand-in of Telnyx for this package's own tests, with a clock that only they move. It knows what they need; how Telnyx itself behaves
 * is judged by what others wrote: its SDK, its API document, and the stand-in of another hand.
 */
export class FarEnd {
  now = Date.now()
  /** Replaces an answer, or loses it where it throws; null leaves it as it is. */
  fault: (seen: Seen) => Response | null = () => null
  /** Whether Telnyx keeps events that can be listed. */
  listsEvents = true
  /** It will not list them, and says so. */
  refusesEvents = false
  recordings: ReadonlyArray<Fields> = []
  /** Where recordings are had; it is none of the API's, and gets no credentials. */
  storage = async (request: Request): Promise<Response> =>
    request.headers.has("authorization")
      ? new Response(null, { status: 400 })
      : new Response("sound", { headers: { "content-type": "audio/mpeg", "x-account": "1" } })
  readonly seen: Array<Seen> = []
  readonly legs: Array<Leg> = []
  readonly statuses: Array<number> = []
  /** Webhooks that are not sent. */
  silent: ReadonlySet<string> = new Set()
  webhook: (request: Request) => Promise<Response> = async () => new Response(null, { status: 404 })

  readonly fetch = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    if (url.host === storageHost) return this.storage(request)
    const body = read(await request.text())
    const seen = { method: request.method, path: url.pathname, query: url.searchParams, body }
    this.seen.push(seen)
    if (request.headers.get("authorization") !== `Bearer ${apiKey}`) return failure(401, "10009")
    const answer = await this.#answer(seen)
    const instead = this.fault(seen)
    if (instead !== null) return instead
    if (seen.path === "/v2/calls" && String(body["to"]).endsWith("02")) {
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } })
    }
    return answer
  }

  of(executionId: string): ReadonlyArray<Leg> {
    const state = btoa(executionId)
    return this.legs.filter(({ asked }) => asked["client_state"] === state || asked["command_id"] === executionId)
  }

  isAt(executionId: string, phase: "ringing" | "answered" | "ended"): boolean {
    const [leg] = this.of(executionId)
    return leg === undefined || leg.phase === phase || leg.phase === "ended"
  }

  /** A leg that was made by whoever. */
  make(asked: Fields): Leg {
    const nth = this.legs.length + 1
    const plan = plans[String(asked["to"]).slice(-2)] ?? answered(15_000)
    let at = this.now
    const leg: Leg = {
      call_control_id: `v3:leg-${nth}`,
      call_leg_id: `00000000-0000-0000-0000-${String(nth).padStart(12, "0")}`,
      call_session_id: `11111111-0000-0000-0000-${String(nth).padStart(12, "0")}`,
      asked,
      made: this.now,
      plan: plan.map(([after, name, fields]) => [(at += after), name, fields ?? {}]),
      phase: "dialled",
      endedAt: null,
      events: [],
    }
    this.legs.push(leg)
    return leg
  }

  /** Goes on to the next thing that happens, and tells of it; false when nothing does by then. */
  async step(by = Number.POSITIVE_INFINITY): Promise<boolean> {
    const [leg] = this.legs
      .filter(({ plan }) => plan.length > 0)
      .sort((a, b) => (a.plan[0]?.[0] ?? 0) - (b.plan[0]?.[0] ?? 0))
    const [next, ...rest] = leg?.plan ?? []
    if (leg === undefined || next === undefined || next[0] > by) return false
    const [at, name, fields] = next
    this.now = Math.max(this.now, at)
    leg.plan = rest
    await this.happens(leg, name, fields)
    return true
  }

  async happens(leg: Leg, name: string, fields: Fields = {}): Promise<void> {
    if (name === "call.initiated") leg.phase = "ringing"
    if (name === "call.answered") leg.phase = "answered"
    if (name === "call.hangup") {
      leg.phase = "ended"
      leg.endedAt = this.now
    }
    const payload = this.payload(leg, fields)
    leg.events.push({ name, at: this.now, payload })
    if (!this.silent.has(name)) await this.tell(name, payload)
  }

  payload({ asked, call_control_id, call_leg_id, call_session_id }: Leg, fields: Fields = {}): Fields {
    const { client_state, connection_id, from, to } = asked
    return { call_control_id, call_leg_id, call_session_id, client_state, connection_id, from, to, ...fields }
  }

  /** A webhook, whose answer is noted; returned too. */
  async tell(event_type: string, payload: Fields, changes: Fields = {}): Promise<number> {
    const occurred_at = new Date(this.now).toISOString()
    const data = { record_type: "event", event_type, id: crypto.randomUUID(), occurred_at, payload, ...changes }
    const body = JSON.stringify({ data, meta: { attempt: 1 } })
    const headers = signed(body, this.now)
    const { status } = await this.webhook(new Request(`${publicUrl}/events`, { method: "POST", headers, body }))
    this.statuses.push(status)
    return status
  }

  async #answer({ body, method, path, query }: Seen): Promise<Response> {
    const [, kind, id = "", sub, action] = path.replace("/v2", "").split("/")
    if (kind === "recordings") return json(200, { data: this.recordings, meta: {} })
    if (kind === "call_events") return this.#events(query)
    if (kind === "connections") return this.#active(query)
    if (kind !== "calls") return failure(404, "10005")
    if (method === "POST" && id === "") return this.#dial(body)
    const leg = this.legs.find(({ call_control_id }) => call_control_id === decodeURIComponent(id))
    if (leg === undefined) return failure(422, "90015")
    if (sub !== "actions") return this.#status(leg)
    if (leg.phase === "ended") return failure(422, "90018")
    if (action === "hangup") await this.#hangUp(leg)
    return json(200, { data: { result: "ok" } })
  }

  #dial(body: Fields): Response {
    const [status, code, pointer] = refused[String(body["to"]).slice(-2)] ?? []
    if (status !== undefined) return failure(status, code ?? "", pointer, status === 429 ? { "retry-after": "3" } : {})
    return json(200, { data: { ...this.#shown(this.make(body)), is_alive: false } })
  }

  async #hangUp(leg: Leg): Promise<void> {
    const words =
      leg.phase === "answered"
        ? hangup("normal_clearing", "caller", "200")
        : hangup("originator_cancel", "caller", "487")
    // After the answer to the command.
    leg.plan = [[this.now + 1, "call.hangup", words], ...(leg.phase === "answered" ? [cost] : [])]
  }

  #shown(leg: Leg): Fields {
    const { call_control_id, call_leg_id, call_session_id, endedAt } = leg
    const end = endedAt === null ? {} : { end_time: new Date(endedAt).toISOString() }
    const is_alive = leg.phase === "ringing" || leg.phase === "answered"
    const client_state = leg.asked["client_state"]
    return { record_type: "call", call_control_id, call_leg_id, call_session_id, client_state, is_alive, ...end }
  }

  #status(leg: Leg): Response {
    const isShown = leg.endedAt === null || this.now - leg.endedAt <= shownMs
    return isShown ? json(200, { data: this.#shown(leg) }) : failure(422, "90015")
  }

  #active(query: URLSearchParams): Response {
    const size = Number(query.get("page[size]"))
    const number = Number(query.get("page[number]") ?? "1")
    const active = this.legs.filter(({ phase }) => phase !== "ended")
    const data = active.slice((number - 1) * size, number * size).map((leg) => this.#shown(leg))
    return json(200, { data, meta: { total_pages: Math.max(1, Math.ceil(active.length / size)), page_number: number } })
  }

  #events(query: URLSearchParams): Response {
    if (this.refusesEvents) return failure(403, "10010")
    if (!this.listsEvents) return failure(503, "10007")
    const legId = query.get("filter[leg_id]")
    const found = this.legs.filter(({ asked, call_leg_id }) =>
      legId === null ? asked["to"] === query.get("filter[to]") : call_leg_id === legId,
    )
    const data = found.flatMap(({ call_leg_id, call_session_id, events }) =>
      events.map(({ at, name, payload }) => ({
        record_type: "call_event",
        type: "webhook",
        call_leg_id,
        call_session_id,
        event_timestamp: new Date(at).toISOString(),
        name,
        metadata: { raw: { data: { payload } } },
      })),
    )
    return json(200, { data, meta: { total_pages: 1, page_number: 1 } })
  }
}
