import twilio from "twilio"

export const accountSid = `AC${"0123456789abcdef".repeat(2)}`
export const authToken = "a-token-that-nobody-may-see"
export const publicUrl = "https://voice.example.com/twilio"

type Plan = ReadonlyArray<readonly [afterMs: number, status: string]>

interface Leg {
  readonly sid: string
  readonly to: string
  readonly from: string
  readonly made: number
  readonly asked: URLSearchParams
  status: string
  /** What comes next, and when; the first is next. */
  plan: Plan
  answeredAt: number | null
  endedAt: number | null
  answeredBy: string | null
}

const over = new Set(["completed", "busy", "no-answer", "failed", "canceled"])
const events: Readonly<Record<string, string>> = {
  initiated: "initiated",
  ringing: "ringing",
  "in-progress": "answered",
}

const answered: Plan = [
  [100, "initiated"],
  [1_000, "ringing"],
  [5_000, "in-progress"],
  [20_000, "completed"],
]
const talking: Plan = [
  [100, "initiated"],
  [1_000, "ringing"],
  [5_000, "in-progress"],
  [2 * 3_600_000, "completed"],
]
const ending = (status: string): Plan => [
  [100, "initiated"],
  [1_000, "ringing"],
  [9_000, status],
]

/** Errors at the creation of a call, by the last digits of the number. */
const refused: Readonly<Record<string, readonly [status: number, code: number]>> = {
  "20": [400, 21211],
  "21": [401, 20003],
  "22": [429, 20429],
}

const plans: Readonly<Record<string, Plan>> = {
  "01": talking,
  "02": talking,
  "03": ending("busy"),
  "04": ending("no-answer"),
  "05": ending("failed"),
  "06": ending("canceled"),
}

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

const failure = (status: number, code: number, headers?: Record<string, string>) =>
  json(status, { code, message: "No.", more_info: `https://www.twilio.com/docs/errors/${code}`, status }, headers)

/** One request that came, as it came. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly form: URLSearchParams
}

/**
 * A small stand-in of Twilio for this package's own tests, with a clock that only they move. It knows what they need; how Twilio itself behaves
 * is judged by what others wrote: its SDK, and its API document.
 */
export class FarEnd {
  now = Date.now()
  priceAfterMs = 30_000
  /** Replaces an answer, or loses it where it throws; null leaves it as it is. */
  fault: (seen: Seen) => Response | null = () => null
  /** Whether the record of requests can be read, and when. */
  recordsFrom: "at once" | "after the end" | "never" = "at once"
  readonly seen: Array<Seen> = []
  readonly legs: Array<Leg> = []
  readonly statuses: Array<number> = []
  callback: (request: Request) => Promise<Response> = async () => new Response(null, { status: 404 })

  readonly fetch = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    const form = new URLSearchParams(await request.text())
    const path = url.pathname.replace(`/2010-04-01/Accounts/${accountSid}`, "")
    const seen = { method: request.method, path: url.pathname, query: url.searchParams, form }
    this.seen.push(seen)
    if (request.headers.get("authorization") !== `Basic ${btoa(`${accountSid}:${authToken}`)}`) {
      return failure(401, 20003)
    }
    const answer = this.#answer(request.method, path, url.searchParams, form)
    const instead = this.fault(seen)
    if (instead !== null) return instead
    if (request.method === "POST" && path === "/Calls.json" && form.get("To")?.endsWith("02") === true) {
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } })
    }
    return answer
  }

  of(executionId: string): ReadonlyArray<Leg> {
    return this.legs.filter(
      ({ asked }) => asked.get("StatusCallback")?.includes(`execution_id=${executionId}#`) === true,
    )
  }

  isAt(executionId: string, status: string): boolean {
    const [leg] = this.of(executionId)
    return leg === undefined || leg.status === status || over.has(leg.status)
  }

  /** A call that was made by whoever, as it stands. */
  make(asked: URLSearchParams): Leg {
    this.#create(asked)
    const leg = this.legs.at(-1)
    if (leg === undefined) throw new Error("No call was made.")
    return leg
  }

  /** Goes on to the next thing that happens, and calls back; false when nothing does by then. */
  async step(by = Number.POSITIVE_INFINITY): Promise<boolean> {
    const [leg] = this.legs
      .filter(({ plan }) => plan.length > 0)
      .sort((a, b) => (a.plan[0]?.[0] ?? 0) - (b.plan[0]?.[0] ?? 0))
    const [next, ...rest] = leg?.plan ?? []
    if (leg === undefined || next === undefined || next[0] > by) return false
    const [at, status] = next
    this.now = Math.max(this.now, at)
    leg.plan = rest
    if (status !== "initiated") leg.status = status
    if (status === "in-progress") leg.answeredAt = at
    if (over.has(status)) leg.endedAt = at
    await this.callStatus(leg, status)
    return true
  }

  /** Twilio's status callback, by www.twilio.com/docs/voice/api/call-resource#statuscallback. */
  async callStatus(leg: Leg, status: string, extra: Record<string, string> = {}): Promise<number> {
    const wanted = leg.asked.getAll("StatusCallbackEvent")
    if (!wanted.includes(events[status] ?? "completed")) return 0
    const duration: Record<string, string> = over.has(status) ? { CallDuration: String(this.#seconds(leg)) } : {}
    return this.call(leg.asked.get("StatusCallback") ?? "", {
      ...this.#head(leg),
      CallStatus: status,
      Timestamp: new Date(this.now).toUTCString().replace("GMT", "+0000"),
      CallbackSource: "call-progress-events",
      SequenceNumber: "0",
      ...duration,
      ...extra,
    })
  }

  async callVerdict(leg: Leg, AnsweredBy: string): Promise<number> {
    leg.answeredBy = AnsweredBy
    const parameters = { ...this.#head(leg), AnsweredBy, MachineDetectionDuration: "2400" }
    return this.call(leg.asked.get("AsyncAmdStatusCallback") ?? "", parameters)
  }

  async callRecording(leg: Leg, RecordingSid: string, RecordingStatus = "completed"): Promise<number> {
    const parameters = { ...this.#head(leg), RecordingSid, RecordingStatus, RecordingDuration: "15" }
    return this.call(leg.asked.get("RecordingStatusCallback") ?? "", parameters)
  }

  /** The stream's own callback, by www.twilio.com/docs/voice/twiml/stream#statuscallback. */
  async callStream(leg: Leg, StreamEvent: string, extra: Record<string, string> = {}): Promise<number> {
    const [, address] = /statusCallback="([^"]*)"/.exec(leg.asked.get("Twiml") ?? "") ?? []
    const StreamSid = `MZ${"0".repeat(32)}`
    const { From: _from, To: _to, ...head } = this.#head(leg)
    const parameters = { ...head, StreamSid, StreamName: StreamSid, StreamEvent, ...extra }
    const Timestamp = new Date(this.now).toISOString()
    return this.call((address ?? "").replaceAll("&amp;", "&"), { ...parameters, Timestamp })
  }

  /** Posts a callback as Twilio does: signed by its own SDK, without the fragment; by way of a proxy that changes host and scheme. */
  async call(address: string, parameters: Record<string, string>): Promise<number> {
    const url = address.split("#", 1)[0] ?? ""
    const signature = twilio.getExpectedTwilioSignature(authToken, url, parameters)
    const behind = new URL(url)
    const headers = { "x-twilio-signature": signature, "content-type": "application/x-www-form-urlencoded" }
    const request = new Request(`http://10.0.0.1:3000${behind.pathname}${behind.search}`, {
      method: "POST",
      headers,
      body: new URLSearchParams(parameters),
    })
    const { status } = await this.callback(request)
    this.statuses.push(status)
    return status
  }

  #head({ from, sid, to }: Leg): Record<string, string> {
    return {
      AccountSid: accountSid,
      CallSid: sid,
      From: from,
      To: to,
      ApiVersion: "2010-04-01",
      Direction: "outbound-api",
    }
  }

  #seconds({ answeredAt, endedAt }: Leg): number {
    return answeredAt === null || endedAt === null ? 0 : Math.round((endedAt - answeredAt) / 1000)
  }

  #shown(leg: Leg): object {
    const { answeredBy, endedAt, from, made, sid, status, to } = leg
    const isPriced = endedAt !== null && this.now >= endedAt + this.priceAfterMs && leg.answeredAt !== null
    return {
      sid,
      account_sid: accountSid,
      to,
      from,
      status,
      direction: "outbound-api",
      date_created: new Date(made).toUTCString(),
      start_time: leg.answeredAt === null ? null : new Date(leg.answeredAt).toUTCString(),
      end_time: endedAt === null ? null : new Date(endedAt).toUTCString(),
      duration: endedAt === null ? null : String(this.#seconds(leg)),
      price: isPriced ? "-0.01400" : null,
      price_unit: "USD",
      answered_by: answeredBy,
    }
  }

  #answer(method: string, path: string, query: URLSearchParams, form: URLSearchParams): Response {
    if (path === "/Calls.json") return method === "POST" ? this.#create(form) : this.#list(query)
    const [, sid, sub] = /^\/Calls\/([^/.]+)(?:\/(\w+))?\.json$/.exec(path) ?? []
    const leg = this.legs.find((known) => known.sid === sid)
    if (leg === undefined) return failure(404, 20404)
    if (sub === "Events") return this.#events(leg)
    if (sub === "Recordings") return json(200, { recordings: [{ sid: recordingSid, status: "completed" }] })
    return method === "POST" ? this.#update(leg, form) : json(200, this.#shown(leg))
  }

  #create(form: URLSearchParams): Response {
    const to = form.get("To") ?? ""
    const [status, code] = refused[to.slice(-2)] ?? []
    if (status !== undefined && code !== undefined) {
      return failure(status, code, status === 429 ? { "retry-after": "3" } : {})
    }
    const plan = (plans[to.slice(-2)] ?? answered).map(([after, next]) => [this.now + after, next] as const)
    const leg: Leg = {
      sid: `CA${String(this.legs.length + 1).padStart(32, "0")}`,
      to,
      from: form.get("From") ?? "",
      made: this.now,
      asked: form,
      status: "queued",
      plan,
      answeredAt: null,
      endedAt: null,
      answeredBy: null,
    }
    this.legs.push(leg)
    return json(201, this.#shown(leg))
  }

  #list(query: URLSearchParams): Response {
    const calls = this.legs
      .filter(({ to }) => to === query.get("To"))
      .filter(({ status }) => query.get("Status") === null || status === query.get("Status"))
      .filter(({ status }) => query.get("StartTime>") === null || status !== "queued")
    return json(200, { calls: calls.map((leg) => this.#shown(leg)), next_page_uri: null })
  }

  /** What a call was made with, as www.twilio.com/docs/voice/api/call-event-resource shows it: names in lower case, words apart. */
  #events(leg: Leg): Response {
    if (this.recordsFrom === "never") return failure(404, 20404)
    if (this.recordsFrom === "after the end" && leg.endedAt === null) return json(200, { events: [] })
    const parameters = { to: leg.to, from: leg.from, status_callback: leg.asked.get("StatusCallback") }
    const url = `https://api.twilio.com/2010-04-01/Accounts/${accountSid}/Calls.json`
    return json(200, { events: [{ request: { method: "POST", url, parameters }, response: { response_code: 201 } }] })
  }

  #update(leg: Leg, form: URLSearchParams): Response {
    const status = form.get("Status")
    const isAnswered = leg.answeredAt !== null
    if (over.has(leg.status)) return failure(400, 21220)
    if (status === "completed" && !isAnswered) return failure(400, 21220)
    // Twilio leaves alone what was answered when it is told to cancel.
    if (status === "completed" || !isAnswered) leg.plan = [[this.now + 200, status ?? ""]]
    return json(200, this.#shown(leg))
  }
}

export const recordingSid = `RE${"f".repeat(32)}`
