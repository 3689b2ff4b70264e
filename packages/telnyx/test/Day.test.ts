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
import { drawnFaults } from "../../twilio/test/standin/Faults.ts"
import { makeTelnyx, type WebhookHandler } from "../src/index.ts"
import { nodeWebhooks } from "../src/node.ts"
import { type CallRecord, secondsOf } from "./standin/CallRecord.ts"
import type { Fate } from "./standin/Fate.ts"
import { startTelnyxStandIn, type TelnyxStandIn } from "./standin/StandIn.ts"

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
  { outcome: "answered", talk_s: 45, cost: 0.02, costed_after_s: 8 },
  { outcome: "answered", talk_s: 200, cost: 0.08, costed_after_s: 400 },
  { outcome: "answered", talk_s: 20, answered_by: "machine", cost: 0.014 },
  { outcome: "busy" },
  { outcome: "no_answer" },
  { outcome: "failed" },
]

/** Effect's time on the stand-in's clock, so that what the adapter judges by time passes with the rest. */
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
  readonly webhooks: WebhookHandler
  readonly scope: Scope.Closeable
}

const startProcess = async (tables: MemoryTables, clock: ManualClock, telnyx: TelnyxStandIn, seed: string) => {
  const { apiKey, connectionId, publicKey, url } = telnyx
  const adapter = makeTelnyx({
    apiKey,
    publicKey,
    connectionId,
    baseUrl: url,
    publicUrl: "https://voice.example.com/telnyx",
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
  const webhooks = adapter.webhooks((told) => Effect.runPromiseWith(services)(report(told)))
  return { services, webhooks, scope } satisfies Process
}

/** A day of a campaign: engine, adapter and stand-in on one clock, with what goes wrong drawn by the seed. */
const day = async (seed: string, count: number) => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 9))
  const port = { public: 0 }
  const telnyx = await startTelnyxStandIn({
    clock,
    seed,
    costWebhooks: true,
    retryAfterSeconds: 2,
    // Whoever was not reached is, two attempts later at the most, or never.
    script: ({ nth, to }) => fates[(Number(to.slice(-4)) + 2 * nth) % fates.length] ?? { outcome: "answered" },
    reach: ({ pathname, search }) => new URL(`http://127.0.0.1:${port.public}${pathname}${search}`),
    tellsEarly: (to) => Number(to.slice(-1)) % 3 === 0,
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
  let process = await startProcess(tables, clock, telnyx, `${seed} 0`)
  const server = createServer(nodeWebhooks((request) => process.webhooks(request), "/telnyx"))
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
    process = await startProcess(tables, clock, telnyx, `${seed} ${name}`)
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
  const { items } = await campaigns((service) =>
    service.contacts(organizationId, campaign_id, { page: 1, page_size: count }),
  )
  await Effect.runPromise(Scope.close(process.scope, Exit.void))
  server.close().closeAllConnections()
  await telnyx.close()
  return {
    calls: tables.calls.page(organizationId, {}, { page: 1, page_size: 10_000 }).items,
    contacts: items,
    legs: telnyx.calls(),
    warnings: telnyx.warnings(),
    webhooks: telnyx.webhooks(),
  }
}

type Day = Awaited<ReturnType<typeof day>>

const ends = { busy: "busy", no_answer: "no-answer", failed: "failed" } as const

/** What a host was told of a leg, and took. */
const heardOf = ({ webhooks }: Day, leg: CallRecord): ReadonlySet<string> =>
  new Set(
    webhooks.flatMap(({ call_control_id, event_type, status }) =>
      call_control_id === leg.call_control_id && status === 200 ? [event_type] : [],
    ),
  )

const detected = "call.machine.premium.detection.ended"

/**
 * How a call may have ended. This stand-in lists no events, so that nobody can say how a leg ended whose end was told to nobody: then it is
 * `error`, unless it was answered.
 */
const endsOf = (leg: CallRecord, heard: ReadonlySet<string>): ReadonlyArray<string> => {
  const { outcome } = leg.fate
  const isHeard = heard.has("call.hangup")
  if (leg.answeredAt === null) return isHeard && outcome in ends ? [Reflect.get(ends, outcome)] : ["error"]
  if (!isHeard && !heard.has("call.answered")) return ["error"]
  if (leg.verdict === "machine") return heard.has(detected) ? ["no-answer", "completed"] : ["completed"]
  return ["completed"]
}

/** A call is what its leg was, at its cost and of its length. One of which nothing that Telnyx said ever arrived is known to nobody. */
const checkCall = (today: Day, call: Call, leg: CallRecord | undefined): void => {
  assert.isTrue(isTerminal(call.status), call.status)
  assert.isFalse(holdsLine(call), "a line was not given back")
  if (leg === undefined || call.call_sid === null) return assert.strictEqual(call.status, "error")
  assert.strictEqual(call.call_sid, leg.call_control_id)
  const heard = heardOf(today, leg)
  assert.include(endsOf(leg, heard), call.status)
  if (heard.has("call.cost")) assert.strictEqual(call.cost?.total, leg.cost)
  const end = leg.endedAt ?? 0
  const isTimed = today.webhooks.some(
    ({ at, call_control_id, event_type, status }) =>
      call_control_id === leg.call_control_id && event_type === "call.answered" && status === 200 && at < end,
  )
  // Telnyx shows a call for ten minutes after its end; whoever asks later for an end that was not told learns no time.
  if (leg.answeredAt === null || !isTimed || !heard.has("call.hangup")) return
  const seconds = secondsOf(leg, end)
  // Whoever did not hear the answer itself counts from when it was kept, which here is up to a minute late.
  assert.isAtMost(call.duration_seconds ?? Number.NaN, seconds + 1)
  assert.isAtLeast(call.duration_seconds ?? Number.NaN, Math.max(0, seconds - 60))
}

/** The legs to one number, in the order in which they were made. */
const checkNumber = (today: Day, legs: ReadonlyArray<CallRecord>): void => {
  assert.isAtMost(legs.length, 1 + campaign.retry_policy.max_retries)
  legs.slice(1).forEach((leg, nth) => {
    const before = legs[nth]
    assert(before !== undefined)
    assert.isAtLeast(leg.createdAt, before.endedAt ?? Infinity, "somebody was rung while they were in a call")
    const isKnown = heardOf(today, before).has("call.answered") || heardOf(today, before).has("call.hangup")
    const wasReached = before.answeredAt !== null && before.verdict !== "machine" && isKnown
    assert.isFalse(wasReached, "somebody was rung again who had been reached")
  })
}

describe("a campaign at a Telnyx that loses, repeats and delays what it says, whose process dies twice", () => {
  it("rings nobody twice and forgets nobody", async () => {
    const today = await day("monday", 30)
    const { calls, contacts, legs, warnings } = today
    const byId = new Map(legs.map((leg) => [leg.asked.text("command_id"), leg]))
    assert.strictEqual(byId.size, legs.length, "a call has two legs")
    for (const call of calls) checkCall(today, call, byId.get(call.execution_id))
    for (const contact of contacts) {
      assert.include(["completed", "failed"], contact.status)
      checkNumber(
        today,
        legs.filter(({ to }) => to === contact.to_number),
      )
    }
    assert.isAbove(contacts.filter(({ status }) => status === "completed").length, 15)
    assert.isAbove(legs.length, 35)
    // A cost that comes before the end of its call is asked for again.
    assert.deepStrictEqual(
      warnings.filter(({ text }) => text !== "call.cost was not taken: 503"),
      [],
    )
  })
})
