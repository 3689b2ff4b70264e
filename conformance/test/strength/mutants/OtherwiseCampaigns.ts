/**
 * Servers that chose otherwise than the published readings of campaigns, batches, webhooks, knowledge bases and limits, each in one thing, and
 * keep what the specification says.
 */
import {
  answers,
  asks,
  at,
  body,
  carries,
  cut,
  dummy,
  failing,
  forgives,
  fresh,
  headers,
  ignores,
  is,
  made,
  over,
  recodes,
  refuses,
  restates,
  row,
  set,
  textOf,
  together,
  where,
  wire,
} from "../Defects.ts"
import { type Asked, objectOf, type Reply } from "../Mutant.ts"
import { m } from "../Table.ts"
import { csvOf } from "./Campaigns.ts"

const minuteMs = 60_000
const subscribe = "POST /v2/webhooks"
const test = "POST /v2/webhooks/test"
const batches = ["GET /v2/batches", "GET /v2/batches/*", "GET /v2/campaigns/*/batches", "POST /v2/batches**"]
const createCampaign = "POST /v2/campaigns"

/** The same request to another route, without its body. */
const elsewhere = (asked: Asked, method: string, path: string): Asked => ({
  ...asked,
  method,
  path,
  query: new URLSearchParams(),
  headers: new Headers([["authorization", asked.headers.get("authorization") ?? ""]]),
  json: undefined,
})

const later = (now: unknown, ms: number): string => new Date(Date.parse(textOf(now)) + ms).toISOString()

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
    row(batches, (batch) =>
      "batch_id" in batch
        ? Object.fromEntries(
            Object.entries(batch).filter(([name]) => ["batch_id", "status", "organization_id"].includes(name)),
          )
        : batch,
    ),
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

/** Whether a refusal tells something. */
const tells = (word: RegExp) => (_asked: Asked, reply: Reply) => word.test(textOf(at(reply.json, "message") ?? ""))

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
]

export const otherwiseCampaigns = [...ofWebhooks, ...ofBatches, ...ofCampaigns, ...ofFiles, ...ofLimits]
