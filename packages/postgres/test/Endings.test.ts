import {
  Activity,
  Campaigns,
  Chance,
  DomainClock,
  Engine,
  Funds,
  Ids,
  KeyMinter,
  Parking,
  Store,
  Telephony,
  Transliterator,
  WebhookTransport,
} from "@carillon/core"
import { sampleAgent, sampleCaller, sampleOrganization } from "@carillon/core/testing"
import { Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll } from "vitest"
import { fileDice } from "../../../scripts/dice.ts"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

/** Campaigns of each test; `CARILLON_ENDINGS=300` is the long form. */
const count = Number(process.env["CARILLON_ENDINGS"] ?? 30)
/** Campaigns that are near their end at a time, and appends to each of them. */
const together = 10
const appends = 3
/** How long a call lasts, and how long after the last call's end was told an append comes at most. */
const talkMs = [30, 60] as const
const appendMs = [0, 80] as const
const restMaxMs = 60_000
/** As long as a busy machine may take for one of them; it only ends what hangs. */
const eachMaxMs = 6_000

const organizationId = "org_endings"
const agentId = "agt_endings"
const caller = sampleCaller(organizationId)

const dice = fileDice()

const server = await startPostgres()

/** Who is not at rest yet, and who was found to have ended too early. */
const open = `select campaign_id, status from carillon.campaigns where status <> 'completed'
  union all select campaign_id, status from carillon.batches where not finished`
const mended = "select resource_id from carillon.audit_records where action = 'campaign.mend'"

/** What the carrier has seen. */
class Legs {
  readonly dialled: Array<string> = []
  readonly #ends = new Map<string, Deferred.Deferred<void>>()

  /** Done once the call to the number is over. */
  endOf(number: string): Deferred.Deferred<void> {
    const end = this.#ends.get(number) ?? Deferred.makeUnsafe<void>()
    this.#ends.set(number, end)
    return end
  }
}

/** An engine of its own on the database, with a carrier that takes every call and ends it soon. */
const openEngine = Effect.fnUntraced(function* (url: string, legs: Legs) {
  let report: Engine["Service"]["report"] = () => Effect.succeed("unknown_execution")
  const tell = (told: Parameters<Engine["Service"]["report"]>[0]) =>
    Effect.ignore(Effect.retry(report(told), { times: 20 }))
  const end = {
    status: "completed" as const,
    duration_seconds: 1,
    answered_by_voicemail: false,
    hangup_by: null,
    hangup_reason: null,
    error: null,
  }
  const carrier = Layer.succeed(Telephony, {
    dial: ({ execution_id, to_number }) =>
      Effect.gen(function* () {
        legs.dialled.push(to_number)
        const leg = { execution_id, call_sid: `leg-${execution_id}` }
        yield* Effect.forkDetach(
          Effect.gen(function* () {
            yield* Effect.sleep(dice.between(...talkMs))
            yield* Deferred.succeed(legs.endOf(to_number), undefined)
            yield* tell({ ...leg, type: "ended", at: Date.now(), end })
            yield* tell({
              ...leg,
              type: "final",
              at: Date.now(),
              end,
              facts: { recording_url: null, cost: null, media: null },
            })
          }),
        )
        return { _tag: "Accepted" as const, call_sid: leg.call_sid }
      }),
    hangup: () => Effect.succeed("Sent" as const),
    find: () => Effect.succeed({ _tag: "NoAnswer" as const }),
  })
  const storage = Layer.provide(
    Layer.mergeAll(Postgres.layerNoDeps, PostgresRates.layer, PostgresSlots.layer),
    Postgres.layerClient({ url: Redacted.make(url), maxConnections: 8 }),
  )
  const services = yield* Layer.build(
    Engine.driver.pipe(
      Layer.provideMerge(Engine.layer),
      Layer.provideMerge(Parking.layer),
      Layer.provideMerge(Activity.layer),
      Layer.provideMerge(
        Layer.mergeAll(
          carrier,
          Layer.mock(WebhookTransport)({}),
          DomainClock.layer,
          Ids.layerSeeded(dice.unit()),
          Chance.layerSeeded(dice.unit()),
          KeyMinter.layer,
          Transliterator.layer,
          Funds.layer,
        ),
      ),
      Layer.provideMerge(storage),
    ),
  )
  report = Context.get(services, Engine).report
  return { campaigns: Context.get(services, Campaigns), store: Context.get(services, Store) }
})

type Opened = Effect.Success<ReturnType<typeof openEngine>>

/** A campaign of two contacts, and contacts that are added around its end. Returns who was taken, and what else was said. */
const ending = Effect.fnUntraced(function* (engines: ReadonlyArray<Opened>, legs: Legs, nth: number) {
  const engine = () => dice.oneOf(engines)
  const numberOf = (index: number) => `+1555${String(1_000_000 + nth * 100 + index)}`
  const contact = (index: number) => ({ to_number: numberOf(index), variables: {} })
  const first = [contact(0), contact(1)]
  const { campaign_id } = yield* engine().campaigns.create(
    caller,
    { name: `Ending ${nth}`, agent_id: agentId },
    { contacts: first, file_name: null },
  )
  const answers = yield* Effect.forEach(
    Array.from({ length: appends }, (_, index) => contact(2 + index)),
    (added) =>
      Effect.gen(function* () {
        for (const { to_number } of first) yield* Deferred.await(legs.endOf(to_number))
        yield* Effect.sleep(dice.between(...appendMs))
        const append = engine().campaigns.append(caller, campaign_id, { contacts: [added], file_name: null })
        const exit = yield* Effect.exit(append)
        return { number: added.to_number, exit }
      }),
    { concurrency: "unbounded" },
  )
  const taken = answers.flatMap(({ exit, number }) => (Exit.isSuccess(exit) ? [number] : []))
  const refused = answers.flatMap(({ exit }) => (Exit.isFailure(exit) ? [String(exit.cause)] : []))
  return { campaign_id, numbers: [...first.map(({ to_number }) => to_number), ...taken], refused }
})

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())

  const query = (database: string, text: string) =>
    Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Readonly<Record<string, unknown>>>(text)),
      Postgres.layerClient({ url: Redacted.make(server.url(database)), maxConnections: 1 }),
    )

  describe("contacts that are added to campaigns near their end", () => {
    it.live.each([1, 3])(
      "are refused or dialled once, with as many engines as %i",
      (engineCount) =>
        Effect.gen(function* () {
          const database = `endings_${engineCount}`
          yield* query("postgres", `create database ${database}`)
          const legs = new Legs()
          const engines = yield* Effect.forEach(Array.from({ length: engineCount }), () =>
            openEngine(server.url(database), legs),
          )
          yield* engines[0]!.store.commit({
            id: "cmt_endings",
            organization_id: organizationId,
            expect: [],
            wakeups: [],
            events: [],
            audit: [],
            changes: [
              {
                put: "organization",
                row: sampleOrganization(organizationId, {
                  wallet: { balance: 1_000_000, currency: "USD" },
                  concurrency: { organization: 1_000, per_agent: null, enforced: true },
                }),
              },
              { put: "agent", row: sampleAgent(organizationId, { agent_id: agentId }) },
            ],
          })
          const ends = yield* Effect.forEach(
            Array.from({ length: count }, (_, nth) => nth),
            (nth) => ending(engines, legs, nth),
            { concurrency: together },
          )
          const deadline = Date.now() + restMaxMs
          let left = yield* query(database, open)
          while (left.length > 0 && Date.now() < deadline) {
            yield* Effect.sleep(100)
            left = yield* query(database, open)
          }
          const refused = ends.flatMap((each) => each.refused)
          const late = refused.filter((cause) => cause.includes("StateConflict"))
          const wanted = ends.flatMap(({ numbers }) => numbers)
          assert.deepStrictEqual(left, [])
          assert.deepStrictEqual(legs.dialled.toSorted(), wanted.toSorted())
          // Parallel appends do not refuse one another, and nothing had to be mended.
          assert.deepStrictEqual(refused, late)
          assert.deepStrictEqual(yield* query(database, mended), [])
        }).pipe(Effect.scoped),
      count * eachMaxMs,
    )
  })
}
