import { Calls, Engine, Funds, limits, Reconciler, Telephony, Transliterator } from "@carillon/core"
import { isTerminal, AuditChain } from "@carillon/core/domain"
import {
  Activity,
  AuditStore,
  CallStore,
  Chance,
  DomainClock,
  Ids,
  KeyMinter,
  Parking,
  SlotStore,
  Store,
  AccountStore,
  WebhookTransport,
} from "@carillon/core/ports"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { sampleAgent, sampleCaller, sampleOrganization, samplePlaceCall, TestWorld } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { fileDice } from "../../../scripts/dice.ts"
import { comesAbout } from "../../../scripts/patience.ts"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

const organizationId = "org_crash"
const agentId = "agt_crash"
const ceiling = 4
const price = 0.25
const balance = 1_000
const epoch = Date.UTC(2026, 0, 5, 9)
/** Domain time runs ahead of the wall, so that leases and ticks come round while the test runs. */
const speed = 20
/** The carrier gives no answer to questions about a call, so they become rare: longer than the pause between two of them (milliseconds of the wall). */
const questionsApartMs = (2 * limits.questionBackoffMaxMs) / speed

const organization = sampleOrganization(organizationId, {
  wallet: { balance, currency: "USD" },
  concurrency: { organization: ceiling, per_agent: null, enforced: true },
})

const agent = sampleAgent(organizationId, { agent_id: agentId })

const caller = sampleCaller(organizationId)

const request = samplePlaceCall(agentId)

const cost = {
  total: price,
  currency: "USD",
  breakdown: { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: price, transcriber: 0 },
}

const dice = fileDice()

const pause = (least: number, most: number) => Effect.sleep(dice.between(least, most))

const openWorld = Effect.fnUntraced(function* (url: string) {
  const began = Date.now()
  const now = () => epoch + (Date.now() - began) * speed
  // The carrier is not on the database.
  const carrier = new TestWorld.LiveCarrier(now, () => {
    const ended = dice.between(5, 40) * speed
    return {
      reports: [
        [ended, "initiated"],
        [ended, "ended"],
        [ended, "final"],
      ],
      facts: { cost },
      asked: { _tag: "NoAnswer" },
    }
  })
  yield* Effect.forkScoped(carrier.speaking)
  let report: Engine["Service"]["report"] = () => Effect.succeed("unknown_execution")
  const telephony = Layer.succeed(
    Telephony,
    carrier.telephony((told) => report(told)),
  )
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
          telephony,
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
  return { carrier, services }
})

/** As long as a very busy machine may take; what no longer moves is ended long before (milliseconds). */
const testMaxMs = 600_000

const server = await startPostgres({ durable: true })

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  describe(`an engine whose ${server.version} is killed under load`, () => {
    it(
      "loses nothing that it answered, dials nobody twice, and has applied every commit once",
      async () => {
        const judged = Effect.gen(function* () {
          const { carrier, services } = yield* openWorld(server.url())
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
          const calls = Context.get(services, CallStore).page(organizationId, {}, { page: 1, page_size: 100_000 })
          const open = Effect.map(calls, ({ items }) => items.filter(({ status }) => !isTerminal(status)))
          /** What shows why a call does not end: the open ones, the lines, the legs. */
          const rows = Effect.gen(function* () {
            const lines = yield* Context.get(services, SlotStore).members(null, 100)
            return [...(yield* open), ...lines, ...carrier.live]
          })
          const further = (more: number) =>
            Effect.suspend(() => {
              const before = answered.length
              const look = Effect.sync(() => ({ isThere: answered.length >= before + more, progress: answered.length }))
              return comesAbout(`${more} more answers`, { look, rows })
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
          // What was committed and never dialled, or dialled and not heard of, is asked about and ends.
          yield* comesAbout("the end of every call", {
            look: Effect.map(open, (left) => ({
              isThere: carrier.isSilent && left.length === 0,
              progress: left.map(({ execution_id, revision }) => `${execution_id} ${revision}`).join(", "),
            })),
            rows,
            stillMs: questionsApartMs,
            pollMs: 100,
          })
          const { items } = yield* calls
          expect(carrier.ids.size).toBe(carrier.dials.length)
          expect(carrier.peak).toBeLessThanOrEqual(ceiling)
          const ids = new Set(items.map(({ execution_id }) => execution_id))
          expect(answered.filter((id) => !ids.has(id))).toEqual([])
          expect([...carrier.ids].filter((id) => !ids.has(id))).toEqual([])
          expect(refused).toBeGreaterThan(0)
          const completed = items.filter(({ status }) => status === "completed").map(({ execution_id }) => execution_id)
          expect(new Set(completed)).toEqual(carrier.ids)
          // The price is taken relatively, so a commit that applied twice would show.
          const after = yield* Context.get(services, AccountStore).organization(organizationId)
          expect(after?.wallet.balance).toBe(balance - price * completed.length)
          expect(after?.revision).toBe(1)
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
      },
      testMaxMs,
    )
  })
}
