import { type Route, routes } from "@carillon/api"
import type { Attack, Known } from "./Attack.ts"
import { manyCountries, rareHours } from "./Furnishing.ts"
import type { Tenant } from "./Messages.ts"

/** Attacks that need more than one request: by whoever has made much, has endpoints that hang, or reads nothing of what it is answered. */

const json = { "content-type": "application/json" }

interface Sent {
  readonly method: string
  readonly target: string
  readonly body?: object
}

const attackAt = (
  route: string,
  name: string,
  sent: (tenant: Tenant, known: Known, nth: number) => Sent,
  options: Partial<Attack> = {},
): Attack => ({
  route,
  name,
  hasFiles: false,
  parallel: 20,
  isHeld: false,
  needs: "much",
  isInBody: false,
  shot: (tenant, known, nth) => {
    const { body, method, target } = sent(tenant, known, nth)
    return { method, target, headers: json, body: body === undefined ? null : Buffer.from(JSON.stringify(body)) }
  },
  ...options,
})

/** Reads of what there is much of. Whoever has made it asks for all of it at once, slowly, and for one of it. */
const lists = routes.filter(
  ({ method, name }) => method === "GET" && /\.(?:list|batches|executions|deliveries)$/.test(name),
)

const targetOf = ({ path }: Route, { parameters }: Known): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => parameters[parameter] ?? "x")

const listAttacks = lists.flatMap((route): ReadonlyArray<Attack> => {
  const label = `${route.method} ${route.path}`
  const page = (size: number) => (_: Tenant, known: Known) => ({
    method: "GET",
    target: `${targetOf(route, known)}?page_size=${size}`,
  })
  return [
    attackAt(label, "large pages at once", page(100)),
    // Of the largest agents, they come to just less than a page may have, so they are not refused.
    attackAt(label, "large pages that are answered, at once", page(30)),
    attackAt(label, "pages of one of many at once", page(1)),
    attackAt(label, "large pages that nobody reads", page(100), { parallel: 60, isHeld: true }),
  ]
})

const agentOf = ({ agents }: Known, nth: number): string => agents[nth % agents.length] ?? "x"

const largeRows: ReadonlyArray<Attack> = [
  attackAt(
    "GET /v2/agents/{agent_id}",
    "three hundred of the largest at once",
    (_, known, nth) => ({ method: "GET", target: `/v2/agents/${agentOf(known, nth)}` }),
    { parallel: 300 },
  ),
  attackAt(
    "PATCH /v2/agents/{agent_id}",
    "a hundred of the largest at once",
    (_, known, nth) => ({ method: "PATCH", target: `/v2/agents/${agentOf(known, nth)}`, body: { summary: `x${nth}` } }),
    { parallel: 100 },
  ),
  attackAt(
    "POST /v2/agents/{agent_id}/clone",
    "fifty of the largest at once",
    (_, known, nth) => ({ method: "POST", target: `/v2/agents/${agentOf(known, nth)}/clone`, body: {} }),
    { parallel: 50 },
  ),
  attackAt("PATCH /v2/agents/{agent_id}/event-subscriptions", "of an agent with many webhooks", ({ agent_id }) => ({
    method: "PATCH",
    target: `/v2/agents/${agent_id}/event-subscriptions`,
    body: { event_types: ["call_completed"] },
  })),
  ...(["explain", "contacts", "stats"] as const).map((what) =>
    attackAt(`GET /v2/campaigns/{campaign_id}/${what}`, "of a campaign of many batches", (_, { parameters }) => ({
      method: "GET",
      target: `/v2/campaigns/${parameters["campaign_id"]}/${what}`,
    })),
  ),
  ...(["pause", "resume"] as const).map((what) =>
    attackAt(
      `POST /v2/campaigns/{campaign_id}/${what}`,
      "of a campaign of many batches",
      (_, { parameters }) => ({
        method: "POST",
        target: `/v2/campaigns/${parameters["campaign_id"]}/${what}`,
        body: {},
      }),
      { parallel: 1 },
    ),
  ),
]

const hanging: ReadonlyArray<Attack> = [
  attackAt(
    "POST /v2/calls",
    "events for many webhooks that hang",
    ({ agent_id }, _, nth) => ({
      method: "POST",
      target: "/v2/calls",
      body: { agent_id, to_number: `+1555800${String(nth).padStart(4, "0")}` },
    }),
    { parallel: 100, needs: "hanging" },
  ),
  attackAt(
    "POST /v2/webhooks/test",
    "tests of a webhook that hangs",
    (_, { parameters }) => ({
      method: "POST",
      target: "/v2/webhooks/test",
      body: { callback_url: `http://${parameters["hanging"]}/` },
    }),
    { parallel: 100, needs: "hanging", isHeld: false },
  ),
]

/** Numbers of which nothing is known: they may be in any zone. */
const anywhere = (nth: number): string => `+999${String(nth).padStart(7, "0")}`

const dayMs = 86_400_000

/** Whoever is called only in hours that are hardly ever, and at numbers that may be anywhere. */
const hours: ReadonlyArray<Attack> = [
  attackAt(
    "POST /v2/callee-hours/check",
    "a thousand numbers that may be anywhere",
    () => ({
      method: "POST",
      target: "/v2/callee-hours/check",
      body: { to_numbers: Array.from({ length: 1_000 }, (_, nth) => anywhere(nth)) },
    }),
    { parallel: 4, needs: "hours" },
  ),
  attackAt(
    "POST /v2/callee-hours/check",
    "moments that lie far apart",
    (_, __, nth) => ({
      method: "POST",
      target: "/v2/callee-hours/check",
      body: { to_numbers: [anywhere(nth)], at: new Date(Date.now() + (nth + 1) * 450 * dayMs).toISOString() },
    }),
    { needs: "hours" },
  ),
  attackAt(
    "POST /v2/calls",
    "calls to numbers that may be anywhere",
    ({ agent_id }, _, nth) => ({
      method: "POST",
      target: "/v2/calls",
      body: { agent_id, to_number: anywhere(nth) },
    }),
    { needs: "hours" },
  ),
  attackAt(
    "PUT /v2/callee-hours",
    "every country with hours of its own",
    ({ agent_id }) => ({
      method: "PUT",
      target: "/v2/callee-hours",
      body: { agent_id, countries: manyCountries(), elsewhere: rareHours() },
    }),
    { parallel: 4, needs: "hours" },
  ),
  attackAt(
    "GET /v2/callee-hours",
    "every country with hours of its own",
    () => ({ method: "GET", target: "/v2/callee-hours" }),
    { needs: "hours" },
  ),
  attackAt("DELETE /v2/callee-hours", "hours of all calls", () => ({ method: "DELETE", target: "/v2/callee-hours" }), {
    parallel: 1,
    needs: "hours",
  }),
]

/** What is answered beside the API, to anybody. */
const beside: ReadonlyArray<Attack> = ["/docs", "/openapi.json", "/livez", "/readyz", "/nowhere"].flatMap((target) => {
  const label = `GET ${target}`
  const asked = () => ({ method: "GET", target })
  return [
    attackAt(label, "as often as it goes", asked, { parallel: 300, needs: null }),
    attackAt(label, "answers that nobody reads", asked, { parallel: 100, needs: null, isHeld: true }),
  ]
})

/** Questions to a base with a long text: of one word again and again, of many words, and of words that are nearly in it. */
const questions = [
  "lorem ".repeat(300),
  Array.from({ length: 400 }, (_, nth) => `w${nth}`).join(" "),
  "lorme ispum ".repeat(160),
].map((query, nth) =>
  attackAt(
    "POST /v2/knowledge-bases/{collection}/query",
    `twenty questions of ${["one word", "many words", "words that are nearly there"][nth]}`,
    (_, { parameters }) => ({
      method: "POST",
      target: `/v2/knowledge-bases/${parameters["collection"]}/query`,
      body: { query, top_k: 50 },
    }),
  ),
)

export const muchAttacks: ReadonlyArray<Attack> = [
  ...listAttacks,
  ...largeRows,
  ...questions,
  ...hanging,
  ...beside,
  ...hours,
]
