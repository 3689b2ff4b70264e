import { readJournal, type WrittenJournal } from "../src/journal/Journal.ts"
import { Simulator } from "../src/Simulator.ts"
import type { OpenVendor } from "../src/vendors/Vendor.ts"
import { type Answer, Customer } from "./Customer.ts"
import { deeds } from "./Deeds.ts"
import { Dice } from "./Dice.ts"
import { bugCode, conflictGoal } from "./Goals.ts"
import { drawParameters, type Parameters } from "./Parameters.ts"
import type { Place } from "./Place.ts"
import type { Scene } from "./Scene.ts"

/** What one random world came to. */
export interface SoakReport {
  readonly seed: number
  readonly parameters: Parameters
  /** Events that ran on the virtual clock. */
  readonly events: number
  readonly goals: ReadonlySet<string>
  /** What must not be: violated invariants, lines still held, calls and contacts without an end, requests without an answer. */
  readonly faults: ReadonlyArray<string>
  /** The inputs of the world. */
  readonly journal: WrittenJournal
}

const hourMs = 3_600_000

/** After so long every law has looked at a world in which nothing happens any more. */
const calmMs = 15 * 60_000

/**
 * When a world that is left alone must have come to rest. An agent that is archived burns each attempt of a contact by ten holds, and
 * hours of one hour a day leave room for three attempts: forty contacts with retries and follow-ups take some months.
 */
const restDays = 120

/**
 * Call caps may ask for more: of a number that stands twice in a list, with three retries each, eight calls are made thirty days apart. So an
 * organization that has caps may go on as long as calls are made in so many days; hours and cooldowns come on top of thirty.
 */
const cappedDays = 60

/** So often it is looked whether there were any: calls may be kept for a week only. */
const lookDays = 6

/** Calls of one contact at the most: the first one, its retries, and its follow-ups. */
const attemptsOfContact = 1 + 10 + 10

/** What is still to be seen of an answer: the goals it reaches, and whether it tells of a bug. */
const judge = (answer: Answer, what: string, goals: Set<string>, faults: Array<string>): void => {
  const { data = [], dispatch, error, message = "", status } = answer
  if (data.some(({ action }) => action === "retention.purge")) goals.add("rows go that were kept for their time")
  if (error === bugCode) faults.push(`${what} was answered with 1500: ${message}`)
  if (status >= 400) goals.add(`error ${String(error)}`)
  if (status === 409) {
    const goal = conflictGoal(message)
    if (goal === undefined) faults.push(`${what} was refused with a conflict that nobody knows: ${message}`)
    else goals.add(goal)
  }
  if (status !== 202 || !what.startsWith("POST /v2/calls")) return
  if (dispatch === "pending_confirmation") goals.add("202 unconfirmed")
  else if (answer.deferred_by_calling_guard === true) goals.add("202 deferred by the calling window")
  else if (what === "POST /v2/calls") goals.add("202 scheduled")
}

/** Watches how campaigns share lines: who has more than its share, and who gave some back while another was waiting. */
class Borrowers {
  readonly #goals: Set<string>
  readonly #borrowed = new Set<string>()

  constructor(goals: Set<string>) {
    this.#goals = goals
  }

  look({ campaigns = [] }: Answer): void {
    for (const { campaign_id, share, used } of campaigns) {
      if (used > share && share > 0) {
        this.#borrowed.add(campaign_id)
        this.#goals.add("a campaign borrows lines")
      } else if (
        this.#borrowed.delete(campaign_id) &&
        campaigns.some((other) => other.campaign_id !== campaign_id && other.used > 0)
      ) {
        this.#goals.add("a campaign returns borrowed lines")
      }
    }
  }
}

/** Reads everything that is remembered of what happened. */
const historyOf = async (simulator: Simulator, customer: Customer): Promise<ReadonlyArray<Record<string, unknown>>> => {
  // The clock is told what it does already: its word is the last of the history.
  await customer.control("PUT", "/_sim/clock", { mode: "manual" })
  const stream = simulator.events({ target: "/_sim/events", authorization: null, lastEventId: null })
  if (!(stream instanceof ReadableStream)) throw new Error("The events stream was refused.")
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  while (!text.includes('"type":"clock"')) text += (await reader.read()).value ?? ""
  await reader.cancel()
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line): Record<string, unknown> => JSON.parse(line.slice("data: ".length)))
}

const judgeHistory = (
  history: ReadonlyArray<Record<string, unknown>>,
  { night }: Parameters,
  goals: Set<string>,
): void => {
  const failed = new Set<unknown>()
  for (const event of history) {
    if (event["type"] === "crash") goals.add("a crash")
    if (event["type"] === "delivery") {
      const { attempts, delivery_id, status } = event
      if (status === "retrying") failed.add(delivery_id)
      if (status === "delivered" && failed.has(delivery_id)) goals.add("a delivery succeeds after a failure")
      if (status === "failed" && attempts === 4) goals.add("a delivery is given up")
    }
    if (event["type"] !== "call") continue
    goals.add(`status ${String(event["status"])}`)
    const at = Date.parse(String(event["at"]))
    const isNew = event["previous_status"] === null && event["campaign_id"] !== null
    if (night !== null && isNew && at >= night.at && at <= night.at + hourMs) {
      goals.add(`a campaign dials across a DST ${night.kind}`)
    }
  }
}

const populate = async (customer: Customer, dice: Dice, parameters: Parameters): Promise<ReadonlyArray<Place>> => {
  const places: Array<Place> = []
  for (let nth = 0; nth < parameters.organizations; nth++) {
    const [least, beyond] = parameters.lines
    const made = await customer.control("POST", "/_sim/organizations", {
      concurrency: {
        organization: least + dice.upTo(beyond),
        per_agent: dice.oneOf([null, null, 2, 5]),
        enforced: dice.happens(0.9),
      },
      keys: [{ keys_write: true }, { scopes: ["calls:read"] }],
    })
    const [key, readKey] = made.keys ?? []
    const place: Place = {
      organization_id: made.organization_id ?? "",
      key: key?.key ?? "",
      key_id: key?.key_id ?? "",
      readKey: readKey?.key ?? "",
      numbers: (made.phone_numbers ?? []).map(String),
      agents: [],
      calls: [],
      campaigns: [],
      batches: [],
      subscriptions: [],
      experiments: [],
      phoneNumbers: [],
    }
    for (let agent = 0; agent < parameters.agents; agent++) {
      const answer = await customer.ask(place.key, "POST", "/v2/agents", {
        display_name: `Agent ${agent}`,
        status: "ACTIVE",
        ...(dice.happens(0.3) ? { integrations: { webhook: { url: "https://agent.inbox.test/" } } } : {}),
      })
      if (typeof answer?.agent_id === "string") place.agents.push(answer.agent_id)
    }
    places.push(place)
  }
  if (parameters.platformLines !== null) {
    await customer.control("PATCH", "/_sim/platform", { concurrency: parameters.platformLines })
  }
  return places
}

/** Takes away what holds the world back: faults, empty wallets, pauses, agents that are away. */
const heal = async (customer: Customer, dice: Dice, places: ReadonlyArray<Place>): Promise<void> => {
  await customer.control("PUT", "/_sim/faults", {})
  for (const place of places) {
    const { key } = place
    const path = `/_sim/organizations/${place.organization_id}`
    await customer.control("PATCH", path, {
      wallet: { balance: 1_000_000 },
      concurrency: { organization: 20, per_agent: null },
    })
    for (const id of place.agents) await customer.ask(key, "PATCH", `/v2/agents/${id}`, { status: "ACTIVE" })
    for (const id of place.campaigns) {
      await customer.ask(key, "POST", `/v2/campaigns/${id}/${dice.oneOf(["resume", "resume", "cancel"])}`)
    }
    for (const id of place.batches) await customer.ask(key, "POST", `/v2/batches/${id}/resume`)
  }
}

/** Everything of a list, page after page. */
const all = async (
  customer: Customer,
  key: string,
  path: string,
): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
  const found: Array<Readonly<Record<string, unknown>>> = []
  for (let page = 1; ; page++) {
    const answer = await customer.ask(key, "GET", `${path}?page=${page}&page_size=100`)
    found.push(...(answer?.data ?? []))
    if (answer?.pagination?.has_more !== true) return found
  }
}

const endedBatches: ReadonlySet<unknown> = new Set(["completed", "cancelled", "expired", "failed"])

const isUnfinished = ({ status, total_contacts }: Readonly<Record<string, unknown>>): boolean =>
  // What an agent that was archived, or hours that never come, hold back has no end.
  !endedBatches.has(status) && total_contacts !== 0

/** The campaigns of an organization that have paused themselves, and may stay so. */
const brokenOf = async (customer: Customer, { campaigns, key }: Place): Promise<ReadonlySet<unknown>> => {
  const broken = new Set<unknown>()
  for (const id of campaigns) {
    const breaker = await customer.ask(key, "GET", `/v2/campaigns/${id}/breaker`)
    if (breaker?.paused_reason === "breaker") broken.add(id)
  }
  return broken
}

/** What of an organization has not come to its end. */
const restlessOf = async (customer: Customer, place: Place): Promise<ReadonlyArray<string>> => {
  const { key, organization_id } = place
  const broken = await brokenOf(customer, place)
  const faults: Array<string> = []
  for (const call of await all(customer, key, "/v2/calls")) {
    if (call["is_terminal"] !== true)
      faults.push(`${String(call["execution_id"])} is ${String(call["status"])} at the end`)
  }
  for (const batch of await all(customer, key, "/v2/batches")) {
    if (isUnfinished(batch) && !broken.has(batch["campaign_id"])) {
      faults.push(`${String(batch["batch_id"])} of ${organization_id} is ${String(batch["status"])} at the end`)
    }
  }
  for (const delivery of await all(customer, key, "/v2/webhooks/deliveries")) {
    if (delivery["status"] === "pending" || delivery["status"] === "retrying") {
      faults.push(`${String(delivery["delivery_id"])} is ${String(delivery["status"])} at the end`)
    }
  }
  return faults
}

/** What must be true of a world that was left alone long enough. */
const judgeEnd = async (customer: Customer, places: ReadonlyArray<Place>, faults: Array<string>): Promise<void> => {
  const { slots } = await customer.control("GET", "/_sim/stats")
  if (slots?.platform !== 0) faults.push(`${slots?.platform} lines are still held`)
  if (customer.open > 0) faults.push(`${customer.open} requests were never answered`)
  for (const place of places) faults.push(...(await restlessOf(customer, place)))
}

/** A world with its customers, ready to have things done to it. */
interface Opened {
  readonly simulator: Simulator
  readonly customer: Customer
  readonly scene: Scene
  readonly advance: (how: object) => Promise<Answer>
  /** Events that ran on the virtual clock so far. */
  readonly events: () => number
}

export const open = async (
  seed: number,
  dice: Dice,
  parameters: Parameters,
  goals: Set<string>,
  faults: Array<string>,
  vendor?: OpenVendor,
): Promise<Opened> => {
  const { epoch } = parameters
  const far = vendor === undefined ? {} : { vendor }
  const simulator = await Simulator.start({ seed, clock: "manual", epoch, logLevel: "None", ...far })
  const customer = new Customer(simulator, (answer, what) => judge(answer, what, goals, faults))
  const borrowers = new Borrowers(goals)
  let events = 0
  let now = Date.parse(parameters.epoch)
  const advance = async (how: object): Promise<Answer> => {
    const moved = await customer.control("POST", "/_sim/clock/advance", how)
    events += Number(moved.events ?? 0)
    now = Date.parse(moved.now ?? "")
    borrowers.look(await customer.control("GET", "/_sim/stats"))
    return moved
  }
  const scene: Scene = {
    dice,
    customer,
    parameters,
    places: await populate(customer, dice, parameters),
    crash: (steps) => simulator.crash(steps),
    interleave: (rate, commits) => simulator.interleave(rate, commits),
    now: () => now,
    advance: async (how) => void (await advance(how)),
  }
  return { simulator, customer, scene, advance, events: () => events }
}

/** Does a random thing to a world. */
export const disturbOnce = async (scene: Scene): Promise<void> => {
  const { dice, parameters, places } = scene
  const weights = Object.entries(parameters.weights)
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  let point = dice.draw() * total
  const name = weights.find(([, weight]) => (point -= weight) < 0)?.[0] ?? "time"
  const place = dice.anyOf(places)
  if (place !== undefined && isDeed(name)) await deeds[name](scene, place)
}

/** Does so many random things to a world. */
const disturb = async (scene: Scene, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step++) await disturbOnce(scene)
}

export const journalOf = async (simulator: Simulator): Promise<WrittenJournal> => {
  const body = new Uint8Array()
  const { body: text } = await simulator.control({ method: "GET", target: "/_sim/journal", authorization: null, body })
  return readJournal(text ?? "")
}

/** The inputs of a random world that was only disturbed. */
export const randomJournal = async (seed: number, steps: number): Promise<WrittenJournal> => {
  const dice = new Dice(seed)
  const parameters = drawParameters(dice)
  const { scene, simulator } = await open(seed, dice, parameters, new Set(), [])
  await simulator.interleave(parameters.interleaving)
  await disturb(scene, steps)
  const journal = await journalOf(simulator)
  await simulator.close()
  return journal
}

const violationsOf = async (customer: Customer): Promise<ReadonlyArray<string>> => {
  const { violations = [] } = await customer.control("GET", "/_sim/invariants")
  return violations.map((violation) => JSON.stringify(violation))
}

const isBroken = async (customer: Customer): Promise<boolean> => (await violationsOf(customer)).length > 0

/** Whether an organization has call caps that keep a number from being called for longer than a day. */
const hasLongCaps = async (customer: Customer, { key }: Place): Promise<boolean> => {
  const caps = await customer.ask(key, "GET", "/v2/call-caps")
  return typeof caps?.per_week === "number" || typeof caps?.per_thirty_days === "number"
}

/** Lets organizations that have such caps go on while these let calls be made; returns whether nothing is due then. All others must be at rest. */
const outlastCaps = async (customer: Customer, advance: Opened["advance"], places: ReadonlyArray<Place>) => {
  const capped: Array<Place> = []
  let attemptsLeft = 0
  for (const place of places) {
    if (await hasLongCaps(customer, place)) {
      capped.push(place)
      const batches = await all(customer, place.key, "/v2/batches")
      const contacts = batches.filter(isUnfinished).reduce((sum, batch) => sum + Number(batch["total_contacts"]), 0)
      attemptsLeft += contacts * attemptsOfContact
    } else if ((await restlessOf(customer, place)).length > 0) return false
  }
  const known = new Set<unknown>()
  const countNew = async (): Promise<number> => {
    const before = known.size
    for (const { key } of capped) {
      for (const call of await all(customer, key, "/v2/calls")) known.add(call["execution_id"])
    }
    return known.size - before
  }
  await countNew()
  for (let quietDays = 0; quietDays < cappedDays && attemptsLeft > 0;) {
    const idle = await advance({ until_idle: true, max_ms: lookDays * 24 * hourMs })
    if (idle.reached === true) return true
    const calls = await countNew()
    attemptsLeft -= calls
    quietDays = calls > 0 ? 0 : quietDays + lookDays
  }
  return false
}

/** Lets a world go on until nothing is due any more; looks after the first day whether that is worth while. */
const comeToRest = async (
  customer: Customer,
  advance: Opened["advance"],
  places: ReadonlyArray<Place>,
  faults: Array<string>,
): Promise<void> => {
  for (const days of [1, restDays - 1]) {
    const idle = await advance({ until_idle: true, max_ms: days * 24 * hourMs })
    if (idle.reached === true || (await isBroken(customer))) return
  }
  if (await outlastCaps(customer, advance, places)) return
  const { next_due } = await customer.control("GET", "/_sim/clock")
  faults.push(`${restDays} days later, or when call caps let nobody be called, something is still due at ${next_due}`)
}

/** At a vendor, and at a database, nothing overtakes what is under way. */
export const overtakingNobody = (drawn: Parameters): Parameters => ({
  ...drawn,
  interleaving: 0,
  weights: { ...drawn.weights, ending: 0, meeting: 0 },
})

/** Lives through a random world; in the end something is taken from it, before it is closed. */
const lived = async <Last>(
  seed: number,
  vendor: OpenVendor | undefined,
  last: (simulator: Simulator) => Promise<Last>,
): Promise<Omit<SoakReport, "journal"> & { readonly last: Last }> => {
  const dice = new Dice(seed)
  const drawn = drawParameters(dice)
  const parameters = vendor === undefined ? drawn : overtakingNobody(drawn)
  const goals = new Set<string>()
  const faults: Array<string> = []
  const { advance, customer, events, scene, simulator } = await open(seed, dice, parameters, goals, faults, vendor)
  const { places } = scene
  if (vendor === undefined) await simulator.interleave(parameters.interleaving)
  await disturb(scene, parameters.steps)
  await heal(customer, dice, places)
  if (vendor === undefined) await simulator.interleave(0)
  await advance({ by_ms: 120_000 })
  await heal(customer, dice, places)
  // What is broken may never come to rest, and nothing else is asked of it.
  if (!(await isBroken(customer))) await comeToRest(customer, advance, places, faults)
  if (!(await isBroken(customer))) {
    // The laws of those who wait judge what has been calm for a while.
    await advance({ by_ms: calmMs })
    await judgeEnd(customer, places, faults)
  }
  faults.push(...(await violationsOf(customer)))
  judgeHistory(await historyOf(simulator, customer), parameters, goals)
  const taken = await last(simulator)
  await simulator.close()
  return { seed, parameters, events: events(), goals, faults, last: taken }
}

/** Lives through a random world: first under faults, crashes and jumps of the clock, then left alone until it comes to rest. */
export const soakWorld = async (seed: number): Promise<SoakReport> => {
  const { last: journal, ...report } = await lived(seed, undefined, journalOf)
  return { ...report, journal }
}

/** The same with a vendor between its engine and its carrier. Of such a world no journal says everything: its seed repeats it. */
export const soakWorldAt = (vendor: OpenVendor, seed: number): Promise<Omit<SoakReport, "journal">> =>
  lived(seed, vendor, async () => null)

const isDeed = (name: string): name is keyof typeof deeds => Object.hasOwn(deeds, name)
