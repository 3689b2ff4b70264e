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
import { ManualClock } from "../../twilio/test/standin/Clock.ts"
import { type CallbackHandler, makeLiveKit } from "../src/index.ts"
import { nodeCallbacks } from "../src/node.ts"
import { makeReporter, readJob } from "../src/worker.ts"
import type { CallRecord, Moment } from "./standin/Calls.ts"
import type { Fate } from "./standin/Fate.ts"
import { drawnFaults } from "./standin/Faults.ts"
import { type LiveKitStandIn, startLiveKitStandIn } from "./standin/StandIn.ts"

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
  { outcome: "answered", talk_s: 45 },
  { outcome: "answered", talk_s: 200, ended_by: "agent_removes" },
  { outcome: "answered", talk_s: 20 },
  { outcome: { code: 486 } },
  { outcome: "unanswered" },
  { outcome: { code: 404 } },
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
  readonly callbacks: CallbackHandler
  readonly scope: Scope.Closeable
}

const startProcess = async (tables: MemoryTables, clock: ManualClock, livekit: LiveKitStandIn, seed: string) => {
  const { apiKey, apiSecret, trunkId, url } = livekit
  const adapter = makeLiveKit({
    url,
    apiKey,
    apiSecret,
    trunkId,
    agentName: "carillon",
    publicUrl: "https://voice.example.com/livekit",
    acceptAfterMs: 0,
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
  return { services, callbacks, scope } satisfies Process
}

const noParts = { network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 }

/** The voice worker, as its job's metadata tells it to be: it reports the answer, and at the end what was said and what it cost. */
const workerOf = (livekit: () => LiveKitStandIn, base: () => string) => {
  const through: typeof fetch = (input, init) => fetch(String(input).replace("https://voice.example.com", base()), init)
  return async ({ call, on }: Moment): Promise<void> => {
    const { apiKey, apiSecret, dispatches } = livekit()
    const job = readJob(dispatches().find(({ room }) => room === call.room)?.metadata ?? "")
    if (job === null) throw new Error("The agent was told nothing.")
    const reporter = makeReporter(job, { apiKey, apiSecret, retriesMs: [10, 20, 40], fetch: through })
    if (on === "answered") return reporter.answered()
    if (call.answeredAt === null) return
    await reporter.finished({
      answered_at: call.answeredAt,
      ended_at: call.endedAt ?? Number.NaN,
      hangup_by: call.fate.ended_by === "callee" ? "customer" : "agent",
      machine: false,
      transcript: `Talk of ${call.to}`,
      cost: { total: 0.25, breakdown: { ...noParts, llm: 0.25 } },
    })
  }
}

/** A day of a campaign: engine, adapter and stand-in on one clock, with what goes wrong drawn by the seed. */
const day = async (seed: string, count: number) => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 9))
  const port = { public: 0 }
  const base = () => `http://127.0.0.1:${port.public}`
  const started: { livekit: LiveKitStandIn | null } = { livekit: null }
  const livekit = await startLiveKitStandIn({
    clock,
    seed,
    worker: workerOf(() => started.livekit ?? assert.fail("not started"), base),
    // Whoever was not reached is, two attempts later at the most, or never.
    script: ({ nth, to }) => fates[(Number(to.slice(-4)) + 2 * nth) % fates.length] ?? { outcome: "answered" },
    webhooks: () => new URL(`${base()}/livekit/webhook`),
    faults: drawnFaults({
      seed,
      requests: {
        lost_before: 0.04,
        lost_after: 0.05,
        too_many: 0.03,
        unavailable_before: 0.03,
        unavailable_after: 0.04,
      },
      webhooks: { lost: 0.05, doubled: 0.05, late: 0.05, reordered: 0.05 },
    }),
  })
  started.livekit = livekit
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
  let process = await startProcess(tables, clock, livekit, `${seed} 0`)
  const server = createServer(nodeCallbacks((request) => process.callbacks(request), "/livekit"))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  port.public = (server.address() as AddressInfo).port

  const run = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.runPromiseExitWith(process.services)(effect)
  /** Waits, in the machine's own time, until nothing that the engine has begun is open, and answers that waited are taken. */
  const settled = async () => {
    const { open } = Context.get(process.services, Activity)
    do await new Promise((resolve) => setTimeout(resolve, 2))
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
    process = await startProcess(tables, clock, livekit, `${seed} ${name}`)
    await run(Context.get(process.services, Engine).rebuildWakeups)
  }
  const campaigns = <A, E>(use: (service: Campaigns["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromiseWith(process.services)(Effect.flatMap(Campaigns, use))

  const contacts = Array.from({ length: count }, (_, nth) => ({ to_number: numberOf(nth), variables: {} }))
  const { campaign_id } = await campaigns(({ create }) => create(caller, campaign, { contacts, file_name: null }))
  await pass(8_000)
  await die("morning")
  await pass(5 * minute)
  await die("noon")
  await pass(2 * hour)
  const { items } = await campaigns((service) =>
    service.contacts(organizationId, campaign_id, { page: 1, page_size: count }),
  )
  await Effect.runPromise(Scope.close(process.scope, Exit.void))
  server.close().closeAllConnections()
  await livekit.close()
  return {
    calls: tables.calls.page(organizationId, {}, { page: 1, page_size: 10_000 }).items,
    contacts: items,
    legs: livekit.calls(),
    warnings: livekit.warnings(),
  }
}

/** What a call may be whose leg nobody answered: with its SIP code, with the reason alone, or with neither. */
const unanswered = ({ fate }: CallRecord): ReadonlyArray<string> => {
  if (typeof fate.outcome === "string") return ["no-answer", "error"]
  return fate.outcome.code === 486 ? ["busy", "error"] : ["failed", "no-answer", "error"]
}

/** A call is what its leg was. One that was answered is told of by its worker too, so that nothing of it is lost. */
const checkCall = (call: Call, leg: CallRecord | undefined): void => {
  assert.isTrue(isTerminal(call.status), call.status)
  assert.isFalse(holdsLine(call), "a line was not given back")
  if (leg === undefined) return assert.strictEqual(call.status, "error")
  if (leg.answeredAt === null) return assert.include(unanswered(leg), call.status)
  assert.strictEqual(call.status, "completed")
  assert.strictEqual(call.cost?.total, 0.25)
  assert.approximately(call.duration_seconds ?? Number.NaN, leg.fate.talk_s, 2)
}

/** The legs to one number, in the order in which they were made. */
const checkNumber = (legs: ReadonlyArray<CallRecord>): void => {
  assert.isAtMost(legs.length, 1 + campaign.retry_policy.max_retries)
  legs.slice(1).forEach((leg, nth) => {
    const before = legs[nth]
    assert.isAtLeast(leg.createdAt, before?.endedAt ?? Infinity, "somebody was rung while they were in a call")
    assert.isNull(before?.answeredAt, "somebody was rung again who had been reached")
  })
}

describe("a campaign at a LiveKit that loses, repeats and delays what it says, whose process dies twice", () => {
  it("rings nobody twice and forgets nobody", async () => {
    const { calls, contacts, legs, warnings } = await day("monday", 16)
    const byId = new Map(legs.map((leg) => [leg.identity, leg]))
    assert.strictEqual(byId.size, legs.length, "a call has two legs")
    for (const call of calls) checkCall(call, byId.get(call.execution_id))
    for (const contact of contacts) {
      assert.include(["completed", "failed"], contact.status)
      checkNumber(legs.filter(({ to }) => to === contact.to_number))
    }
    assert.isAbove(contacts.filter(({ status }) => status === "completed").length, 8)
    assert.isAbove(legs.length, 18)
    const unknown = calls.filter(({ execution_id, status }) => status === "error" && byId.has(execution_id))
    assert.isBelow(unknown.length, legs.length / 5)
    assert.deepStrictEqual(warnings, [])
  })
})
