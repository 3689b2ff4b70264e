/**
 * Servers that chose otherwise than the published readings of how contacts are dialled, retried, followed up and counted, and keep what the
 * specification says.
 */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import {
  around,
  asks,
  at,
  body,
  commits,
  dummy,
  elsewhere,
  forms,
  gate,
  is,
  over,
  row,
  secretly,
  set,
  textOf,
  together,
  where,
  wire,
  words,
  writes,
} from "../Defects.ts"
import { type Asked, objectOf, type Override, type Reply } from "../Mutant.ts"
import { each, m } from "../Table.ts"

type Next = Parameters<Override>[1]

const minuteMs = 60_000
const createCampaign = "POST /v2/campaigns"
const reads = ["GET /v2/campaigns", "GET /v2/campaigns/*"]
const batches = ["GET /v2/batches", "GET /v2/batches/*", "GET /v2/campaigns/*/batches"]
const calls = ["GET /v2/calls", "GET /v2/calls/*", "GET /v2/batches/*/executions", "GET /v2/agents/*/executions"]
const oneCampaign = /^\/v2\/campaigns\/([^/]+)(\/stats)?$/

/** The rows of a list, as far as its first hundred. */
const rowsOf = async (
  asked: Asked,
  next: Next,
  path: string,
  more: Record<string, string>,
): Promise<ReadonlyArray<JsonObject>> => {
  const query = new URLSearchParams({ page_size: "100", ...more })
  const data = at((await next({ ...elsewhere(asked, "GET", path), query })).json, "data")
  return Array.isArray(data) ? data.filter(isObject) : []
}

/** Something is done to the calls of a campaign that have some status when it is cancelled. */
const hangsUp = (...statuses: ReadonlyArray<string>) =>
  wire(() => async (asked, next) => {
    const [, campaign_id] = /^\/v2\/campaigns\/([^/]+)\/cancel$/.exec(asked.path) ?? []
    const reply = await next(asked)
    if (asked.method !== "POST" || campaign_id === undefined || reply.status !== 200) return reply
    for (const status of statuses) {
      for (const call of await rowsOf(asked, next, "/v2/calls", { campaign_id, status }))
        await next(elsewhere(asked, "POST", `/v2/calls/${textOf(call["execution_id"])}/stop`))
    }
    return reply
  })

/** Campaigns: what may be asked of them, and what becomes of them. */
const ofCampaigns = [
  m("CAMPAIGN-CANCEL-P2", "A cancel hangs up on whoever is connected.", hangsUp("in-progress")),
  m("CAMPAIGN-CANCEL-P4", "A cancel hangs up on phones that ring.", hangsUp("initiated", "ringing")),
  m(
    "CAMPAIGN-PATCH-P2",
    "The agent of an active campaign may be changed.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const isEdit =
        asked.method === "PATCH" && oneCampaign.test(asked.path) && at(asked.json, "agent_id") !== undefined
      if (!isEdit || reply.status !== 409) return reply
      const own = await next(elsewhere(asked, "GET", asked.path))
      if (at(own.json, "status") !== "active") return reply
      await next(elsewhere(asked, "POST", `${asked.path}/pause`))
      const edited = await next({ ...asked, json: { ...objectOf(asked.json) } })
      const resumed = await next(elsewhere(asked, "POST", `${asked.path}/resume`))
      return edited.status === 200 ? resumed : edited
    }),
  ),
  m(
    "CAMPAIGN-PATCH-P4",
    "A retry policy that is edited binds nobody who is in the campaign by then.",
    wire(() => {
      const edited = new Map<string, JsonObject>()
      const shown = (json: JsonObject): JsonObject => {
        const own = edited.get(textOf(json["campaign_id"] ?? ""))
        const policy = json["retry_policy"]
        return own === undefined || !isObject(policy) ? json : { ...json, retry_policy: { ...policy, ...own } }
      }
      return async (asked, next) => {
        const [, id] = oneCampaign.exec(asked.path) ?? []
        const { retry_policy, ...others } = objectOf(asked.json)
        let sent = asked
        if (asked.method === "PATCH" && id !== undefined && isObject(retry_policy)) {
          const own = await next(elsewhere(asked, "GET", asked.path))
          if (Number(at(own.json, "total_contacts")) > 0) {
            edited.set(id, { ...edited.get(id), ...retry_policy })
            sent = Object.keys(others).length > 0 ? { ...asked, json: others } : elsewhere(asked, "GET", asked.path)
          }
        }
        const reply = await next(sent)
        if (!isObject(reply.json) || !asked.path.startsWith("/v2/campaigns")) return reply
        const { data } = reply.json
        const json = Array.isArray(data)
          ? { ...reply.json, data: data.map((one: unknown) => (isObject(one) ? shown(one) : one)) }
          : shown(reply.json)
        return { ...reply, json }
      }
    }),
  ),
  m(
    "CAMPAIGN-STATUS-P2",
    "The batches of a campaign that was expired once are called expired ever after.",
    wire(() => {
      const expired = new Set<unknown>()
      const stays = row(batches, (json) => {
        if (json["status"] === "expired") expired.add(json["batch_id"])
        return expired.has(json["batch_id"]) ? { ...json, status: "expired" } : json
      })
      const campaigns = new Set<string>()
      const counted = body("GET /v2/campaigns/*/stats", (json) => {
        const id = textOf(json["campaign_id"])
        const counts = objectOf(json["batch_counts"])
        if (Number(counts["expired"]) > 0) campaigns.add(id)
        const all = Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0)
        return campaigns.has(id) ? { ...json, batch_counts: { expired: all } } : json
      })
      return together(stays, counted).wire?.() ?? ((asked, next) => next(asked))
    }),
  ),
  m(
    "CAMPAIGN-STATUS-P4",
    "A campaign that has no contacts is completed as soon as it is made.",
    together(
      row([createCampaign], where(is("total_contacts", 0), set("status", "created"))),
      around((ports) => {
        const made = new Set<string>()
        const completed = writes((change, { changes }) => {
          if (change.put !== "campaign" || made.has(change.row.campaign_id)) return change
          made.add(change.row.campaign_id)
          const isEmpty = !changes.some(({ put }) => put === "batch")
          return isEmpty ? { ...change, row: { ...change.row, status: "completed" } } : change
        })
        return completed.ports?.(ports) ?? ports
      }),
    ),
  ),
  m(
    "CAMPAIGN-STATUS-P8",
    "A campaign that reached nobody is not completed, however long it has been over.",
    row(
      reads,
      where(
        (json) => json["status"] === "completed" && json["completed_contacts"] === 0 && json["total_contacts"] !== 0,
        set("status", "active"),
      ),
    ),
  ),
  m(
    "CAMPAIGN-BATCHES-P1",
    "The batches of a campaign are listed under a name of their own.",
    body("GET /v2/campaigns/*/batches", ({ data }) => ({ batches: data })),
  ),
  m(
    "CAMPAIGN-SCOPE-P3",
    "A key that may do nothing may do everything with campaigns.",
    wire(() => {
      const owners = new Map<unknown, string>()
      const organizationOf = async (asked: Asked, next: Next) =>
        at((await next(elsewhere(asked, "GET", "/v2/user/me"))).json, "organization_id")
      return async (asked, next) => {
        const reply = await next(asked)
        if (asked.method === "GET" || !/^\/v2\/campaigns(\/|$)/.test(asked.path)) return reply
        if (reply.status < 300) owners.set(await organizationOf(asked, next), asked.headers.get("authorization") ?? "")
        if (reply.status !== 403) return reply
        const owner = owners.get(await organizationOf(asked, next))
        if (owner === undefined) return reply
        const h = new Headers(asked.headers)
        h.set("authorization", owner)
        return next({ ...asked, headers: h })
      }
    }),
  ),
  m(
    "CAMPAIGN-JSON-P1",
    "What is wrong with contacts is told of the contacts as a whole.",
    words([createCampaign, "POST /v2/batches"], 1001, (text) =>
      text.replaceAll(/contacts\[\d+\](\.\w+)?/g, "contacts"),
    ),
  ),
  m(
    "CAMPAIGN-CSV-P10",
    "A form has the fields that are named for it, and what else it carries is not read.",
    forms(createCampaign, (form) => {
      for (const name of [...form.keys()]) if (!formFields.has(name)) form.delete(name)
    }),
  ),
]

/** What the specification names of a campaign's form. */
const formFields: ReadonlySet<string> = new Set(
  "name agent_id file working_hours retry_policy follow_up_policy transliteration default_call_variables metadata".split(
    " ",
  ),
)

/** Contacts that are held up end at once. */
const failsHeld = writes((change) =>
  change.put === "contact" && change.row.holds > 0
    ? { ...change, row: { ...change.row, status: "failed", eligible_at: null } }
    : change,
)

/** Contacts that failed with a call of some kind are dialled once more after a quarter of an hour, as a retry or a follow-up. */
const dialsOnceMore = (
  status: "retry_scheduled" | "follow_up_scheduled",
  holds: (call: { readonly dial: string | null; readonly is_follow_up: boolean }) => boolean,
) =>
  commits((commit) => {
    const contact = commit.changes.find((change) => change.put === "contact")?.row
    const call = commit.changes.find((change) => change.put === "call")?.row
    if (contact?.status !== "failed" || contact.attempts > mostAttempts) return commit
    if (call?.execution_id !== contact.last_execution_id || call.completed_at === null || !holds(call)) return commit
    const waits = { ...contact, status, eligible_at: call.completed_at + 15 * minuteMs, follow_ups_exhausted: false }
    const changes = commit.changes.map((change) => {
      if (change.put === "contact") return { ...change, row: waits }
      if (change.put !== "tally") return change
      const { "contact:failed": failed = 0, follow_up_exhausted: _none, ...others } = change.add
      return failed === 0 ? change : { ...change, add: { ...others, [`contact:${status}`]: failed } }
    })
    const wakes = { set: { kind: "dispatch" as const, subject: commit.organization_id, at: call.completed_at } }
    return { ...commit, changes, wakeups: [...commit.wakeups, wakes] }
  })

/** Attempts after which nobody is dialled once more. */
const mostAttempts = 3

const ofRetries = [
  each("CONTACT-HOLD-P2 CONTACT-HOLD-P3", "A contact that is held up is failed.", failsHeld),
  m(
    "CONTACT-HOLD-P5",
    "A contact may be held up for ever.",
    writes((change) =>
      change.put === "contact" && change.row.holds > 8 ? { ...change, row: { ...change.row, holds: 8 } } : change,
    ),
  ),
  m(
    "RETRY-P6",
    "A dial of which nobody knows what became is made again.",
    dialsOnceMore("retry_scheduled", ({ dial, is_follow_up }) => dial === "unconfirmed" && !is_follow_up),
  ),
  m(
    "RETRY-P7",
    "A leg that falls silent is taken for one that dropped.",
    row(
      calls,
      where(
        (json) => json["status"] === "completed" && textOf(json["to_number"]).startsWith("+99960"),
        set("status", "call-disconnected"),
      ),
    ),
  ),
  m(
    "RETRY-P8",
    "A contact rests for a quarter of an hour where nothing else is said.",
    asks(createCampaign, (json) => ({
      ...json,
      retry_policy: { cooldown_minutes: 15, ...objectOf(json["retry_policy"]) },
    })),
  ),
  m(
    "FOLLOW-UP-P6",
    "A follow-up that reaches nobody is tried again.",
    dialsOnceMore("follow_up_scheduled", ({ is_follow_up }) => is_follow_up),
  ),
]

/** A request with a body of its own. */
const edit = (asked: Asked, path: string, json: JsonObject): Asked => {
  const sent = elsewhere(asked, "PATCH", path)
  sent.headers.set("content-type", "application/json")
  return { ...sent, json }
}

/** Enforced hours bind first dials alone where retries respect none: they are opened when everybody was dialled, and shown as they were. */
const opensForRetries = wire(() => {
  const waiting = new Map<string, Headers>()
  const opened = new Set<unknown>()
  const shown = row(["GET|PATCH /v2/campaigns/*", "GET /v2/campaigns"], (json) =>
    opened.has(json["campaign_id"]) ? { ...json, working_hours_enforced: true } : json,
  )
  const restored = shown.wire?.()
  return async (asked, next) => {
    const isOfTime = asked.path.startsWith("/_sim/")
    for (const [id, owner] of isOfTime ? waiting : []) {
      const own = { ...asked, headers: owner }
      const stats = await next(elsewhere(own, "GET", `/v2/campaigns/${id}/stats`))
      if (at(stats.json, "contacts_dialled") !== at(stats.json, "total_contacts")) continue
      waiting.delete(id)
      opened.add(id)
      await next(edit(own, `/v2/campaigns/${id}`, { working_hours_enforced: false }))
    }
    const reply = restored === undefined ? await next(asked) : await restored(asked, next)
    const isBold =
      at(reply.json, "working_hours_enforced") === true &&
      at(reply.json, "retry_policy.respect_working_hours") === false
    if (asked.method === "POST" && asked.path === "/v2/campaigns" && isBold)
      waiting.set(textOf(at(reply.json, "campaign_id")), asked.headers)
    return reply
  }
})

/** Beside another campaign that is active none has more lines than its floor, of which each has one. */
const floorsAlone = around((ports) => {
  const active = new Map<string, string>()
  const seen = writes((change) => {
    if (change.put !== "campaign") return change
    const { campaign_id, organization_id, status } = change.row
    if (status === "active") active.set(campaign_id, organization_id)
    else active.delete(campaign_id)
    return change
  })
  const shared = gate((demands) => {
    const organization = demands.find(({ level }) => level === "organization")
    const beside = [...active.values()].filter((id) => id === organization?.key).length
    const lines = organization?.ceiling ?? null
    if (beside < 2 || lines === null) return demands
    const floor = Math.max(1, Math.floor(lines / beside))
    return demands.map((one) =>
      one.level === "campaign" ? { ...one, ceiling: Math.min(one.ceiling ?? floor, floor) } : one,
    )
  })
  const counted = seen.ports?.(ports) ?? ports
  return shared.ports?.(counted) ?? counted
})

const ofShares = [
  each("FAIR-P4 FAIR-P6 FAIR-P13", "Beside another campaign none has more than its floor.", floorsAlone),
  m("RETRY-P9", "Where retries respect no hours, enforced ones bind the first dial alone.", opensForRetries),
]

/** What a carrier saw and what calls tell: a retry calls from the number from which its first attempt did. */
const keepsCallerId = wire(() => {
  const first = new Map<string, unknown>()
  const keyOf = (json: JsonObject): string => `${textOf(json["campaign_id"])} ${textOf(json["to_number"])}`
  const same = (json: JsonObject): JsonObject =>
    json["campaign_id"] == null ? json : { ...json, from_number: first.get(keyOf(json)) ?? json["from_number"] }
  return async (asked, next) => {
    const reply = await next(asked)
    const isLegs = asked.path === "/_sim/telephony/legs"
    if (!isLegs && !/^\/v2\/calls(\/[^/]+)?$/.test(asked.path)) return reply
    const all = isLegs ? reply : await next(elsewhere(asked, "GET", "/_sim/telephony/legs"))
    const legs = at(all.json, "data")
    for (const leg of Array.isArray(legs) ? legs.filter(isObject) : [])
      if (!first.has(keyOf(leg))) first.set(keyOf(leg), leg["from_number"])
    const { json } = reply
    if (!isObject(json)) return reply
    const { data } = json
    return {
      ...reply,
      json: Array.isArray(data)
        ? { ...json, data: data.map((one: unknown) => (isObject(one) ? same(one) : one)) }
        : same(json),
    }
  }
})

const ofCallerIds = [
  m("CALLER-ID-P4", "A retry calls from the number of the first attempt.", keepsCallerId),
  m(
    "CALLER-ID-P5",
    "A campaign looks at its own live calls alone.",
    secretly([createCampaign], ["GET|POST /v2/campaigns**"], "campaign_id", "phone_number_strategy", (strategy) =>
      strategy === "least_loaded" ? "round_robin" : strategy,
    ),
  ),
]

/** What is read of one campaign, changed by what else can be read of it. */
const counting = (
  path: RegExp,
  change: (
    json: JsonObject,
    list: (path: string, more?: Record<string, string>) => ReturnType<typeof rowsOf>,
  ) => Promise<JsonObject>,
) =>
  wire(() => async (asked, next) => {
    const reply: Reply = await next(asked)
    const [, id] = oneCampaign.exec(asked.path) ?? []
    if (asked.method !== "GET" || id === undefined || reply.status !== 200 || !path.test(asked.path)) return reply
    const list = (part: string, more: Record<string, string> = {}) =>
      part === "contacts"
        ? rowsOf(asked, next, `/v2/campaigns/${id}/contacts`, more)
        : rowsOf(asked, next, "/v2/calls", { campaign_id: id, ...more })
    return { ...reply, json: await change(objectOf(reply.json), list) }
  })

const plus = (path: string, by: number) => over(path, (value) => Number(value) + by)

/** Contacts of some kind stand in another bucket. */
const moving = (from: string, to: string, holds: (contact: JsonObject) => boolean) =>
  counting(/stats$/, async (json, list) => {
    const count = (await list("contacts")).filter(holds).length
    const fewer = plus(`outcome_counts.${from}`, -count)(json, dummy)
    return plus(`outcome_counts.${to}`, count)(fewer, dummy)
  })

const unfunded = ["stopped", "canceled", "balance-low"]

const ofFigures = [
  m(
    "STATS-P2",
    "Only calls whose status is failed are counted as failed.",
    counting(/./, async (json, list) => {
      const errors = await list("calls", { status: "error" })
      const dropped = await list("calls", { status: "call-disconnected" })
      const path = "call_counters" in json ? "call_counters.failed_calls" : "failed_calls"
      return plus(path, -errors.length - dropped.length)(json, dummy)
    }),
  ),
  m(
    "STATS-P3",
    "A contact whose call was stopped, or could not be paid, has no outcome.",
    moving(
      "failed",
      "pending",
      ({ last_status, status }) => status === "failed" && unfunded.includes(textOf(last_status)),
    ),
  ),
  m(
    "STATS-P4",
    "A contact that was skipped is failed.",
    moving("pending", "failed", ({ status }) => status === "skipped"),
  ),
  m(
    "STATS-P4",
    "A contact that waits for its retry is failed until it is reached.",
    moving("pending", "failed", ({ status }) => status === "retry_scheduled"),
  ),
  m(
    "STATS-P5",
    "Follow-ups that are spent count, whoever was reached.",
    counting(/campaigns\/[^/]+$/, async (json, list) => {
      const most = Number(at(json, "follow_up_policy.max_attempts"))
      const spent = (await list("contacts")).filter(
        ({ follow_up_count, status }) => status === "completed" && Number(follow_up_count) >= most,
      )
      return plus("follow_up_exhausted", spent.length)(json, dummy)
    }),
  ),
]

export const otherwiseDialling = [...ofCampaigns, ...ofRetries, ...ofShares, ...ofCallerIds, ...ofFigures]
