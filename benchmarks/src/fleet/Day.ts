import { limits } from "@carillon/core"
import { Schema } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import type { Fleet } from "./Fleet.ts"
import type { CampaignExpectation, Expectations, OpenedTenant, Tenant } from "./Protocol.ts"
import { Stillness } from "./Stillness.ts"
import type { Random } from "./Trial.ts"

/** A campaign of the day as `/v2` is told of it. */
interface Plan {
  readonly name: string
  readonly tenant: number
  readonly agent: number
  readonly body: object
  /** Of the lines of the installation, its ceiling. */
  readonly ceiling?: number
  readonly attempts: number
  readonly closed?: boolean
  /** Its contacts share so few numbers that most of them wait for one another; each contact has its own where left out. */
  readonly sharedNumbers?: number
}

const retries = (count: number) => ({ max_retries: count, base_delay_minutes: 0, cooldown_minutes: 0 })

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

/** Hours of one day of the week only, which is neither today nor tomorrow. */
const hoursElsewhere = () => {
  const day = weekdays[(new Date().getUTCDay() + 3) % 7] ?? "monday"
  return { [day]: { start: "09:00", end: "17:00" } }
}

/** Two organizations that want more lines than the platform has, with every kind of campaign. */
const plans: ReadonlyArray<Plan> = [
  { name: "plain", tenant: 0, agent: 0, body: { retry_policy: retries(0) }, attempts: 1 },
  { name: "retries", tenant: 0, agent: 1, body: { retry_policy: retries(2) }, attempts: 3 },
  { name: "ceiling", tenant: 0, agent: 0, body: { retry_policy: retries(1) }, ceiling: 0.1, attempts: 2 },
  {
    name: "follow-ups",
    tenant: 0,
    agent: 1,
    body: {
      retry_policy: retries(1),
      follow_up_policy: { enabled: true, cooldown_minutes: 0, triggers: ["after_retries_exhausted"] },
    },
    attempts: 3,
  },
  { name: "same numbers", tenant: 0, agent: 1, body: { retry_policy: retries(2) }, attempts: 3, sharedNumbers: 5 },
  {
    name: "closed today",
    tenant: 0,
    agent: 0,
    body: { working_hours: hoursElsewhere(), working_hours_enforced: true, retry_policy: retries(0) },
    attempts: 1,
    closed: true,
  },
  {
    name: "tomorrow",
    tenant: 1,
    agent: 0,
    body: { start_time: new Date(Date.now() + 86_400_000).toISOString() },
    attempts: 1,
    closed: true,
  },
  { name: "other plain", tenant: 1, agent: 0, body: { retry_policy: retries(0) }, attempts: 1 },
  { name: "other retries", tenant: 1, agent: 0, body: { retry_policy: retries(1) }, attempts: 2 },
]

/** The organizations of the day: together they could use more lines than there are. */
export const tenantsFor = (lines: number): ReadonlyArray<Tenant> => [
  {
    name: "North",
    lines: Math.ceil(lines * 0.75),
    perAgent: Math.ceil(lines * 0.5),
    agents: 2,
    numbers: ["+15550000001", "+15550000002", "+15550000003"],
  },
  { name: "South", lines: Math.ceil(lines * 0.6), perAgent: null, agents: 1, numbers: ["+15550000009"] },
]

const Answer = Schema.Struct({
  campaign_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  status: Schema.optionalKey(Schema.String),
  outcome_counts: Schema.optionalKey(
    Schema.Struct({
      completed: Schema.Number,
      failed: Schema.Number,
      in_flight: Schema.Number,
      pending: Schema.Number,
      total: Schema.Number,
    }),
  ),
  total_call_attempts: Schema.optionalKey(Schema.NullOr(Schema.Number)),
})
const decode = Schema.decodeUnknownSync(Answer)
type Answer = typeof Answer.Type

interface Running {
  readonly plan: Plan
  readonly campaign_id: string
  readonly tenant: OpenedTenant
  contacts: number
  completed: number
}

const askMs = 5_000
const lookMs = 1_000
const directMs = 1_000
const directAttempts = 3
/** A campaign with fewer contacts left than lines that it can have, and fewer than these, gets another batch of as many. */
const leastContacts = 8
/** With nothing under way for so long, whoever is left is left for ever: longer than the claims of a dead process last, and than any dispatcher waits to look again. */
const stillMs = 25_000
/**
 * With no dial, no outcome, no report and no question to the carrier for so long, whatever seems to be under way leads nowhere: longer than a dial
 * whose process has died is asked about by nobody, and than its claims last.
 */
const noProgressMs = 2 * limits.questionDelayMs

const completedStatus = 409

/** What direct dials were answered, by status; 0 stands for no answer at all. */
export type Answers = Map<number, number>

/** Who sees rows and lines. */
interface Witness {
  /** Whether something goes on that may yet give contacts of these campaigns their outcome. */
  readonly isUnderWay: (campaigns: ReadonlyArray<string>) => Promise<boolean>
  /** The rows that show why they have none. */
  readonly left: (campaigns: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
}

/** A campaign day: campaigns with contacts enough for all lines, added to while it runs, and a few direct dials. */
export class Day {
  readonly #fleet: Fleet
  readonly #lines: number
  readonly #random: Random
  readonly #running: Array<Running> = []
  readonly violations: Array<string> = []
  readonly directAnswers: Answers = new Map()
  /** How often contacts were not taken, by campaign and status; 0 stands for no answer at all. */
  readonly refused = new Map<string, number>()
  #serial = 0
  #isOver = false
  #work: Promise<unknown> = Promise.resolve()

  constructor(fleet: Fleet, lines: number, random: Random) {
    this.#fleet = fleet
    this.#lines = lines
    this.#random = random
  }

  get campaigns(): ReadonlyArray<{
    readonly campaign_id: string
    readonly contacts: number
    readonly closed: boolean
  }> {
    return this.#running.map(({ campaign_id, contacts, plan }) => ({
      campaign_id,
      contacts,
      closed: plan.closed === true,
    }))
  }

  /** Makes the campaigns, tells the carrier what may be, and keeps everything supplied from then on. */
  async begin(): Promise<void> {
    const listener = this.#fleet.tenants.at(-1)
    if (listener === undefined) throw new Error("nobody is there")
    await this.#must(listener, "POST", "/v2/webhooks", {
      callback_url: `${this.#fleet.carrier.url}/hook`,
      event_types: ["call_completed"],
    })
    for (const plan of plans) {
      const tenant = this.#fleet.tenants[plan.tenant]
      if (tenant === undefined) throw new Error("no such tenant")
      const ceiling = plan.ceiling === undefined ? {} : { max_concurrent_calls: this.#ceilingOf(plan) }
      const { campaign_id } = await this.#must(tenant, "POST", "/v2/campaigns", {
        name: plan.name,
        agent_id: tenant.agents[plan.agent],
        ...ceiling,
        ...plan.body,
      })
      this.#running.push({ plan, campaign_id: campaign_id ?? "", tenant, contacts: 0, completed: 0 })
    }
    await this.#fleet.carrier.expect(this.#expectations())
    for (const running of this.#running) await this.#supply(running)
    this.#work = Promise.all([this.#dialDirectly(), ...this.#running.map((running) => this.#keepSupplied(running))])
  }

  /**
   * Adds nothing any more, and waits until every contact that may be dialled has its outcome, for as long as attempts are made or something is
   * under way that could give it one: those that share a number are dialled one after another.
   */
  async end(witness: Witness): Promise<void> {
    this.#isOver = true
    await this.#work
    const moved = new Stillness(stillMs, lookMs)
    const progressed = new Stillness(noProgressMs, lookMs)
    let progress = ""
    for (;;) {
      const open: Array<Running> = []
      let outcomes = 0
      for (const running of this.#running) {
        if (running.plan.closed === true) continue
        const counts = await this.#counts(running)
        if (counts === null || counts.pending + counts.in_flight > 0) open.push(running)
        outcomes += counts === null ? 0 : counts.completed + counts.failed
      }
      if (open.length === 0) return
      const ids = open.map(({ campaign_id }) => campaign_id)
      moved.look(await witness.isUnderWay(ids))
      const { dials, questions, unreported } = await this.#fleet.carrier.look()
      const soFar = `${dials} dials, ${outcomes} outcomes, ${unreported} legs to report, ${questions} questions`
      progressed.look(soFar !== progress)
      progress = soFar
      if (moved.isLong || progressed.isLong) {
        const names = open.map(({ plan }) => plan.name).join(", ")
        const howLong = `${moved.seconds} s with nothing under way, ${progressed.seconds} s after ${soFar}`
        this.violations.push(`L1: ${names} never came to their end, after ${howLong}`, ...(await witness.left(ids)))
        return
      }
      await sleep(lookMs)
    }
  }

  readonly #ceilingOf = (plan: Plan): number => Math.max(1, Math.round((plan.ceiling ?? 1) * this.#lines))

  #expectations(): Expectations {
    const ceilings: Record<string, number> = { platform: this.#lines }
    const sizes = tenantsFor(this.#lines)
    this.#fleet.tenants.forEach(({ agents, organization_id }, nth) => {
      const { lines = 0, perAgent = null } = sizes[nth] ?? {}
      ceilings[`organization ${organization_id}`] = lines
      if (perAgent !== null) for (const agent of agents) ceilings[`agent ${agent}`] = perAgent
    })
    const campaigns: Record<string, CampaignExpectation> = {}
    for (const { campaign_id, plan } of this.#running) {
      if (plan.ceiling !== undefined) ceilings[`campaign ${campaign_id}`] = this.#ceilingOf(plan)
      campaigns[campaign_id] = { attempts: plan.attempts, closed: plan.closed === true }
    }
    return { ceilings, campaigns, lines: this.#lines }
  }

  #number(): string {
    return `+1555${String(1_000_000 + this.#serial++).padStart(7, "0")}`
  }

  readonly #stock = ({ plan }: Running): number => Math.max(leastContacts, Math.ceil((plan.ceiling ?? 1) * this.#lines))

  readonly #numberFor = ({ contacts, plan }: Running, nth: number): string =>
    plan.sharedNumbers === undefined
      ? this.#number()
      : `+1556${String(1_000_000 + ((contacts + nth) % plan.sharedNumbers)).padStart(7, "0")}`

  async #supply(running: Running): Promise<void> {
    const count = this.#stock(running)
    const contacts = Array.from({ length: count }, (_, nth) => ({ to_number: this.#numberFor(running, nth) }))
    const path = `/v2/campaigns/${running.campaign_id}`
    let answer = 0
    const note = (status: number) => {
      answer = status
      if (status >= 200 && status < 300) return
      const name = `${running.plan.name} ${status}`
      this.refused.set(name, (this.refused.get(name) ?? 0) + 1)
    }
    const added = await this.#ask(running.tenant, "POST", `${path}/contacts`, { contacts }, crypto.randomUUID(), note)
    // Whoever added them may have died before it could say so: what is there is counted at the end.
    if (added !== null) running.contacts += count
    // It came to its end before it was supplied: from here on it would be refused for the rest of the day.
    else if (answer === completedStatus) await this.#ask(running.tenant, "POST", `${path}/revive`)
    else if (answer >= 400 && answer < 500)
      this.violations.push(`L2: ${running.plan.name} was refused contacts (${answer})`)
  }

  async #counts(running: Running) {
    const answer = await this.#ask(running.tenant, "GET", `/v2/campaigns/${running.campaign_id}/stats`)
    const counts = answer?.outcome_counts
    if (counts === undefined) return null
    const { completed, failed, in_flight, pending, total } = counts
    if (completed + failed + in_flight + pending !== total) {
      this.violations.push(`S11: buckets of ${running.plan.name} do not sum up: ${JSON.stringify(counts)}`)
    }
    if (completed < running.completed) {
      this.violations.push(`S11: completed of ${running.plan.name} fell from ${running.completed} to ${completed}`)
    }
    running.completed = Math.max(running.completed, completed)
    return counts
  }

  /** One engine that does not answer must not keep the others from what they need. */
  async #keepSupplied(running: Running): Promise<void> {
    while (!this.#isOver) {
      const counts = await this.#counts(running)
      if (counts !== null && running.plan.closed !== true && counts.pending < this.#stock(running)) {
        await this.#supply(running)
      }
      await sleep(lookMs)
    }
  }

  async #dialDirectly(): Promise<void> {
    while (!this.#isOver) {
      await sleep(directMs)
      const tenant = this.#fleet.tenants[this.#serial % this.#fleet.tenants.length]
      if (tenant === undefined) return
      const dial = { agent_id: tenant.agents[0], to_number: this.#number() }
      // As a careful customer does: what had no answer is sent again under its key.
      const key = crypto.randomUUID()
      for (let attempt = 0, status = 0; status === 0 && attempt < directAttempts; attempt++) {
        await this.#ask(tenant, "POST", "/v2/calls", dial, key, (answered) => {
          status = answered
          this.directAnswers.set(status, (this.directAnswers.get(status) ?? 0) + 1)
        })
      }
    }
  }

  async #must(tenant: OpenedTenant, method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#ask(tenant, method, path, body, undefined, (status, text) => {
      if (status >= 300 || status === 0) throw new Error(`${method} ${path} was answered ${status}: ${text}`)
    })
    if (answer === null) throw new Error(`${method} ${path} had no answer`)
    return answer
  }

  /** Asks one of the engines; null where it refused or had no answer. */
  async #ask(
    tenant: OpenedTenant,
    method: string,
    path: string,
    body?: object,
    idempotencyKey?: string,
    answered?: (status: number, text: string) => void,
  ): Promise<Answer | null> {
    const { engines } = this.#fleet
    const engine = engines[Math.floor(this.#random() * engines.length)]
    if (engine === undefined) return null
    const headers = {
      authorization: `Bearer ${tenant.key}`,
      "content-type": "application/json",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const said = await fetch(`${engine.member.url}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(askMs),
      ...content,
    }).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      (error: unknown) => ({ status: 0, text: String(error) }),
    )
    answered?.(said.status, said.text)
    return said.status >= 200 && said.status < 300 ? decode(JSON.parse(said.text)) : null
  }
}
