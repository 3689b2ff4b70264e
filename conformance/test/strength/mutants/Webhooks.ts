/** Mistakes with webhooks: subscriptions, tests, routing, deliveries, signatures and payloads. */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  body,
  carries,
  cut,
  dummy,
  failing,
  forgives,
  fresh,
  headers,
  is,
  over,
  payloadOf,
  receives,
  recodes,
  refuses,
  restates,
  row,
  rows,
  sends,
  set,
  textOf,
  together,
  where,
  wire,
  writes,
} from "../Defects.ts"
import { objectOf } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"

const create = "POST /v2/webhooks"
const one = "/v2/webhooks/sub_*"
const edits = [create, `PATCH ${one}`]
const shown = [create, "GET /v2/webhooks", `GET|PATCH ${one}`]
const test = "POST /v2/webhooks/test"
const ledger = "GET /v2/webhooks/deliveries"
const sentIs =
  (name: string, holds: (value: unknown) => boolean) =>
  ({ json }: { readonly json: unknown }) =>
    name in objectOf(json) && holds(objectOf(json)[name])
const final = (payload: JsonObject) => payload["event_type"] === "all_processing_completed" && payload["test"] !== true
const isTest = (payload: JsonObject) => payload["test"] === true
const limitOf = (route: string, limit: number) => headers(route, (h) => h.set("x-ratelimit-limit", String(limit)))
const eventTypes = [
  "all_processing_completed",
  "call_completed",
  "call_corrected",
  "call_ringing",
  "call_started",
  "client_analysis_completed",
  "platform_analysis_completed",
  "recording_completed",
]
const dropping = (holds: (payload: JsonObject, entry: JsonObject) => boolean) =>
  receives((list) => list.filter((e) => !holds(payloadOf(e), e)))

const subscriptions = [
  m(
    "SUBSCRIPTION-1",
    "subscription_id is called id.",
    row(shown, ({ subscription_id, ...rest }) => ({ ...rest, id: subscription_id })),
  ),
  c("SUBSCRIPTION-1", "subscription_id is missing on lists.", row("GET /v2/webhooks", cut("subscription_id"))),
  m(
    "SUBSCRIPTION-2",
    "callback_url is cut to its host.",
    row(
      shown,
      over("callback_url", (v) => new URL(textOf(v)).origin),
    ),
  ),
  each(
    "SUBSCRIPTION-2 CONSTANT-15",
    "2048 characters are refused.",
    refuses(
      edits,
      sentIs("callback_url", (v) => textOf(v).length === 2048),
      1001,
      422,
    ),
  ),
  each(
    "SUBSCRIPTION-2 CONSTANT-15",
    "2049 characters are cut.",
    asks(
      [...edits, test],
      over("callback_url", (v) => textOf(v).slice(0, 2048)),
    ),
  ),
  m(
    "SUBSCRIPTION-3",
    "The default method is PUT.",
    asks(create, (j) => ({ method_type: "PUT", ...j })),
  ),
  c(
    "SUBSCRIPTION-3",
    "PUT is delivered by POST.",
    receives((list) => list.map((e) => ({ ...e, method: "POST" }))),
  ),
  c("SUBSCRIPTION-3", "A PATCH of the method is ignored.", asks(`PATCH ${one}`, cut("method_type"))),
  m(
    "SUBSCRIPTION-4",
    "headers are shown.",
    fresh(() => {
      let kept: unknown
      return together(
        answers(edits, (r, a) => {
          if ("headers" in objectOf(a.json)) kept = objectOf(a.json)["headers"]
          return r
        }),
        row(shown, (r) => ({ ...r, headers: kept ?? {} })),
      )
    }),
  ),
  c(
    "SUBSCRIPTION-4",
    "headers are not sent.",
    carries((h) =>
      Object.fromEntries(
        Object.entries(h).filter(
          ([n]) =>
            ["content-type", "content-length", "host", "user-agent", "accept"].includes(n.toLowerCase()) ||
            n.toLowerCase().startsWith("x-service"),
        ),
      ),
    ),
  ),
  c("SUBSCRIPTION-4", "headers set by PATCH are not sent.", asks(`PATCH ${one}`, cut("headers"))),
  m(
    "SUBSCRIPTION-5",
    "secret is shown.",
    fresh(() => {
      let kept: unknown
      return together(
        answers(edits, (r, a) => {
          if ("secret" in objectOf(a.json)) kept = objectOf(a.json)["secret"]
          return r
        }),
        row(shown, (r) => ({ ...r, secret: kept ?? null })),
      )
    }),
  ),
  c("SUBSCRIPTION-5", "secret is shown on lists, masked.", row("GET /v2/webhooks", set("secret", "wh***"))),
  c("SUBSCRIPTION-5", "A secret set by PATCH is ignored.", asks(`PATCH ${one}`, cut("secret"))),
  m(
    "SUBSCRIPTION-6",
    "event_types is text.",
    row(
      shown,
      over("event_types", (v) => textOf(v)),
    ),
  ),
  c(
    "SUBSCRIPTION-6",
    "Of several event types the first is kept.",
    asks(
      edits,
      over("event_types", (v) => (Array.isArray(v) ? v.slice(0, 1) : v)),
    ),
  ),
  m("SUBSCRIPTION-7", "enabled is text.", row(shown, over("enabled", String))),
  c("SUBSCRIPTION-7", "enabled: false is ignored on create.", asks(create, cut("enabled"))),
  m("SUBSCRIPTION-8", "agent_id is missing.", row(shown, cut("agent_id"))),
  c("SUBSCRIPTION-8", "agent_id of a subscription on lists is null.", row("GET /v2/webhooks", set("agent_id", null))),
  m(
    "WEBHOOK-ROUTES-1",
    "There is no ledger.",
    refuses(ledger, () => true, 1200, 404),
  ),
  c(
    "WEBHOOK-ROUTES-1",
    "There is no PATCH of subscriptions.",
    refuses(`PATCH ${one}`, () => true, 1200, 404),
  ),
  c(
    "WEBHOOK-ROUTES-1",
    "There are no event-subscriptions.",
    refuses("PATCH /v2/agents/*/event-subscriptions", () => true, 1200, 404),
  ),
  c(
    "WEBHOOK-ROUTES-1",
    "There is no list of subscriptions.",
    refuses("GET /v2/webhooks", () => true, 1200, 404),
  ),
]

const deleting = "DELETE /v2/webhooks/*"
const deletions = [
  m("WEBHOOK-DELETE-1", "Deleting counts in calls.create.", limitOf(deleting, 600)),
  m(
    "WEBHOOK-DELETE-2",
    "A deleted subscription is disabled.",
    wire(() => async (asked, next) => {
      if (asked.method !== "DELETE" || !/^\/v2\/webhooks\/[^/]+$/.test(asked.path)) return next(asked)
      const reply = await next({
        ...asked,
        method: "PATCH",
        json: { enabled: false },
        headers: new Headers([...asked.headers, ["content-type", "application/json"]]),
      })
      return reply.status === 200 ? { ...reply, status: 204, json: undefined, text: "" } : reply
    }),
  ),
  c(
    "WEBHOOK-DELETE-2",
    "A deleted subscription can be read.",
    fresh(() => {
      const known = new Map<string, JsonObject>()
      return together(
        row([create], (r) => {
          known.set(`/v2/webhooks/${textOf(r["subscription_id"])}`, r)
          return r
        }),
        forgives(
          "GET /v2/webhooks/*",
          1200,
          200,
          (a) => known.get(a.path) ?? {},
          (a) => known.has(a.path),
        ),
      )
    }),
  ),
  c(
    "WEBHOOK-DELETE-2",
    "A deleted subscription is still listed.",
    fresh(() => {
      const known: Array<JsonObject> = []
      return together(
        row([create], (r) => {
          known.push(r)
          return r
        }),
        rows("GET /v2/webhooks", (l) => [
          ...l,
          ...known.filter((k) => !l.some((r) => r["subscription_id"] === k["subscription_id"])),
        ]),
      )
    }),
  ),
  m("WEBHOOK-DELETE-3", "Deleting is 200.", restates(deleting, 204, 200)),
  m(
    "WEBHOOK-DELETE-4",
    "A foreign subscription is deleted.",
    forgives(deleting, 1200, 204, () => undefined),
  ),
  c("WEBHOOK-DELETE-4", "A foreign subscription is 403.", recodes(deleting, 1200, 1102, 403)),
  m(
    "WEBHOOK-DELETE-5",
    "Deleting twice is 204.",
    fresh(() => {
      const gone = new Set<string>()
      return answers(deleting, (r, a) => {
        if (gone.has(a.path)) return { ...r, status: 204, json: undefined, text: "" }
        if (r.status === 204) gone.add(a.path)
        return r
      })
    }),
  ),
  m(
    "WEBHOOK-DELETE-6",
    "The ledger goes with the subscription.",
    fresh(() => {
      const gone = new Set<string>()
      return together(
        answers(deleting, (r, a) => {
          if (r.status === 204) gone.add(a.path.split("/")[3] ?? "")
          return r
        }),
        rows(ledger, (l) => l.filter((r) => !gone.has(textOf(r["subscription_id"])))),
      )
    }),
  ),
  c(
    "WEBHOOK-DELETE-6",
    "Rows of a deleted subscription lose its id.",
    fresh(() => {
      const gone = new Set<string>()
      return together(
        answers(deleting, (r, a) => {
          if (r.status === 204) gone.add(a.path.split("/")[3] ?? "")
          return r
        }),
        body(ledger, (j, a) => (gone.has(a.query.get("subscription_id") ?? "") ? { ...j, data: [] } : j)),
      )
    }),
  ),
  m(
    "WEBHOOK-DELETE-7",
    "Without its last subscription an agent is silent.",
    fresh(() => {
      let isGone = false
      return together(
        answers(deleting, (r) => {
          if (r.status === 204) isGone = true
          return r
        }),
        receives((l) => (isGone ? [] : l)),
      )
    }),
  ),
  m(
    "WEBHOOK-DELETE-8",
    "enabled: false is ignored.",
    asks(`PATCH ${one}`, (j) => (j["enabled"] === false ? { ...j, enabled: true } : j)),
  ),
  c(
    "WEBHOOK-DELETE-8",
    "enabled: true does not bring it back.",
    asks(`PATCH ${one}`, (j) => (j["enabled"] === true ? { ...cut("enabled")(j, dummy), description: "x" } : j)),
  ),
  m(
    "WEBHOOK-DELETE-9",
    "A change is live in a minute.",
    fresh(() => {
      const old = new Map<string, JsonObject>()
      return together(
        row([create], (r) => {
          old.set(textOf(r["subscription_id"]), r)
          return r
        }),
        row(`GET ${one}`, (r) => old.get(textOf(r["subscription_id"])) ?? r),
      )
    }),
  ),
  c(
    "WEBHOOK-DELETE-9",
    "After a PATCH the old address is called.",
    asks(`PATCH ${one}`, (j) => ("callback_url" in j ? { ...cut("callback_url")(j, dummy), description: "x" } : j)),
  ),
]

const tests = [
  m("WEBHOOK-TEST-1", "Tests count in calls.create.", limitOf(test, 600)),
  m(
    "WEBHOOK-TEST-2",
    "A test is not signed.",
    carries((h) => cut("x-service-signature")(h, dummy), isTest),
  ),
  c(
    "WEBHOOK-TEST-2",
    "A test is sent twice.",
    receives((l) => l.flatMap((e) => (isTest(payloadOf(e)) ? [e, e] : [e]))),
  ),
  c("WEBHOOK-TEST-2", "A test is not sent.", dropping(isTest)),
  m(
    "WEBHOOK-TEST-3",
    "A JSON body is refused.",
    refuses(test, () => true, 1000, 400),
  ),
  m(
    "WEBHOOK-TEST-4",
    "2049 characters are cut.",
    asks(
      test,
      over("callback_url", (v) => textOf(v).slice(0, 2048)),
    ),
  ),
  c(
    "WEBHOOK-TEST-4",
    "2048 characters are refused.",
    refuses(
      test,
      sentIs("callback_url", (v) => textOf(v).length === 2048),
      1001,
      422,
    ),
  ),
  m(
    "WEBHOOK-TEST-5",
    "callback_url is required beside a subscription.",
    refuses(test, ({ json }) => "subscription_id" in objectOf(json) && !("callback_url" in objectOf(json)), 1002, 400),
  ),
  m(
    "WEBHOOK-TEST-6",
    "A subscription is tested by POST whatever its method.",
    together(
      receives((l) => l.map((e) => (isTest(payloadOf(e)) ? { ...e, method: "POST" } : e))),
      body(test, set("method_type", "POST")),
    ),
  ),
  c(
    "WEBHOOK-TEST-6",
    "A subscription is tested without its headers.",
    carries(
      (h) =>
        Object.fromEntries(
          Object.entries(h).filter(
            ([n]) =>
              ["content-type", "content-length", "host", "user-agent", "accept"].includes(n.toLowerCase()) ||
              n.toLowerCase().startsWith("x-service"),
          ),
        ),
      isTest,
    ),
  ),
  c(
    "WEBHOOK-TEST-6",
    "A subscription is tested without its secret.",
    carries((h) => cut("x-service-signature")(h, dummy), isTest),
  ),
  m(
    "WEBHOOK-TEST-7",
    "call_ringing is unknown.",
    refuses(
      test,
      sentIs("event_type", (v) => v === "call_ringing"),
      1000,
      400,
    ),
  ),
  ...eventTypes
    .filter((t) => t !== "call_ringing")
    .map((type) =>
      c(
        "WEBHOOK-TEST-7",
        `${type} is tested as call_completed.`,
        asks(
          test,
          over("event_type", (v) => (v === type ? (type === "call_completed" ? "call_started" : "call_completed") : v)),
        ),
      ),
    ),
  m(
    "WEBHOOK-TEST-8",
    "Without a type call_completed is tested.",
    asks(test, (j) => ({ event_type: "call_completed", ...j })),
  ),
  c(
    "WEBHOOK-TEST-8",
    "event_type: null is refused.",
    refuses(
      test,
      sentIs("event_type", (v) => v === null),
      1001,
      422,
    ),
  ),
  m("WEBHOOK-TEST-9", "agent_id is not stamped.", asks(test, cut("agent_id"))),
  c(
    "WEBHOOK-TEST-9",
    "An unknown agent_id is 404.",
    refuses(
      test,
      sentIs("agent_id", (v) => typeof v === "string"),
      1200,
      404,
    ),
  ),
  m("WEBHOOK-TEST-10", "PUT is sent by POST.", asks(test, cut("method_type"))),
  c(
    "WEBHOOK-TEST-10",
    "The default is PUT.",
    asks(test, (j) => ("subscription_id" in j ? j : { method_type: "PUT", ...j })),
  ),
  m("WEBHOOK-TEST-11", "Extra headers are not sent.", asks(test, cut("headers"))),
  c(
    "WEBHOOK-TEST-11",
    "Extra headers are stored.",
    fresh(() => {
      let extra: JsonObject = {}
      return together(
        asks(test, (j) => {
          extra = { ...extra, ...objectOf(j["headers"]) }
          return { ...j, headers: { ...extra, ...objectOf(j["headers"]) } }
        }),
      )
    }),
  ),
  m("WEBHOOK-TEST-12", "The secret of a test is ignored.", asks(test, cut("secret"))),
  c(
    "WEBHOOK-TEST-12",
    "The secret of a test is ignored beside a subscription.",
    asks(test, (j) => ("subscription_id" in j ? cut("secret")(j, dummy) : j)),
  ),
  m(
    "WEBHOOK-TEST-13",
    "A different URL beside a subscription is called.",
    asks(test, (j) => ("subscription_id" in j && "callback_url" in j ? cut("callback_url")(j, dummy) : j)),
  ),
  m(
    "WEBHOOK-TEST-14",
    "Neither URL nor subscription is 422.",
    recodes(
      test,
      1000,
      1001,
      422,
      ({ json }) => !("callback_url" in objectOf(json)) && !("subscription_id" in objectOf(json)),
    ),
  ),
  c(
    "WEBHOOK-TEST-14",
    "callback_url: null alone is 422.",
    recodes(test, 1000, 1001, 422, ({ json }) => objectOf(json)["callback_url"] === null),
  ),
  m(
    "WEBHOOK-TEST-15",
    "A stored secret signs tests of any URL.",
    carries((h) => ({ "x-service-signature": "t=1,v1=00", ...h }), isTest),
  ),
  c(
    "WEBHOOK-TEST-15",
    "Stored headers go to another address.",
    fresh(() => {
      let stored: JsonObject = {}
      return together(
        answers(create, (r, a) => {
          stored = { ...stored, ...objectOf(objectOf(a.json)["headers"]) }
          return r
        }),
        asks(test, (j) => ("subscription_id" in j ? j : { ...j, headers: { ...stored, ...objectOf(j["headers"]) } })),
      )
    }),
  ),
  m(
    "WEBHOOK-TEST-16",
    "A failed test is tried again.",
    receives((l) => l.flatMap((e) => (isTest(payloadOf(e)) && Number(e["answered"] ?? 500) >= 300 ? [e, e] : [e]))),
  ),
  each(
    "WEBHOOK-TEST-17 CONSTANT-16",
    "The budget is 30 seconds.",
    body(
      test,
      where(is("error_class", "timeout"), (j) => ({
        ...j,
        error_class: null,
        http_status: 200,
        delivered: true,
        duration_ms: 20_000,
      })),
    ),
  ),
  each(
    "WEBHOOK-TEST-17 CONSTANT-16",
    "The budget is 5 seconds.",
    body(
      test,
      where(
        (j) => Number(j["duration_ms"]) > 5000,
        (j) => ({ ...j, error_class: "timeout", http_status: null, delivered: false, duration_ms: 5000 }),
      ),
    ),
  ),
  m(
    "WEBHOOK-TEST-18",
    "A timed-out test is retried.",
    receives((l) => l.flatMap((e) => (isTest(payloadOf(e)) ? [e, e] : [e]))),
  ),
  m(
    "WEBHOOK-TEST-19",
    "A test is written to the ledger.",
    fresh(() => {
      const seen: Array<JsonObject> = []
      return together(
        body(test, (j) => {
          seen.push({
            delivery_id: j["delivery_id"],
            event_id: j["event_id"],
            event_type: j["event_type"],
            status: "delivered",
            signed: true,
            created_at: "2026-01-05T09:00:00.000Z",
          })
          return j
        }),
        rows(ledger, (l) => [...seen, ...l]),
      )
    }),
  ),
  m(
    "WEBHOOK-TEST-20",
    "A test is not marked.",
    sends((p) => cut("test")(p, dummy), isTest),
  ),
  c(
    "WEBHOOK-TEST-20",
    "The payload of a test lacks call_id.",
    together(
      sends((p) => cut("call_id")(p, dummy), isTest),
      body(
        test,
        over("body", (v) => textOf(v).replace(/"call_id":"[^"]*",?/, "")),
      ),
    ),
  ),
  m("WEBHOOK-TEST-21", "A test is 200.", restates(test, 202, 200)),
  m(
    "WEBHOOK-TEST-22",
    "A 500 of the endpoint is 1501.",
    answers(test, (r) => (objectOf(r.json)["error_class"] === "http_error" ? failing(r, 1501, 503) : r)),
  ),
  c(
    "WEBHOOK-TEST-22",
    "A 404 of the endpoint counts as delivered.",
    body(
      test,
      where((j) => Number(j["http_status"]) >= 400, set("delivered", true)),
    ),
  ),
  c(
    "WEBHOOK-TEST-22",
    "A redirect counts as delivered.",
    body(
      test,
      where((j) => Number(j["http_status"]) >= 300, set("delivered", true)),
    ),
  ),
  m("WEBHOOK-TEST-24", "An unknown subscription is 400.", recodes(test, 1200, 1000, 400)),
  c(
    "WEBHOOK-TEST-24",
    "A foreign subscription is tested.",
    forgives(test, 1200, 202, () => ({ accepted: true })),
  ),
  m("WEBHOOK-TEST-25", "With the store away a test is 500.", recodes(test, 1501, 1500, 500)),
  c("WEBHOOK-TEST-25", "With the store away a test is 504.", recodes(test, 1501, 1502, 504)),
  m(
    "WEBHOOK-RESULT-1",
    "accepted is false where the endpoint refuses.",
    body(test, where(is("delivered", false), set("accepted", false))),
  ),
  c("WEBHOOK-RESULT-1", "accepted is missing.", body(test, cut("accepted"))),
  m("WEBHOOK-RESULT-2", "delivered is always true.", body(test, set("delivered", true))),
  c(
    "WEBHOOK-RESULT-2",
    "delivered is false for 204.",
    body(test, where(is("http_status", 204, 201, 202), set("delivered", false))),
  ),
  m("WEBHOOK-RESULT-3", "http_status is text.", body(test, over("http_status", String))),
  c(
    "WEBHOOK-RESULT-3",
    "http_status is 0 where there was no answer.",
    body(test, (j) => (j["http_status"] === null ? { ...j, http_status: 0 } : j)),
  ),
  ...(["dns_error", "timeout", "connect_error", "tls_error", "http_error"] as const).map((kind, i) =>
    (i === 0 ? m : c)(
      "WEBHOOK-RESULT-4",
      `${kind} is called failed.`,
      body(test, where(is("error_class", kind), set("error_class", "failed"))),
    ),
  ),
  c(
    "WEBHOOK-RESULT-4",
    "error_class of a success is none.",
    body(test, where(is("delivered", true), set("error_class", "none"))),
  ),
  m(
    "WEBHOOK-RESULT-5",
    "error_message has the endpoint's answer.",
    body(test, where(is("delivered", false), set("error_message", `The endpoint said: ${"no ".repeat(2000)}`))),
  ),
  c("WEBHOOK-RESULT-5", "error_message is missing.", body(test, cut("error_message"))),
  m("WEBHOOK-RESULT-6", "duration_ms is text.", body(test, over("duration_ms", String))),
  c(
    "WEBHOOK-RESULT-6",
    "duration_ms is missing on failures.",
    body(test, where(is("delivered", false), cut("duration_ms"))),
  ),
  m("WEBHOOK-RESULT-7", "signed is always true.", body(test, set("signed", true))),
  c(
    "WEBHOOK-RESULT-7",
    "signed is false beside a secret.",
    body(
      test,
      where((_, a) => "secret" in objectOf(a.json), set("signed", false)),
    ),
  ),
  m("WEBHOOK-RESULT-8", "signature_header names another header.", body(test, set("signature_header", "X-Signature"))),
  m("WEBHOOK-RESULT-9", "event_id is missing.", body(test, cut("event_id"))),
  c(
    "WEBHOOK-RESULT-9",
    "event_id is not that of the payload.",
    body(
      test,
      over("event_id", (v) => `${textOf(v)}x`),
    ),
  ),
  m("WEBHOOK-RESULT-10", "delivery_id is missing.", body(test, cut("delivery_id"))),
  m(
    "WEBHOOK-RESULT-11",
    "callback_host is the whole URL.",
    body(
      test,
      over("callback_host", (v) => `https://${textOf(v)}/x`),
    ),
  ),
  c("WEBHOOK-RESULT-11", "method_type of a PUT is POST.", body(test, set("method_type", "POST"))),
  m(
    "WEBHOOK-RESULT-12",
    "sent_header_names has values.",
    body(
      test,
      over("sent_header_names", (v) => (Array.isArray(v) ? v.map((n) => `${n}: secret`) : v)),
    ),
  ),
  c(
    "WEBHOOK-RESULT-12",
    "sent_header_names leaves extra ones out.",
    body(
      test,
      over("sent_header_names", (v) =>
        Array.isArray(v) ? v.filter((n) => /^(content|x-service|user-agent|host)/i.test(textOf(n))) : v,
      ),
    ),
  ),
  m(
    "WEBHOOK-RESULT-13",
    "body is an object.",
    body(
      test,
      over("body", (v) => JSON.parse(textOf(v)) as unknown),
    ),
  ),
  c(
    "WEBHOOK-RESULT-13",
    "body is not what was sent.",
    body(
      test,
      over("body", (v) => `${textOf(v)} `),
    ),
  ),
  m(
    "WEBHOOK-TARGET-1",
    "Names are not resolved.",
    forgives(
      test,
      1000,
      202,
      () => ({ accepted: true, delivered: true }),
      ({ json }) => /:\/\/[a-z][a-z0-9.-]*\.test/.test(textOf(objectOf(json)["callback_url"] ?? "")),
    ),
  ),
  m(
    "WEBHOOK-TARGET-2",
    "127.0.0.1 is called.",
    forgives(
      [test, ...edits],
      1000,
      202,
      () => ({ accepted: true }),
      ({ json }) => textOf(objectOf(json)["callback_url"] ?? "").includes("127.0.0.1"),
    ),
  ),
  ...["10.", "192.168.", "169.254.169.254", "localhost", "[::1]", "172.16"].map((host) =>
    c(
      "WEBHOOK-TARGET-2",
      `${host} is called.`,
      forgives(
        [test, ...edits],
        1000,
        202,
        () => ({ accepted: true }),
        ({ json }) => textOf(objectOf(json)["callback_url"] ?? "").includes(`//${host}`),
      ),
    ),
  ),
  m(
    "WEBHOOK-TARGET-3",
    "Unknown event types are tested.",
    asks(
      test,
      over("event_type", (v) => (eventTypes.includes(textOf(v)) ? v : "call_completed")),
    ),
  ),
  m(
    "WEBHOOK-TARGET-4",
    "GET is taken for POST.",
    asks(
      test,
      over("method_type", (v) => (v === "PUT" ? v : "POST")),
    ),
  ),
  c(
    "WEBHOOK-TARGET-4",
    "PATCH is 422.",
    recodes(
      test,
      1000,
      1001,
      422,
      sentIs("method_type", () => true),
    ),
  ),
  m(
    "WEBHOOK-TARGET-5",
    "Reserved headers are dropped in silence.",
    asks(
      test,
      over("headers", (v) =>
        Object.fromEntries(
          Object.entries(objectOf(v)).filter(
            ([n]) => !/^(host|content-|connection|transfer-|te$|upgrade|proxy-|sec-|cookie|x-service-)/i.test(n),
          ),
        ),
      ),
    ),
  ),
  c(
    "WEBHOOK-TARGET-5",
    "Content-Type may be set.",
    asks(
      test,
      over("headers", (v) =>
        Object.fromEntries(Object.entries(objectOf(v)).filter(([n]) => !/^content-type$/i.test(n))),
      ),
    ),
  ),
  c(
    "WEBHOOK-TARGET-5",
    "X-Service-Signature may be set.",
    asks(
      test,
      over("headers", (v) => Object.fromEntries(Object.entries(objectOf(v)).filter(([n]) => !/^x-service-/i.test(n)))),
    ),
  ),
]

const field = (n: number, names: string) =>
  names.split(" ").map((name, i) => (i === 0 ? m : c)(`PAYLOAD-${n}`, `${name} is missing.`, sends(cut(name), final)))
const wrong = (
  n: number,
  says: string,
  change: (payload: JsonObject) => JsonObject,
  holds: (payload: JsonObject) => boolean = () => true,
) =>
  c(
    `PAYLOAD-${n}`,
    says,
    sends(
      (p) => change(p),
      (p) => final(p) && holds(p),
    ),
  )
const put = (name: string, value: unknown) => (p: JsonObject) => ({ ...p, [name]: value })

const payloads = [
  m(
    "PAYLOAD-1",
    "The payload is a list.",
    receives((l) => l.map((e) => ({ ...e, body: `[${textOf(e["body"])}]` }))),
  ),
  c(
    "PAYLOAD-1",
    "Payloads of failed calls are text.",
    receives((l) => l.map((e) => (payloadOf(e)["status"] === "failed" ? { ...e, body: JSON.stringify("failed") } : e))),
  ),
  ...field(2, "event_type"),
  wrong(2, "event_type says call.ended.", put("event_type", "call.ended")),
  ...field(3, "event_id"),
  wrong(3, "event_id is a number.", put("event_id", 7)),
  ...field(4, "version"),
  wrong(4, "version is a number.", put("version", 1)),
  ...field(5, "timestamp"),
  wrong(5, "timestamp is in seconds.", put("timestamp", 1_700_000_000)),
  ...field(6, "call_id"),
  wrong(6, "call_id is the leg's.", (p) => ({ ...p, call_id: p["call_sid"] ?? "x" })),
  ...field(7, "call_sid"),
  wrong(7, "call_sid is the call's id.", (p) => ({ ...p, call_sid: 7 })),
  ...field(8, "agent_id agent_name"),
  wrong(8, "agent_name is the id.", (p) => ({ ...p, agent_name: p["agent_id"] })),
  ...field(9, "organization_id workspace_id"),
  wrong(9, "workspace_id differs.", put("workspace_id", "ws_1")),
  ...field(10, "status"),
  wrong(10, "status of a busy call is failed.", put("status", "failed"), (p) => p["status"] === "busy"),
  wrong(10, "no-answer is spelled no_answer.", put("status", "no_answer"), (p) => p["status"] === "no-answer"),
  ...field(11, "sub_status"),
  wrong(11, "sub_status is a list.", put("sub_status", [])),
  ...field(12, "call_type"),
  wrong(12, "call_type of an inbound call is outbound.", put("call_type", "outbound")),
  ...field(13, "calling_source"),
  wrong(
    13,
    "calling_source of a retry is campaign.",
    put("calling_source", "campaign"),
    (p) => p["calling_source"] === "retry",
  ),
  wrong(
    13,
    "calling_source of a follow-up is retry.",
    put("calling_source", "retry"),
    (p) => p["calling_source"] === "follow-up",
  ),
  wrong(
    13,
    "calling_source of a campaign is api.",
    put("calling_source", "api"),
    (p) => p["calling_source"] === "campaign",
  ),
  ...field(14, "custom_args_values"),
  wrong(14, "custom_args_values is empty.", put("custom_args_values", {})),
  ...field(15, "to_number from_number"),
  wrong(15, "to_number lacks its plus.", (p) => ({ ...p, to_number: textOf(p["to_number"]).replace("+", "") })),
  ...field(16, "bulk_list_id"),
  wrong(16, "bulk_list_id is the campaign's.", put("bulk_list_id", "cmp_x")),
  ...field(17, "called_on"),
  wrong(17, "called_on is in UTC whatever the zone.", (p) => ({
    ...p,
    called_on: typeof p["called_on"] === "string" ? new Date(p["called_on"]).toISOString() : p["called_on"],
  })),
  ...field(18, "created_at"),
  wrong(18, "created_at has another offset.", (p) => ({
    ...p,
    created_at: textOf(p["created_at"]).replace("Z", "+02:00"),
  })),
  ...field(19, "call_cost"),
  wrong(19, "call_cost is text.", (p) => ({ ...p, call_cost: String(p["call_cost"]) })),
  wrong(19, "call_cost is doubled.", (p) => ({ ...p, call_cost: Number(p["call_cost"]) * 2 + 1 })),
  ...field(20, "call_cost_currency"),
  wrong(20, "call_cost_currency is EUR.", put("call_cost_currency", "EUR")),
  ...field(21, "cost_breakdown"),
  wrong(21, "cost_breakdown lacks llm.", (p) => cut("cost_breakdown.llm")(p, dummy)),
  ...field(22, "call_duration"),
  wrong(22, "call_duration is in milliseconds.", (p) => ({ ...p, call_duration: Number(p["call_duration"]) * 1000 })),
  ...field(23, "agent_message_count user_message_count"),
  wrong(23, "user_message_count counts all turns.", (p) => ({
    ...p,
    user_message_count: Number(p["user_message_count"]) + Number(p["agent_message_count"]),
  })),
  ...field(24, "overall_latency_seconds first_utterance_seconds"),
  wrong(24, "overall_latency_seconds is text.", put("overall_latency_seconds", "fast")),
  ...field(25, "transcript"),
  wrong(25, "transcript is one text.", put("transcript", "agent: hello")),
  wrong(25, "The last turn of the transcript is left out.", (p) => ({
    ...p,
    transcript: Array.isArray(p["transcript"]) ? p["transcript"].slice(0, -1) : p["transcript"],
  })),
  ...field(26, "transcript_status"),
  wrong(26, "transcript_status of a silent call is available.", put("transcript_status", "available")),
  wrong(26, "transcript_status is ok.", put("transcript_status", "ok")),
  ...field(27, "recording_url"),
  wrong(27, "recording_url is set where nothing was recorded.", (p) => ({
    ...p,
    recording_url: p["recording_url"] ?? "https://media.test/none.wav",
  })),
  ...field(28, "recording_duration"),
  wrong(28, "recording_duration is text.", put("recording_duration", "long")),
  ...field(29, "retry_count"),
  wrong(29, "retry_count counts this attempt.", (p) => ({ ...p, retry_count: Number(p["retry_count"]) + 1 })),
  ...field(30, "attempts"),
  wrong(30, "attempts come newest first.", (p) => ({
    ...p,
    attempts: Array.isArray(p["attempts"]) ? [...p["attempts"]].reverse() : p["attempts"],
  })),
  wrong(30, "attempts hold this one alone.", (p) => ({
    ...p,
    attempts: Array.isArray(p["attempts"]) ? p["attempts"].slice(-1) : p["attempts"],
  })),
  ...field(31, "parent_call_id"),
  wrong(31, "parent_call_id of a retry is null.", put("parent_call_id", null), (p) => Number(p["retry_count"]) > 0),
  ...field(32, "retry_chain"),
  wrong(
    32,
    "retry_chain of a retry has this call alone.",
    (p) => ({ ...p, retry_chain: [p["call_id"]] }),
    (p) => Number(p["retry_count"]) > 0,
  ),
  ...field(33, "platform_analysis"),
  wrong(33, "platform_analysis lacks its sentiment.", (p) => cut("platform_analysis.sentiment")(p, dummy)),
  ...field(34, "platform_analysis_status"),
  wrong(34, "platform_analysis_status is done.", put("platform_analysis_status", "done")),
  ...field(35, "client_analysis"),
  wrong(35, "client_analysis is a list.", put("client_analysis", [])),
  ...field(36, "client_analysis_status"),
  wrong(
    36,
    "client_analysis_status without an analysis is completed.",
    put("client_analysis_status", "completed"),
    (p) => p["client_analysis_status"] === "not_configured",
  ),
  ...field(37, "tool_call_logs"),
  wrong(37, "tool_call_logs is an object.", put("tool_call_logs", {})),
  ...field(38, "answered_by_voice_mail"),
  wrong(38, "answered_by_voice_mail is always false.", put("answered_by_voice_mail", false)),
  ...field(39, "hangup_by"),
  wrong(39, "hangup_by is user.", put("hangup_by", "user"), (p) => p["hangup_by"] !== null),
  ...field(40, "ab_version_id"),
  wrong(40, "ab_version_id is null on experiments.", put("ab_version_id", null)),
  ...field(41, "ab_is_variant"),
  wrong(41, "ab_is_variant is never true.", put("ab_is_variant", false), (p) => p["ab_is_variant"] === true),
  ...field(42, "processing_incomplete"),
  wrong(42, "processing_incomplete is never true.", put("processing_incomplete", false)),
  ...field(43, "missing_fields"),
  wrong(43, "missing_fields is always empty.", put("missing_fields", [])),
  m("PAYLOAD-44", "The test event has no event_id.", sends(cut("event_id"), isTest)),
  c("PAYLOAD-44", "The test event has no agent_id.", sends(cut("agent_id"), isTest)),
  c("PAYLOAD-44", "test is text.", sends(set("test", "true"), isTest)),
  m("VERSION-3", "Payloads have no version.", sends(cut("version"))),
  c("VERSION-3", "version of final events is a number.", sends(set("version", 2), final)),
]

const deliveries = [
  m(
    "EVENT-1",
    "Nothing is delivered.",
    receives(() => []),
  ),
  m(
    "EVENT-TYPE-1",
    "call_started is unknown.",
    refuses(edits, ({ json }) => textOf(objectOf(json)["event_types"] ?? "").includes("call_started"), 1000, 400),
  ),
  ...eventTypes.map((type) =>
    c(
      "EVENT-TYPE-1",
      `${type} is never sent.`,
      dropping((p) => p["event_type"] === type && p["test"] !== true),
    ),
  ),
  m(
    "EVENT-TYPE-2",
    "Without types all are listed.",
    row(
      [create],
      where((_, a) => !("event_types" in objectOf(a.json)), set("event_types", eventTypes)),
    ),
  ),
  c("EVENT-TYPE-2", "An empty list stays empty.", row(shown, fresh_())),
  m(
    "EVENT-TYPE-3",
    "Without types every event is sent.",
    asks(create, (j) => ("event_types" in j ? j : { ...j, event_types: eventTypes })),
  ),
  c(
    "EVENT-TYPE-3",
    "An empty list means every event.",
    asks(edits, (j) =>
      Array.isArray(j["event_types"]) && j["event_types"].length === 0 ? { ...j, event_types: eventTypes } : j,
    ),
  ),
  m("EVENT-ROUTING-1", "Subscriptions of agents are those of the organization.", asks(create, cut("agent_id"))),
  c(
    "EVENT-ROUTING-1",
    "An agent's subscription gets nothing of campaigns.",
    dropping((p) => p["calling_source"] === "campaign"),
  ),
  m(
    "EVENT-ROUTING-2",
    "The default gets nothing.",
    fresh(() => {
      const hosts = new Set<string>()
      return wire(() => async (asked, next) => {
        const reply = await next(asked)
        const made = objectOf(reply.json)
        if (asked.path === "/v2/webhooks" && asked.method === "POST" && made["agent_id"] === null)
          hosts.add(textOf(made["callback_url"]).split("/")[2]?.split(".")[0] ?? "")
        if (
          asked.path.startsWith("/_sim/inbox/") &&
          asked.method === "GET" &&
          hosts.has(asked.path.split("/")[3] ?? "")
        )
          return { ...reply, json: { data: [] } }
        return reply
      })
    }),
  ),
  c(
    "EVENT-ROUTING-2",
    "The default gets copies of what agents have subscribed.",
    fresh(() => {
      const all = new Set<string>()
      return wire(() => async (asked, next) => {
        const reply = await next(asked)
        const made = objectOf(reply.json)
        if (asked.path === "/v2/webhooks" && asked.method === "POST")
          all.add(textOf(made["callback_url"]).split("/")[2]?.split(".")[0] ?? "")
        if (asked.path.startsWith("/_sim/inbox/") && asked.method === "GET") {
          const own = asked.path.split("/")[3] ?? ""
          const merged: Array<unknown> = []
          for (const name of new Set([own, ...all])) {
            const other = await next({ ...asked, path: `/_sim/inbox/${name}` })
            merged.push(...[objectOf(other.json)["data"]].flat().filter(isObject))
          }
          return { ...reply, json: { data: merged } }
        }
        return reply
      })
    }),
  ),
  m(
    "EVENT-ROUTING-3",
    "The agent's webhook_url gets nothing.",
    asks(["POST /v2/agents", "PATCH|PUT /v2/agents/*"], cut("integrations.webhook")),
  ),
  m(
    "DELIVERY-1",
    "Final events come twice.",
    receives((l) =>
      l.flatMap((e) =>
        final(payloadOf(e))
          ? [e, { ...e, body: JSON.stringify({ ...payloadOf(e), event_id: `${textOf(payloadOf(e)["event_id"])}b` }) }]
          : [e],
      ),
    ),
  ),
  c(
    "DELIVERY-1",
    "Final events of retries do not come.",
    dropping((p) => final(p) && Number(p["retry_count"]) > 0),
  ),
  c(
    "DELIVERY-1",
    "Final events of busy calls do not come.",
    dropping((p) => final(p) && p["status"] === "busy"),
  ),
  m(
    "DELIVERY-2",
    "The final event comes before processing.",
    sends(
      (p) => ({
        ...p,
        transcript: null,
        platform_analysis: null,
        platform_analysis_status: "pending",
        processing_incomplete: true,
        missing_fields: ["platform_analysis"],
      }),
      final,
    ),
  ),
  each(
    "DELIVERY-3 CONSTANT-17",
    "5 seconds are too late.",
    asks("PUT /_sim/inbox/*", (j) => (Number(j["delay_ms"]) > 5000 ? { ...j, error: "timeout" } : j)),
  ),
  each(
    "DELIVERY-3 CONSTANT-17",
    "40 seconds are in time.",
    asks("PUT /_sim/inbox/*", (j) => (Number(j["delay_ms"]) > 30_000 ? { ...j, delay_ms: 29_000 } : j)),
  ),
  c(
    "DELIVERY-3",
    "201 does not acknowledge.",
    asks("PUT /_sim/inbox/*", (j) => mapStatuses(j, (s) => (s > 200 && s < 300 ? 500 : s))),
  ),
  m(
    "DELIVERY-4",
    "A 500 is not retried.",
    asks("PUT /_sim/inbox/*", (j) => mapStatuses(j, (s) => (s >= 500 ? 200 : s))),
  ),
  c(
    "DELIVERY-4",
    "A 404 is not retried.",
    asks("PUT /_sim/inbox/*", (j) => mapStatuses(j, (s) => (s >= 400 && s < 500 ? 200 : s))),
  ),
  c(
    "DELIVERY-4",
    "A redirect is not retried.",
    asks("PUT /_sim/inbox/*", (j) => mapStatuses(j, (s) => (s >= 300 && s < 400 ? 200 : s))),
  ),
  c(
    "DELIVERY-4",
    "A refused connection is not retried.",
    asks("PUT /_sim/inbox/*", (j) => (typeof j["error"] === "string" ? { status: 200 } : j)),
  ),
  each(
    "DELIVERY-5 CONSTANT-18",
    "Three attempts are made.",
    receives((l) => {
      const n = new Map<unknown, number>()
      return l.filter((e) => {
        const id = payloadOf(e)["event_id"]
        n.set(id, (n.get(id) ?? 0) + 1)
        return (n.get(id) ?? 0) <= 3
      })
    }),
  ),
  each(
    "DELIVERY-5 CONSTANT-18",
    "Five attempts are made.",
    receives((l) => {
      const n = new Map<unknown, number>()
      return l.flatMap((e) => {
        const id = payloadOf(e)["event_id"]
        n.set(id, (n.get(id) ?? 0) + 1)
        return n.get(id) === 4 ? [e, e] : [e]
      })
    }),
  ),
  c(
    "DELIVERY-5",
    "The fourth attempt comes after an hour.",
    receives((l) => {
      const n = new Map<unknown, number>()
      return l.map((e) => {
        const id = payloadOf(e)["event_id"]
        n.set(id, (n.get(id) ?? 0) + 1)
        return n.get(id) === 4
          ? { ...e, received_at: new Date(Date.parse(textOf(e["received_at"])) + 3_600_000).toISOString() }
          : e
      })
    }),
  ),
  m(
    "DELIVERY-6",
    "Each attempt has its event_id.",
    receives((l) => l.map((e, i) => ({ ...e, body: JSON.stringify({ ...payloadOf(e), event_id: `evt_${i}` }) }))),
  ),
  c(
    "DELIVERY-6",
    "All events of a call have one event_id.",
    sends((p) => ({ ...p, event_id: `evt_${textOf(p["call_id"])}` })),
  ),
  m(
    "DELIVERY-7",
    "No retry comes once an attempt arrived.",
    receives((l) => {
      const seen = new Set<unknown>()
      return l.filter((e) => {
        const id = payloadOf(e)["event_id"]
        const isNew = !seen.has(id)
        seen.add(id)
        return isNew
      })
    }),
  ),
  m(
    "DELIVERY-8",
    "Content-Type is missing.",
    carries((h) => cut("content-type")(h, dummy)),
  ),
  c(
    "DELIVERY-8",
    "Content-Type of tests is text.",
    carries((h) => ({ ...h, "content-type": "text/plain" }), isTest),
  ),
  m(
    "DELIVERY-9",
    "X-Service-Delivery-Id is missing.",
    carries((h) => cut("x-service-delivery-id")(h, dummy)),
  ),
  c(
    "DELIVERY-9",
    "X-Service-Delivery-Id is the event's.",
    carries((h, e) => ({ ...h, "x-service-delivery-id": payloadOf(e)["event_id"] })),
  ),
  m(
    "DELIVERY-10",
    "X-Service-Signature is X-Signature.",
    carries((h) => {
      const { "x-service-signature": s, ...rest } = h
      return s === undefined ? rest : { ...rest, "x-signature": s }
    }),
  ),
  c(
    "DELIVERY-10",
    "Final events are not signed.",
    carries((h) => cut("x-service-signature")(h, dummy), final),
  ),
  m(
    "SIGNATURE-1",
    "t is in milliseconds.",
    carries((h) => over("x-service-signature", (v) => textOf(v).replace(/t=(\d+)/, "t=$1000"))(h, dummy)),
  ),
  c(
    "SIGNATURE-1",
    "v1 is in Base64.",
    carries((h) =>
      over("x-service-signature", (v) =>
        textOf(v).replace(/v1=([0-9a-f]+)/, (_w, hex: string) => `v1=${Buffer.from(hex, "hex").toString("base64")}`),
      )(h, dummy),
    ),
  ),
  m(
    "SIGNATURE-2",
    "The signature is of the body alone.",
    carries((h) => over("x-service-signature", (v) => textOf(v).replace(/v1=[0-9a-f]{8}/, "v1=00000000"))(h, dummy)),
  ),
  c(
    "SIGNATURE-2",
    "Retries carry the first signature.",
    receives((l) => {
      const first = new Map<unknown, unknown>()
      return l.map((e) => {
        const id = payloadOf(e)["event_id"]
        const h = objectOf(e["headers"])
        const name = Object.keys(h).find((each) => each.toLowerCase() === "x-service-signature")
        if (name === undefined) return e
        if (!first.has(id)) {
          first.set(id, h[name])
          return e
        }
        return { ...e, headers: { ...h, [name]: textOf(first.get(id)).replace(/v1=.{4}/, "v1=abcd") } }
      })
    }),
  ),
  c("SIGNATURE-2", "The organization's secret signs where the subscription has its own.", asks(create, cut("secret"))),
  m(
    "SIGNATURE-4",
    "Without a secret an empty one signs.",
    carries((h) => ({ "x-service-signature": "t=1767603600,v1=00", ...h })),
  ),
  m(
    "SIGNATURE-5",
    "The ledger says signed: true.",
    row([ledger, "GET /v2/webhooks/deliveries/*"], set("signed", true)),
  ),
  c(
    "SIGNATURE-5",
    "The ledger says signed: false of signed ones.",
    row([ledger, "GET /v2/webhooks/deliveries/*"], set("signed", false)),
  ),
  m(
    "DELIVERY-11",
    "The ledger is empty.",
    rows(ledger, () => []),
  ),
  c(
    "DELIVERY-11",
    "The ledger leaves failed deliveries out.",
    rows(ledger, (l) => l.filter((r) => r["status"] !== "failed" && r["status"] !== "retrying")),
  ),
  each(
    "DELIVERY-12 CONSTANT-19",
    "The ledger is kept 7 days.",
    writes((change) =>
      change.put === "delivery"
        ? { ...change, row: { ...change.row, expires_at: change.row.created_at + 7 * 86_400_000 } }
        : change,
    ),
  ),
  each(
    "DELIVERY-12 CONSTANT-19",
    "The ledger is kept for ever.",
    writes((change) =>
      change.put === "delivery"
        ? { ...change, row: { ...change.row, expires_at: change.row.created_at + 90 * 86_400_000 } }
        : change,
    ),
  ),
]

function mapStatuses(j: JsonObject, change: (status: number) => number): JsonObject {
  return {
    ...j,
    ...(typeof j["status"] === "number" ? { status: change(j["status"]) } : {}),
    ...(Array.isArray(j["statuses"])
      ? { statuses: j["statuses"].map((s: unknown) => (typeof s === "number" ? change(s) : s)) }
      : {}),
  }
}

function fresh_() {
  return where(
    (_, a) => {
      const t = objectOf(a.json)["event_types"]
      return Array.isArray(t) && t.length === 0
    },
    set("event_types", []),
  )
}

export const webhooks = [...subscriptions, ...deletions, ...tests, ...payloads, ...deliveries]
