/**
 * Mistakes against published readings, and against sentences in a situation of their own: what cases are there for that saw no mutant. Each was
 * written from its sentence when those cases were gone through.
 */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  around,
  asks,
  at,
  body,
  both,
  cut,
  dummy,
  elsewhere,
  failing,
  forgives,
  fresh,
  has,
  headers,
  ignores,
  is,
  limited,
  over,
  payloadOf,
  queries,
  receives,
  recodes,
  refuses,
  reroutes,
  row,
  rows,
  secretly,
  set,
  textOf,
  together,
  unplaced,
  where,
  wire,
  writes,
} from "../Defects.ts"
import { type Asked, objectOf, type Override, type Reply } from "../Mutant.ts"
import { c, m } from "../Table.ts"

const all = "* /v2/**"
const place = "POST /v2/calls"
const list = "GET /v2/calls"
const me = "GET /v2/user/me"
const createAgent = "POST /v2/agents"
const calls = ["GET /v2/calls", "GET /v2/calls/*"]
const createCampaign = "POST /v2/campaigns"
const minuteMs = 60_000

const later = (ms: number) => (value: unknown) => new Date(Date.parse(textOf(value)) + ms).toISOString()
const isRate = (reply: Reply) => textOf(objectOf(reply.json)["message"] ?? "").startsWith("Rate limit")
const isLines = (reply: Reply) => textOf(objectOf(reply.json)["message"] ?? "").startsWith("Account")
const isUnrouted = (reply: Reply) => objectOf(reply.json)["message"] === "No such resource."

/** How deep a value is nested, the root counting as one. */
const depthOf = (value: unknown): number => {
  const children = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : undefined
  return children === undefined ? 0 : 1 + Math.max(0, ...children.map(depthOf))
}

const bytesOf = ({ json }: Asked): number =>
  json === undefined ? 0 : new TextEncoder().encode(JSON.stringify(json)).length

const pipeline = [
  c(
    "PIPELINE-P3",
    "A slash at the end of a path is forgiven.",
    reroutes("GET /v2/**/", (asked) => ({ ...asked, path: asked.path.replace(/\/$/, "") })),
  ),
  c(
    "PIPELINE-P3",
    "Capital letters in a path are forgiven.",
    reroutes("GET /v2/**", (asked) =>
      /\/[A-Z]/.test(asked.path) ? { ...asked, path: asked.path.toLowerCase() } : asked,
    ),
  ),
  c(
    "PIPELINE-P3",
    "An unknown method is 405.",
    answers("POST|PUT|PATCH|DELETE /v2/**", (reply) =>
      reply.status === 404 && isUnrouted(reply) ? failing(reply, 1200, 405) : reply,
    ),
  ),
  c(
    "PIPELINE-P1",
    "Once a bucket is exhausted, a request without a key is 429.",
    fresh(() => {
      let isExhausted = false
      return answers(all, (reply) => {
        isExhausted = isExhausted ? reply.status === 429 || reply.status >= 400 : isRate(reply)
        return isExhausted && reply.status === 401 ? limited(reply) : reply
      })
    }),
  ),
  c(
    "PIPELINE-P2",
    "An unknown method counts in no bucket.",
    answers("DELETE /v2/calls", (reply) => (isRate(reply) ? failing(reply, 1200, 404) : reply)),
  ),
  c(
    "PIPELINE-P4",
    "A body is decoded before the rate is looked at.",
    answers(createAgent, (reply, { json }) =>
      isRate(reply) && !("display_name" in objectOf(json)) ? failing(reply, 1002, 400) : reply,
    ),
  ),
  m(
    "RATE-P1",
    "A request without a key costs one.",
    wire(() => {
      let last: string | null = null
      return async (asked, next) => {
        const key = asked.headers.get("authorization")
        const reply = await next(asked)
        if (!asked.path.startsWith("/v2/")) return reply
        if (reply.status !== 401) last = key ?? last
        if (reply.status === 401 && last !== null) {
          await next({ ...elsewhere(asked, "GET", "/v2/scopes"), headers: new Headers([["authorization", last]]) })
        }
        return reply
      }
    }),
  ),
  m(
    "RATE-P3",
    "What is refused for its scope costs nothing.",
    fresh(() => {
      let free = 0
      return headers(all, (all_, reply) => {
        const left = all_.get("x-ratelimit-remaining")
        if (reply.status === 403) free += 1
        if (left !== null) all_.set("x-ratelimit-remaining", String(Number(left) + free))
      })
    }),
  ),
  m(
    "RESPONSE-P2",
    "The client's request id is replaced.",
    headers(all, (h) => h.set("x-request-id", crypto.randomUUID())),
  ),
  c(
    "RESPONSE-P2",
    "A refusal has a request id of its own.",
    headers(all, (h, reply) => {
      if (reply.status >= 400) h.set("x-request-id", crypto.randomUUID())
    }),
  ),
  m(
    "ENVELOPE-P3",
    "A message quotes the whole value.",
    answers("GET /v2/**", (reply, { query }) => {
      const long = [...query.values()].find((value) => value.length > 64)
      return long === undefined || reply.status < 400
        ? reply
        : { ...reply, json: { ...objectOf(reply.json), message: `Unknown value '${long}'.` } }
    }),
  ),
  m(
    "ENVELOPE-P4",
    "A message quotes a number that is none.",
    answers(place, (reply, { json }) => {
      const number = objectOf(json)["from_number"] ?? objectOf(json)["to_number"]
      return reply.status === 422
        ? { ...reply, json: { ...objectOf(reply.json), message: `${textOf(number)} is no phone number.` } }
        : reply
    }),
  ),
  c(
    "ENVELOPE-6",
    "A run of digits in a query is quoted as it stands.",
    answers("GET /v2/**", (reply, { query }) => {
      const digits = [...query.values()].find((value) => /^\d{7,}$/.test(value))
      return digits === undefined || reply.status < 400
        ? reply
        : { ...reply, json: { ...objectOf(reply.json), message: `Unknown value '${digits}'.` } }
    }),
  ),
]

const knownOfCalls: ReadonlySet<string> = new Set([
  "agent_id",
  "to_number",
  "from_number",
  "scheduled_at",
  "variables",
  "metadata",
  "timeout_seconds",
  "context",
])

const decoding = [
  m(
    "DECODE-P10",
    "An id of another form is 1001.",
    refuses("GET /v2/calls/*", ({ path }) => !/^exec_[a-z0-9]+$/.test(path.split("/")[3] ?? ""), 1001, 422),
  ),
  c(
    "DECODE-P10",
    "A long id is 414.",
    refuses("GET /v2/agents/*", ({ path }) => path.length > 200, 1000, 414),
  ),
  c(
    "DECODE-P5",
    "A body of any content type is read.",
    reroutes("POST|PATCH /v2/agents**", (asked) => {
      const h = new Headers(asked.headers)
      h.set("content-type", "application/json")
      return { ...asked, headers: h }
    }),
  ),
  c(
    "DECODE-P5",
    "Parameters of a content type are refused.",
    refuses(createAgent, (asked) => /^application\/json\s*;/i.test(asked.headers.get("content-type") ?? ""), 1000, 400),
  ),
  m(
    "DECODE-P6",
    "A body that is too large is 400.",
    answers("POST /v2/**", (reply) => (reply.status === 413 ? { ...reply, status: 400 } : reply)),
  ),
  c(
    "DECODE-P12",
    "A body of a mebibyte is too large.",
    refuses(createAgent, (asked) => bytesOf(asked) >= 1_048_576, 1000, 413),
  ),
  m(
    "DECODE-P13",
    "A body nested 64 deep is refused.",
    refuses(createAgent, ({ json }) => depthOf(json) === 64, 1000, 400),
  ),
  c(
    "DECODE-P13",
    "Arrays do not count as depth.",
    asks(createAgent, (json) => (Array.isArray(json["deeper"]) ? { ...json, deeper: null } : json)),
  ),
  m(
    "DECODE-P1",
    "A field that nobody knows is refused.",
    refuses(place, ({ json }) => Object.keys(objectOf(json)).some((name) => !knownOfCalls.has(name)), 1001, 422),
  ),
  c(
    "DECODE-P1",
    "A parameter that nobody knows is refused.",
    refuses(
      "GET /v2/agents",
      ({ query }) =>
        [...query.keys()].some((name) => !/^(page|page_size|status|search|sort_by|sort_order)$/.test(name)),
      1001,
      422,
    ),
  ),
  m(
    "DECODE-P8",
    "An unknown status filters nothing.",
    queries(list, (query) => {
      if (/sleeping|cancelled/.test(query.get("status") ?? "")) query.delete("status")
    }),
  ),
  c(
    "DECODE-P8",
    "Letter case of a status does not matter.",
    queries(list, (query) => {
      const status = query.get("status")
      if (status !== null) query.set("status", status.toLowerCase())
    }),
  ),
  c(
    "DECODE-P8",
    "An unknown direction is 1001.",
    recodes(list, 1000, 1001, 422, ({ query }) => query.has("direction")),
  ),
  m(
    "DECODE-P7",
    "A date that is none is ignored.",
    queries(list, (query) => {
      for (const name of ["from_date", "to_date"]) {
        if (Number.isNaN(Date.parse(query.get(name) ?? "2026-01-01"))) query.delete(name)
      }
    }),
  ),
  c(
    "DECODE-P9",
    "A date of a query without an offset is in UTC.",
    queries(list, (query) => {
      for (const name of ["from_date", "to_date"]) {
        const value = query.get(name)
        if (value !== null && /T[\d:.]+$/.test(value)) query.set(name, `${value}Z`)
      }
    }),
  ),
]

const bent = (change: (figures: JsonObject) => JsonObject) =>
  body(
    me,
    over("rate_limits", (limits) =>
      Object.fromEntries(Object.entries(objectOf(limits)).map(([name, figures]) => [name, change(objectOf(figures))])),
    ),
  )

/** Reads of an organization, whatever the minute, beyond which nothing more is read. */
const quota = (most: number): Override => {
  const counts = new Map<string, number>()
  return async (asked, next) => {
    if (asked.method !== "GET" || !asked.path.startsWith("/v2/calls")) return next(asked)
    const key = asked.headers.get("authorization") ?? ""
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const reply = await next(asked)
    return count > most ? failing(reply, 1300, 429, "Rate limit exceeded: the quota is used up. Retry in 60s.") : reply
  }
}

const rates = [
  m(
    "ME-P1",
    "The figures of the buckets never fall.",
    bent((figures) => ({ ...figures, remaining: figures["limit"] })),
  ),
  c(
    "ME-P1",
    "The windows of the buckets are told in milliseconds.",
    bent((figures) => ({ ...figures, window_seconds: 60_000 })),
  ),
  m(
    "ME-P2",
    "Reading the figures costs one of each bucket.",
    fresh(() => {
      let read = 0
      return together(
        reroutes(me, (asked) => {
          read += 1
          return asked
        }),
        bent((figures) => ({ ...figures, remaining: Math.max(0, Number(figures["remaining"]) - read) })),
      )
    }),
  ),
  m(
    "RATE-P7",
    "The plan is `pro`.",
    row(
      [me, "GET|POST /v2/api-keys"],
      over("plan", () => "pro"),
    ),
  ),
  m(
    "RATE-HEADERS-P5",
    "Where no second within a minute would do, Retry-After says 59.",
    headers(all, (h, reply) => {
      if (isRate(reply) && h.get("retry-after") === "60") h.set("retry-after", "59")
    }),
  ),
  c(
    "RATE-6",
    "1,200 reads use up a key's quota, whatever the minute.",
    wire(() => quota(1_200)),
  ),
  c(
    "RATE-1",
    "A key without scopes has a counter of its own.",
    wire(() => {
      const own = new Map<string, number>()
      return async (asked, next) => {
        const reply = await next(asked)
        if (!asked.path.startsWith("/v2/")) return reply
        const seen = await next(elsewhere(asked, "GET", "/v2/scopes"))
        const granted = at(seen.json, "key.granted")
        if (!Array.isArray(granted) || granted.length > 0) return reply
        const key = asked.headers.get("authorization") ?? ""
        own.set(key, (own.get(key) ?? 0) + 1)
        const h = new Headers(reply.headers)
        h.set("x-ratelimit-remaining", String(Number(h.get("x-ratelimit-limit")) - (own.get(key) ?? 0)))
        return { ...reply, headers: h }
      }
    }),
  ),
  c(
    "SCOPE-DENIED-1",
    "A denial of reading calls is 1200.",
    recodes(list, 1102, 1200, 404, (_, reply) => textOf(objectOf(reply.json)["message"]).includes("scope")),
  ),
]

const closed: ReadonlySet<string> = new Set(["custom", "deepgram", "openai", "elevenlabs", "google", "azure"])
const buckets = [
  "runtime",
  "session_policy",
  "stream_policy",
  "engagement_policy",
  "message_policy",
  "compliance_policy",
  "post_processing",
  "external_functions",
]

const ofAgents = [
  m("AGENT-STATUS-P5", "A status on create is ignored.", asks(createAgent, cut("status"))),
  c(
    "AGENT-STATUS-P5",
    "An agent cannot be created as an archived one.",
    refuses(createAgent, ({ json }) => objectOf(json)["status"] === "ARCHIVED", 1201, 409),
  ),
  m(
    "AGENT-STATUS-P6",
    "An agent that is created active is at version 3.",
    body(createAgent, where(is("status", "ACTIVE"), set("version", 3))),
  ),
  c(
    "AGENT-CREATE-8",
    "A refusal by the rate is 503.",
    answers(createAgent, (reply) => (isRate(reply) ? failing(reply, 1501, 503) : reply)),
  ),
  c("AGENT-CREATE-8", "A key without the scope is 401.", recodes(createAgent, 1102, 1100, 401)),
  m(
    "AGENT-CONFIG-P1",
    "A number below 0 is taken.",
    asks(
      createAgent,
      over("configuration.session_policy.session_ttl", (value) => (Number(value) < 0 ? 0 : value)),
    ),
  ),
  c(
    "AGENT-CONFIG-P1",
    "A truth value may be a text.",
    asks(
      createAgent,
      over("configuration.session_policy.close_after_reply", (value) => (typeof value === "string" ? true : value)),
    ),
  ),
  m(
    "AGENT-CONFIG-P2",
    "A part of the configuration that nobody knows is dropped.",
    asks(
      createAgent,
      over("configuration", (value) =>
        isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => buckets.includes(name))) : value,
      ),
    ),
  ),
  m(
    "AGENT-CONFIG-P3",
    "A provider of voices that nobody knows is refused.",
    refuses(
      createAgent,
      ({ json }) => {
        const provider = at(json, "configuration.runtime.voice_synthesis.provider")
        return provider !== undefined && !closed.has(textOf(provider))
      },
      1001,
      422,
    ),
  ),
]

const offsetOf = (zone: string, moment: number): number => {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(moment)
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "GMT"
  const [, sign = "+", hours = "0", minutes = "0"] = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name) ?? []
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs
}

/** Calls that an agent's window moves are moved elsewhere, by the zone of the window. */
const movedBy = (change: (moment: number, zone: string, wanted: number) => number) =>
  wire(() => {
    const zones = new Map<unknown, string>()
    return async (asked, next) => {
      const reply = await next(asked)
      const zone = at(asked.json, "calling_guard.timezone")
      if (/^\/v2\/agents(\/[^/]+)?$/.test(asked.path) && typeof zone === "string") {
        zones.set(objectOf(reply.json)["agent_id"], zone)
      }
      const own = zones.get(objectOf(asked.json)["agent_id"])
      const booked = objectOf(reply.json)["scheduled_at"]
      const wanted = objectOf(asked.json)["scheduled_at"] ?? booked
      if (asked.method !== "POST" || asked.path !== "/v2/calls" || own === undefined || typeof booked !== "string")
        return reply
      const moment = change(Date.parse(booked), own, Date.parse(textOf(wanted)))
      return { ...reply, json: { ...objectOf(reply.json), scheduled_at: new Date(moment).toISOString() } }
    }
  })

const hourMs = 60 * minuteMs

const ofCalls = [
  c(
    "CALL-WINDOW-2",
    "A window has the clocks of the time that was asked for.",
    movedBy((moment, zone, wanted) => moment + offsetOf(zone, moment) - offsetOf(zone, wanted)),
  ),
  m(
    "CALL-WINDOW-P5",
    "A time that is skipped maps to the one before the gap.",
    movedBy((moment, zone) => (offsetOf(zone, moment) > offsetOf(zone, moment - hourMs) ? moment - hourMs : moment)),
  ),
  m(
    "CALL-WINDOW-P6",
    "A time that is repeated maps to its second occurrence.",
    movedBy((moment, zone) => (offsetOf(zone, moment + hourMs) < offsetOf(zone, moment) ? moment + hourMs : moment)),
  ),
  m(
    "CALL-CREATE-P13",
    "A line is taken before the wallet is looked at.",
    wire(() => {
      return async (asked, next) => {
        const reply = await next(asked)
        const isFull = async () =>
          at((await next(elsewhere(asked, "GET", "/v2/user/me"))).json, "concurrency.max") === 1
        return asked.method === "POST" && asked.path === "/v2/calls" && reply.status === 402 && (await isFull())
          ? limited(reply, "Account concurrency limit reached (1 of 1 lines in use).")
          : reply
      }
    }),
  ),
  m(
    "CALL-DUE-P4",
    "The wallet is looked at when a call is booked.",
    wire(() => {
      const empty = new Set<string>()
      return async (asked, next) => {
        const key = asked.headers.get("authorization") ?? ""
        const reply = await next(asked)
        if (asked.path !== "/v2/calls" || asked.method !== "POST") return reply
        if (reply.status === 402) empty.add(key)
        return reply.status === 202 && empty.has(key) ? failing(reply, 1400, 402) : reply
      }
    }),
  ),
  m(
    "CALL-CREATE-P14",
    "The wallet is never debited.",
    writes((change) => (change.put === "debit" ? null : change)),
  ),
  m(
    "CALL-CREATE-P14",
    "A thousandth of what each call costs is left in the wallet.",
    writes((change) => (change.put === "debit" ? { ...change, amount: change.amount * 0.999 } : change)),
  ),
  m(
    "CALL-DUE-P3",
    "A booking whose agent was deactivated is canceled.",
    row(
      calls,
      where(both(is("status", "error"), has("scheduled_at")), (call, asked) =>
        cut("error")(set("status", "canceled")(call, asked), asked),
      ),
    ),
  ),
  c(
    "AGENT-STATUS-6",
    "A booked call is dialled whatever its agent has become.",
    reroutes("PATCH /v2/agents/*", (asked) =>
      objectOf(asked.json)["status"] === "INACTIVE" ? elsewhere(asked, "GET", asked.path) : asked,
    ),
  ),
  c(
    "STATUS-MOVE-P3",
    "A window that is given later binds no booked call.",
    reroutes("PATCH /v2/agents/*", (asked) =>
      "calling_guard" in objectOf(asked.json) ? elsewhere(asked, "GET", asked.path) : asked,
    ),
  ),
  m(
    "CALL-DUE-P2",
    "A booked call without a line is moved by five minutes.",
    row(calls, where(is("status", "rescheduled"), over("scheduled_at", later(4 * minuteMs)))),
  ),
  m(
    "CALL-DUE-P1",
    "A booked call that finds no line is failed.",
    writes((change) =>
      change.put === "call" && change.row.status === "rescheduled"
        ? { ...change, row: { ...change.row, status: "failed" } }
        : change,
    ),
  ),
  c(
    "CALL-DUE-P1",
    "A booked call looks for a line a minute late.",
    secretly(place, calls, "execution_id", "scheduled_at", later(minuteMs)),
  ),
  ...[
    "status",
    "direction",
    "from_date",
    "to_date",
    "agent_id",
    "to_number",
    "from_number",
    "batch_id",
    "campaign_id",
    "parent_execution_id",
  ].map((name, nth) => (nth === 0 ? m : c)("CALL-LIST-P1", `${name} is ignored.`, ignores(list, name))),
  m(
    "CALL-TRANSCRIPT-P4",
    "A call without a transcript is 404.",
    answers("GET /v2/calls/*/transcript", (reply) =>
      objectOf(reply.json)["transcript_status"] === "unavailable" ? failing(reply, 1200, 404) : reply,
    ),
  ),
  c(
    "CALL-TRANSCRIPT-P4",
    "A call that was never answered has a transcript that is pending.",
    body(
      "GET /v2/calls/*/transcript",
      where(is("transcript_status", "unavailable"), set("transcript_status", "pending")),
    ),
  ),
  m(
    "SLOT-P8",
    "An unconfirmed dial holds no line.",
    wire(() => {
      const free = new Set<string>()
      return async (asked, next) => {
        const key = asked.headers.get("authorization") ?? ""
        const reply = await next(asked)
        if (asked.method !== "POST" || asked.path !== "/v2/calls") return reply
        if (objectOf(reply.json)["dispatch"] !== undefined) free.add(key)
        return isLines(reply) && free.has(key) ? unplaced(reply, objectOf(asked.json)) : reply
      }
    }),
  ),
  m(
    "EVENT-TYPE-P2",
    "A call whose answer is reported after its end is never said to have started.",
    receives((entries) => {
      const toldAt = (entry: JsonObject) =>
        Date.parse(textOf(payloadOf(entry)["timestamp"] ?? entry["received_at"] ?? ""))
      const idOf = (entry: JsonObject) => payloadOf(entry)["call_id"]
      const isOf = (type: string) => (entry: JsonObject) => payloadOf(entry)["event_type"] === type
      return entries.filter(
        (entry) =>
          !isOf("call_started")(entry) ||
          !entries.some(
            (other) => isOf("call_completed")(other) && idOf(other) === idOf(entry) && toldAt(other) <= toldAt(entry),
          ),
      )
    }),
  ),
]

/** Campaigns of an organization, by their order of creation, begin later than they should. */
const delayed = (ms: (nth: number) => number) =>
  wire(() => {
    const counts = new Map<string, number>()
    return async (asked, next) => {
      if (asked.method !== "POST" || asked.path !== "/v2/campaigns" || !isObject(asked.json)) return next(asked)
      const key = asked.headers.get("authorization") ?? ""
      const nth = (counts.get(key) ?? 0) + 1
      counts.set(key, nth)
      const wait = "start_time" in asked.json ? 0 : ms(nth)
      if (wait === 0) return next(asked)
      const clock = await next(elsewhere(asked, "GET", "/_sim/clock"))
      return next({ ...asked, json: { ...asked.json, start_time: later(wait)(at(clock.json, "now")) } })
    }
  })

const ofCampaigns = [
  c(
    "CAMPAIGN-PATCH-1",
    "Of two changes at one moment the first is lost.",
    wire(() => {
      const under = new Map<string, number>()
      return async (asked, next) => {
        if (asked.method !== "PATCH" || !/^\/v2\/campaigns\/[^/]+$/.test(asked.path)) return next(asked)
        const others = under.get(asked.path) ?? 0
        under.set(asked.path, others + 1)
        try {
          if (others === 0) return await next(asked)
          const now = await next(elsewhere(asked, "GET", asked.path))
          return { ...now, json: { ...objectOf(now.json), ...objectOf(asked.json) } }
        } finally {
          under.set(asked.path, (under.get(asked.path) ?? 1) - 1)
        }
      }
    }),
  ),
  m(
    "CAMPAIGN-STATUS-P5",
    "A campaign whose last batch was stopped stays active.",
    row(
      ["GET /v2/campaigns", "GET|POST /v2/campaigns/**"],
      where(
        (json) => json["status"] === "completed" && json["completed_contacts"] === 0 && json["total_contacts"] !== 0,
        set("status", "active"),
      ),
    ),
  ),
  m(
    "CONTACT-HOLD-P1",
    "A contact that an empty wallet holds up is failed.",
    writes((change) =>
      change.put === "contact" && change.row.holds > 0
        ? { ...change, row: { ...change.row, status: "failed", eligible_at: null } }
        : change,
    ),
  ),
  c("CONTACT-HOLD-P4", "What is held is not explained.", body("GET /v2/campaigns/*/explain", set("blocking", []))),
  c(
    "CONTACT-HOLD-P6",
    "A number that the carrier refuses is no-answer.",
    row(calls, where(is("hangup_reason", "invalid_destination"), set("status", "no-answer"))),
  ),
  m(
    "CONTACT-P2",
    "A number given twice is one contact.",
    asks(createCampaign, (json) => {
      const { contacts } = json
      if (!Array.isArray(contacts)) return json
      const seen = new Map(contacts.map((contact: unknown) => [at(contact, "to_number"), contact]))
      return { ...json, contacts: [...seen.values()] }
    }),
  ),
  c(
    "FAIR-1",
    "A campaign that comes while another runs waits a minute.",
    delayed((nth) => (nth === 2 ? minuteMs : 0)),
  ),
  m(
    "FAIR-P10",
    "A campaign beyond the lines waits a minute.",
    delayed((nth) => (nth > 2 ? minuteMs : 0)),
  ),
  m(
    "FAIR-P8",
    "The first of several campaigns waits a minute.",
    delayed((nth) => (nth === 1 ? minuteMs : 0)),
  ),
  m(
    "FAIR-P12",
    "A dial beside contacts does not wait.",
    wire(() => async (asked, next) => {
      if (asked.method !== "POST" || asked.path !== "/v2/calls") return next(asked)
      const who = await next(elsewhere(asked, "GET", "/v2/user/me"))
      return at(who.json, "concurrency.available") === 0
        ? limited(who, "Account concurrency limit reached (2 of 2 lines in use).")
        : next(asked)
    }),
  ),
  c(
    "STATUS-20",
    "A call that the wallet could not carry is dialled once more, a minute later.",
    around((ports) => {
      const again = new Set<string>()
      const once = writes((change) => {
        if (change.put !== "contact" || change.row.last_status !== "balance-low") return change
        const { contact_id, last_ended_at, status } = change.row
        if (status !== "failed" || again.has(contact_id)) return change
        again.add(contact_id)
        const eligible_at = (last_ended_at ?? 0) + minuteMs
        return { ...change, row: { ...change.row, status: "retry_scheduled", eligible_at } }
      })
      return once.ports?.(ports) ?? ports
    }),
  ),
  c(
    "STATUS-20",
    "A call that the wallet could not carry has a second attempt.",
    rows(list, (calls_) =>
      calls_.flatMap((call) =>
        call["status"] === "balance-low" && call["contact_id"] !== null && call["retry_count"] === 0
          ? [{ ...call, execution_id: `${textOf(call["execution_id"])}r`, retry_count: 1 }, call]
          : [call],
      ),
    ),
  ),
  m(
    "BATCH-CREATE-P1",
    "Contacts may be missing.",
    forgives("POST /v2/batches", 1002, 201, () => ({ batch_id: "bat_x", status: "created" })),
  ),
  c(
    "BATCH-CREATE-P3",
    "A file may be missing.",
    forgives("POST /v2/batches/upload", 1002, 201, () => ({ batch_id: "bat_x", status: "created" })),
  ),
  c("CAMPAIGN-CREATE-8", "An unknown agent of a batch is 422.", recodes("POST /v2/batches", 1200, 1001, 422)),
  c(
    "SLOT-8",
    "A campaign's ceiling of one is two.",
    asks(
      createCampaign,
      over("max_concurrent_calls", (value) => (value === 1 ? 2 : value)),
    ),
  ),
  c(
    "FAIR-10",
    "A direct dial is refused while a campaign with a ceiling runs.",
    fresh(() => {
      const capped = new Set<string>()
      return together(
        reroutes(createCampaign, (asked) => {
          if (objectOf(asked.json)["max_concurrent_calls"] != null) capped.add(asked.headers.get("authorization") ?? "")
          return asked
        }),
        refuses(
          place,
          ({ headers: h }) => capped.has(h.get("authorization") ?? ""),
          1300,
          429,
          "Account concurrency limit reached.",
        ),
      )
    }),
  ),
  c(
    "CAMPAIGN-STATUS-20",
    "A stopped batch keeps its contacts, to be skipped by the cancelling and dialled after a revive.",
    reroutes("POST /v2/batches/*/stop", (asked) => elsewhere(asked, "GET", asked.path.replace(/.stop$/, ""))),
  ),
  c(
    "CAMPAIGN-BATCHES-1",
    "A stopped batch is not listed.",
    body("GET /v2/campaigns/*/batches", (json) => {
      const { data } = json
      return Array.isArray(data)
        ? { ...json, data: data.filter((each: unknown) => at(each, "status") !== "cancelled") }
        : json
    }),
  ),
  m(
    "CAMPAIGN-PATCH-P5",
    "Working hours given later bind no pending time.",
    reroutes("PATCH /v2/campaigns/*", (asked) =>
      "working_hours" in objectOf(asked.json) ? elsewhere(asked, "GET", asked.path) : asked,
    ),
  ),
  m(
    "TRANSLITERATION-P1",
    "A language that nobody knows is ignored.",
    asks(createCampaign, (json) =>
      at(json, "transliteration.target_language_code") === "x-nobody" ? cut("transliteration")(json, dummy) : json,
    ),
  ),
  c(
    "TRANSLITERATION-P1",
    "An original displaces a variable of the same name.",
    asks(createCampaign, (json) => {
      const { contacts } = json
      return at(json, "transliteration.keep_original") === true && Array.isArray(contacts)
        ? { ...json, contacts: contacts.map((contact: unknown) => cut("name_original")(objectOf(contact), dummy)) }
        : json
    }),
  ),
]

export const profile = [...pipeline, ...decoding, ...rates, ...ofAgents, ...ofCalls, ...ofCampaigns]
