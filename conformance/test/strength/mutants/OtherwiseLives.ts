/**
 * Servers that chose otherwise than a published reading of how a call is placed, moves from status to status, is stopped and is told after
 * its end, and keep what the specification says.
 */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  at,
  body,
  both,
  cut,
  dummy,
  failing,
  fresh,
  is,
  made,
  payloadOf,
  receives,
  recodes,
  row,
  set,
  textOf,
  together,
  where,
  wire,
} from "../Defects.ts"
import { type Asked, type Defect, objectOf, type Reply } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"
import { calls, reading } from "./OtherwiseCalls.ts"

const secondMs = 1_000
const place = "POST /v2/calls"
const isStop = /^\/v2\/calls\/[^/]+\/stop$/
const placing = "The call is still being placed. Retry in a moment."

type Ids = Set<unknown>

/** Remembers the calls whose dial was answered so, and does something else with them. */
const ofPlaced = (holds: (answer: JsonObject) => boolean, make: (ids: Ids) => Defect): Defect =>
  fresh(() => {
    const ids: Ids = new Set()
    return together(
      answers(place, (reply) => {
        const json = objectOf(reply.json)
        if (reply.status < 300 && holds(json)) ids.add(json["execution_id"])
        return reply
      }),
      make(ids),
    )
  })

const isUnconfirmed = (answer: JsonObject): boolean => answer["dispatch"] === "pending_confirmation"

const among = (ids: Ids) => (call: JsonObject) => ids.has(call["execution_id"])

/** Shows calls otherwise by the time that it is. */
const atItsTime = (change: (call: JsonObject, now: number) => JsonObject): Defect =>
  wire(() => async (asked, next) => {
    if (asked.method !== "GET" || !asked.path.startsWith("/v2/")) return next(asked)
    const clock = await next(reading(asked, "/_sim/clock"))
    const now = Date.parse(textOf(at(clock.json, "now")))
    const defect = row(calls, (call) => change(call, now)).wire?.()
    return defect === undefined ? next(asked) : defect(asked, next)
  })

/** Shows a status otherwise for a part of the time for which a call has it. */
const amid = (status: string, shown: string, fromMs: number, toMs: number): Defect =>
  atItsTime((call, now) => {
    const hadItMs = now - Date.parse(textOf(call["updated_at"]))
    return call["status"] === status && hadItMs >= fromMs && hadItMs < toMs ? { ...call, status: shown } : call
  })

/** A call with the facts with which it was first seen ended. */
const factsAsFirst = (isSettled: (call: JsonObject) => boolean): Defect =>
  fresh(() => {
    const first = new Map<unknown, JsonObject>()
    return row(calls, (call) => {
      if (!isSettled(call)) return call
      const { cost, duration_seconds, hangup_by, hangup_reason, recording_url } = call
      const facts = first.get(call["execution_id"]) ?? {
        cost,
        duration_seconds,
        hangup_by,
        hangup_reason,
        recording_url,
      }
      first.set(call["execution_id"], facts)
      return { ...call, ...facts }
    })
  })

/** A stop that is answered by what is known of the call. */
const stops = (change: (call: Reply, reply: Reply, asked: Asked) => Reply): Defect =>
  wire(() => async (asked, next) => {
    if (asked.method !== "POST" || !isStop.test(asked.path)) return next(asked)
    const call = await next(reading(asked, asked.path.replace(/\/stop$/, "")))
    return change(call, await next(asked), asked)
  })

const stillBeingPlaced = (reply: Reply): Reply => {
  const refusal = failing(reply, 1201, 409, placing)
  refusal.headers.set("retry-after", "2")
  return refusal
}

/** Refuses to stop a call in one status, as one that is being placed. */
const cannotStop = (status: string): Defect =>
  wire(() => async (asked, next) => {
    if (asked.method !== "POST" || !isStop.test(asked.path)) return next(asked)
    const call = await next(reading(asked, asked.path.replace(/\/stop$/, "")))
    return at(call.json, "status") === status ? stillBeingPlaced(call) : next(asked)
  })

/** Calls that read as stopped, whatever comes of them. */
const readAsStopped = (ids: Ids): Defect =>
  row(
    calls,
    where(among(ids), (call) => cut("error")({ ...call, status: "stopped", is_terminal: true }, dummy)),
  )

const moves = [
  each(
    "STATUS-MOVE-P1 STATUS-MOVE-P5",
    "A booking that is due and waits for a line is queued, until it has one or is moved.",
    atItsTime((call, now) =>
      /^(re)?scheduled$/.test(textOf(call["status"])) && Date.parse(textOf(call["scheduled_at"])) <= now
        ? { ...call, status: "queued" }
        : call,
    ),
  ),
  m(
    "STATUS-MOVE-P4",
    "A call that was moved is initiated as soon as it is dialled.",
    fresh(() => {
      const moved: Ids = new Set()
      return row(calls, (call) => {
        if (call["status"] === "rescheduled") moved.add(call["execution_id"])
        return call["status"] === "queued" && among(moved)(call) ? { ...call, status: "initiated" } : call
      })
    }),
  ),
  m(
    "STATUS-MOVE-P6",
    "A call that the carrier hands back for the moment is queued again before it rings.",
    amid("ringing", "queued", 0, secondMs),
  ),
  m(
    "STATUS-MOVE-P7",
    "A call that has rung is initiated again while another line to the phone is tried.",
    amid("ringing", "initiated", secondMs, 2 * secondMs),
  ),
  m(
    "STATUS-MOVE-P8",
    "An answered call that is put through to another phone rings there.",
    amid("in-progress", "ringing", secondMs, 3 * secondMs),
  ),
  each(
    "STATUS-MOVE-P10 CALL-CREATE-P11",
    "A dial that the carrier accepted is initiated at once, before its leg is reported.",
    ofPlaced(
      (answer) => answer["status"] === "queued" && !isUnconfirmed(answer),
      (ids) => row(calls, where(both(is("status", "queued"), among(ids)), set("status", "initiated"))),
    ),
  ),
]

const late = [
  m(
    "CALL-LATE-P2",
    "A call that was stopped keeps the facts that it had then.",
    factsAsFirst((call) => call["status"] === "stopped"),
  ),
  c(
    "CALL-LATE-P2",
    "What is corrected after everything was told is not taken.",
    factsAsFirst((call) => call["status"] === "completed" && call["recording_url"] !== null),
  ),
  m(
    "CALL-LATE-P3",
    "A correction is read, and nothing is sent of it.",
    receives((entries) =>
      entries.filter((entry) => {
        const { event_type, test } = payloadOf(entry)
        return event_type !== "call_corrected" || test === true
      }),
    ),
  ),
]

const ofStops = [
  m("CALL-STOP-P1", "A call that was moved cannot be stopped before it is dialled.", cannotStop("rescheduled")),
  m(
    "CALL-STOP-P2",
    "A call that was not confirmed is stopped, whatever became of its dial.",
    ofPlaced(isUnconfirmed, (unconfirmed) => {
      const stopped: Ids = new Set()
      return together(
        stops((call, reply, { json }) => {
          const id = at(call.json, "execution_id")
          if (!unconfirmed.has(id) || reply.status !== 409 || at(call.json, "is_terminal") === true) return reply
          stopped.add(id)
          const reason = at(json, "reason") ?? "user_request"
          return made(reply, 202, { execution_id: id, status: "stopped", requested_at: null, reason })
        }),
        readAsStopped(stopped),
      )
    }),
  ),
  m(
    "CALL-STOP-P3",
    "A call is initiated before its leg is reported, and cannot be stopped then.",
    cannotStop("initiated"),
  ),
  m(
    "CALL-STOP-P5",
    "The status of a call flips, although its hang-up was refused.",
    fresh(() => {
      const refused: Ids = new Set()
      return together(
        stops((call, reply) => {
          const id = at(call.json, "execution_id")
          if (refused.has(id)) return failing(reply, 1201, 409, "This call already ended (status=stopped).")
          const isRefused = reply.status === 409 && !reply.headers.has("retry-after")
          if (isRefused && at(call.json, "is_terminal") === false) refused.add(id)
          return reply
        }),
        readAsStopped(refused),
      )
    }),
  ),
]

/** Objects are merged part by part. */
const deeply = (one: unknown, other: unknown): unknown =>
  isObject(one) && isObject(other)
    ? { ...one, ...Object.fromEntries(Object.entries(other).map(([name, value]) => [name, deeply(one[name], value)])) }
    : other

/** A dial that waits, and how it is answered before its time. */
interface Waiting {
  readonly asked: Asked
  readonly since: number
  readonly answer: (reply: Reply) => void
}

const nowOf = (clock: Reply): number => Date.parse(textOf(at(clock.json, "now")))

/** What a dial that has a record, and no answer yet, is told; one that waits for a line has none. */
const unconfirmedAnswer = async (asked: Asked, next: (asked: Asked) => Promise<Reply>): Promise<Reply | undefined> => {
  const query = new URLSearchParams({ to_number: textOf(at(asked.json, "to_number")) })
  const list = await next({ ...reading(asked, "/v2/calls"), query })
  const [call] = [at(list.json, "data")].flat()
  const { agent_id, created_at, execution_id, from_number, to_number } = objectOf(call)
  const told = { agent_id, created_at, execution_id, from_number, to_number, call_sid: null, status: "queued" }
  return execution_id === undefined ? undefined : made(list, 202, { ...told, dispatch: "pending_confirmation" })
}

/** A dial that nobody confirms is answered as soon as the clock has moved so far. */
const answeredAfter = (ms: number): Defect =>
  wire(() => {
    const waiting = new Set<Waiting>()
    return async (asked, next) => {
      if (asked.method === "POST" && asked.path === "/v2/calls") {
        const since = nowOf(await next(reading(asked, "/_sim/clock")))
        const early = new Promise<Reply>((answer) => waiting.add({ asked, since, answer }))
        const reply = await Promise.race([next(asked), early])
        for (const each of waiting) if (each.asked === asked) waiting.delete(each)
        return reply
      }
      const reply = await next(asked)
      if (asked.path !== "/_sim/clock/advance") return reply
      for (const each of waiting) {
        if (nowOf(reply) - each.since < ms) continue
        const answer = await unconfirmedAnswer(each.asked, (read) => next({ ...read, original: asked.original }))
        if (answer !== undefined) each.answer(answer)
      }
      return reply
    }
  })

const dials = [
  each(
    "CALL-CREATE-P2 CALL-CREATE-P12",
    "An acknowledgement is waited for three seconds.",
    answeredAfter(3 * secondMs),
  ),
  m(
    "CALL-CREATE-P4",
    "The server dials once more what nobody confirmed.",
    ofPlaced(isUnconfirmed, (ids) =>
      wire(() => async (asked, next) => {
        const reply = await next(asked)
        const data = at(reply.json, "data")
        if (asked.path !== "/_sim/telephony/legs" || !Array.isArray(data)) return reply
        const twice = data.flatMap((leg: unknown) =>
          ids.has(at(leg, "execution_id"))
            ? [leg, { ...objectOf(leg), leg_id: `${textOf(at(leg, "leg_id"))}r` }]
            : [leg],
        )
        return { ...reply, json: { ...objectOf(reply.json), data: twice } }
      }),
    ),
  ),
  m(
    "CALL-CREATE-P8",
    "An agent_id that cannot be an id is refused by name.",
    recodes(place, 1200, 1001, 422, ({ json }) => !/^agt_[\w-]{12,}$/.test(textOf(at(json, "agent_id")))),
  ),
  m(
    "CALL-CREATE-P10",
    "Metadata is merged into the objects of the variables.",
    asks(place, (json) =>
      isObject(json["variables"]) && isObject(json["metadata"])
        ? { ...json, metadata: deeply(json["variables"], json["metadata"]) }
        : json,
    ),
  ),
  m(
    "CALL-CREATE-P15",
    "Nothing is taken of an unconfirmed leg before the carrier is asked about it, a minute after its dial.",
    ofPlaced(isUnconfirmed, (ids) =>
      atItsTime((call, now) =>
        among(ids)(call) && now - Date.parse(textOf(call["created_at"])) < 60 * secondMs
          ? { ...cut("error")(call, dummy), status: "queued", is_terminal: false, completed_at: null }
          : call,
      ),
    ),
  ),
]

const transcripts = [
  m(
    "CALL-TRANSCRIPT-P1",
    "A transcript is its speakers and what they said.",
    body("GET /v2/calls/*/transcript", ({ turns }) => ({
      entries: Array.isArray(turns)
        ? turns.map((turn: unknown) => ({ speaker: at(turn, "role"), text: at(turn, "content") }))
        : [],
    })),
  ),
  c(
    "CALL-TRANSCRIPT-P1",
    "A transcript is a list of turns, and nothing about it.",
    answers("GET /v2/calls/*/transcript", (reply) =>
      reply.status === 200 ? made(reply, 200, at(reply.json, "turns")) : reply,
    ),
  ),
  m(
    "CALL-TRANSCRIPT-P2",
    "A text is one turn of nobody, whoever it says that speaks.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const isTranscript = asked.method === "GET" && /^\/v2\/calls\/[^/]+\/transcript$/.test(asked.path)
      if (!isTranscript || reply.status !== 200) return reply
      const query = new URLSearchParams({ include_transcript: "true" })
      const call = await next({ ...reading(asked, asked.path.replace(/\/transcript$/, "")), query })
      const content = at(call.json, "transcript")
      const turns = [{ index: 0, role: "unknown", content, start_ms: null, end_ms: null }]
      return typeof content === "string"
        ? { ...reply, json: { ...objectOf(reply.json), turns, turn_count: 1, text: content } }
        : reply
    }),
  ),
]

export const otherwiseLives = [...moves, ...late, ...ofStops, ...dials, ...transcripts]
