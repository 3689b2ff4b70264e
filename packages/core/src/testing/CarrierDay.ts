import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Exit, Layer, Logger, Scope } from "effect"
import { type Call, holdsLine } from "../calls/rules/Call.ts"
import { isTerminal } from "../calls/rules/CallStatus.ts"
import type { CallStore } from "../calls/ports/CallStore.ts"
import { Campaigns } from "../campaigns/Campaigns.ts"
import { Engine } from "../Engine.ts"
import { Activity } from "../engine/Activity.ts"
import { Chance } from "../engine/ports/Chance.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import * as Hash from "../engine/rules/Hash.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { Parking } from "../engine/Parking.ts"
import { Store } from "../engine/ports/Store.ts"
import { KeyMinter } from "../keys/ports/KeyMinter.ts"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "../memory/index.ts"
import { Funds } from "../organizations/ports/Funds.ts"
import { Transliterator } from "../transliteration/ports/Transliterator.ts"
import { WebhookTransport } from "../webhooks/ports/WebhookTransport.ts"
import type { DayAdapter, DayClock, DayLeg, DayStage, DayTraits } from "./CarrierDayStage.ts"
import { sampleAgent, sampleCaller, sampleOrganization } from "./Samples.ts"

export type { DayAdapter, DayCalls, DayClock, DayLeg, DayStage, DayTraits } from "./CarrierDayStage.ts"

const organizationId = "org_day"
const agent = sampleAgent(organizationId, { agent_id: "agt_day" })
const caller = sampleCaller(organizationId)
const campaign = {
  name: "Reminders",
  agent_id: agent.agent_id,
  max_concurrent_calls: 10,
  retry_policy: { max_retries: 2, base_delay_minutes: 5, respect_working_hours: false },
}
const numberOf = (nth: number) => `+1212555${String(nth).padStart(4, "0")}`
const noonMs = 5 * 60_000
const settledTimes = 3

/** Effect's time on the stand-in's clock, so that what the adapter waits for passes with the rest. */
const clockOn = (clock: DayClock): Clock.Clock => {
  const nanos = () => BigInt(clock.now()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: clock.now,
    currentTimeMillis: Effect.sync(clock.now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const wake = async () => resume(Effect.void)
        const cancel = clock.at(clock.now() + Duration.toMillis(duration), wake)
        return Effect.sync(cancel)
      }),
  }
}

type Services = Layer.Success<typeof Engine.layer> | Parking | Activity | CallStore

/** How many commits a process has left: the one after the last never comes to be, and nothing of the process does any more. */
class Life {
  #commits = Infinity
  #end: () => void = () => undefined
  /** Rejects once it is over: who called the process gets no answer of it. */
  readonly over = new Promise<never>((_, reject) => {
    this.#end = () => reject(new Error("The process is dead."))
  })

  constructor() {
    this.over.catch(() => undefined)
  }

  get isOver(): boolean {
    return this.#commits < 0
  }

  leave(commits: number): void {
    this.#commits = commits
    if (this.isOver) this.#end()
  }

  spend(): void {
    this.leave(this.#commits - 1)
  }
}

/** The rows as a process has them that may die at any commit: between a dial and its answer, for example. */
const mortal = (life: Life) => {
  const living = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      life.spend()
      return life.isOver ? Effect.never : write
    })
  return Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      commit: (commit) => living(store.commit(commit)),
      admit: (commit, levels) => living(store.admit(commit, levels)),
    })),
  )
}

/** One engine with its own adapter, until it dies; the rows outlive it. */
interface Process {
  readonly life: Life
  readonly services: Context.Context<Services>
  readonly adapter: DayAdapter
  readonly scope: Scope.Closeable
}

const startProcess = async (tables: MemoryTables, { clock, start }: DayStage, seed: string): Promise<Process> => {
  const adapter = start()
  const life = new Life()
  const sources = Layer.mergeAll(
    Layer.succeed(DomainClock, { now: clock.now }),
    Ids.layerSeeded(seed),
    Chance.layerSeeded(seed),
    KeyMinter.layerSeeded(seed),
    Funds.layer,
    Transliterator.layer,
    Layer.succeed(WebhookTransport, { send: () => Effect.succeed({ _tag: "Failed", error_class: "timeout" }) }),
  )
  const storage = Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer()).pipe(
    Layer.provideMerge(Layer.provideMerge(mortal(life), MemoryStore.layer(tables))),
  )
  const layer = Engine.layer.pipe(
    Layer.provideMerge(Parking.layer),
    Layer.provideMerge(Activity.layer),
    Layer.provideMerge(adapter.carrier),
    Layer.provideMerge(storage),
    Layer.provideMerge(sources),
    Layer.provideMerge(Layer.succeed(Clock.Clock, clockOn(clock))),
    Layer.provideMerge(Logger.layer([])),
  )
  const scope = await Effect.runPromise(Scope.make())
  const services = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const { report } = Context.get(services, Engine)
  adapter.mount((told) =>
    life.isOver ? life.over : Promise.race([life.over, Effect.runPromiseWith(services)(report(told))]),
  )
  return { services, adapter, scope, life }
}

/** Waits, in the machine's own time, until nothing that the engine has begun is open, and answers that waited are taken. */
const settled = async ({ life, services }: Process, { pause }: DayStage): Promise<void> => {
  const { open } = Context.get(services, Activity)
  do await pause()
  while (open() > 0 && !life.isOver)
}

/** The next thing that happens, here or at the far end; false where nothing does by then. */
const step = async (process: Process, stage: DayStage, until: number): Promise<boolean> => {
  await settled(process, stage)
  if (process.life.isOver) return false
  const { clock } = stage
  const { services } = process
  const parking = Context.get(services, Parking)
  const { nextDue, runDue } = Context.get(services, Engine)
  const due = await Effect.runPromiseWith(services)(nextDue({ housekeeping: true }))
  const ours = Math.max(clock.now(), Math.min(parking.nextDeadline() ?? Infinity, due ?? Infinity))
  if (Math.min(ours, clock.next() ?? Infinity) > until) return false
  if ((clock.next() ?? Infinity) <= ours) return clock.step(until)
  await clock.runTo(ours)
  if (parking.expire(clock.now()) === 0) await Effect.runPromiseExitWith(services)(runDue)
  return true
}

const pass = async (process: Process, stage: DayStage, ms: number): Promise<void> => {
  const { clock } = stage
  const until = clock.now() + ms
  while (await step(process, stage, until));
  if (!process.life.isOver) await clock.runTo(until)
}

/** What is over stays as it ended: whatever comes later, no commit changes it. */
const watchEnds = (tables: MemoryTables): void => {
  const ends = new Map<string, string>()
  tables.onCommit(({ changes }) => {
    for (const change of changes) {
      if (change.put !== "call") continue
      const { execution_id, status } = change.row
      const before = ends.get(execution_id)
      assert(before === undefined || before === status, `a call that had ended ${before} became ${status}`)
      if (isTerminal(status)) ends.set(execution_id, status)
    }
  })
}

const furnished = (): MemoryTables => {
  const tables = new MemoryTables()
  const wallet = { balance: 1_000, currency: "USD" }
  const conflict = tables.commit({
    id: "furniture",
    organization_id: organizationId,
    expect: [],
    changes: [
      { put: "organization", row: sampleOrganization(organizationId, { wallet }) },
      { put: "agent", row: agent },
    ],
    wakeups: [],
    events: [],
    audit: [],
  })
  assert.isUndefined(conflict)
  watchEnds(tables)
  return tables
}

/** Within so many commits a process dies whose time has come, or at the end of the time that it has for them. */
const lastCommits = 12
const lastMs = 60_000

/** A day of a campaign: engine, adapter and stand-in on one clock. The process dies in the morning and at noon, each time at a drawn commit. */
const day = async (stage: DayStage, { contacts: count, eveningMs, morningMs }: DayTraits, seed: string) => {
  const { clock } = stage
  const tables = furnished()
  let process = await startProcess(tables, stage, `${seed} 0`)
  const die = async (name: string) => {
    process.life.leave(Math.floor(Hash.unit(seed, name, 0) * lastCommits))
    await pass(process, stage, lastMs)
    process.life.leave(-1)
    await Effect.runPromise(Scope.close(process.scope, Exit.void))
    process = await startProcess(tables, stage, `${seed} ${name}`)
    await Effect.runPromiseExitWith(process.services)(Context.get(process.services, Engine).rebuildWakeups)
  }
  const campaigns = <A, E>(use: (service: Campaigns["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromiseWith(process.services)(Effect.flatMap(Campaigns, use))

  const contacts = Array.from({ length: count }, (_, nth) => ({ to_number: numberOf(nth), variables: {} }))
  const { campaign_id } = await campaigns(({ create }) => create(caller, campaign, { contacts, file_name: null }))
  await pass(process, stage, morningMs)
  await die("morning")
  await pass(process, stage, noonMs)
  await die("noon")
  await pass(process, stage, eveningMs)
  const { settle } = process.adapter
  for (let time = 0; settle !== undefined && time < settledTimes; time += 1) {
    await Effect.runPromiseExitWith(process.services)(
      settle({ organization_id: organizationId, from: 0, to: clock.now() }),
    )
  }
  const { items } = await campaigns((service) =>
    service.contacts(organizationId, campaign_id, { page: 1, page_size: count }),
  )
  await Effect.runPromise(Scope.close(process.scope, Exit.void))
  await stage.close()
  return { calls: tables.calls.page(organizationId, {}, { page: 1, page_size: 10_000 }).items, contacts: items }
}

/** What is so of every carrier: a call is over, with its line given back, and one that nothing is known of is an error. */
const checkCall = (call: Call, leg: DayLeg | undefined): void => {
  assert.isTrue(isTerminal(call.status), call.status)
  assert.isFalse(holdsLine(call), "a line was not given back")
  if (leg === undefined) assert.strictEqual(call.status, "error")
}

/** How many legs there were at once at the most. */
const mostAtOnce = (legs: ReadonlyArray<DayLeg>): number =>
  Math.max(
    0,
    ...legs.map(
      ({ createdAt: at }) =>
        legs.filter(({ createdAt, endedAt }) => createdAt <= at && at < (endedAt ?? Infinity)).length,
    ),
  )

/** The legs to one number, in the order in which they were made. */
const checkNumber = (legs: ReadonlyArray<DayLeg>): void => {
  assert.isAtMost(legs.length, 1 + campaign.retry_policy.max_retries)
  legs.slice(1).forEach((leg, nth) => {
    const before = legs[nth]
    assert.isAtLeast(leg.createdAt, before?.endedAt ?? Infinity, "somebody was rung while they were in a call")
    assert.isFalse(before?.wasReached, "somebody was rung again who had been reached")
  })
}

/**
 * Lays down a day of a campaign over an adapter and a stand-in of its vendor that loses, repeats and delays what it says, while the host's
 * process dies twice: nobody is rung twice, nobody is forgotten, every line is given back. `vendor` names it in the title, as in "a Twilio".
 */
export const suite = (vendor: string, open: (seed: string) => Promise<DayStage>, traits: DayTraits): void => {
  describe(`a campaign at ${vendor} that loses, repeats and delays what it says, whose process dies twice`, () => {
    const { seed = "monday" } = traits
    it(`rings nobody twice and forgets nobody (seed ${seed})`, async () => {
      const stage = await open(seed)
      const { calls, contacts } = await day(stage, traits, seed)
      const legs = stage.legs()
      const byId = new Map(legs.map((leg) => [leg.execution_id, leg]))
      assert.strictEqual(byId.size, legs.length, "a call has two legs")
      assert.isAtMost(mostAtOnce(legs), campaign.max_concurrent_calls, "more legs at once than the campaign has lines")
      for (const call of calls) checkCall(call, byId.get(call.execution_id))
      for (const contact of contacts) {
        assert.include(["completed", "failed"], contact.status)
        checkNumber(legs.filter(({ to_number }) => to_number === contact.to_number))
      }
      stage.judge(calls)
      assert.isAbove(contacts.filter(({ status }) => status === "completed").length, traits.reached)
      assert.isAbove(legs.length, traits.legs)
    })
  })
}
