/**
 * Servers that chose otherwise than a published reading of requests, answers, ids, rates, tenancy, the audit trail and agents, each in one
 * thing, and keep what the specification says.
 */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  around,
  asks,
  at,
  body,
  cut,
  dummy,
  elsewhere,
  failing,
  headers,
  made,
  over,
  recodes,
  records,
  restates,
  row,
  rows,
  set,
  textOf,
  together,
  wire,
  words,
} from "../Defects.ts"
import { type Asked, objectOf, type Reply, type StoragePorts } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"
import { retold } from "./OtherwiseCampaigns.ts"

const all = "* /v2/**"
const place = "POST /v2/calls"
const createCampaign = "POST /v2/campaigns"
const agent = "PUT|PATCH /v2/agents/*"
const agents = ["GET /v2/agents", "POST /v2/agents", "GET|PUT|PATCH /v2/agents/*"]
const others = ["/v2/phone-numbers", "/v2/providers", "/v2/inbound-agents"]
const creates = others.map((path) => `POST ${path}`)
const deletes = [...others.map((path) => `DELETE ${path}/*`), "DELETE /v2/agents/*/versions/*"]

const told = (reply: Reply): string => textOf(at(reply.json, "message") ?? "")

type Rates = StoragePorts["rates"]

/** The counters of the rate are asked with another ceiling, or at another time. */
const counted = (limitOf: (limit: number) => number, timeOf: (now: number) => number) =>
  around((ports) => {
    const bent =
      (ask: Rates["hit"]): Rates["hit"] =>
      (organization, bucket, limit, now) =>
        ask(organization, bucket, limitOf(limit), timeOf(now))
    return { ...ports, rates: { hit: bent(ports.rates.hit), peek: bent(ports.rates.peek) } }
  })

const same = (value: number): number => value

const minuteMs = 60_000

const isRateRefusal = (reply: Reply): boolean => reply.status === 429 && told(reply).startsWith("Rate limit exceeded")

/** Refusals by the rate are counted like requests, so that less is left in the minute after. */
const refusalsCount = wire(() => {
  const refused = new Map<string, number>()
  return async (asked, next) => {
    const reply = await next(asked)
    const limit = reply.headers.get("x-ratelimit-limit")
    if (!asked.path.startsWith("/v2/") || limit === null || reply.status === 401) return reply
    const clock = await next(elsewhere(asked, "GET", "/_sim/clock"))
    const now = Date.parse(textOf(at(clock.json, "now")))
    const minute = Math.floor(now / minuteMs)
    const bucket = `${asked.headers.get("authorization")} ${limit}`
    const here = `${bucket} ${minute}`
    if (isRateRefusal(reply)) {
      refused.set(here, (refused.get(here) ?? 0) + 1)
      return reply
    }
    // A full figure is that of a limiter whose store is away.
    if (reply.headers.get("x-ratelimit-remaining") === limit) return reply
    const before = refused.get(`${bucket} ${minute - 1}`) ?? 0
    const weight = (before * (minuteMs - (now % minuteMs))) / minuteMs + (refused.get(here) ?? 0)
    const left = Number(reply.headers.get("x-ratelimit-remaining")) - weight
    const changed = new Headers(reply.headers)
    changed.set("x-ratelimit-remaining", String(Math.max(0, Math.floor(left))))
    if (left >= 0 || before === 0) return { ...reply, headers: changed }
    const reset = reply.headers.get("x-ratelimit-reset") ?? "60"
    changed.set("retry-after", reset)
    refused.set(here, (refused.get(here) ?? 0) + 1)
    const message = `Rate limit exceeded: ${limit} requests per minute for this organization. Retry in ${reset}s.`
    return failing({ ...reply, headers: changed }, 1300, 429, message)
  }
})

const ofRates = [
  m("RATE-P2", "What the rate refuses is counted too.", refusalsCount),
  m(
    "RATE-P4",
    "The seconds of the window are whole.",
    counted(same, (now) => now - (now % 1_000)),
  ),
  c(
    "RATE-P4",
    "The minutes begin seventeen seconds later than those of the clock.",
    counted(same, (now) => now - 17_000),
  ),
  m(
    "RATE-P5",
    "A request is counted before the estimate is looked at.",
    together(
      counted((limit) => limit - 1, same),
      headers(all, (h, reply) => {
        const [left, limit] = [Number(h.get("x-ratelimit-remaining")), Number(h.get("x-ratelimit-limit"))]
        if (reply.status !== 429 && h.has("x-ratelimit-limit"))
          h.set("x-ratelimit-remaining", String(Math.min(limit, left + 1)))
      }),
    ),
  ),
]

const isBody = ({ json, method }: Asked): boolean => method !== "GET" && json !== undefined

const ofDecoding = [
  m(
    "DECODE-P2",
    "A field that a body has to have is a value of the body, and without it the body is not valid.",
    recodes(all, 1002, 1001, 422, (asked) => isBody(asked) && asked.path !== "/v2/calls"),
  ),
  m(
    "DECODE-P3",
    "A null where something is needed is as if it were not there.",
    recodes([place, createCampaign], 1001, 1002, 400, ({ json }, reply) => {
      const name = /'(agent_id|to_number|name)'/.exec(told(reply))?.[1]
      return name !== undefined && objectOf(json)[name] === null
    }),
  ),
  m(
    "DECODE-P4",
    "Places in a list are named in brackets of a query, without dots.",
    words(all, 1001, (message) => message.replace(/(contacts\[\d+\])\.(\w+)/, "$1[$2]")),
  ),
  c(
    "DECODE-P4",
    "Of several fields that are wrong the last is named.",
    answers(place, (reply, { json }) => {
      const { timeout_seconds } = objectOf(json)
      const isLater = typeof timeout_seconds === "number" && (timeout_seconds < 5 || timeout_seconds > 120)
      return reply.status === 422 && isLater
        ? failing(reply, 1001, 422, "Invalid value for 'timeout_seconds': out of range.")
        : reply
    }),
  ),
  m(
    "DECODE-P14",
    "A number needs no plus.",
    asks([place, createCampaign, "POST /v2/batches"], (json) => {
      const plus = (value: unknown) =>
        /^\d{7,15}$/.test(textOf(value)) && typeof value === "string" ? `+${value}` : value
      const { contacts, to_number } = json
      return {
        ...json,
        ...(to_number === undefined ? {} : { to_number: plus(to_number) }),
        ...(Array.isArray(contacts)
          ? {
              contacts: contacts.map((contact: unknown) =>
                isObject(contact) && "to_number" in contact
                  ? { ...contact, to_number: plus(contact["to_number"]) }
                  : contact,
              ),
            }
          : {}),
      }
    }),
  ),
  m(
    "DECODE-P15",
    "More contacts than there may be are input that no schema refuses.",
    recodes(createCampaign, 1001, 1000, 400, (_asked, reply) => /50,?000/.test(told(reply))),
  ),
  c(
    "DECODE-P15",
    "An address that is too long is 1000.",
    recodes(["POST /v2/webhooks", "POST /v2/webhooks/test", "PATCH /v2/webhooks/*"], 1001, 1000, 400, (_asked, reply) =>
      told(reply).includes("callback_url"),
    ),
  ),
  m(
    "DECODE-P16",
    "A zone or a day that there is not is a value that is refused.",
    recodes(
      ["POST /v2/agents", agent],
      1000,
      1001,
      422,
      ({ json }, reply) => /zone|day/.test(told(reply)) && isObject(objectOf(json)["calling_guard"]),
    ),
  ),
]

const ofAnswers = [
  m(
    "RESPONSE-P1",
    "A refusal is a problem by its content type.",
    headers(all, (h, reply) => {
      if (reply.status >= 400) h.set("content-type", "application/problem+json")
    }),
  ),
  m(
    "RESPONSE-P3",
    "Nothing is said of caches.",
    headers(all, (h) => h.delete("cache-control")),
  ),
  m(
    "ENVELOPE-P2",
    "A call that is read by itself has no error, whatever became of it: a success has none.",
    body("GET /v2/calls/*", cut("error")),
  ),
  m(
    "ERROR-UPSTREAM-P1",
    "Without a time of the carrier a busy telephony service says to wait five seconds.",
    headers(place, (h, reply) => {
      if (reply.status === 429 && h.get("retry-after") === "1") h.set("retry-after", "5")
    }),
  ),
  each("RESOURCE-P1", "What is made of other resources is 200.", restates(creates, 201, 200)),
  m(
    "RESOURCE-P2",
    "A deletion says that it succeeded, in a word of its own.",
    body(deletes, () => ({ success: true })),
  ),
  m(
    "RESOURCE-P3",
    "An agent and a key that are deleted say that they are deleted too.",
    body(["DELETE /v2/agents/*", "DELETE /v2/api-keys/*"], set("deleted", true)),
  ),
]

/** A prefix of ids that stands for another one in everything that the server tells, and in everything that it is told. */
const renamed = (ours: string, theirs: string) =>
  together(
    retold((payload) => objectOf(JSON.parse(JSON.stringify(payload).replaceAll(ours, theirs)))),
    wire(() => async (asked, next) => {
      const inward = (text: string) => text.replaceAll(theirs, ours)
      const query = new URLSearchParams(inward(asked.query.toString()))
      const json: unknown = asked.json === undefined ? undefined : JSON.parse(inward(JSON.stringify(asked.json)))
      const reply = await next({ ...asked, path: inward(asked.path), query, ...(json === undefined ? {} : { json }) })
      const text = reply.text.replaceAll(ours, theirs)
      return { ...reply, text, ...(reply.json === undefined ? {} : { json: JSON.parse(text) }) }
    }),
  )

const ofIds = [
  m("ID-P1", "The ids of agents have another prefix.", renamed("agt_", "agent-")),
  m(
    "ID-P3",
    "Of calls that were made at one moment the first comes first.",
    rows("GET /v2/calls", (found) =>
      found.toSorted((a, b) =>
        a["created_at"] === b["created_at"] ? found.indexOf(b) - found.indexOf(a) : found.indexOf(a) - found.indexOf(b),
      ),
    ),
  ),
  m(
    "ID-P4",
    "call_sid is an id of the server's own.",
    body(
      place,
      over("call_sid", (sid) => `own-${textOf(sid)}`),
    ),
  ),
]

const isAgent = /^\/v2\/agents\/[^/]+$/

/** What a clone's model has is made for the clone too. */
const clonedToo = wire(() => async (asked, next) => {
  const reply = await next(asked)
  const [, , , model = "", last] = asked.path.split("/")
  if (asked.method !== "POST" || last !== "clone" || reply.status !== 201) return reply
  const agent_id = at(reply.json, "agent_id")
  const query = new URLSearchParams({ agent_id: model })
  const found = await next({ ...elsewhere(asked, "GET", "/v2/webhooks"), query })
  const { data } = objectOf(found.json)
  const type = new Headers(asked.headers)
  type.set("content-type", "application/json")
  for (const { callback_url, event_types } of Array.isArray(data) ? data.filter(isObject) : []) {
    const json = { agent_id, callback_url, event_types }
    await next({ ...elsewhere(asked, "POST", "/v2/webhooks"), headers: type, json })
  }
  return reply
})

const controls = [
  "completion_probe",
  "probe_start_delay_seconds",
  "presence_probe_enabled",
  "presence_probe_after_seconds",
]

const isVoiceless = (language: unknown): language is JsonObject => isObject(language) && language["voice_id"] == null

/** The voice that a language without one is stored with. */
const agentsVoice = "voice-of-the-agent"

const languages = (change: (language: JsonObject) => JsonObject) =>
  over("multilingual.languages", (map) =>
    Object.fromEntries(
      Object.entries(objectOf(map)).map(([name, value]) => [name, isObject(value) ? change(value) : value]),
    ),
  )

const ofAgents = [
  m(
    "AGENT-UPDATE-P2",
    "What a PATCH names of the analysis is added to it.",
    wire(() => async (asked, next) => {
      const custom = at(asked.json, "analytics.custom")
      if (asked.method !== "PATCH" || !isAgent.test(asked.path) || !Array.isArray(custom)) return next(asked)
      const before = at((await next(elsewhere(asked, "GET", asked.path))).json, "analytics.custom")
      const whole = [...(Array.isArray(before) ? before : []), ...custom]
      return next({ ...asked, json: set("analytics.custom", whole)(objectOf(asked.json), asked) })
    }),
  ),
  m(
    "AGENT-DELETE-P1",
    "The answer to a deletion is the agent.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (asked.method !== "DELETE" || !isAgent.test(asked.path) || reply.status !== 200) return reply
      const { agent_id: _id, ...rest } = objectOf((await next(elsewhere(asked, "GET", asked.path))).json)
      return made(reply, 200, { agent: rest })
    }),
  ),
  m("AGENT-CLONE-P3", "A clone is told of as its model is.", clonedToo),
  m(
    "AGENT-CONTROLS-P1",
    "The remaining four controls are others.",
    together(
      asks(["POST /v2/agents", agent], cut(...controls.map((name) => `conversation_config.${name}`))),
      row(agents, cut(...controls.map((name) => `conversation_config.${name}`))),
    ),
  ),
  m(
    "AGENT-CONTROLS-P2",
    "A null instead of the controls takes those messages away.",
    asks("PATCH /v2/agents/*", (json) =>
      json["conversation_config"] === null
        ? { ...json, conversation_config: { finale_message: null, presence_probe_message: null } }
        : json,
    ),
  ),
  m(
    "AGENT-RESPONSE-P1",
    "A language without a voice speaks with the agent's.",
    together(
      asks(
        ["POST /v2/agents", agent],
        languages((language) => (isVoiceless(language) ? { ...language, voice_id: agentsVoice } : language)),
      ),
      row(
        agents,
        languages((language) => (language["voice_id"] === agentsVoice ? cut("voice_id")(language, dummy) : language)),
      ),
    ),
  ),
]

const isFollower = (_asked: Asked, reply: Reply): boolean => reply.status === 404

const ofTenants = [
  m(
    "TENANCY-P1",
    "An agent of follow-ups that is nobody's is a value that is refused.",
    recodes(
      [createCampaign, "PATCH /v2/campaigns/*"],
      1200,
      1001,
      422,
      (asked, reply) => isFollower(asked, reply) && at(asked.json, "follow_up_policy.follow_up_agent_id") !== undefined,
    ),
  ),
  m(
    "SCOPE-POLICY-P1",
    "keys:* holds keys:write, as its name says.",
    asks(
      "POST /_sim/organizations",
      over("keys", (keys) =>
        (Array.isArray(keys) ? keys : []).map((key: unknown) => {
          const scopes = at(key, "scopes")
          return Array.isArray(scopes) && scopes.includes("keys:*")
            ? { ...objectOf(key), scopes: [...scopes, "keys:write"] }
            : key
        }),
      ),
    ),
  ),
  m(
    "SCOPE-POLICY-P3",
    "A key that holds nothing is denied everything but the list of scopes.",
    wire(() => async (asked, next) => {
      if (!asked.path.startsWith("/v2/") || asked.path === "/v2/scopes") return next(asked)
      const granted = at((await next(elsewhere(asked, "GET", "/v2/scopes"))).json, "key.granted")
      const reply = await next(asked)
      return Array.isArray(granted) && granted.length === 0 && reply.status < 400 ? failing(reply, 1102, 403) : reply
    }),
  ),
]

/** A refused creation of an agent leaves a record: that of a refusal which is recorded, under its name. */
const refusalsRecorded = together(
  records((entry) =>
    entry.action === "api_key.revoke" && entry.outcome === "failed" ? { ...entry, action: "agent.create" } : entry,
  ),
  wire(() => async (asked, next) => {
    const reply = await next(asked)
    if (asked.method !== "POST" || asked.path !== "/v2/agents" || reply.status !== 422) return reply
    const own = at((await next(elsewhere(asked, "GET", "/v2/user/me"))).json, "developer.key_id")
    await next(elsewhere(asked, "DELETE", `/v2/api-keys/${textOf(own)}`))
    return reply
  }),
)

const ofAudit = [m("AUDIT-P11", "What validation refuses is recorded as failed.", refusalsRecorded)]

export const otherwiseEvery = [...ofRates, ...ofDecoding, ...ofAnswers, ...ofIds, ...ofAgents, ...ofTenants, ...ofAudit]
