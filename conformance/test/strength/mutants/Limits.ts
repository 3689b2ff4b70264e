/** Mistakes with request rates, lines and fair shares. */
import {
  answers,
  around,
  asks,
  at,
  body,
  both,
  failing,
  forgives,
  fresh,
  gate,
  has,
  headers,
  is,
  made,
  over,
  recodes,
  refuses,
  reroutes,
  row,
  set,
  textOf,
  together,
  where,
  wire,
  words,
} from "../Defects.ts"
import { type Asked, objectOf } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"

const all = "* /v2/**"
const place = "POST /v2/calls"
const me = "GET /v2/user/me"
const isRate = (r: { readonly json: unknown }) => textOf(objectOf(r.json)["message"] ?? "").startsWith("Rate limit")
const isLines = (r: { readonly json: unknown }) => textOf(objectOf(r.json)["message"] ?? "").startsWith("Account")
/** A request that is refused for the organization that it names. */
const isElsewhere = (a: Pick<Asked, "query">, r: { readonly status: number }) =>
  a.query.has("organization_id") && r.status === 403
const limitOf = (route: string, limit: number) => headers(route, (h) => h.set("x-ratelimit-limit", String(limit)))
const served = (asked: Asked) => (asked.method === "GET" ? {} : { execution_id: "exec_x", status: "queued" })
const levels = (drop: string) =>
  gate((demands) => demands.map((one) => (one.level === drop ? { ...one, ceiling: null } : one)))

/** Limits that the host gives are seen as others. */
const given = (change: (concurrency: Record<string, unknown>) => Record<string, unknown>) =>
  asks(
    ["POST /_sim/organizations", "PATCH /_sim/organizations/*"],
    over("concurrency", (v) => change({ ...objectOf(v) })),
  )

/** How a client is counted: by its key, or not at all. */
const counting = (key: (asked: Asked) => string, limit: number) =>
  wire(() => {
    const counts = new Map<string, number>()
    return async (asked, next) => {
      if (!asked.path.startsWith("/v2")) {
        if (asked.path === "/_sim/clock/advance") counts.clear()
        return next(asked)
      }
      const id = key(asked)
      counts.set(id, (counts.get(id) ?? 0) + 1)
      const reply = await next(asked)
      return (counts.get(id) ?? 0) > limit && reply.status < 300
        ? failing(
            reply,
            1300,
            429,
            `Rate limit exceeded: ${limit} requests per minute for this organization. Retry in 30s.`,
          )
        : reply
    }
  })

const bucketRoutes: ReadonlyArray<readonly [clause: string, limit: number, routes: ReadonlyArray<string>]> = [
  [
    "RATE-BUCKET-1",
    1000,
    [
      "POST /v2/calls",
      "POST /v2/calls/*/stop",
      "POST /v2/campaigns",
      "POST /v2/batches",
      "POST /v2/batches/upload",
      "POST /v2/batches/*/schedule",
    ],
  ],
  [
    "RATE-BUCKET-2",
    1000,
    [
      "GET /v2/calls",
      "GET /v2/calls/*",
      "GET /v2/calls/*/transcript",
      "GET /v2/calls/*/recording",
      "GET /v2/calls/*/timing",
      "GET /v2/agents/*/executions",
      "GET /v2/batches/*/executions",
      "GET /v2/usage",
    ],
  ],
  [
    "RATE-BUCKET-4",
    600,
    [
      "GET /v2/agents",
      "POST /v2/agents",
      "PATCH /v2/agents/*",
      "POST /v2/agents/*/clone",
      "GET /v2/agents/*/versions",
      "GET /v2/batches",
      "POST /v2/batches/*/stop",
      "GET /v2/webhooks",
      "POST /v2/webhooks/test",
      "GET /v2/knowledge-bases",
      "GET /v2/phone-numbers",
      "GET /v2/providers",
      "GET /v2/inbound-agents",
      "GET /v2/user/me",
      "GET /v2/scopes",
      "GET /v2/audit-logs",
      "GET /v2/api-keys",
      "GET /v2/campaigns",
      "POST /v2/campaigns/*/pause",
    ],
  ],
]

const rates = [
  each("LIMITS-1", "There is no ceiling of live calls.", levels("organization")),
  m(
    "LIMITS-2",
    "For want of a line the code is 1301.",
    answers(place, (r) => (isLines(r) ? failing(r, 1501, 503, "Account concurrency limit reached.") : r)),
  ),
  m(
    "LIMITS-3",
    "A refusal by rate begins otherwise.",
    words(all, 1300, (t) => t.replace("Rate limit exceeded", "Too many requests")),
  ),
  c(
    "LIMITS-3",
    "A refusal by rate of reads begins like the other.",
    words("GET /v2/**", 1300, (t) => t.replace("Rate limit exceeded", "Account concurrency limit reached")),
  ),
  m(
    "LIMITS-4",
    "A refusal for want of a line begins otherwise.",
    words(place, 1300, (t) => t.replace("Account concurrency limit reached", "Concurrency exhausted")),
  ),
  m(
    "RATE-1",
    "Each key is counted by itself.",
    fresh(() => {
      const own = new Map<string, number>()
      return answers(all, (r, a) => {
        const key = a.headers.get("authorization") ?? ""
        if (r.status < 400) own.set(key, (own.get(key) ?? 0) + 1)
        return isRate(r) && (own.get(key) ?? 0) < 20 ? made(r, 200, served(a)) : r
      })
    }),
  ),
  c(
    "RATE-1",
    "Reads of one key are refused after 20.",
    counting((a) => `${a.headers.get("authorization")} ${a.method} ${a.path.replace(/\/[a-z]+_[^/]+/g, "/*")}`, 20),
  ),
  m(
    "RATE-2",
    "One counter for all buckets.",
    fresh(() => {
      let n = 0
      return headers(all, (h) => {
        n += 1
        h.set("x-ratelimit-remaining", String(Math.max(0, Number(h.get("x-ratelimit-remaining")) - n)))
      })
    }),
  ),
  m(
    "RATE-3",
    "The window is a fixed minute.",
    fresh(() => {
      let limited = false
      return together(
        reroutes("POST /_sim/clock/advance", (a) => {
          limited = true
          return a
        }),
        forgives(all, 1300, 200, served, (_, r) => limited && isRate(r)),
      )
    }),
  ),
  c(
    "RATE-4",
    "The previous minute is not weighed.",
    fresh(() => {
      let moved = 0
      return together(
        reroutes("POST /_sim/clock/advance", (a) => {
          moved += 1
          return a
        }),
        headers(all, (h) => {
          if (moved > 0) h.set("x-ratelimit-remaining", String(Number(h.get("x-ratelimit-limit")) - 1))
        }),
      )
    }),
  ),
  m(
    "RATE-4",
    "The previous minute counts whole.",
    fresh(() => {
      let moved = 0
      return together(
        reroutes("POST /_sim/clock/advance", (a) => {
          moved += 1
          return a
        }),
        headers(all, (h) => {
          if (moved > 0) h.set("x-ratelimit-remaining", "0")
        }),
      )
    }),
  ),
  m(
    "RATE-5",
    "Nothing is refused.",
    forgives(all, 1300, 200, served, (_, r) => isRate(r)),
  ),
  c(
    "RATE-5",
    "One request too few passes.",
    headers(all, (h, r) => {
      if (r.status < 300 && h.get("x-ratelimit-remaining") === "0") h.set("x-ratelimit-remaining", "1")
    }),
  ),
  ...bucketRoutes.flatMap(([clause, limit, routes]) =>
    routes.map((route, i) => (i === 0 ? m : c)(clause, `${route} counts in another bucket.`, limitOf(route, limit))),
  ),
  m("RATE-BUCKET-3", "Uploads have 60 a minute.", limitOf("POST /v2/knowledge-bases", 60)),
  c(
    "RATE-BUCKET-2",
    "Usage shows the ceiling of reads and counts in default.",
    fresh(() =>
      headers("GET /v2/usage", (h) => {
        h.set("x-ratelimit-remaining", "600")
      }),
    ),
  ),
  m(
    "RATE-6",
    "500 a minute are too many.",
    counting((a) => `${a.headers.get("authorization")} ${a.method}`, 450),
  ),
  m(
    "RATE-7",
    "rate_limits tells other ceilings.",
    body(
      me,
      over("rate_limits", (v) =>
        Object.fromEntries(Object.entries(objectOf(v)).map(([k, e]) => [k, { ...objectOf(e), limit: 100 }])),
      ),
    ),
  ),
  c(
    "RATE-7",
    "rate_limits tells the default's ceiling for uploads.",
    body(
      me,
      over("rate_limits", (v) => ({
        ...objectOf(v),
        "knowledge.upload": { ...objectOf(objectOf(v)["knowledge.upload"]), limit: 1000 },
      })),
    ),
  ),
  m(
    "RATE-8",
    "Another tier has other ceilings.",
    headers(me, (h) => h.set("x-ratelimit-limit", "2000")),
  ),
  m(
    "RATE-HEADERS-3",
    "X-RateLimit-Limit is the rest.",
    headers(all, (h) => h.set("x-ratelimit-limit", h.get("x-ratelimit-remaining") ?? "0")),
  ),
  c(
    "RATE-HEADERS-3",
    "X-RateLimit-Limit of failures is 0.",
    headers(all, (h, r) => {
      if (r.status >= 400) h.set("x-ratelimit-limit", "0")
    }),
  ),
  c(
    "RATE-HEADERS-3",
    "Whoever names another organization is told the ceiling of the default bucket.",
    headers("GET /v2/calls", (h, r, a) => {
      if (isElsewhere(a, r)) h.set("x-ratelimit-limit", "1000")
    }),
  ),
  m(
    "RATE-HEADERS-4",
    "X-RateLimit-Remaining never falls.",
    headers(all, (h) => h.set("x-ratelimit-remaining", h.get("x-ratelimit-limit") ?? "0")),
  ),
  c(
    "RATE-HEADERS-4",
    "X-RateLimit-Remaining falls below 0.",
    headers(all, (h, r) => {
      if (r.status === 429) h.set("x-ratelimit-remaining", "-1")
    }),
  ),
  c(
    "RATE-HEADERS-4",
    "Whoever names another organization is told of a full ceiling, as one without a key is.",
    headers(all, (h, r, a) => {
      if (isElsewhere(a, r)) h.set("x-ratelimit-remaining", h.get("x-ratelimit-limit") ?? "0")
    }),
  ),
  m(
    "RATE-HEADERS-5",
    "X-RateLimit-Reset is a timestamp.",
    headers(all, (h) => h.set("x-ratelimit-reset", "1767603660")),
  ),
  c(
    "RATE-HEADERS-5",
    "X-RateLimit-Reset is in milliseconds.",
    headers(all, (h) => h.set("x-ratelimit-reset", String(Number(h.get("x-ratelimit-reset")) * 1000))),
  ),
  m(
    "RATE-HEADERS-6",
    "Retry-After is a date.",
    headers(all, (h, r) => {
      if (isRate(r)) h.set("retry-after", "Mon, 05 Jan 2026 09:01:00 GMT")
    }),
  ),
  c(
    "RATE-HEADERS-6",
    "Retry-After of a refusal by rate is 120.",
    headers(all, (h, r) => {
      if (isRate(r)) h.set("retry-after", "120")
    }),
  ),
  c(
    "RATE-HEADERS-6",
    "Retry-After of a refusal by rate is 0.",
    headers(all, (h, r) => {
      if (isRate(r)) h.set("retry-after", "0")
    }),
  ),
  m(
    "RATE-9",
    "An exceeded rate is 503.",
    recodes(all, 1300, 1501, 503, (_, r) => isRate(r)),
  ),
  c(
    "RATE-9",
    "An exceeded rate of uploads is 1201.",
    recodes("POST /v2/knowledge-bases**", 1300, 1201, 409, (_, r) => isRate(r)),
  ),
  m(
    "RATE-10",
    "With its store away the limiter refuses.",
    faulty("rate_limit_store", (r) =>
      failing(r, 1300, 429, "Rate limit exceeded: 0 requests per minute for this organization. Retry in 1s."),
    ),
  ),
  c(
    "RATE-10",
    "With its store away writes are 503.",
    faulty("rate_limit_store", (r, a) => (a.method === "GET" ? r : failing(r, 1501, 503))),
  ),
  m(
    "RATE-11",
    "With its store away there is nothing left.",
    faulty("rate_limit_store", (r) => {
      const h = new Headers(r.headers)
      h.set("x-ratelimit-remaining", "0")
      return { ...r, headers: h }
    }),
  ),
  c(
    "RATE-11",
    "With its store away there are no headers.",
    faulty("rate_limit_store", (r) => {
      const h = new Headers(r.headers)
      h.delete("x-ratelimit-limit")
      return { ...r, headers: h }
    }),
  ),
]

/** Answers while a dependency is away. */
function faulty(
  dependency: string,
  change: (reply: Parameters<typeof failing>[0], asked: Asked) => ReturnType<typeof failing>,
) {
  return fresh(() => {
    let away = false
    return together(
      reroutes("PUT /_sim/faults", (asked) => {
        const fault = objectOf(asked.json)
        if (dependency in fault) away = fault[dependency] !== null
        return asked
      }),
      answers(all, (r, a) => (away ? change(r, a) : r)),
    )
  })
}

/** Something is held back from the slot store, or given too early. */
const slotEarly = (status: string) =>
  fresh(() =>
    row(
      ["GET /v2/user/me"],
      where((r) => status !== "" && Number(at(r, "concurrency.current")) > 0, set("concurrency.current", 0)),
    ),
  )

const lines = [
  m(
    "SLOT-1",
    "Live calls are counted with the requests.",
    words(place, 1300, (t) => t.replace("Account concurrency limit reached", "Rate limit exceeded")),
  ),
  c(
    "SLOT-1",
    "Every dial takes a line for a minute of requests.",
    together(forgives(place, 1300, 201, served, (_, r) => isLines(r))),
  ),
  m("SLOT-2", "A line is free once the call rings.", freedEarly()),
  c(
    "SLOT-2",
    "A line stays taken after the final report.",
    fresh(() => {
      const h = together(refuses(place, () => false, 1300, 429))
      let n = 0
      return together(
        h,
        answers(place, (r) => {
          n += 1
          return n > 25 && r.status === 201
            ? failing(r, 1300, 429, "Account concurrency limit reached (20 of 20 lines in use).")
            : r
        }),
      )
    }),
  ),
  m(
    "SLOT-3",
    "Booking takes a line.",
    fresh(() => {
      let booked = 0
      return answers(place, (r) => {
        if (objectOf(r.json)["status"] === "scheduled") booked += 1
        return booked > 5 && objectOf(r.json)["status"] === "scheduled"
          ? failing(r, 1300, 429, "Account concurrency limit reached (20 of 20 lines in use).")
          : r
      })
    }),
  ),
  m("SLOT-4", "The agent's level is not asked.", levels("agent")),
  c(
    "SLOT-4",
    "A refused dial keeps the levels that it took.",
    fresh(() => {
      let refused = 0
      return answers(place, (r) => {
        if (isLines(r)) refused += 1
        return refused > 0 && r.status === 201
          ? failing(r, 1300, 429, "Account concurrency limit reached (20 of 20 lines in use).")
          : r
      })
    }),
  ),
  m("SLOT-5", "The platform has no ceiling.", levels("platform")),
  c("SLOT-5", "The platform's ceiling is only reported.", asks("PATCH /_sim/platform", set("concurrency", 1000))),
  m("SLOT-6", "The organization has no ceiling.", levels("organization")),
  c(
    "SLOT-6",
    "The default of an organization is 10.",
    asks("POST /_sim/organizations", (j) => ({ concurrency: { organization: 10 }, ...j })),
  ),
  c(
    "SLOT-6",
    "The default of an organization is 25.",
    asks("POST /_sim/organizations", (j) => ({ concurrency: { organization: 25 }, ...j })),
  ),
  m(
    "SLOT-7",
    "An agent has five lines by default.",
    asks("POST /_sim/organizations", (j) => ({
      ...j,
      concurrency: { organization: 20, per_agent: 6, ...objectOf(j["concurrency"]) },
    })),
  ),
  m("SLOT-8", "A campaign has no ceiling.", levels("campaign")),
  c(
    "SLOT-8",
    "A campaign without a ceiling has 5.",
    asks("POST /v2/campaigns", (j) => ({ max_concurrent_calls: 5, ...j })),
  ),
  c(
    "SLOT-9",
    "Changes of limits are dropped.",
    asks("PATCH /_sim/organizations/*", (j) => ({
      wallet: { balance: 100 },
      ...Object.fromEntries(Object.entries(j).filter(([k]) => k !== "concurrency")),
    })),
  ),
  m(
    "SLOT-10",
    "max is the organization's whatever the platform's.",
    body(
      me,
      over("concurrency.max", (v) => (Number(v) < 20 ? 20 : v)),
    ),
  ),
  c(
    "SLOT-10",
    "max is the agent's.",
    body(
      me,
      over("concurrency.max", (v) => Number(v) - 1),
    ),
  ),
  m(
    "SLOT-11",
    "per_agent equal to the organization's refuses.",
    given((v) =>
      v["per_agent"] !== undefined && Number(v["per_agent"]) >= Number(v["organization"] ?? 20)
        ? { ...v, per_agent: 1 }
        : v,
    ),
  ),
  m(
    "SLOT-12",
    "5 and 100 is a real cap.",
    given((v) => (v["per_agent"] === 5 && v["organization"] === 100 ? { ...v, organization: 101 } : v)),
  ),
  m(
    "SLOT-13",
    "per_agent of 5 is never a cap.",
    given((v) => (v["per_agent"] === 5 ? { ...v, per_agent: Number(v["organization"] ?? 20) } : v)),
  ),
  c("SLOT-13", "per_agent is never a cap.", levels("agent")),
  m(
    "SLOT-14",
    "Disabled concurrency refuses.",
    given((v) => ({ ...v, enforced: true })),
  ),
  c(
    "SLOT-14",
    "Disabled concurrency counts nothing.",
    body(me, where(is("concurrency.enforced", false), set("concurrency.current", 0))),
  ),
  m("SLOT-15", "enforced is always true.", body(me, set("concurrency.enforced", true))),
  m(
    "SLOT-FULL-1",
    "A dial does not wait.",
    wire(() => async (asked, next) => {
      if (asked.method !== "POST" || asked.path !== "/v2/calls") return next(asked)
      const who = await next({
        ...asked,
        method: "GET",
        path: "/v2/user/me",
        json: undefined,
        query: new URLSearchParams(),
        headers: new Headers([["authorization", asked.headers.get("authorization") ?? ""]]),
      })
      return at(who.json, "concurrency.available") === 0 && at(who.json, "concurrency.enforced") === true
        ? failing(who, 1300, 429, "Account concurrency limit reached (1 of 1 lines in use).")
        : next(asked)
    }),
  ),
  m(
    "SLOT-FULL-2",
    "Without a line a dial is 503.",
    recodes(place, 1300, 1501, 503, (_, r) => isLines(r)),
  ),
  c(
    "SLOT-FULL-2",
    "Without a line a dial is queued.",
    forgives(place, 1300, 201, served, (_, r) => isLines(r)),
  ),
  m(
    "SLOT-FULL-3",
    "Retry-After is 10.",
    headers(place, (h, r) => {
      if (isLines(r)) h.set("retry-after", "10")
    }),
  ),
  m(
    "SLOT-FULL-4",
    "A contact without a line is failed.",
    row(
      ["GET /v2/campaigns/*/stats"],
      where(
        (r) => Number(at(r, "outcome_counts.pending")) > 0 && Number(at(r, "outcome_counts.in_flight")) > 0,
        (r, a) =>
          set("outcome_counts.failed", Number(at(r, "outcome_counts.pending")))(
            set("outcome_counts.pending", 0)(r, a),
            a,
          ),
      ),
    ),
  ),
  m(
    "SLOT-FULL-5",
    "A contact that waited is lost.",
    fresh(() =>
      body("GET /v2/campaigns/*/stats", (r, a) =>
        Number(at(r, "outcome_counts.pending")) > 0 ? set("outcome_counts.pending", 0)(r, a) : r,
      ),
    ),
  ),
  m(
    "SLOT-FULL-6",
    "With its store away the gate opens.",
    together(
      forgives(place, 1300, 201, served, (_, r) => isLines(r)),
      around((ports) => ({ ...ports, store: { ...ports.store, admit: (commit) => ports.store.commit(commit) } })),
    ),
  ),
  c(
    "SLOT-FULL-6",
    "With its store away the gate is open to all levels but the first.",
    around((ports) => ({
      ...ports,
      store: { ...ports.store, admit: (commit, wanted) => ports.store.admit(commit, wanted.slice(0, 1)) },
    })),
  ),
]

/** A line counts as free as soon as a call rings. */
function freedEarly() {
  return together(
    slotEarly("ringing"),
    forgives(place, 1300, 201, served, (_, r) => isLines(r)),
  )
}

/** Campaigns but the first get no more than one line. */
const starved = (most: (index: number) => number | null) =>
  fresh(() => {
    let n = 0
    return asks("POST /v2/campaigns", (j) => {
      n += 1
      const ceiling = most(n)
      return ceiling === null ? j : { ...j, max_concurrent_calls: ceiling }
    })
  })

const shares = [
  m(
    "FAIR-1",
    "The second campaign gets one line.",
    starved((n) => (n % 2 === 0 ? 1 : null)),
  ),
  c(
    "FAIR-1",
    "The third campaign gets one line.",
    starved((n) => (n % 3 === 0 ? 1 : null)),
  ),
  m(
    "FAIR-2",
    "A late campaign waits for the first to end.",
    starved((n) => (n === 2 ? 1 : null)),
  ),
  m(
    "FAIR-3",
    "A campaign never borrows.",
    starved(() => 10),
  ),
  c(
    "FAIR-3",
    "A campaign borrows one line at most.",
    starved(() => 11),
  ),
  m(
    "FAIR-4",
    "A lone campaign uses half the limit.",
    starved(() => 10),
  ),
  c(
    "FAIR-4",
    "A lone campaign leaves one line.",
    starved(() => 19),
  ),
  m(
    "FAIR-5",
    "Calls are cut to rebalance.",
    row(
      ["GET /v2/calls", "GET /v2/calls/*", "GET /v2/batches/*/executions"],
      where(both(is("status", "completed"), has("campaign_id")), set("status", "stopped")),
    ),
  ),
  m(
    "FAIR-6",
    "An over-share campaign goes on.",
    starved((n) => (n > 1 ? 1 : null)),
  ),
  m(
    "FAIR-7",
    "Contacts of the first campaign are dialled first.",
    starved((n) => (n > 1 ? 1 : null)),
  ),
  m(
    "FAIR-9",
    "max_concurrent_calls is ignored.",
    asks(["POST /v2/campaigns", "PATCH /v2/campaigns/*"], (j) => ({
      ...j,
      ...("max_concurrent_calls" in j ? { max_concurrent_calls: null } : {}),
    })),
  ),
  c(
    "FAIR-9",
    "max_concurrent_calls on PATCH is ignored.",
    asks("PATCH /v2/campaigns/*", (j) => ({
      ...j,
      ...("max_concurrent_calls" in j ? { max_concurrent_calls: null } : {}),
    })),
  ),
  m(
    "FAIR-10",
    "max_concurrent_calls reserves its lines.",
    starved((n) => (n === 2 ? 1 : null)),
  ),
  m("FAIR-11", "max_concurrent_calls raises the organization's limit.", levels("organization")),
]

export const limits = [...rates, ...lines, ...shares]
