import { isObject, type JsonObject } from "../../src/http/Json.ts"
import { type Chameleon, body, deep, having, type Reply, rows, type Seen } from "./Chameleon.ts"

const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/

const notAMessage = new Set([1300, 1500])

/** Errors whose words are free; the two 429 are told apart by theirs, and that of a fault is a constant. */
const worded =
  (say: (message: string, seen: Seen) => string) =>
  (reply: Reply, seen: Seen): Reply => {
    if (!isObject(reply.json) || reply.status < 400 || seen.path.startsWith("/_sim")) return reply
    const { error, message } = reply.json
    if (typeof message !== "string" || notAMessage.has(Number(error))) return reply
    return { ...reply, json: { ...reply.json, message: say(message, seen) } }
  }

const header =
  (change: (headers: Headers, reply: Reply) => void) =>
  (reply: Reply, seen: Seen): Reply => {
    if (seen.path.startsWith("/v2")) change(reply.headers, reply)
    return reply
  }

const whole = (headers: Headers, name: string): number => Number(headers.get(name))

/** A code and its status instead of others, for answers to some routes. */
const coded =
  (path: RegExp, from: number, to: number, status: number) =>
  (reply: Reply, seen: Seen): Reply =>
    path.test(seen.path) && isObject(reply.json) && reply.json["error"] === from
      ? { ...reply, status, json: { ...reply.json, error: to } }
      : reply

/** What an inbox got, with other headers and another body. */
const received = (change: (request: JsonObject) => JsonObject) =>
  body("GET", /^\/_sim\/inbox\//, (json) => ({
    ...json,
    data: (Array.isArray(json["data"]) ? json["data"] : []).map((each: unknown) =>
      isObject(each) ? change(each) : each,
    ),
  }))

const headersOf = (request: JsonObject): JsonObject => (isObject(request["headers"]) ? request["headers"] : {})

const withBody = (request: JsonObject, change: (payload: JsonObject) => JsonObject): JsonObject => {
  // What is signed cannot be changed without the secret.
  if ("x-service-signature" in headersOf(request)) return request
  const payload: unknown = JSON.parse(String(request["body"]))
  return isObject(payload) ? { ...request, body: JSON.stringify(change(payload)) } : request
}

const nullInPayload = (field: string, row: string): Chameleon => ({
  id: `payload/null-${field}`,
  allows: row,
  reply: received((request) => withBody(request, (payload) => having(payload, { [field]: null }))),
})

const wordings: ReadonlyArray<Chameleon> = [
  {
    id: "wording/other-words",
    allows: "the message wording may change and must never be parsed",
    reply: worded((message, { path }) => (path.endsWith("/recording") ? message : `Sorry: ${message}`)),
  },
  {
    id: "wording/polite",
    allows: "one sentence ending in a period",
    reply: worded((message, { path }) =>
      path.endsWith("/recording") ? message : message.replace(/\.$/, ", we are sorry."),
    ),
  },
  {
    id: "wording/not-found",
    allows: "integer error codes are stable while message wording may change",
    reply: worded((message, { path, status }) =>
      status === 404 && !path.endsWith("/recording") ? "Nothing of that name is here." : message,
    ),
  },
  {
    id: "wording/unauthenticated",
    allows: "clients branch on the code, never the message",
    reply: worded((message, { status }) => (status === 401 ? "Who are you, please." : message)),
  },
]

/** The words by which the two 429 are told apart; what follows them is free. */
const limitWords = /^(Rate limit exceeded|Account concurrency limit reached).*$/s

const ofLimits: Chameleon = {
  id: "wording/limits",
  allows:
    'a message beginning "Rate limit exceeded" is the request rate, one beginning "Account concurrency limit reached" is concurrency.',
  reply: (reply) =>
    isObject(reply.json) && reply.status === 429 && typeof reply.json["message"] === "string"
      ? { ...reply, json: { ...reply.json, message: reply.json["message"].replace(limitWords, "$1, so come back.") } }
      : reply,
}

const bodies: ReadonlyArray<Chameleon> = [
  {
    id: "body/pretty",
    allows: "All bodies are JSON unless stated",
    write: (text) => `\n${JSON.stringify(JSON.parse(text), null, 4)}\n`,
  },
  {
    id: "body/escaped",
    allows: "All bodies are JSON unless stated (multipart for uploads)",
    write: (text) =>
      text.replace(/[\u007f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`),
  },
  {
    id: "body/other-order",
    allows: "All bodies are JSON",
    reply: (reply, { path }) =>
      path.startsWith("/_sim")
        ? reply
        : {
            ...reply,
            json: deep(reply.json, (value) =>
              isObject(value) ? Object.fromEntries(Object.entries(value).toReversed()) : value,
            ),
          },
  },
  {
    id: "body/more-fields",
    allows: "Other fields inside `rate_limits` and `concurrency`: not shown.",
    reply: body(
      "*",
      /^\/v2\/(user\/me|calls|agents|campaigns)/,
      rows((row) => ({ ...row, own_extra: { more: [1] } })),
    ),
  },
  {
    id: "times/offset",
    allows: "Timestamps are ISO-8601 UTC strings unless stated.",
    reply: (reply, { path }) =>
      path.startsWith("/_sim")
        ? reply
        : {
            ...reply,
            json: deep(reply.json, (value) =>
              typeof value === "string" && isTime.test(value) ? value.replace("Z", "+00:00") : value,
            ),
          },
  },
  {
    id: "times/microseconds",
    allows: "Timestamps are ISO-8601 UTC strings",
    reply: (reply, { path }) =>
      path.startsWith("/_sim")
        ? reply
        : {
            ...reply,
            json: deep(reply.json, (value) =>
              typeof value === "string" && isTime.test(value) ? value.replace(/(\.\d{3})Z/, "$1000Z") : value,
            ),
          },
  },
]

const headers: ReadonlyArray<Chameleon> = [
  {
    id: "headers/charset",
    allows: "Request headers include `Content-Type`",
    reply: header((all) =>
      all.get("content-type") === null ? undefined : all.set("content-type", "application/json; charset=utf-8"),
    ),
  },
  {
    id: "headers/bare",
    allows:
      "Every `/v2` response, success or failure, carries `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`.",
    reply: header((all) => {
      for (const name of ["x-request-id", "cache-control", "idempotent-replayed"]) all.delete(name)
    }),
  },
  {
    id: "headers/more",
    allows: "A 429 also carries `Retry-After`.",
    reply: header((all, { status }) => {
      all.set("server", "own/1.0")
      all.set("vary", "authorization")
      if (status === 401) all.set("www-authenticate", "Bearer")
      if (status === 503) all.set("retry-after", "5")
    }),
  },
  {
    id: "rate/remaining-before-this",
    allows: "`X-RateLimit-Remaining` (limit minus estimate, floored at 0)",
    reply: header((all, { status }) => {
      const limit = whole(all, "x-ratelimit-limit")
      if (status !== 429)
        all.set("x-ratelimit-remaining", String(Math.min(limit, whole(all, "x-ratelimit-remaining") + 1)))
    }),
  },
  {
    id: "rate/reset-rounded-down",
    allows: "`X-RateLimit-Reset` (seconds until the window rolls; a duration, not a timestamp)",
    reply: header((all) => all.set("x-ratelimit-reset", String(Math.max(0, whole(all, "x-ratelimit-reset") - 1)))),
  },
  {
    id: "rate/always-a-minute",
    allows: "On 429: `Retry-After` seconds (1-60 for request rate).",
    reply: header((all, { json, status }) => {
      if (status === 429 && isObject(json) && String(json["message"]).startsWith("Rate limit"))
        all.set("retry-after", "60")
    }),
  },
  {
    id: "idempotency/none",
    allows: "No other header, query parameter or browser session works.",
    ignores: "idempotency-key",
    reply: (reply) => reply,
  },
]

const codes: ReadonlyArray<Chameleon> = [
  {
    id: "codes/batch-bodies",
    allows: "Request and response bodies of the batch routes: not shown.",
    reply: coded(/^\/v2\/batches/, 1001, 1000, 400),
  },
  {
    id: "codes/named-routes",
    allows: "Paths, parameters and bodies of these: not shown.",
    reply: coded(/^\/v2\/(phone-numbers|providers|inbound-agents|usage)/, 1001, 1000, 400),
  },
  {
    id: "codes/subscriptions",
    allows: "Their request and response shapes: not shown.",
    reply: coded(/^\/v2\/webhooks(\/sub_[^/]+)?$/, 1000, 1001, 422),
  },
  {
    id: "codes/experiments",
    allows: "their shapes: not shown.",
    reply: coded(/^\/v2\/agents\/[^/]+\/versions$/, 1001, 1000, 400),
  },
]

const deliveries: ReadonlyArray<Chameleon> = [
  {
    id: "signature/upper-case",
    allows: "Signature: header value `t=<unix_seconds>,v1=<hex>`",
    reply: received((request) => {
      const all = headersOf(request)
      const signature = all["x-service-signature"]
      if (typeof signature !== "string") return request
      const upper = signature.replace(/v1=([0-9a-f]+)/, (_whole, hex: string) => `v1=${hex.toUpperCase()}`)
      return { ...request, headers: { ...all, "x-service-signature": upper } }
    }),
  },
  {
    id: "delivery/more-headers",
    allows: "Request headers include `Content-Type`, `X-Service-Delivery-Id`",
    reply: received((request) => ({
      ...request,
      headers: { ...headersOf(request), "user-agent": "own/1", accept: "*/*" },
    })),
  },
  {
    id: "delivery/charset",
    allows: "Request headers include `Content-Type`",
    reply: received((request) => ({
      ...request,
      headers: { ...headersOf(request), "content-type": "application/json; charset=utf-8" },
    })),
  },
  {
    id: "payload/other-events",
    allows: "Payload shapes of the seven event types other than `all_processing_completed`: not shown.",
    reply: received((request) =>
      withBody(request, (payload) =>
        payload["event_type"] === "all_processing_completed" || payload["test"] === true
          ? payload
          : { event_type: payload["event_type"], event_id: payload["event_id"], call_id: payload["call_id"] },
      ),
    ),
  },
  nullInPayload("sub_status", "| sub_status | string | Finer reason |"),
  nullInPayload("call_sid", "| call_sid | string | Carrier leg id |"),
  nullInPayload(
    "overall_latency_seconds",
    "| overall_latency_seconds, first_utterance_seconds | number | Latency figures |",
  ),
  nullInPayload("tool_call_logs", "| tool_call_logs | array | Tools invoked |"),
  nullInPayload("called_on", "| called_on | string | Placement time in the campaign's timezone |"),
  nullInPayload("retry_chain", "| retry_chain | array | execution_ids of the chain |"),
  nullInPayload("attempts", "| attempts | array | Every attempt, oldest first |"),
  nullInPayload("version", "| version | string | Payload version |"),
  nullInPayload("transcript", "| transcript | array | One entry per turn |"),
]

/** Answers that are written, worded or counted otherwise. */
export const answers: ReadonlyArray<Chameleon> = [...wordings, ofLimits, ...bodies, ...headers, ...codes, ...deliveries]
