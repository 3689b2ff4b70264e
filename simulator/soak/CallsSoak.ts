import { Hash } from "@carillon/core"
import { Schema } from "effect"
import { Simulator } from "../src/Simulator.ts"

/** What one random world of calls came to. */
export interface SoakReport {
  readonly seed: number
  readonly dials: number
  /** Events that ran on the virtual clock. */
  readonly events: number
  /** Answers of `POST /v2/calls` by status and code. */
  readonly answers: ReadonlyMap<string, number>
  /** Calls by their last status. */
  readonly statuses: ReadonlyMap<string, number>
  /** What must not be: violated invariants, lines still held, calls without an end, requests without an answer. */
  readonly faults: ReadonlyArray<string>
}

/** What of an answer is looked at; every field may be absent. */
const Seen = Schema.Struct({
  error: Schema.optionalKey(Schema.Union([Schema.Number, Schema.Record(Schema.String, Schema.Unknown)])),
  events: Schema.optionalKey(Schema.Number),
  now: Schema.optionalKey(Schema.String),
  agent_id: Schema.optionalKey(Schema.String),
  execution_id: Schema.optionalKey(Schema.String),
  keys: Schema.optionalKey(Schema.Array(Schema.Struct({ key: Schema.String }))),
  slots: Schema.optionalKey(Schema.Struct({ platform: Schema.Number })),
  violations: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  data: Schema.optionalKey(
    Schema.Array(Schema.Struct({ execution_id: Schema.String, status: Schema.String, is_terminal: Schema.Boolean })),
  ),
  pagination: Schema.optionalKey(Schema.Struct({ has_more: Schema.Boolean })),
})

const readAnswer = Schema.decodeUnknownSync(Schema.fromJsonString(Seen))

const organizationCount = 3
const agentCount = 10
const dialCount = 500

/** Outcomes of the carrier as the two digits of magic numbers, and how often each is drawn; the rest goes by the mix. */
const outcomes = [
  "00",
  "00",
  "00",
  "01",
  "02",
  "03",
  "04",
  "05",
  "06",
  "07",
  "20",
  "21",
  "22",
  "23",
  "24",
  "25",
  "30",
  "31",
  "32",
  "33",
  "40",
  "41",
  "42",
  "43",
  "50",
  "60",
]

const dependencies = [
  "slot_store",
  "call_store",
  "telephony",
  "rate_limit_store",
  "key_store",
  "agent_store",
  "scheduler",
]
const modes = ["unreachable", "timeout", "error"]

const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)

/** Runs 500 random dials with stops, faults and jumps of the clock over three organizations, then lets the world come to rest. */
export const soakCalls = async (seed: number): Promise<SoakReport> => {
  let draws = 0
  const draw = () => Hash.unit("soak", seed, draws++)
  const upTo = (most: number) => Math.floor(draw() * (most + 1))
  const oneOf = <A>(items: ReadonlyArray<A>): A => {
    const item = items[Math.floor(draw() * items.length)]
    if (item === undefined) throw new RangeError("There is nothing to draw from.")
    return item
  }

  const simulator = await Simulator.start({ seed, clock: "manual", logLevel: "None" })
  const send = async (method: string, path: string, body?: object, key?: string) => {
    const response = await simulator.fetch(
      new Request(`http://simulator${path}`, {
        method,
        headers: {
          "content-type": "application/json",
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return { status: response.status, ...readAnswer(text === "" ? "{}" : text) }
  }

  let events = 0
  let now = 0
  const advance = async (how: object) => {
    const moved = await send("POST", "/_sim/clock/advance", how)
    events += moved.events ?? 0
    now = Date.parse(moved.now ?? "")
  }
  await advance({ by_ms: 0 })

  const keys: Array<string> = []
  const places: Array<{ readonly key: string; readonly agent: string }> = []
  for (let i = 0; i < organizationCount; i++) {
    const concurrency = { organization: 5 + upTo(35), per_agent: oneOf([null, 3, 5, 20]), enforced: draw() < 0.9 }
    const made = await send("POST", "/_sim/organizations", { concurrency })
    const key = made.keys?.[0]?.key ?? ""
    keys.push(key)
    for (let j = i; j < agentCount; j += organizationCount) {
      const agent = await send("POST", "/v2/agents", { display_name: `Agent ${j}`, status: "ACTIVE" }, key)
      places.push({ key, agent: agent.agent_id ?? "" })
    }
  }
  if (draw() < 0.3) await send("PATCH", "/_sim/platform", { concurrency: 10 + upTo(50) })

  const answers = new Map<string, number>()
  const known: Array<{ readonly key: string; readonly id: string }> = []
  const open: Array<Promise<void>> = []

  const dial = async () => {
    const { agent, key } = oneOf(places)
    const to = `+999${oneOf(outcomes)}0${upTo(3)}${String(upTo(99_999_999)).padStart(8, "0")}`
    const later = draw() < 0.1 ? { scheduled_at: new Date(now + 130_000 + upTo(3_600_000)).toISOString() } : {}
    const answer = await send(
      "POST",
      "/v2/calls",
      { agent_id: agent, to_number: to, timeout_seconds: 5 + upTo(60), ...later },
      key,
    )
    const { error: code, execution_id: id, status } = answer
    count(answers, typeof code === "number" ? `${status} ${code}` : String(status))
    if (id !== undefined) known.push({ key, id })
  }
  const stop = async () => {
    if (known.length === 0) return
    const { id, key } = oneOf(known)
    await send("POST", `/v2/calls/${id}/stop`, undefined, key)
  }
  const fail = () =>
    send("PUT", "/_sim/faults", {
      [oneOf(dependencies)]: { mode: oneOf(modes), rate: oneOf([0.3, 1]), for_ms: 1_000 + upTo(60_000) },
    })

  for (let dialled = 0; dialled < dialCount;) {
    const what = draw()
    if (what < 0.7) {
      dialled += 1
      open.push(dial())
    } else if (what < 0.8) open.push(stop())
    else if (what < 0.82) await fail()
    else await advance({ by_ms: upTo(oneOf([100, 2_000, 20_000])) })
  }
  await send("PUT", "/_sim/faults", Object.fromEntries(dependencies.map((dependency) => [dependency, null])))
  await advance({ until_idle: true })
  await advance({ by_ms: 60_000 })
  await Promise.all(open)

  const invariants = await send("GET", "/_sim/invariants")
  const stats = await send("GET", "/_sim/stats")
  const faults = (invariants.violations ?? []).map((violation) => JSON.stringify(violation))
  const held = stats.slots?.platform
  if (held !== 0) faults.push(`${held} lines are still held`)
  const statuses = new Map<string, number>()
  const listed = new Set<string>()
  for (const key of keys) {
    for (let page = 1, more = true; more; page++) {
      const list = await send("GET", `/v2/calls?page=${page}&page_size=100`, undefined, key)
      for (const call of list.data ?? []) {
        listed.add(call.execution_id)
        count(statuses, call.status)
        if (!call.is_terminal) faults.push(`${call.execution_id} is ${call.status} at the end`)
      }
      more = list.pagination?.has_more === true
    }
  }
  for (const { id, key } of known) {
    if (listed.has(id)) continue
    const read = await send("GET", `/v2/calls/${id}`, undefined, key)
    if (!listed.has(read.execution_id ?? "")) faults.push(`${id} was answered and is not listed`)
  }
  await simulator.close()
  return { seed, dials: dialCount, events, answers, statuses, faults }
}
