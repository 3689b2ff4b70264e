/**
 * Servers that chose otherwise than a published reading of keys, calling windows, lines, timing, numbers and who answers them, and keep what
 * the specification says.
 */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import { keyIdOf } from "../../../src/trial/KeyId.ts"
import {
  around,
  asks,
  at,
  body,
  failing,
  fresh,
  limited,
  over,
  refuses,
  row,
  textOf,
  timed,
  together,
  unplaced,
  wire,
  writes,
} from "../Defects.ts"
import { type Asked, type Defect, objectOf, type Reply } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"
import { calls, reading } from "./OtherwiseCalls.ts"

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const keys = "/v2/api-keys"
const timing = "GET /v2/calls/*/timing"
const agents = "* /v2/agents**"

type Next = (asked: Asked) => Promise<Reply>

const nowOf = async (asked: Asked, next: Next): Promise<number> =>
  Date.parse(textOf(at((await next(reading(asked, "/_sim/clock"))).json, "now")))

/** What is asked while a dependency is away, and for how long it has been. */
const whileAway = (
  dependency: string,
  answer: (asked: Asked, next: Next, away: { readonly sinceMs: number; readonly fault: unknown }) => Promise<Reply>,
): Defect =>
  wire(() => {
    let fault: unknown = null
    let since = 0
    return async (asked, next) => {
      const faults = objectOf(asked.json)
      if (asked.path === "/_sim/faults" && dependency in faults) {
        fault = faults[dependency]
        since = await nowOf(asked, next)
      }
      if (fault === null || !asked.path.startsWith("/v2/")) return next(asked)
      return answer(asked, next, { sinceMs: (await nowOf(asked, next)) - since, fault })
    }
  })

const ofKeys = [
  m(
    "KEY-MINT-P1",
    "A mint answers with the secret alone, under a name of its own.",
    body(`POST ${keys}`, ({ key }) => ({ secret: key })),
  ),
  c(
    "KEY-MINT-P1",
    "The secret stands in the record of the key that was minted.",
    body(`POST ${keys}`, ({ created_at, key, status }) => ({
      api_key: { secret: key, status },
      minted_at: created_at,
    })),
  ),
  m(
    "KEY-REVOKE-P1",
    "A revocation answers that it is done.",
    body(`DELETE ${keys}/*`, () => ({ done: true })),
  ),
  m(
    "KEY-CACHE-P2",
    "A revoked key is served from the cache for less than a minute.",
    wire(() => {
      const revoked = new Map<string, { readonly until: number; readonly by: string }>()
      return async (asked, next) => {
        const reply = await next(asked)
        const [authorization, now] = [asked.headers.get("authorization") ?? "", () => nowOf(asked, next)]
        const [, , route, id = ""] = asked.path.split("/")
        if (asked.method === "DELETE" && route === "api-keys" && reply.status === 200 && !revoked.has(id))
          revoked.set(id, { until: (await now()) + 50 * secondMs, by: authorization })
        if (reply.status !== 401 || revoked.size === 0) return reply
        const cached = revoked.get(await keyIdOf(authorization.replace(/^bearer\s+/i, "")))
        if (cached === undefined || (await now()) > cached.until || asked.method !== "GET") return reply
        return next({ ...asked, headers: new Headers([["authorization", cached.by]]) })
      }
    }),
  ),
  m(
    "KEY-CACHE-P3",
    "A key that was looked up more than a minute ago is cold.",
    whileAway("key_store", async (asked, next, { sinceMs }) => {
      const reply = await next(asked)
      if (sinceMs <= minuteMs || reply.status === 401) return reply
      return failing(reply, 1501, 503, "Authentication service is temporarily unavailable.")
    }),
  ),
  m(
    "KEY-CACHE-P4",
    "Keys are listed from a copy while their store is away.",
    whileAway("key_store", async (asked, next, { fault }) => {
      const reply = await next(asked)
      if (asked.method !== "GET" || asked.path !== keys || reply.status !== 503) return reply
      const faults = (key_store: unknown): Asked => ({
        ...reading(asked, "/_sim/faults"),
        method: "PUT",
        headers: new Headers([["content-type", "application/json"]]),
        json: { key_store },
      })
      await next(faults(null))
      const listed = await next(asked)
      await next(faults(fault))
      return listed
    }),
  ),
]

/** A deferred call is told with the time that is written of it. */
const toldAsWritten: Defect = wire(() => async (asked, next) => {
  const reply = await next(asked)
  if (asked.path !== "/v2/calls" || at(reply.json, "deferred_by_calling_guard") !== true) return reply
  const call = await next(reading(asked, `/v2/calls/${textOf(at(reply.json, "execution_id"))}`))
  return { ...reply, json: { ...objectOf(reply.json), scheduled_at: at(call.json, "scheduled_at") } }
})

/** Deferred calls are written with another time, once. */
const deferredTo = (isFirst: (at: number, agentId: string) => boolean, laterMs: number): Defect =>
  together(
    toldAsWritten,
    writes((change) => {
      if (change.put !== "call" || !change.row.deferred_by_calling_guard || change.row.status !== "scheduled")
        return change
      const { agent_id, scheduled_at } = change.row
      if (scheduled_at === null || !isFirst(scheduled_at, agent_id)) return change
      const moment = scheduled_at + laterMs
      return { ...change, row: { ...change.row, scheduled_at: moment, due_at: moment } }
    }),
  )

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}

/** Agents whose window lasts five minutes or less. */
const briefWindows = (make: (agents: ReadonlySet<string>) => Defect): Defect => {
  const brief = new Set<string>()
  const defect = make(brief)
  const noted = writes((change) => {
    if (change.put !== "agent" || change.row.calling_guard === null) return change
    const { end, start } = change.row.calling_guard
    if (minutesOf(end) - minutesOf(start) <= 5) brief.add(change.row.agent_id)
    return change
  })
  return together(noted, defect)
}

const turnDays =
  (turn: (day: number) => number) =>
  (guard: unknown): unknown => {
    const { days } = objectOf(guard)
    if (!Array.isArray(days)) return guard
    const turned = days.map((day: unknown) => (typeof day === "number" && day >= 0 && day <= 6 ? turn(day) : day))
    return { ...objectOf(guard), days: turned }
  }

const localTime = (moment: number, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(moment)

/** The calling window of the agent of a call that is to be placed; nothing where there is none, or no such call. */
const guardOf = async (asked: Asked, next: Next): Promise<JsonObject> => {
  if (asked.method !== "POST" || asked.path !== "/v2/calls") return {}
  const agent = await next(reading(asked, `/v2/agents/${textOf(at(asked.json, "agent_id") ?? "none")}`))
  return objectOf(at(agent.json, "calling_guard"))
}

const ofWindows = [
  m(
    "CALL-WINDOW-P1",
    "Days are counted from Sunday.",
    together(
      asks(
        agents,
        over(
          "calling_guard",
          turnDays((day) => (day + 6) % 7),
        ),
      ),
      row(
        agents,
        over(
          "calling_guard",
          turnDays((day) => (day + 1) % 7),
        ),
      ),
    ),
  ),
  m(
    "CALL-WINDOW-P4",
    "The moment at which a window ends is its last.",
    fresh(() => {
      const asked = new Map<unknown, unknown>()
      const asAsked = (call: JsonObject): JsonObject =>
        asked.has(call["execution_id"]) ? { ...call, scheduled_at: asked.get(call["execution_id"]) } : call
      return together(
        row(calls, asAsked),
        wire(() => async (came, next) => {
          const { end, timezone } = await guardOf(came, next)
          const time = Date.parse(textOf(at(came.json, "scheduled_at") ?? ""))
          if (time % minuteMs !== 0 || localTime(time, textOf(timezone)) !== end) return next(came)
          const scheduled_at = new Date(time).toISOString()
          const sent = new Date(time - 1).toISOString()
          const reply = await next({ ...came, json: { ...objectOf(came.json), scheduled_at: sent } })
          const call = objectOf(reply.json)
          if (reply.status !== 202 || call["deferred_by_calling_guard"] === true) return reply
          asked.set(call["execution_id"], scheduled_at)
          return { ...reply, json: asAsked(call) }
        }),
      )
    }),
  ),
  m(
    "CALL-WINDOW-P7",
    "A deferred call is moved to any millisecond of its window.",
    deferredTo((moment) => moment % secondMs === 0, 437),
  ),
  m(
    "CALL-WINDOW-P8",
    "A window of five minutes or less gives any of its minutes.",
    briefWindows((brief) =>
      deferredTo((moment, agent) => brief.has(agent) && moment % minuteMs === 0, minuteMs + secondMs),
    ),
  ),
  m(
    "CALL-WINDOW-P10",
    "A call that would be moved to more than thirty days ahead is refused.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (asked.path !== "/v2/calls" || at(reply.json, "deferred_by_calling_guard") !== true) return reply
      const moment = Date.parse(textOf(at(reply.json, "scheduled_at")))
      if (moment <= (await nowOf(asked, next)) + 30 * dayMs) return reply
      const path = `/v2/calls/${textOf(at(reply.json, "execution_id"))}/stop`
      await next({ ...reading(asked, path), method: "POST" })
      return failing(reply, 1001, 422, "Invalid value for 'scheduled_at': no window opens within 30 days.")
    }),
  ),
  m(
    "CALL-WINDOW-P11",
    "The second pass of a repeated hour lies inside the window as the first does.",
    fresh(() => {
      const kept = new Map<unknown, unknown>()
      const asAsked = (call: JsonObject): JsonObject =>
        kept.has(call["execution_id"]) ? { ...call, scheduled_at: kept.get(call["execution_id"]) } : call
      return together(
        row(calls, asAsked),
        wire(() => async (asked, next) => {
          const reply = await next(asked)
          const { deferred_by_calling_guard: isDeferred, ...call } = objectOf(reply.json)
          const time = at(asked.json, "scheduled_at")
          if (asked.path !== "/v2/calls" || isDeferred !== true || time == null) return reply
          const { end, start, timezone } = await guardOf(asked, next)
          const local = localTime(Date.parse(textOf(time)), textOf(timezone))
          if (local < textOf(start) || local >= textOf(end)) return reply
          kept.set(call["execution_id"], new Date(Date.parse(textOf(time))).toISOString())
          return { ...reply, json: asAsked(call) }
        }),
      )
    }),
  ),
]

/** Calls that hold a line, although the engine counts none for them. */
const alsoHeldBy = (holds: (call: JsonObject, now: number) => boolean): Defect =>
  wire(() => async (asked, next) => {
    const isDial = asked.method === "POST" && asked.path === "/v2/calls" && at(asked.json, "scheduled_at") == null
    if (!isDial) return next(asked)
    const list = await next({ ...reading(asked), query: new URLSearchParams({ page_size: "100" }) })
    const data = at(list.json, "data")
    const now = await nowOf(asked, next)
    const held = Array.isArray(data) ? data.filter((call: unknown) => holds(objectOf(call), now)).length : 0
    if (held === 0) return next(asked)
    const me = await next(reading(asked, "/v2/user/me"))
    const [used, max] = ["current", "max"].map((name) => Number(at(me.json, `concurrency.${name}`)))
    if (used === undefined || max === undefined || used + held < max) return next(asked)
    return limited(me, `Account concurrency limit reached (${used + held} of ${max} lines in use).`)
  })

const ofLines = [
  each(
    "SLOT-P1 SLOT-P2",
    "A line is held until the call is analysed.",
    alsoHeldBy(
      (call, now) =>
        call["status"] === "completed" &&
        call["summary"] === null &&
        now - Date.parse(textOf(call["completed_at"])) > 5 * secondMs,
    ),
  ),
  m(
    "SLOT-P5",
    "The line of a leg that fell silent is given back after four hours, and not before.",
    alsoHeldBy(
      (call, now) =>
        textOf(call["to_number"]).startsWith("+99960") &&
        call["is_terminal"] === true &&
        now - Date.parse(textOf(call["created_at"])) < 4 * hourMs,
    ),
  ),
  m(
    "SLOT-P6",
    "A leg that is silent is asked about ten minutes after its ring time.",
    timed({ ringGraceMs: 10 * minuteMs }),
  ),
  m(
    "SLOT-P7",
    "A call that arrives takes a line.",
    alsoHeldBy((call) => call["direction"] === "inbound" && call["is_terminal"] === false),
  ),
  m(
    "SLOT-P10",
    "Where management is off nothing is refused, not even by the platform.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const isFull = asked.method === "POST" && asked.path === "/v2/calls" && reply.status === 429
      if (!isFull || !textOf(at(reply.json, "message")).startsWith("Account")) return reply
      const me = await next(reading(asked, "/v2/user/me"))
      return at(me.json, "concurrency.enforced") === false ? unplaced(me, objectOf(asked.json)) : reply
    }),
  ),
  m(
    "SLOT-P11",
    "The legacy pair leaves the organization at the default.",
    asks(
      ["POST /_sim/organizations", "PATCH /_sim/organizations/*"],
      over("concurrency", (limits) => {
        const { organization, per_agent } = objectOf(limits)
        return organization === 100 && per_agent === 5 ? { organization: 20 } : limits
      }),
    ),
  ),
  m(
    "SLOT-FULL-P1",
    "While the store of lines is away a process does not know of a line that another one holds.",
    around((ports) => ({
      ...ports,
      store: {
        ...ports.store,
        admit: (commit, levels) =>
          ports.store.admit(
            commit,
            levels.map((level) => (level.ceiling === null ? level : { ...level, ceiling: level.ceiling + 1 })),
          ),
      },
    })),
  ),
]

/** Changes each turn of a timing. */
const turns = (change: (turn: JsonObject) => JsonObject): Defect =>
  body(timing, (json) => ({
    ...json,
    turns: Array.isArray(json["turns"]) ? json["turns"].map((turn: unknown) => change(objectOf(turn))) : [],
  }))

const stages = ["heard", "thought", "spoke"]
const stageNames: Readonly<Record<string, string>> = { heard: "transcriber", thought: "language_model", spoke: "voice" }
const missingOf = (turn: JsonObject): ReadonlyArray<unknown> => [turn["round_trip_missing"]].flat()

const ofTimings = [
  m(
    "TIMING-P1",
    "The set-up is one figure.",
    body(
      timing,
      over("setup", () => ({ connected_after_ms: 480 })),
    ),
  ),
  m(
    "TIMING-P2",
    "The parts of a turn have a beginning and an end.",
    turns((turn) => ({
      ...turn,
      ...Object.fromEntries(
        stages.map((stage) => {
          const figures = turn[stage]
          const told = isObject(figures) ? Object.values(figures) : []
          return [stage, isObject(figures) ? { from: told[0] ?? null, to: told.at(-1) ?? null } : figures]
        }),
      ),
    })),
  ),
  m(
    "TIMING-P3",
    "A round trip ends with the last word of the reply.",
    turns((turn) => {
      const parts = ["heard.final_transcript_ms", "thought.last_token_ms", "spoke.complete_ms"]
      const sum = parts.reduce((all, path) => all + Number(at(turn, path)), 0)
      return turn["round_trip_ms"] === null ? turn : { ...turn, round_trip_ms: sum }
    }),
  ),
  m(
    "TIMING-P4",
    "The summary is the mean of the round trips.",
    body(
      timing,
      over("summary", (summary) => ({ mean_round_trip_ms: at(summary, "round_trip.avg") })),
    ),
  ),
  m(
    "TIMING-P5",
    "A stage of which a figure is missing did not report.",
    turns((turn) => {
      const whole = { thought: "last_token_ms", spoke: "complete_ms" }
      const isPartly = ([stage, figure]: readonly [string, string]) =>
        isObject(turn[stage]) && at(turn, `${stage}.${figure}`) == null && !missingOf(turn).includes(stage)
      const partly = Object.entries(whole)
        .filter(isPartly)
        .map(([stage]) => stage)
      return partly.length === 0
        ? turn
        : { ...turn, round_trip_ms: null, round_trip_missing: [...missingOf(turn), ...partly] }
    }),
  ),
  m(
    "TIMING-P6",
    "What did not report is called by who it is.",
    turns((turn) => ({ ...turn, round_trip_missing: missingOf(turn).map((stage) => stageNames[textOf(stage)]) })),
  ),
]

const absent = (routes: string) => refuses(routes, () => true, 1200, 404)

const ofNumbers = [
  m("NUMBER-P1", "A number is listed, and not read by itself.", absent("GET /v2/phone-numbers/*")),
  c("NUMBER-P1", "Numbers are registered by whoever runs the server.", absent("POST /v2/phone-numbers")),
  m(
    "INBOUND-P1",
    "An agent that answers a number is told by its id alone.",
    body("POST /v2/inbound-agents", ({ inbound_agent_id }) => ({ inbound_agent_id })),
  ),
  c("INBOUND-P1", "Who answers a number is set by whoever runs the server.", absent("POST /v2/inbound-agents")),
]

export const otherwiseLines = [...ofKeys, ...ofWindows, ...ofLines, ...ofTimings, ...ofNumbers]
