/**
 * Servers that chose otherwise than the published readings of campaigns, batches, webhooks, knowledge bases and limits, each in one thing, and
 * keep what the specification says.
 */
import type { JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  at,
  body,
  carries,
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
  made,
  over,
  payloadOf,
  receives,
  recodes,
  refuses,
  restates,
  row,
  set,
  textOf,
  together,
  where,
  wire,
  words,
  writes,
} from "../Defects.ts"
import { type Asked, objectOf, type Reply } from "../Mutant.ts"
import { m } from "../Table.ts"
import { csvOf } from "./Campaigns.ts"

const minuteMs = 60_000
const subscribe = "POST /v2/webhooks"
const test = "POST /v2/webhooks/test"
const batches = ["GET /v2/batches", "GET /v2/batches/*", "GET /v2/campaigns/*/batches", "POST /v2/batches**"]
const createCampaign = "POST /v2/campaigns"

const later = (now: unknown, ms: number): string => new Date(Date.parse(textOf(now)) + ms).toISOString()

/** A row with these members and no others. */
const onlyOf =
  (...names: ReadonlyArray<string>) =>
  (json: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(json).filter(([name]) => names.includes(name)))

const ofWebhooks = [
  m("SUBSCRIPTION-P3", "A subscription that was made is 200.", restates(subscribe, 201, 200)),
  m(
    "SUBSCRIPTION-P1",
    "A subscription that was made or changed is answered with its id alone.",
    answers(["POST /v2/webhooks", "PATCH /v2/webhooks/*"], (reply) =>
      reply.status < 300 ? made(reply, reply.status, { subscription_id: at(reply.json, "subscription_id") }) : reply,
    ),
  ),
  m(
    "EVENT-ROUTING-P1",
    "An agent's second subscription is refused.",
    fresh(() => {
      const taken = new Set<unknown>()
      return wire(() => async (asked, next) => {
        const agent = asked.method === "POST" && asked.path === "/v2/webhooks" ? at(asked.json, "agent_id") : undefined
        if (agent != null && taken.has(agent))
          return failing(await next(elsewhere(asked, "GET", "/v2/scopes")), 1201, 409)
        const reply = await next(asked)
        if (agent != null && reply.status === 201) taken.add(agent)
        return reply
      })
    }),
  ),
  m(
    "WEBHOOK-TARGET-P12",
    "A destination that is refused to a subscription is 1001.",
    recodes(subscribe, 1000, 1001, 422),
  ),
  m(
    "WEBHOOK-TARGET-P2",
    "authorization is a reserved header of subscriptions.",
    refuses(subscribe, ({ json }) => at(json, "headers.authorization") !== undefined, 1000, 400),
  ),
  m("WEBHOOK-TARGET-P1", "A header Cookie is allowed.", asks([subscribe, test], cut("headers.Cookie"))),
  m(
    "WEBHOOK-TARGET-P3",
    "Credentials in a URL are allowed.",
    asks(
      [subscribe, test],
      over("callback_url", (url) => textOf(url).replace(/\/\/[^/@]*@/, "//")),
    ),
  ),
  m(
    "WEBHOOK-TARGET-P8",
    "The addresses that carriers share are public.",
    asks(
      [subscribe, test],
      over("callback_url", (url) => textOf(url).replace("100.64.0.1", "hooks.example.com")),
    ),
  ),
  m(
    "WEBHOOK-TARGET-P9",
    "An address of documentation is public.",
    asks(
      [subscribe, test],
      over("callback_url", (url) => textOf(url).replace("[2001:db8::1]", "hooks.example.com")),
    ),
  ),
  m(
    "WEBHOOK-TARGET-P10",
    "An address that is translated is judged as it is written.",
    asks(
      [subscribe, test],
      over("callback_url", (url) => textOf(url).replace("[64:ff9b::7f00:1]", "hooks.example.com")),
    ),
  ),
  m(
    "WEBHOOK-TARGET-P13",
    "A subscription to a literal address is made, and refused when something is sent.",
    forgives(
      subscribe,
      1000,
      201,
      ({ json }) => ({
        subscription_id: "sub_x",
        agent_id: null,
        method_type: "POST",
        event_types: ["all_processing_completed"],
        enabled: true,
        ...objectOf(json),
      }),
      ({ json }) =>
        /^https?:\/\/([\d.]+|0x[^/]*|\[[^/]*|localhost|metadata[^/]*)\//.test(textOf(at(json, "callback_url") ?? "")),
    ),
  ),
  m(
    "DELIVERY-P5",
    "Each attempt carries the signature of the first.",
    fresh(() => {
      const first = new Map<unknown, unknown>()
      return carries((all) => {
        const id = all["x-service-delivery-id"]
        const signature = all["x-service-signature"]
        if (signature === undefined) return all
        if (!first.has(id)) first.set(id, signature)
        return { ...all, "x-service-signature": first.get(id) }
      })
    }),
  ),
  m(
    "DELIVERY-P9",
    "Each attempt has a delivery id of its own.",
    carries((all, entry) => ({
      ...all,
      "x-service-delivery-id": `${textOf(all["x-service-delivery-id"])}_${textOf(entry["received_at"] ?? "")}`,
    })),
  ),
  m(
    "LEDGER-P5",
    "A single delivery cannot be read.",
    answers("GET /v2/webhooks/deliveries/*", (reply) => (reply.status === 200 ? failing(reply, 1200, 404) : reply)),
  ),
]

const ofBatches = [
  m(
    "BATCH-ROUTES-P1",
    "What is done to a batch is answered with its id alone.",
    answers("POST /v2/batches/*/*", (reply) =>
      reply.status < 300 ? made(reply, reply.status, { batch_id: at(reply.json, "batch_id") }) : reply,
    ),
  ),
  m(
    "BATCH-FIELD-P1",
    "A batch shows its id, its status and its organization alone.",
    row(batches, where(has("batch_id"), onlyOf("batch_id", "status", "organization_id"))),
  ),
  m("BATCH-LIST-P1", "Batches are not filtered.", ignores("GET /v2/batches", "status", "agent_id", "campaign_id")),
  m("BATCH-LIST-P2", "The calls of a batch are not filtered.", ignores("GET /v2/batches/*/executions", "status")),
  m(
    "BATCH-CREATE-P2",
    "A batch without a time begins three minutes later.",
    wire(() => async (asked, next) => {
      const isMade = asked.method === "POST" && asked.path === "/v2/batches" && at(asked.json, "agent_id") !== undefined
      if (!isMade || at(asked.json, "scheduled_at") !== undefined) return next(asked)
      const clock = await next(elsewhere(asked, "GET", "/_sim/clock"))
      const scheduled_at = later(at(clock.json, "now"), 3 * minuteMs)
      return next({ ...asked, json: { ...objectOf(asked.json), scheduled_at } })
    }),
  ),
  m(
    "BATCH-STATUS-P2",
    "A batch that was completed may be stopped once more.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const isStop = asked.method === "POST" && /^\/v2\/batches\/[^/]+\/stop$/.test(asked.path)
      return isStop && reply.status === 409 ? next(elsewhere(asked, "GET", asked.path.replace(/\/stop$/, ""))) : reply
    }),
  ),
]

const isArchived = async (asked: Asked, next: (asked: Asked) => Promise<Reply>): Promise<boolean> =>
  at((await next(elsewhere(asked, "GET", asked.path))).json, "status") === "archived"

/** Whether the key of a request holds a scope. */
const holds = async (scope: string, asked: Asked, next: (asked: Asked) => Promise<Reply>): Promise<boolean> => {
  const granted = at((await next(elsewhere(asked, "GET", "/v2/scopes"))).json, "key.granted")
  return Array.isArray(granted) && granted.includes(scope)
}

const needs = (scope: string, isRoute: (asked: Asked) => boolean) =>
  wire(() => async (asked, next) => {
    const reply = await next(asked)
    if (!isRoute(asked) || reply.status === 401 || reply.status === 403 || (await holds(scope, asked, next)))
      return reply
    return failing(reply, 1102, 403)
  })

const isOfCampaigns = ({ path }: Asked): boolean => /^\/v2\/campaigns(\/|$)/.test(path)

/** Whether a refusal tells something. */
const tells = (word: RegExp) => (_asked: Asked, reply: Reply) => word.test(textOf(at(reply.json, "message") ?? ""))

const ofCampaigns = [
  m(
    "CAMPAIGN-CANCEL-P1",
    "A cancel says nothing of the campaign.",
    body("POST /v2/campaigns/*/cancel", () => ({ accepted: true })),
  ),
  m(
    "CAMPAIGN-PATCH-P3",
    "An archived campaign that is edited is 404.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const isEdit = asked.method === "PATCH" && isOfCampaigns(asked) && reply.status === 409
      return isEdit && (await isArchived(asked, next)) ? failing(reply, 1200, 404) : reply
    }),
  ),
  m(
    "CAMPAIGN-CONFLICT-P1",
    "A campaign that is not paused cannot be resumed.",
    wire(() => async (asked, next) => {
      const isResume = asked.method === "POST" && /^\/v2\/campaigns\/[^/]+\/resume$/.test(asked.path)
      if (!isResume) return next(asked)
      const own = await next(elsewhere(asked, "GET", asked.path.replace(/\/resume$/, "")))
      return own.status === 200 && at(own.json, "status") !== "paused" ? failing(own, 1201, 409) : next(asked)
    }),
  ),
  m(
    "CAMPAIGN-CONFLICT-P2",
    "A paused campaign may be deleted.",
    wire(() => async (asked, next) => {
      const isDelete = asked.method === "DELETE" && isOfCampaigns(asked)
      if (isDelete) {
        const own = await next(elsewhere(asked, "GET", asked.path))
        if (at(own.json, "status") === "paused") await next(elsewhere(asked, "POST", `${asked.path}/cancel`))
      }
      return next(asked)
    }),
  ),
  m(
    "CAMPAIGN-CONFLICT-P3",
    "An archived campaign that is revived is 404.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const own = asked.path.replace(/\/revive$/, "")
      const isRevive = asked.method === "POST" && own !== asked.path && reply.status === 409
      return isRevive && (await isArchived({ ...asked, path: own }, next)) ? failing(reply, 1200, 404) : reply
    }),
  ),
  m(
    "DECODE-P11",
    "A number that is not registered is unknown.",
    recodes(["POST /v2/calls", createCampaign], 1001, 1200, 404, ({ json }, reply) => {
      const numbers = [at(json, "from_number"), at(json, "phone_numbers")].flat()
      const isWhole = numbers.every((number) => number === undefined || /^\+\d{7,15}$/.test(textOf(number)))
      return isWhole && tells(/from_number|phone_numbers/)(dummy, reply)
    }),
  ),
  m(
    "CAMPAIGN-CANCEL-P3",
    "A campaign that was only created cannot be cancelled.",
    wire(() => async (asked, next) => {
      const isCancel = asked.method === "POST" && /^\/v2\/campaigns\/[^/]+\/cancel$/.test(asked.path)
      if (!isCancel) return next(asked)
      const own = await next(elsewhere(asked, "GET", asked.path.replace(/\/cancel$/, "")))
      return at(own.json, "status") === "created" ? failing(own, 1201, 409) : next(asked)
    }),
  ),
  m(
    "STATS-P1",
    "Contacts that were skipped or wait are counted by their own names.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const isStats = /^\/v2\/campaigns\/[^/]+\/stats$/.test(asked.path) && reply.status === 200
      if (!isStats) return reply
      const query = new URLSearchParams({ page_size: "100" })
      const path = asked.path.replace(/stats$/, "contacts")
      const contacts = at((await next({ ...elsewhere(asked, "GET", path), query })).json, "data")
      const statuses = Array.isArray(contacts) ? contacts.map((each: unknown) => at(each, "status")) : []
      const own = ["skipped", "retry_scheduled", "follow_up_scheduled"]
      const others = Object.fromEntries(
        own.map((status) => [status, statuses.filter((each) => each === status).length]),
      )
      const counts = objectOf(at(reply.json, "contact_counts"))
      const pending = Number(counts["pending"]) - Object.values(others).reduce((sum, each) => sum + each, 0)
      return { ...reply, json: { ...objectOf(reply.json), contact_counts: { ...counts, ...others, pending } } }
    }),
  ),
  m(
    "CAMPAIGN-EXTENSION-P1",
    "The contacts of a campaign cannot be read.",
    refuses("GET /v2/campaigns/*/contacts", () => true, 1200, 404),
  ),
  m(
    "CAMPAIGN-EXTENSION-P2",
    "No contacts can be added to a campaign.",
    refuses("POST /v2/campaigns/*/contacts", () => true, 1200, 404),
  ),
  m(
    "CAMPAIGN-EXTENSION-P3",
    "A campaign is not explained.",
    refuses("GET /v2/campaigns/*/explain", () => true, 1200, 404),
  ),
  m(
    "CAMPAIGN-SCOPE-P1",
    "Writes of campaigns need calls:write too.",
    needs("calls:write", (asked) => isOfCampaigns(asked) && asked.method !== "GET"),
  ),
  m(
    "CAMPAIGN-SCOPE-P2",
    "Reads of campaigns need batches:write too.",
    needs("batches:write", (asked) => isOfCampaigns(asked) && asked.method === "GET"),
  ),
  m(
    "CAMPAIGN-STATUS-P1",
    "The batches of a campaign that expired are called cancelled.",
    together(
      row(
        ["GET /v2/batches", "GET /v2/batches/*", "GET /v2/campaigns/*/batches"],
        where(is("status", "expired"), set("status", "cancelled")),
      ),
      body(
        "GET /v2/campaigns/*/stats",
        over("batch_counts", (counts) => {
          const { expired, ...others } = objectOf(counts)
          return expired === undefined
            ? others
            : { ...others, cancelled: Number(others["cancelled"] ?? 0) + Number(expired) }
        }),
      ),
    ),
  ),
  m(
    "CAMPAIGN-JSON-P2",
    "An empty list of contacts makes the policy only.",
    asks(createCampaign, (json) => {
      const { contacts } = json
      return Array.isArray(contacts) && contacts.length === 0 ? cut("contacts")(json, dummy) : json
    }),
  ),
  m(
    "CAMPAIGN-CSV-P9",
    "Without a file a form is 1000.",
    recodes(["POST /v2/campaigns", "POST /v2/batches/upload"], 1002, 1000, 400, ({ headers: h }) =>
      (h.get("content-type") ?? "").startsWith("multipart"),
    ),
  ),
]

const isForm = ({ headers: h }: Asked): boolean => (h.get("content-type") ?? "").startsWith("multipart")

const ofFiles = [
  m(
    "CAMPAIGN-CSV-P1",
    "A quote inside quotes is kept twice.",
    csvOf((text) => text.replaceAll('""', '""""')),
  ),
  m(
    "CAMPAIGN-CSV-P2",
    "A blank line is a bad row.",
    csvOf((text) => text.replaceAll("\n\n", "\nx,y,z\n")),
  ),
  m(
    "CAMPAIGN-CSV-P3",
    "An empty header is called column.",
    csvOf((text) => text.replace(/^([^\n]*),,/, "$1,column,")),
  ),
  m(
    "CAMPAIGN-CSV-P4",
    "Of headers given twice the second is another one.",
    csvOf((text) => text.replace(/^([^\n]*),a,a\n/, "$1,a,a_2\n")),
  ),
  m(
    "CAMPAIGN-CSV-P5",
    "Cells beyond the header are dropped.",
    csvOf((text) => text.replace(/^(to_number,a\n[^\n,]*,1),2\n$/, "$1\n")),
  ),
  m(
    "CAMPAIGN-CSV-P6",
    "Bytes that are no UTF-8 are 1001.",
    recodes(createCampaign, 1000, 1001, 422, (asked, reply) => isForm(asked) && tells(/UTF-8/)(asked, reply)),
  ),
  m(
    "CAMPAIGN-CSV-P7",
    "to_number is the phone column wherever it stands.",
    csvOf((text) =>
      text
        .replace(/^city,mobile,to_number\nParis,([^,]*),5\n/, "city,mobile,to_number\nParis,5,$1\n")
        .replace("city,mobile,to_number", "city,5,to_number"),
    ),
  ),
  m(
    "CAMPAIGN-CSV-P11",
    "A number in a file has its plus and digits alone.",
    csvOf((text) => text.replace(/"[\d ().-]+"/g, "x")),
  ),
]

/** An event as it is written, with another payload. */
export const retold = (change: (payload: JsonObject) => JsonObject) =>
  writes((written) =>
    written.put === "event"
      ? { ...written, row: { ...written.row, body: JSON.stringify(change(objectOf(JSON.parse(written.row.body)))) } }
      : written,
  )

export const isOfType =
  (type: string) =>
  (entry: JsonObject): boolean =>
    payloadOf(entry)["event_type"] === type

export const callOf = (entry: JsonObject): unknown => payloadOf(entry)["call_id"]

const isLast = isOfType("all_processing_completed")

const ofEvents = [
  m(
    "EVENT-TYPE-P3",
    "Only a call that was answered is said to be completed.",
    receives((entries) =>
      entries.filter(
        (entry) =>
          !isOfType("call_completed")(entry) ||
          entries.some((other) => isOfType("call_started")(other) && callOf(other) === callOf(entry)),
      ),
    ),
  ),
  m(
    "EVENT-TYPE-P5",
    "Nothing is corrected.",
    receives((entries) => entries.filter((entry) => !isOfType("call_corrected")(entry))),
  ),
  m(
    "EVENT-TYPE-P6",
    "What a subscription is told first is that all is processed.",
    receives((entries) => [...entries.filter(isLast), ...entries.filter((entry) => !isLast(entry))]),
  ),
  m(
    "EVENT-TYPE-P7",
    "The last event waits until nothing is missing.",
    receives((entries) => {
      const mended = new Set(entries.filter(isOfType("call_corrected")).map(callOf))
      return entries.flatMap((entry) => {
        const payload = payloadOf(entry)
        if (!mended.has(payload["call_id"])) return [entry]
        if (payload["event_type"] === "all_processing_completed") return []
        const { correction: _gone, ...whole } = payload
        const told = {
          ...whole,
          event_type: "all_processing_completed",
          processing_incomplete: false,
          missing_fields: [],
        }
        return [payload["event_type"] === "call_corrected" ? { ...entry, body: JSON.stringify(told) } : entry]
      })
    }),
  ),
  m(
    "EVENT-TYPE-P8",
    "Events other than the last say nothing of what is not known.",
    retold((payload) =>
      payload["event_type"] === "all_processing_completed"
        ? payload
        : Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null)),
    ),
  ),
  m(
    "PAYLOAD-P1",
    "The attempts of a payload are the ids of their calls.",
    retold((payload) => ({
      ...payload,
      attempts: Array.isArray(payload["attempts"])
        ? payload["attempts"].map((each: unknown) => at(each, "execution_id"))
        : null,
    })),
  ),
  m(
    "PAYLOAD-P4",
    "The time of placement is written without an offset.",
    retold((payload) => {
      const { called_on } = payload
      return typeof called_on === "string" ? { ...payload, called_on: called_on.slice(0, 19) } : payload
    }),
  ),
  m(
    "PAYLOAD-P3",
    "A correction is a list of what it changes.",
    retold((payload) => {
      const { correction } = payload
      return correction === undefined ? payload : { ...payload, correction: at(correction, "fields") }
    }),
  ),
  m(
    "DELIVERY-P8",
    "The health of an endpoint is not shown.",
    row(["GET /v2/webhooks", "GET /v2/webhooks/*"], cut("failing_since", "last_failure")),
  ),
]

const bases = "/v2/knowledge-bases"

const ofKnowledge = [
  m(
    "KB-CREATE-P1",
    "The form of a knowledge base has the field name alone.",
    wire(() => async (asked, next) => {
      const type = asked.headers.get("content-type") ?? ""
      if (asked.method !== "POST" || asked.path !== bases || !type.startsWith("multipart")) return next(asked)
      const form = await asked.original
        .clone()
        .formData()
        .catch(() => undefined)
      return form === undefined || form.has("name")
        ? next(asked)
        : failing(await next(elsewhere(asked, "GET", "/v2/scopes")), 1002, 400, "Missing required parameter: name.")
    }),
  ),
  m(
    "KB-ROUTES-P1",
    "A knowledge base is shown by its name alone.",
    row([`GET ${bases}`, `GET ${bases}/*`], onlyOf("collection")),
  ),
  m(
    "KB-UPLOAD-P1",
    "An upload that was processed is ready.",
    row(`GET ${bases}/*/documents`, where(is("status", "processed"), set("status", "ready"))),
  ),
  m(
    "KB-ERROR-P1",
    "More than ten files are 1001.",
    recodes([`POST ${bases}`, `POST ${bases}/*/documents`], 1000, 1001, 422, tells(/10 files/)),
  ),
]

const ofLimits = [
  m(
    "RATE-HEADERS-P1",
    "A request without a key is told that nothing remains.",
    headers("* /v2/**", (h, reply) => {
      if (reply.status === 401) h.set("x-ratelimit-remaining", "0")
    }),
  ),
  m(
    "RATE-HEADERS-P3",
    "Whoever asks too much waits a whole minute.",
    headers("* /v2/**", (h, reply) => {
      const isRate = textOf(at(reply.json, "message") ?? "").startsWith("Rate limit")
      if (reply.status === 429 && isRate) h.set("retry-after", "60")
    }),
  ),
  m(
    "RATE-HEADERS-P2",
    "What remains is told before the request is counted.",
    headers("* /v2/**", (h, reply) => {
      const left = h.get("x-ratelimit-remaining")
      const limit = Number(h.get("x-ratelimit-limit"))
      if (left !== null && reply.status !== 429 && reply.status !== 401)
        h.set("x-ratelimit-remaining", String(Math.min(limit, Number(left) + 1)))
    }),
  ),
  m(
    "RATE-HEADERS-P4",
    "Seconds until the window rolls are rounded down.",
    headers("* /v2/**", (h) => {
      const reset = h.get("x-ratelimit-reset")
      if (reset !== null) h.set("x-ratelimit-reset", String(Math.max(0, Number(reset) - 1)))
    }),
  ),
  m(
    "SLOT-FULL-P2",
    "No more lines are said to be in use than there are.",
    words("POST /v2/calls", 1300, (text) =>
      text.replace(/\((\d+) of (\d+) /, (_whole, used, max) => `(${Math.min(Number(used), Number(max))} of ${max} `),
    ),
  ),
  m(
    "SLOT-FULL-P3",
    "Whichever level is full, the lines of the organization are told.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (asked.path !== "/v2/calls" || reply.status !== 429) return reply
      const me = await next(elsewhere(asked, "GET", "/v2/user/me"))
      const max = at(me.json, "concurrency.levels.organization")
      const message = textOf(at(reply.json, "message")).replace(
        /\(\d+ of \d+ /,
        `(${textOf(at(me.json, "concurrency.current"))} of ${textOf(max)} `,
      )
      return { ...reply, json: { ...objectOf(reply.json), message } }
    }),
  ),
  m("ME-P3", "The levels of concurrency are not shown.", body("GET /v2/user/me", cut("concurrency.levels"))),
  m(
    "IDEMPOTENCY-P8",
    "A key that is no key is refused before the body is decoded.",
    refuses(
      [createCampaign, "POST /v2/calls", "POST /v2/batches"],
      ({ headers: h }) => h.get("idempotency-key") === "" || (h.get("idempotency-key") ?? "").length > 255,
      1000,
      400,
    ),
  ),
]

export const otherwiseCampaigns = [
  ...ofWebhooks,
  ...ofEvents,
  ...ofBatches,
  ...ofCampaigns,
  ...ofFiles,
  ...ofKnowledge,
  ...ofLimits,
]
