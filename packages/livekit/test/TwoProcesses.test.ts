import { Calls, Engine, Funds, Transliterator } from "@carillon/core"
import {
  Activity,
  CallStore,
  Chance,
  DomainClock,
  Ids,
  KeyMinter,
  Parking,
  WebhookTransport,
} from "@carillon/core/ports"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { sampleAgent, sampleCaller, sampleOrganization } from "@carillon/core/testing"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it, onTestFinished } from "vitest"
import { type LiveKit, makeLiveKit } from "../src/index.ts"
import { apiKey, apiSecret, FarEnd, publicUrl, trunkId } from "./FarEnd.ts"

const organizationId = "org_two"
const agent = sampleAgent(organizationId, { agent_id: "agt_two" })

const furnished = (): MemoryTables => {
  const tables = new MemoryTables()
  const wallet = { balance: 100, currency: "USD" }
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
  return tables
}

/** The engine of one process, on rows and lines that all of them share. */
const engineOf = (adapter: LiveKit, tables: MemoryTables, farEnd: FarEnd, seed: string) =>
  Engine.layer.pipe(
    Layer.provide(Parking.layer),
    Layer.provide(Activity.layer),
    Layer.provideMerge(adapter.carrier),
    Layer.provideMerge(Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer())),
    Layer.provideMerge(MemoryStore.layer(tables)),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(DomainClock, { now: () => farEnd.now }),
        Ids.layerSeeded(seed),
        Chance.layerSeeded(seed),
        KeyMinter.layerSeeded(seed),
        Funds.layer,
        Transliterator.layer,
        Layer.succeed(WebhookTransport, { send: () => Effect.succeed({ _tag: "Failed", error_class: "timeout" }) }),
      ),
    ),
  )

/** Two processes that live; the first one has dialled, and LiveKit's webhooks reach the second. */
const twoProcesses = (to_number: string, test: (farEnd: FarEnd, call: Effect.Effect<Said>) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const farEnd = new FarEnd()
    yield* Effect.promise(() => farEnd.start())
    onTestFinished(() => farEnd.close())
    const tables = furnished()
    const start = Effect.fnUntraced(function* (seed: string) {
      const { url } = farEnd
      const options = { url, apiKey, apiSecret, trunkId, agentName: "carillon", publicUrl, acceptAfterMs: 0 }
      const adapter = makeLiveKit(options)
      const services = yield* Layer.build(engineOf(adapter, tables, farEnd, seed))
      const { report } = Context.get(services, Engine)
      return { services, handle: adapter.callbacks((told) => Effect.runPromiseWith(services)(report(told))) }
    })
    const first = yield* start("first")
    const second = yield* start("second")
    farEnd.callback = second.handle
    const { place } = Context.get(first.services, Calls)
    const asked = { agent_id: agent.agent_id, to_number, from_number: null, variables: {}, metadata: {} }
    const more = { scheduled_at: null, record: false, timeout_seconds: 60 }
    yield* Effect.orDie(place(sampleCaller(organizationId), { ...asked, ...more }))
    const { locate } = Context.get(second.services, CallStore)
    yield* test(
      farEnd,
      Effect.orDie(Effect.map(locate(farEnd.legs[0]?.id ?? ""), (row) => row ?? assert.fail("no row"))),
    )
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

interface Said {
  readonly status: string
  readonly hangup_reason: string | null
}

/** Waits, in the machine's own time, until a call is over. */
const over = (call: Effect.Effect<Said>): Effect.Effect<Said> =>
  Effect.flatMap(call, (row) =>
    row.hangup_reason === null
      ? Effect.andThen(
          Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5))),
          Effect.suspend(() => over(call)),
        )
      : Effect.succeed(row),
  )

const left = (farEnd: FarEnd, reason: number) =>
  Effect.promise(() =>
    farEnd.webhook(farEnd.eventOf("participant_left", farEnd.legs[0] ?? assert.fail("no leg"), reason)),
  )

/** The end of a number's last digits, what its reason alone would make of it, and what its SIP code says. */
const ends = [
  { to: "+12125550106", reason: 11, folded: "no-answer", status: "failed", hangup_reason: "invalid_destination" },
  { to: "+12125550107", reason: 12, folded: "busy", status: "error", hangup_reason: "carrier_error" },
]

describe("a webhook that reaches another process than the one that dialled", () => {
  it.each(ends)("leaves its end to that one, which hears the SIP code: $folded is $status", ({ to, reason, ...end }) =>
    twoProcesses(to, (farEnd, call) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* left(farEnd, reason), 503)
        yield* TestClock.adjust("9 seconds")
        assert.strictEqual(yield* left(farEnd, reason), 503)
        // The request of the first process is answered now.
        yield* Effect.promise(async () => {
          while (await farEnd.step());
        })
        const { hangup_reason, status } = yield* over(call)
        assert.deepStrictEqual({ hangup_reason, status }, { hangup_reason: end.hangup_reason, status: end.status })
        assert.strictEqual(yield* left(farEnd, reason), 200)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* call).status, end.status)
      }),
    ),
  )

  it("concludes by the reason where that one says nothing, though LiveKit does not come again", () =>
    twoProcesses("+12125550106", (farEnd, call) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* left(farEnd, 12), 503)
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* over(call)).status, "busy")
        assert.strictEqual(yield* left(farEnd, 12), 200)
      }),
    ))

  it("ends a call at once that somebody had answered, for which there is no code", () =>
    twoProcesses("+12125550101", (farEnd, call) =>
      Effect.gen(function* () {
        yield* Effect.promise(async () => {
          while (!farEnd.isAt(farEnd.legs[0]?.id ?? "", "active") && (await farEnd.step()));
        })
        assert.strictEqual(yield* left(farEnd, 1), 200)
        assert.strictEqual((yield* over(call)).status, "completed")
      }),
    ))
})
