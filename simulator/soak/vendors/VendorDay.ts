import { Customer } from "../Customer.ts"
import { Dice } from "../Dice.ts"
import { type Mix, type OpenVendor, Simulator } from "../../src/index.ts"
import { type CallLeg, truthFaults, type Unheard } from "./Truth.ts"

/** What a day at a vendor came to. */
export interface VendorDayReport {
  /** What must not be: broken invariants, lines still held, calls and contacts without an end, calls that are not what their legs were. */
  readonly faults: ReadonlyArray<string>
  /** The invariants that were looked at. */
  readonly checked: ReadonlySet<string>
  readonly calls: ReadonlyArray<Row>
  /** Every leg, as the world's carrier has it in its books. */
  readonly legs: ReadonlyArray<Row>
  readonly contacts: ReadonlyArray<Row>
  /** The engine's processes, one after the other. */
  readonly processes: number
}

type Row = Readonly<Record<string, unknown>>

export interface VendorDayTraits {
  readonly seed: number
  readonly contacts: number
  /** How often the engine's process ends, each time in the middle of something. */
  readonly crashes: number
  readonly unheard: Unheard
}

const mix: Mix = {
  completed: 0.5,
  "no-answer": 0.15,
  voicemail: 0.1,
  busy: 0.1,
  failed: 0.05,
  "call-disconnected": 0.04,
  rejected: 0.03,
  invalid: 0.03,
}

const hourMs = 3_600_000
/** After so long every law has looked at a world in which nothing happens any more. */
const calmMs = 15 * 60_000
/** Dials, beside the campaign's, of which about every second one is stopped. */
const directDials = 6
/** Steps towards the engine's stores and carrier, after one of which a process ends. */
const lastSteps = 60
const restDays = 3

const numberOf = (nth: number): string => `+1212555${String(nth).padStart(4, "0")}`

const campaignOf = (agent_id: string, count: number): object => ({
  name: "Reminders",
  agent_id,
  contacts: Array.from({ length: count }, (_, nth) => ({ to_number: numberOf(nth) })),
  max_concurrent_calls: 10,
  retry_policy: { max_retries: 2, base_delay_minutes: 5, respect_working_hours: false },
})

/** A day in the world of a seed, with everything that its customers do; the calls that they asked to stop. */
const live = async (simulator: Simulator, customer: Customer, dice: Dice, crashes: number): Promise<Set<string>> => {
  const { agent_id, key } = simulator.info
  const stopped = new Set<string>()
  for (let nth = 0; nth < directDials; nth++) {
    await simulator.advance({ by_ms: 5_000 + dice.upTo(20_000) })
    if (nth < crashes) await simulator.crash(dice.upTo(lastSteps))
    const dialled = await customer.ask(key, "POST", "/v2/calls", { agent_id, to_number: numberOf(9_000 + nth) })
    const id = dialled?.execution_id
    if (typeof id !== "string" || dice.happens(0.5)) continue
    await simulator.advance({ by_ms: dice.upTo(12_000) })
    stopped.add(id)
    await customer.ask(key, "POST", `/v2/calls/${id}/stop`)
  }
  return stopped
}

/** A row's field as text. */
const text = (row: Row, field: string): string => String(row[field])

const all = async (customer: Customer, key: string, path: string): Promise<Array<Row>> => {
  const found: Array<Row> = []
  for (let page = 1; ; page++) {
    const answer = await customer.ask(key, "GET", `${path}?page=${page}&page_size=100`)
    found.push(...(answer?.data ?? []))
    if (answer?.pagination?.has_more !== true) return found
  }
}

/** What is wrong with a world that has come to rest. */
const faultsAtRest = async (customer: Customer, calls: ReadonlyArray<Row>, contacts: ReadonlyArray<Row>) => {
  const faults: Array<string> = []
  const { slots } = await customer.control("GET", "/_sim/stats")
  if (slots?.platform !== 0) faults.push(`${slots?.platform} lines are still held`)
  if (customer.open > 0) faults.push(`${customer.open} requests were never answered`)
  for (const call of calls) {
    if (call["is_terminal"] !== true) faults.push(`${text(call, "execution_id")} is ${text(call, "status")} at the end`)
  }
  for (const contact of contacts) {
    const status = text(contact, "status")
    if (status !== "completed" && status !== "failed")
      faults.push(`${text(contact, "to_number")} is ${status} at the end`)
  }
  return faults
}

const legOf = (leg: Row): CallLeg => ({
  execution_id: text(leg, "execution_id"),
  to_number: text(leg, "to_number"),
  result: text(leg, "result"),
})

interface Checked {
  readonly checked: ReadonlyArray<{ readonly name: string; readonly checks: number }>
  readonly violations: ReadonlyArray<object>
}

const judged = async (simulator: Simulator): Promise<Checked> => {
  const body = new Uint8Array()
  const answer = await simulator.control({ method: "GET", target: "/_sim/invariants", authorization: null, body })
  return JSON.parse(answer.body ?? "")
}

/**
 * A campaign in a simulated world whose calls go through a vendor's adapter and a stand-in of that vendor, with direct dials, stops and
 * processes that end. It is a function of its seed, and is judged by all of the world's invariants.
 */
export const vendorDay = async (vendor: OpenVendor, traits: VendorDayTraits): Promise<VendorDayReport> => {
  const { seed } = traits
  const faults: Array<string> = []
  let processes = 0
  const counted: OpenVendor = async (farEnd) => {
    const opened = await vendor(farEnd)
    const start = () => {
      processes += 1
      return opened.start()
    }
    return { ...opened, start }
  }
  await using simulator = await Simulator.start({ seed, clock: "manual", logLevel: "None", mix, vendor: counted })
  const { agent_id, key } = simulator.info
  const customer = new Customer(simulator, ({ error, message, status }, what) => {
    // 1501: it was asked of a process that ended.
    if (status >= 500 && error !== 1501) faults.push(`${what} was answered with ${status}: ${message}`)
  })
  const { campaign_id } =
    (await customer.ask(key, "POST", "/v2/campaigns", campaignOf(agent_id, traits.contacts))) ?? {}
  const stopped = await live(simulator, customer, new Dice(seed), traits.crashes)
  const idle = await simulator.advance({ until_idle: true, max_ms: restDays * 24 * hourMs })
  if (!idle.reached) faults.push(`${restDays} days later something is still due`)
  await simulator.advance({ by_ms: calmMs })
  const calls = await all(customer, key, "/v2/calls")
  const contacts = await all(customer, key, `/v2/campaigns/${campaign_id}/contacts`)
  const legs = (await customer.control("GET", "/_sim/telephony/legs")).data ?? []
  faults.push(...(await faultsAtRest(customer, calls, contacts)))
  const ends = new Map(calls.map((call) => [text(call, "execution_id"), text(call, "status")]))
  faults.push(...truthFaults(ends, legs.map(legOf), stopped, traits.unheard))
  const { checked, violations } = await judged(simulator)
  faults.push(...violations.map((violation) => JSON.stringify(violation)))
  const looked = checked.flatMap(({ checks, name }) => (checks > 0 ? [name] : []))
  return { calls, contacts, legs, faults, checked: new Set(looked), processes }
}
