import { AuditTrail, limits } from "@carillon/core"
import { Activity, CallStore, everyHolder, Pieces, type SlotMember, SlotStore } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import { RedisConnection, RedisSlots } from "@carillon/redis"
import { Context, Effect, Exit, Layer, Redacted, References, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { openRows } from "../../../scripts/servers/OpenRows.ts"
import { setTimeout as sleep } from "node:timers/promises"
import type { Day } from "./Day.ts"
import type { Fleet } from "./Fleet.ts"
import type { LegRecord } from "./Protocol.ts"
import { rowLaws } from "./RowLaws.ts"
import { linesOfNobody, noTickMs, pollMs, Standing, Ticks, ticksSeen, twoTicksMs } from "./Standing.ts"

const shown = 20

/** Ids as PostgreSQL reads them; they have no quotes. */
const quoted = (ids: ReadonlyArray<string>): string => ids.map((id) => `'${id}'`).join(", ")

const services = (fleet: Fleet) => {
  const storage = Layer.provideMerge(
    Postgres.layerNoDeps,
    Postgres.layerClient({ url: Redacted.make(fleet.postgres.url()), maxConnections: 2 }),
  )
  return Layer.mergeAll(
    AuditTrail.layer.pipe(Layer.provide(Pieces.layer), Layer.provide(Activity.layer)),
    RedisSlots.layer.pipe(Layer.provide(RedisConnection.layer({ url: fleet.redis.url, answerMs: 2_000 }))),
  ).pipe(Layer.provideMerge(storage))
}

type Services = Layer.Success<ReturnType<typeof services>>

interface CallRow {
  readonly execution_id: string
  readonly contact_id: string | null
  readonly campaign_id: string | null
  readonly status: string
  readonly dial: string
  readonly error: string | null
  readonly holds_line: boolean
  readonly final_report_at: string | null
}

interface ContactRow {
  readonly contact: string
  readonly campaign_id: string
  readonly status: string | null
  readonly attempts: number | null
}

/** What is left at the end of a day, each of which must be none. */
export interface Verdict {
  readonly lostContacts: number
  readonly doubleDials: number
  readonly leakedLines: number
  readonly violations: ReadonlyArray<string>
  readonly contacts: number
  readonly calls: number
  readonly dials: number
  readonly deliveries: number
  /** What direct dials were answered, and how often; 0 stands for no answer. */
  readonly directAnswers: Readonly<Record<string, number>>
  /** How often contacts were not taken, by campaign and status; 0 stands for no answer. */
  readonly refused: Readonly<Record<string, number>>
}

/** Compares lines, rows and legs while the fleet runs, and settles the accounts at the end. */
export class Judge {
  readonly #fleet: Fleet
  readonly #services: Context.Context<Services>
  readonly #scope: Scope.Closeable
  readonly #ticks = new Ticks()
  readonly #stale = new Standing(this.#ticks)
  readonly #unheld = new Standing(this.#ticks)
  readonly #unended = new Standing(this.#ticks)
  #isOver = false
  #work: Promise<unknown> = Promise.resolve()
  leakedLines = 0
  readonly violations: Array<string> = []

  private constructor(fleet: Fleet, context: Context.Context<Services>, scope: Scope.Closeable) {
    this.#fleet = fleet
    this.#services = context
    this.#scope = scope
  }

  static async open(fleet: Fleet): Promise<Judge> {
    const scope = Scope.makeUnsafe()
    const judge = new Judge(fleet, await Effect.runPromise(Layer.buildWithScope(services(fleet), scope)), scope)
    judge.#work = judge.#watch()
    return judge
  }

  /** Compares what the day has left behind in rows with what the carrier saw. */
  async settle(day: Day): Promise<Verdict> {
    await this.#awaitEmptyLines()
    this.#isOver = true
    await this.#work
    const look = await this.#fleet.carrier.look()
    const legs = new Map((await this.#fleet.carrier.legs()).map((leg) => [leg.execution_id, leg]))
    const calls = await this.#sql<CallRow>(
      `select execution_id, contact_id, campaign_id, status, holds_line, row->>'dial' as dial, row->>'error' as error,
        row->>'final_report_at' as final_report_at from carillon.calls where direction = 'outbound'`,
    )
    const contacts = await this.#sql<ContactRow>(
      `select c.batch_id || ' ' || c.row_number as contact, b.campaign_id, c.contact->>'status' as status,
        (c.contact->>'attempts')::int as attempts
        from carillon.contacts c join carillon.batches b using (batch_id)`,
    )
    const lostContacts = this.#judgeContacts(day, contacts)
    this.#judgeCalls(calls, legs)
    this.#judgeAttempts(contacts, calls)
    this.#judgeDirectDials(day, calls, [...legs.values()])
    for (const statement of rowLaws(Date.now())) {
      for (const { violation } of await this.#sql<{ readonly violation: string }>(statement)) this.#violation(violation)
    }
    await this.#judgeTrails()
    const deliveries = await this.#judgeDeliveries()
    return {
      lostContacts,
      doubleDials: look.doubleDials,
      leakedLines: this.leakedLines,
      violations: [...look.violations, ...day.violations, ...this.violations],
      contacts: contacts.length,
      calls: calls.length,
      dials: look.dials,
      deliveries,
      directAnswers: Object.fromEntries(day.directAnswers),
      refused: Object.fromEntries(day.refused),
    }
  }

  /** Whether a leg is live or a line held, or a contact of these campaigns has an agreed time to come. */
  async isUnderWay(campaigns: ReadonlyArray<string>): Promise<boolean> {
    const { live, unreported } = await this.#fleet.carrier.look()
    if (live + unreported > 0) return true
    const [found] = await this.#sql<{ readonly calls: string; readonly later: string }>(
      `select (select count(*) from carillon.calls where holds_line) as calls,
        (select count(*) from carillon.contacts c join carillon.batches b using (batch_id)
          where c.eligible_at > extract(epoch from now()) * 1000 and b.campaign_id in (${quoted(campaigns)})) as later`,
    )
    return Number(found?.calls) + Number(found?.later) > 0
  }

  /** The rows that show why contacts of these campaigns have no outcome, and the lines that are taken meanwhile. */
  async left(campaigns: ReadonlyArray<string>): Promise<ReadonlyArray<string>> {
    const found: Array<string> = []
    for (const statement of openRows(`k.campaign_id in (${quoted(campaigns)})`)) {
      const rows = await this.#sql<{ readonly row: unknown }>(statement)
      found.push(...rows.map(({ row }) => `L1: ${JSON.stringify(row)}`))
    }
    const lines = await this.#run(this.#lines).then(
      ({ members }) => [...members.values()].slice(0, shown),
      (error: unknown) => [`they cannot be read: ${String(error)}`],
    )
    return [...found, ...lines.map((line) => `L1: line in Redis: ${JSON.stringify(line)}`)]
  }

  async close(): Promise<void> {
    this.#isOver = true
    await this.#work
    await Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }

  readonly #run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> =>
    // That PostgreSQL or Redis is away is no news here.
    Effect.runPromise(
      Effect.provideService(Effect.provideContext(effect, this.#services), References.MinimumLogLevel, "None"),
    )

  readonly #sql = <A extends object>(statement: string): Promise<ReadonlyArray<A>> =>
    this.#run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(statement)))

  readonly #lines = Effect.gen(function* () {
    const slots = yield* SlotStore
    const members = new Map<string, SlotMember>()
    for (let after: string | null = null; ;) {
      const page: ReadonlyArray<SlotMember> = yield* slots.members(after, limits.reconcilePage)
      for (const member of page) members.set(member.execution_id, member)
      const last = page.at(-1)
      if (last === undefined || page.length < limits.reconcilePage) break
      after = last.execution_id
    }
    return { members, holders: yield* everyHolder(yield* CallStore) }
  })

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await sleep(pollMs)
      try {
        await this.#compare()
      } catch {
        // PostgreSQL or Redis is away, which is what the fleet is tried with.
        for (const standing of [this.#stale, this.#unheld, this.#unended]) standing.forget()
      }
    }
  }

  async #compare(): Promise<void> {
    const { holders, members } = await this.#run(this.#lines)
    await this.#seeTicks()
    const { liveIds } = await this.#fleet.carrier.look()
    for (const leak of this.#stale.look(linesOfNobody(members.values(), holders, Date.now()))) {
      this.leakedLines += 1
      this.#violation(`S3: the line of ${leak} was not given back within two ticks`)
    }
    const unheld = liveIds.filter((id) => members.get(id)?.state !== "held")
    for (const id of this.#unheld.look(unheld)) this.#violation(`S3: ${id} was live for two ticks without a line`)
    const legs = new Set(liveIds)
    const ended = [...holders.keys()].filter((id) => !legs.has(id))
    // A dial that was never placed is asked about after a while; only then does its line come back.
    const lost = this.#unended.look(ended)
    if (lost.length > 0) {
      const known = new Map((await this.#fleet.carrier.legs()).map((leg) => [leg.execution_id, leg]))
      for (const id of lost) {
        const leg = known.get(id)
        if (leg !== undefined && !leg.swallowed) this.#violation(`S3: ${id} ended and holds its line after two ticks`)
      }
    }
  }

  async #seeTicks(): Promise<void> {
    const [slots] = await this.#sql<{ readonly at: string }>(`select at from carillon.wakeups where kind = 'slots'`)
    this.#ticks.see(Number(slots?.at ?? 0))
  }

  async #awaitEmptyLines(): Promise<void> {
    const began = performance.now()
    const ticks = this.#ticks.count
    for (;;) {
      const { holders, members } = await this.#run(this.#lines)
      if (holders.size === 0 && members.size === 0) return
      await this.#seeTicks()
      const waited = performance.now() - began
      const ticked = this.#ticks.count - ticks >= ticksSeen || Math.min(this.#ticks.silentMs, waited) > noTickMs
      if (ticked && waited > twoTicksMs + limits.questionBackoffMaxMs / 5) {
        this.#violation(`S3: at the end ${members.size} lines are taken and ${holders.size} calls hold one`)
        this.leakedLines += members.size
        return
      }
      await sleep(pollMs)
    }
  }

  #judgeContacts(day: Day, contacts: ReadonlyArray<ContactRow>): number {
    let lost = 0
    for (const { campaign_id, closed, contacts: accepted } of day.campaigns) {
      const rows = contacts.filter((row) => row.campaign_id === campaign_id)
      if (rows.length < accepted) {
        lost += accepted - rows.length
        this.#violation(`${campaign_id}: ${accepted} contacts were accepted, ${rows.length} are there`)
      }
      const open = rows.filter(({ status }) => status !== "completed" && status !== "failed")
      if (closed) {
        if (open.length < rows.length) this.#violation(`${campaign_id} is closed and has contacts with an outcome`)
        continue
      }
      lost += open.length
      for (const { contact, status } of open.slice(0, shown)) {
        this.#violation(`${contact} of ${campaign_id} has no outcome (${status})`)
      }
    }
    return lost
  }

  #judgeCalls(calls: ReadonlyArray<CallRow>, legs: ReadonlyMap<string, LegRecord>): void {
    const rows = new Set(calls.map(({ execution_id }) => execution_id))
    for (const leg of legs.values()) {
      if (!rows.has(leg.execution_id)) this.#violation(`${leg.execution_id} was dialled by ${leg.by} and has no record`)
    }
    for (const call of calls) {
      const leg = legs.get(call.execution_id)
      const isPlaced = leg !== undefined && !leg.swallowed
      if (call.holds_line || call.final_report_at === null) {
        this.#violation(`${call.execution_id} is ${call.status} and never got its final report`)
      } else if (isPlaced && call.status !== leg.status) {
        this.#violation(`${call.execution_id} is ${call.status}, its leg ended ${leg.status}`)
      } else if (!isPlaced && call.status !== "error") {
        this.#violation(`${call.execution_id} is ${call.status} and had no leg`)
      }
    }
  }

  #judgeAttempts(contacts: ReadonlyArray<ContactRow>, calls: ReadonlyArray<CallRow>): void {
    const counted = contacts.reduce((sum, { attempts }) => sum + (attempts ?? 0), 0)
    const ofContacts = calls.filter(({ contact_id }) => contact_id !== null).length
    if (counted !== ofContacts) {
      this.#violation(`contacts count ${counted} attempts, and there are ${ofContacts} calls`)
    }
  }

  /** A number of its own for each direct dial, which may have been sent again under its key. */
  #judgeDirectDials(day: Day, calls: ReadonlyArray<CallRow>, legs: ReadonlyArray<LegRecord>): void {
    const dialled = legs.filter(({ contact_id }) => contact_id === null).map(({ to_number }) => to_number)
    if (new Set(dialled).size < dialled.length) this.#violation("a direct dial that was sent again was dialled again")
    const told = (day.directAnswers.get(201) ?? 0) + (day.directAnswers.get(202) ?? 0)
    const kept = calls.filter(({ contact_id }) => contact_id === null).length
    if (kept < told) this.#violation(`${told} direct dials were told to be placed, and ${kept} are there`)
  }

  async #judgeTrails(): Promise<void> {
    for (const { organization_id } of this.#fleet.tenants) {
      const report = await this.#run(Effect.flatMap(AuditTrail, (trail) => trail.verify(organization_id, {})))
      if (!report.valid) this.#violation(`S16: the audit trail of ${organization_id}: ${JSON.stringify(report)}`)
    }
  }

  /** Deliveries as the endpoint saw them: at most four of an event, the same bytes each time; none is owed for long. */
  async #judgeDeliveries(): Promise<number> {
    const hooks = await this.#fleet.carrier.hooks()
    for (const { changed, count, event } of hooks) {
      if (changed) this.#violation(`S13: ${event} was told with other bytes`)
      if (count > limits.webhookAttemptOffsetsMs.length) this.#violation(`S13: ${event} was told ${count} times`)
    }
    const seen = new Set(hooks.map(({ event }) => event))
    const stored = await this.#sql<{ readonly event_id: string; readonly status: string }>(
      `select event_id, status from carillon.deliveries`,
    )
    for (const { event_id, status } of stored) {
      if (status === "delivered" && !seen.has(event_id)) this.#violation(`S13: ${event_id} never came`)
    }
    const ids = new Set(stored.map(({ event_id }) => event_id))
    if (ids.size !== stored.length) this.#violation("S13: an event has two deliveries to one endpoint")
    return hooks.length
  }

  #violation(text: string): void {
    this.violations.push(`${new Date().toISOString()} ${text}`)
  }
}
