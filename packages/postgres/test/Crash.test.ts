import {
  Activity,
  AuditStore,
  Calls,
  CallStore,
  Chance,
  DomainClock,
  Engine,
  Funds,
  Ids,
  isTerminal,
  AuditChain,
  KeyMinter,
  limits,
  Parking,
  Reconciler,
  SlotStore,
  Store,
  AccountStore,
  Telephony,
  Transliterator,
  WebhookTransport,
} from "@carillon/core"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { sampleAgent, sampleCaller, sampleOrganization, samplePlaceCall } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import { Context, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { fileDice } from "../../../scripts/dice.ts"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

const organizationId = "org_crash"
const agentId = "agt_crash"
const ceiling = 4
const price = 0.25
const balance = 1_000
const epoch = Date.UTC(2026, 0, 5, 9)
/** Domain time runs ahead of the wall, so that leases and ticks come round while the test runs. */
const speed = 20

const organization = sampleOrganization(organizationId, {
  wallet: { balance, currency: "USD" },
  concurrency: { organization: ceiling, per_agent: null, enforced: true },
})

const agent = sampleAgent(organizationId, { agent_id: agentId })

const caller = sampleCaller(organizationId)

const request = samplePlaceCall(agentId)

const end = {
  status: "completed" as const,
  duration_seconds: 1,
  answered_by_voicemail: false,
  hangup_by: null,
  hangup_reason: null,
  error: null,
}

const cost = {
  total: price,
  currency: "USD",
  breakdown: { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: price, transcriber: 0 },
}

/** The carrier, which is not on the database: what it really saw, and what it still has to say. */
class Legs {
  live = 0
  peak = 0
  readonly ids = new Set<string>()
  twice = 0
  unsaid = 0

  dial(executionId: string): void {
    if (this.ids.has(executionId)) this.twice += 1
    this.ids.add(executionId)
    this.live += 1
    this.peak = Math.max(this.peak, this.live)
  }
}

const dice = fileDice()

const pause = (least: number, most: number) => Effect.sleep(dice.between(least, most))

const openWorld = Effect.fnUntraced(function* (url: string) {
  const began = Date.now()
  const now = () => epoch + (Date.now() - began) * speed
  const legs = new Legs()
  let report: Engine["Service"]["report"] = () => Effect.succeed("unknown_execution")
  /** A carrier says everything until it was heard, whatever the answer is that says it was not. */
  const tell = Effect.fnUntraced(function* (told: Parameters<Engine["Service"]["report"]>[0]) {
    const heard = Effect.map(Effect.exit(Effect.suspend(() => report(told))), Exit.isSuccess)
    while (!(yield* heard)) yield* Effect.sleep(20)
  })
  const carrier = Layer.succeed(Telephony, {
    dial: ({ execution_id }) =>
      Effect.gen(function* () {
        legs.dial(execution_id)
        const leg = { execution_id, call_sid: `leg-${execution_id}` }
        legs.unsaid += 1
        yield* Effect.forkDetach(
          Effect.gen(function* () {
            yield* pause(5, 40)
            legs.live -= 1
            const facts = { recording_url: null, cost, media: null }
            yield* tell({ ...leg, type: "initiated", at: now() })
            yield* tell({ ...leg, type: "ended", at: now(), end })
            yield* tell({ ...leg, type: "final", at: now(), end, facts })
            legs.unsaid -= 1
          }),
        )
        return { _tag: "Accepted" as const, call_sid: leg.call_sid }
      }),
    hangup: () => Effect.succeed("Sent" as const),
    find: () => Effect.succeed({ _tag: "NoAnswer" as const }),
  })
  const storage = Postgres.layer({ url: Redacted.make(url) })
  const services = yield* Layer.build(
    Engine.driver.pipe(
      Layer.provideMerge(Engine.layer),
      Layer.provideMerge(Parking.layer),
      Layer.provideMerge(Activity.layer),
      Layer.provideMerge(
        Layer.mergeAll(
          MemorySlots.layer(),
          MemoryRates.layer(),
          carrier,
          Layer.mock(WebhookTransport)({}),
          Layer.succeed(DomainClock, { now }),
          Ids.layerSeeded(dice.unit()),
          Chance.layerSeeded(dice.unit()),
          KeyMinter.layer,
          Funds.layer,
          Transliterator.layer,
        ).pipe(Layer.provideMerge(storage)),
      ),
    ),
  )
  report = Context.get(services, Engine).report
  return { legs, now, services }
})

const server = await startPostgres({ durable: true })

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  describe(`an engine whose ${server.version} is killed under load`, () => {
    it("loses nothing that it answered, dials nobody twice, and has applied every commit once", async () => {
      const judged = Effect.gen(function* () {
        const { legs, services } = yield* openWorld(server.url())
        const store = Context.get(services, Store)
        yield* store.commit({
          id: "cmt_crash",
          organization_id: organizationId,
          expect: [],
          changes: [
            { put: "organization", row: organization },
            { put: "agent", row: agent },
          ],
          wakeups: [],
          events: [],
          audit: [],
        })
        const place = Context.get(services, Calls).place(caller, request)
        const answered: Array<string> = []
        let refused = 0
        let isOver = false
        const customer = Effect.gen(function* () {
          while (!isOver) {
            yield* Effect.match(place, {
              onSuccess: ({ call }) => void answered.push(call.execution_id),
              onFailure: () => void (refused += 1),
            })
            yield* pause(1, 10)
          }
        })
        const customers = yield* Effect.forEach(Array.from({ length: 6 }), () => Effect.forkScoped(customer))
        const further = Effect.fnUntraced(function* (calls: number) {
          const before = answered.length
          while (answered.length < before + calls) yield* Effect.sleep(5)
        })
        const crashes = 4
        for (let nth = 0; nth < crashes; nth++) {
          yield* further(15)
          yield* Effect.promise(() => server.crash())
          yield* pause(50, 400)
          yield* Effect.promise(() => server.start())
        }
        yield* further(15)
        isOver = true
        yield* Effect.forEach(customers, Fiber.await)
        while (legs.unsaid > 0) yield* Effect.sleep(20)

        const page = { page: 1, page_size: 100_000 }
        const calls = Context.get(services, CallStore).page(organizationId, {}, page)
        let rows = (yield* calls).items
        // What was committed and never dialled, or dialled and not heard of, is asked about and ends.
        while (!rows.every(({ status }) => isTerminal(status))) {
          yield* Effect.sleep(100)
          rows = (yield* calls).items
        }
        expect(legs.twice).toBe(0)
        expect(legs.peak).toBeLessThanOrEqual(ceiling)
        const ids = new Set(rows.map(({ execution_id }) => execution_id))
        expect(answered.filter((id) => !ids.has(id))).toEqual([])
        expect([...legs.ids].filter((id) => !ids.has(id))).toEqual([])
        expect(refused).toBeGreaterThan(0)
        const completed = rows.filter(({ status }) => status === "completed").map(({ execution_id }) => execution_id)
        expect(new Set(completed)).toEqual(legs.ids)
        // The price is taken relatively, so a commit that applied twice would show.
        const after = yield* Context.get(services, AccountStore).organization(organizationId)
        expect(after?.wallet.balance).toBe(balance - price * completed.length)
        expect(after?.revision).toBe(1 + completed.length)
        const trail = yield* Context.get(services, AuditStore).after(organizationId, 0, 100_000)
        expect(AuditChain.verifyChain(trail).valid).toBe(true)
        const begun = trail.filter(({ action }) => action === "call.create").map(({ resource }) => resource.id)
        expect(new Set(begun).size).toBe(begun.length)
        const reconciler = Context.get(services, Reconciler)
        for (let tick = 0; tick < 2; tick++) {
          yield* Effect.sleep(limits.reconcileMs / speed)
          yield* reconciler.tick
        }
        expect(yield* Context.get(services, SlotStore).members(null, 100)).toEqual([])
      })
      try {
        await Effect.runPromise(Effect.scoped(judged))
      } finally {
        await server.stop()
      }
    })
  })
}
