import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import {
  Activity,
  type Call,
  Campaigns,
  type CallStore,
  Chance,
  DomainClock,
  Engine,
  Funds,
  holdsLine,
  Ids,
  isTerminal,
  KeyMinter,
  Parking,
  Transliterator,
  WebhookTransport,
} from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { sampleAgent, sampleCaller, sampleOrganization } from "@carillon/core/testing"
import { Clock, Context, Duration, Effect, Exit, Layer, Logger, Scope } from "effect"
import { assert, describe, it } from "vitest"
import { type CallbackHandler, makeTwilio, type Twilio } from "../src/index.ts"
import { nodeCallbacks } from "../src/node.ts"
import type { CallRecord } from "./standin/CallRecord.ts"
import { ManualClock } from "./standin/Clock.ts"
import type { Fate } from "./standin/Fate.ts"
import { drawnFaults } from "./standin/Faults.ts"
import { startTwilioStandIn, type TwilioStandIn } from "./standin/StandIn.ts"

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
const minute = 60_000
const hour = 60 * minute

const fates: ReadonlyArray<Fate> = [
  { outcome: "completed", talk_s: 45, price: 0.02, priced_after_s: 8 },
  { outcome: "completed", talk_s: 200, price: 0.08, priced_after_s: 400 },
  { outcome: "completed", talk_s: 20, answered_by: "machine_start", price: 0.014 },
  { outcome: "busy" },
  { outcome: "no-answer" },
  { outcome: "failed" },
]

/** Effect's time on the stand-in's clock, so that what the adapter waits for passes with the rest. */
const clockOn = (clock: ManualClock): Clock.Clock => {
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

/** One engine with its own adapter, until it dies; the rows outlive it. */
interface Process {
  readonly services: Context.Context<Services>
  readonly adapter: Twilio
  readonly callbacks: CallbackHandler
  readonly scope: Scope.Closeable
}

const startProcess = async (tables: MemoryTables, clock: ManualClock, twilio: TwilioStandIn, seed: string) => {
  const { accountSid, authToken, url } = twilio
  const adapter = makeTwilio({
    accountSid,
    authToken,
    baseUrl: url,
    publicUrl: "https://voice.example.com/twilio",
    from: "+12125550199",
    voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
    machineDetection: { onMachine: "hang_up" },
  })
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
    Layer.provideMerge(MemoryStore.layer(tables)),
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
  const callbacks = adapter.callbacks((told) => Effect.runPromiseWith(services)(report(told)))
  return { services, adapter, callbacks, scope } satisfies Process
}

/** A day of a campaign: engine, adapter and stand-in on one clock, with what goes wrong drawn by the seed. */
const day = async (seed: string, count: number) => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 9))
  const port = { public: 0 }
  const twilio = await startTwilioStandIn({
    clock,
    seed,
    callsPerSecond: 1,
    // Whoever was not reached is, two attempts later at the most, or never.
    script: ({ nth, to }) => fates[(Number(to.slice(-4)) + 2 * nth) % fates.length] ?? { outcome: "completed" },
    reach: ({ pathname, search }) => new URL(`http://127.0.0.1:${port.public}${pathname}${search}`),
    faults: drawnFaults({
      seed,
      requests: { lost_before: 0.04, lost_after: 0.05, too_many: 0.03, error_before: 0.03, error_after: 0.04 },
      callbacks: { lost: 0.05, doubled: 0.05, late: 0.05, reordered: 0.05 },
    }),
  })
  const tables = new MemoryTables()
  const conflict = tables.commit({
    id: "furniture",
    organization_id: organizationId,
    expect: [],
    changes: [
      { put: "organization", row: sampleOrganization(organizationId, { wallet: { balance: 1_000, currency: "USD" } }) },
      { put: "agent", row: agent },
    ],
    wakeups: [],
    events: [],
    audit: [],
  })
  assert.isUndefined(conflict)
  let process = await startProcess(tables, clock, twilio, `${seed} 0`)
  const server = createServer(nodeCallbacks((request) => process.callbacks(request), "/twilio"))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  port.public = (server.address() as AddressInfo).port

  const run = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.runPromiseExitWith(process.services)(effect)
  /** Waits, in the machine's own time, until nothing that the engine has begun is open. */
  const settled = async () => {
    const { open } = Context.get(process.services, Activity)
    do await new Promise((resolve) => setTimeout(resolve, 1))
    while (open() > 0)
  }
  const step = async (until: number): Promise<boolean> => {
    await settled()
    const parking = Context.get(process.services, Parking)
    const { nextDue, runDue } = Context.get(process.services, Engine)
    const due = await Effect.runPromiseWith(process.services)(nextDue({ housekeeping: true }))
    const ours = Math.max(clock.now(), Math.min(parking.nextDeadline() ?? Infinity, due ?? Infinity))
    if (Math.min(ours, clock.next() ?? Infinity) > until) return false
    if ((clock.next() ?? Infinity) <= ours) return clock.step(until)
    await clock.runTo(ours)
    if (parking.expire(clock.now()) === 0) await run(runDue)
    return true
  }
  const pass = async (ms: number) => {
    const until = clock.now() + ms
    while (await step(until));
    await clock.runTo(until)
  }
  const die = async (name: string) => {
    await settled()
    await Effect.runPromise(Scope.close(process.scope, Exit.void))
    process = await startProcess(tables, clock, twilio, `${seed} ${name}`)
    await run(Context.get(process.services, Engine).rebuildWakeups)
  }
  const campaigns = <A, E>(use: (service: Campaigns["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromiseWith(process.services)(Effect.flatMap(Campaigns, use))

  const contacts = Array.from({ length: count }, (_, nth) => ({ to_number: numberOf(nth), variables: {} }))
  const { campaign_id } = await campaigns(({ create }) => create(caller, campaign, { contacts, file_name: null }))
  await pass(90_000)
  await die("morning")
  await pass(5 * minute)
  await die("noon")
  await pass(8 * hour)
  // The prices that the dead took with them; Twilio fails here too.
  for (let time = 0; time < 3; time += 1)
    await run(process.adapter.settle({ organization_id: organizationId, from: 0, to: clock.now() }))
  const { items } = await campaigns((service) =>
    service.contacts(organizationId, campaign_id, { page: 1, page_size: count }),
  )
  await Effect.runPromise(Scope.close(process.scope, Exit.void))
  server.close().closeAllConnections()
  await twilio.close()
  return {
    calls: tables.calls.page(organizationId, {}, { page: 1, page_size: 10_000 }).items,
    contacts: items,
    legs: twilio.calls(),
    warnings: twilio.warnings(),
  }
}

const idOf = (leg: CallRecord) => /execution_id=([^#]+)#/.exec(leg.asked.text("StatusCallback") ?? "")?.[1]

/** A call is what its leg was, at its price. One of which nothing that Twilio said ever arrived is known to nobody. */
const checkCall = (call: Call, leg: CallRecord | undefined): void => {
  assert.isTrue(isTerminal(call.status), call.status)
  assert.isFalse(holdsLine(call), "a line was not given back")
  if (leg === undefined || call.call_sid === null) return assert.strictEqual(call.status, "error")
  assert.strictEqual(call.call_sid, leg.sid)
  assert.strictEqual(call.status, leg.answeredBy === "machine_start" ? "no-answer" : leg.status)
  if (leg.price !== null) assert.strictEqual(call.cost?.total, leg.price)
}

/** The legs to one number, in the order in which they were made. */
const checkNumber = (legs: ReadonlyArray<CallRecord>): void => {
  assert.isAtMost(legs.length, 1 + campaign.retry_policy.max_retries)
  legs.slice(1).forEach((leg, nth) => {
    const before = legs[nth]
    assert.isAtLeast(leg.createdAt, before?.endedAt ?? Infinity, "somebody was rung while they were in a call")
    const wasReached = before?.status === "completed" && before.answeredBy !== "machine_start"
    assert.isFalse(wasReached, "somebody was rung again who had been reached")
  })
}

describe("a campaign at a Twilio that loses, repeats and delays what it says, whose process dies twice", () => {
  it("rings nobody twice and forgets nobody", async () => {
    const { calls, contacts, legs, warnings } = await day("monday", 30)
    const byId = new Map(legs.map((leg) => [idOf(leg), leg]))
    assert.strictEqual(byId.size, legs.length, "a call has two legs")
    for (const call of calls) checkCall(call, byId.get(call.execution_id))
    for (const contact of contacts) {
      assert.include(["completed", "failed"], contact.status)
      checkNumber(legs.filter(({ to }) => to === contact.to_number))
    }
    assert.isAbove(contacts.filter(({ status }) => status === "completed").length, 15)
    assert.isAbove(legs.length, 35)
    // 11200: what the drawn faults did to the callbacks themselves.
    assert.deepStrictEqual(
      warnings.filter(({ code }) => code !== 11200),
      [],
    )
  })
})
