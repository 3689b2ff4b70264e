/**
 * Servers that chose otherwise than a published reading of subscriptions, destinations, events and deliveries, each in one thing, and keep
 * what the specification says.
 */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import { hmac, signatureOf } from "../../../src/trial/Webhooks.ts"
import {
  asks,
  at,
  cut,
  forgives,
  fresh,
  is,
  payloadOf,
  receives,
  recodes,
  refuses,
  row,
  textOf,
  together,
  where,
  wire,
  writes,
} from "../Defects.ts"
import { type Asked, type Defect, objectOf, type Reply } from "../Mutant.ts"
import { c, m } from "../Table.ts"
import { callOf, isOfType, retold } from "./OtherwiseCampaigns.ts"

const subscribe = "POST /v2/webhooks"
const test = "POST /v2/webhooks/test"

const urlOf = ({ json }: Asked): string => textOf(at(json, "callback_url") ?? "")

/** What a test reports whose request never reached an endpoint. */
const notReached = (error_class: string) => (asked: Asked) => {
  const json = objectOf(asked.json)
  return {
    accepted: true,
    delivered: false,
    http_status: null,
    error_class,
    error_message: "The endpoint was not reached.",
    duration_ms: 1,
    signed: "secret" in json,
    signature_header: "X-Service-Signature",
    event_type: json["event_type"] ?? "all_processing_completed",
    event_id: "evt_x",
    delivery_id: "dlv_x",
    callback_host: urlOf(asked).split("/")[2] ?? "",
    method_type: json["method_type"] ?? "POST",
    sent_header_names: ["Content-Type", "X-Service-Delivery-Id"],
    body: "{}",
  }
}

/** Destinations of a form are names like any other: a test does not reach them, and a subscription to them is made. */
const plainNames = (form: RegExp): Defect =>
  together(
    forgives(test, 1000, 202, notReached("dns_error"), (asked) => form.test(urlOf(asked))),
    forgives(
      subscribe,
      1000,
      201,
      ({ json }) => ({ subscription_id: "sub_x", enabled: true, ...objectOf(json) }),
      (asked) => form.test(urlOf(asked)),
    ),
  )

const ofDestinations = [
  m(
    "WEBHOOK-TARGET-P4",
    "Of several addresses of a name one that is allowed is taken.",
    forgives(test, 1000, 202, notReached("connect_error"), (asked) => urlOf(asked).includes("//mixed.")),
  ),
  m(
    "WEBHOOK-TARGET-P6",
    "An address that is not written as four numbers is a name.",
    plainNames(/^http:\/\/(127\.1|2130706433|0x7f\.1)\//),
  ),
  m("WEBHOOK-TARGET-P11", "A name of metadata is judged by its addresses alone.", plainNames(/^http:\/\/metadata\./)),
  m(
    "WEBHOOK-TARGET-P14",
    "A name is judged when it is tested, and not again when something is sent.",
    row(
      "GET /v2/webhooks/deliveries",
      where(is("callback_host", "inner.example.com"), (delivery) => ({
        ...delivery,
        status: "delivered",
        http_status: 200,
        error_class: null,
        error_message: null,
      })),
    ),
  ),
  m(
    "WEBHOOK-TARGET-P15",
    "A name of one label, or of a local ending, is a name like any other.",
    plainNames(/^http:\/\/([a-z-]+|[a-z-]+\.(local|internal|localhost))\.?\//),
  ),
  m(
    "WEBHOOK-TARGET-P16",
    "A name is resolved when a subscription is made.",
    refuses(subscribe, (asked) => urlOf(asked).includes("//inner."), 1000, 400),
  ),
]

/** Whether a refusal tells something. */
const tells = (word: RegExp) => (_asked: Asked, reply: Reply) => word.test(textOf(at(reply.json, "message") ?? ""))

/** A disabled subscription of an agent stands aside: its agent's events go to the default, under its own name. */
const standingAside = fresh(() => {
  let fallback: unknown
  const hidden = new Map<unknown, unknown>()
  const shown = (each: JsonObject): JsonObject =>
    hidden.has(each["subscription_id"])
      ? { ...each, callback_url: hidden.get(each["subscription_id"]), enabled: false }
      : each
  return together(
    row(["GET|POST /v2/webhooks", "GET|PATCH /v2/webhooks/*"], shown),
    wire(() => async (asked, next) => {
      const json = objectOf(asked.json)
      const id = /^\/v2\/webhooks\/(sub_[^/]+)$/.exec(asked.path)?.[1]
      if (asked.method === "POST" && asked.path === "/v2/webhooks") {
        if (json["agent_id"] == null) fallback = json["callback_url"]
        if (json["agent_id"] == null || json["enabled"] !== false || fallback === undefined) return next(asked)
        const reply = await next({ ...asked, json: { ...json, callback_url: fallback, enabled: true } })
        hidden.set(at(reply.json, "subscription_id"), json["callback_url"])
        return reply
      }
      if (asked.method !== "PATCH" || !hidden.has(id) || json["enabled"] !== true) return next(asked)
      const callback_url = hidden.get(id)
      hidden.delete(id)
      return next({ ...asked, json: { callback_url, ...json } })
    }),
  )
})

const ofSubscriptions = [
  m(
    "SUBSCRIPTION-P6",
    "A type or a method that a subscription cannot have is a value that is refused.",
    recodes([subscribe, "PATCH /v2/webhooks/*"], 1000, 1001, 422, tells(/event|method/i)),
  ),
  m(
    "WEBHOOK-TEST-P1",
    "A test of nothing lacks a parameter.",
    recodes(test, 1000, 1002, 400, ({ json }) => {
      const { callback_url, subscription_id } = objectOf(json)
      return callback_url == null && subscription_id == null
    }),
  ),
  m(
    "WEBHOOK-TEST-P2",
    "A subscription is tested with its own headers and no others.",
    asks(test, (json, asked) => (json["subscription_id"] == null ? json : cut("headers")(json, asked))),
  ),
  m(
    "DELIVERY-P7",
    "A subscription that is enabled again goes on with what was pending when it was disabled.",
    writes((change) => {
      if (change.put !== "subscription") return change
      const { disabled_after: _, ...row } = change.row
      return { ...change, row }
    }),
  ),
  m("EVENT-ROUTING-P2", "Where an agent's subscription is disabled its events go to the default.", standingAside),
  m(
    "EVENT-ROUTING-P3",
    "A URL of the agent alone is told of every completed call twice: that it ended, and that all is processed.",
    wire(() => {
      const subscribed = new Set<string>()
      return async (asked, next) => {
        const host = /\/\/([^./]+)\.inbox\.test\//.exec(urlOf(asked))?.[1]
        if (asked.path.startsWith("/v2/webhooks") && host !== undefined) subscribed.add(host)
        const reply = await next(asked)
        const inbox = /^\/_sim\/inbox\/([^/]+)$/.exec(asked.path)?.[1]
        const { data } = objectOf(reply.json)
        if (asked.method !== "GET" || inbox === undefined || subscribed.has(inbox) || !Array.isArray(data)) return reply
        const both = data.filter(isObject).flatMap((entry) => [completed(entry), entry])
        return { ...reply, json: { ...objectOf(reply.json), data: both } }
      }
    }),
  ),
]

/** The delivery that the end of a call alone would have had. */
const completed = (entry: JsonObject): JsonObject => {
  const payload = payloadOf(entry)
  const own = { event_type: "call_completed", event_id: `${textOf(payload["event_id"])}c` }
  return {
    ...entry,
    headers: { ...objectOf(entry["headers"]), "x-service-delivery-id": `dlv_${own.event_id}` },
    body: JSON.stringify({ ...payload, ...own }),
  }
}

const later = (time: unknown, ms: number): string => new Date(Date.parse(textOf(time)) + ms).toISOString()

const deliveryOf = (entry: JsonObject): unknown => {
  const all = Object.entries(objectOf(entry["headers"]))
  return all.find(([name]) => name.toLowerCase() === "x-service-delivery-id")?.[1]
}

/** Each attempt of a delivery comes so many milliseconds later than it would. */
const delayed = (...delays: ReadonlyArray<number>): Defect =>
  receives((entries) => {
    const tried = new Map<unknown, number>()
    return entries.map((entry) => {
      const delivery = deliveryOf(entry)
      const nth = tried.get(delivery) ?? 0
      tried.set(delivery, nth + 1)
      return { ...entry, received_at: later(entry["received_at"], delays[nth] ?? 0) }
    })
  })

/** An attempt after the first tells when it was sent itself, and is signed for that. */
const retimed = wire(() => {
  const secrets = new Map<string, string>()
  const seen = new Map<unknown, unknown>()
  const anew = async (entry: JsonObject, secret: string | undefined): Promise<JsonObject> => {
    const delivery = deliveryOf(entry)
    const first = seen.get(delivery) ?? entry["received_at"]
    seen.set(delivery, first)
    const payload = payloadOf(entry)
    if (first === entry["received_at"] || payload["timestamp"] == null) return entry
    const body = JSON.stringify({ ...payload, timestamp: entry["received_at"] })
    const headers = objectOf(entry["headers"])
    const name = Object.keys(headers).find((each) => each.toLowerCase() === "x-service-signature")
    if (name === undefined) return { ...entry, body }
    const t = signatureOf(textOf(headers[name]))?.t
    if (t === undefined || secret === undefined) return entry
    return { ...entry, body, headers: { ...headers, [name]: `t=${t},v1=${await hmac(secret, `${t}.${body}`)}` } }
  }
  return async (asked, next) => {
    const host = /\/\/([^./]+)\.inbox\.test\//.exec(urlOf(asked))?.[1]
    const secret = at(asked.json, "secret")
    if (host !== undefined && typeof secret === "string") secrets.set(host, secret)
    const reply = await next(asked)
    const inbox = /^\/_sim\/inbox\/([^/]+)$/.exec(asked.path)?.[1]
    const { data } = objectOf(reply.json)
    if (asked.method !== "GET" || inbox === undefined || !Array.isArray(data)) return reply
    const entries: Array<JsonObject> = []
    for (const entry of data.filter(isObject)) entries.push(await anew(entry, secrets.get(inbox)))
    return { ...reply, json: { ...objectOf(reply.json), data: entries } }
  }
})

const ofDeliveries = [
  m("DELIVERY-P1", "Attempts start 0, 10, 45 and 110 seconds after the first.", delayed(0, 5_000, 15_000, 20_000)),
  c("DELIVERY-P1", "The last attempt starts 125 seconds after the first.", delayed(0, 5_000, 20_000, 35_000)),
  m("DELIVERY-P4", "Every attempt tells its own time.", retimed),
]

const without = (holds: (entry: JsonObject, all: ReadonlyArray<JsonObject>) => boolean): Defect =>
  receives((entries) => entries.filter((entry) => !holds(entry, entries)))

const hasNoLeg = (entry: JsonObject): boolean => {
  const { call_sid, event_type } = payloadOf(entry)
  return event_type !== undefined && call_sid === null
}

const minuteMs = 60_000

const ofEvents = [
  m(
    "EVENT-TYPE-P1",
    "A call that is answered is not said to ring.",
    without(
      (entry, entries) =>
        isOfType("call_ringing")(entry) &&
        entries.some((other) => isOfType("call_started")(other) && callOf(other) === callOf(entry)),
    ),
  ),
  m("EVENT-TYPE-P4", "A recording is told of with the last event alone.", without(isOfType("recording_completed"))),
  c(
    "EVENT-TYPE-P4",
    "An analysis is told of with the last event alone.",
    without(isOfType("platform_analysis_completed")),
  ),
  m(
    "EVENT-TYPE-P10",
    "What is late is waited for until eleven minutes after the end.",
    receives((entries) =>
      entries.map((entry) => {
        const payload = payloadOf(entry)
        if (payload["event_type"] !== "all_processing_completed" || payload["processing_incomplete"] !== true)
          return entry
        const timestamp = later(payload["timestamp"], minuteMs)
        const body = JSON.stringify({ ...payload, timestamp })
        return { ...entry, body, received_at: later(entry["received_at"], minuteMs) }
      }),
    ),
  ),
  m("EVENT-TYPE-P11", "Of a call that never had a leg nothing is told.", without(hasNoLeg)),
  m(
    "PAYLOAD-P2",
    "A turn of a payload names its speaker and its text.",
    retold((payload) => {
      const { transcript } = payload
      return Array.isArray(transcript)
        ? {
            ...payload,
            transcript: transcript.map((turn: unknown) => ({ speaker: at(turn, "role"), text: at(turn, "content") })),
          }
        : payload
    }),
  ),
]

export const otherwiseDelivered = [...ofDestinations, ...ofSubscriptions, ...ofDeliveries, ...ofEvents]
