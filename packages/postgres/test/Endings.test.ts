import { Campaigns, Engine, Funds, Telephony, Transliterator } from "@carillon/core"
import { Activity, Chance, DomainClock, Ids, KeyMinter, Parking, Store, WebhookTransport } from "@carillon/core/ports"
import { sampleAgent, sampleCaller, sampleOrganization, TestWorld } from "@carillon/core/testing"
import { Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll } from "vitest"
import { fileDice } from "../../../scripts/dice.ts"
import { comesAbout, whileMoving } from "../../../scripts/patience.ts"
import { openRows } from "../../../scripts/servers/OpenRows.ts"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

/** Campaigns of each test; `CARILLON_ENDINGS=300` is the long form. */
const count = Number(process.env["CARILLON_ENDINGS"] ?? 30)
/** Campaigns that are near their end at a time, and appends to each of them. */
const together = 10
const appends = 3
/** How long a call lasts, and how long after the last call's end was told an append comes at most. */
const talkMs = [30, 60] as const
const appendMs = [0, 80] as const
/** As long as a very busy machine may take for all of them, and for each of many: what no longer moves is ended long before. */
const testMaxMs = 600_000
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

/** A carrier that takes every call and ends it soon, and tells of each number when it is called no more. */
class Legs {
  readonly carrier = new TestWorld.LiveCarrier(Date.now, () => {
    const ended = dice.between(...talkMs)
    return {
      reports: [
        [ended, "ended"],
        [ended, "final"],
      ],
      asked: { _tag: "NoAnswer" },
    }
  })
  readonly #ends = new Map<string, Deferred.Deferred<void>>()

  get dialled(): ReadonlyArray<string> {
    return this.carrier.dials.map(({ to_number }) => to_number)
  }

  /** Done once the call to the number is over. */
  endOf(number: string): Deferred.Deferred<void> {
    const end = this.#ends.get(number) ?? Deferred.makeUnsafe<void>()
    this.#ends.set(number, end)
    return end
  }

  /** What an engine hears: whoever waits for the end of a call knows of it just before. */
  heardBy(report: Engine["Service"]["report"]): TestWorld.Hearer {
    return (told, { to_number }) =>
      told.type === "ended"
        ? Effect.andThen(Deferred.succeed(this.endOf(to_number), undefined), report(told))
        : report(told)
  }
}

/** An engine of its own on the database. */
const openEngine = Effect.fnUntraced(function* (url: string, legs: Legs) {
  let report: Engine["Service"]["report"] = () => Effect.succeed("unknown_execution")
  const telephony = Layer.succeed(Telephony, legs.carrier.telephony(legs.heardBy((told) => report(told))))
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
          telephony,
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

  const rowsOf = (database: string) =>
    Effect.map(
      Effect.forEach(openRows(), (statement) => query(database, statement)),
      (found) => found.flat().map(({ row }) => row),
    )

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
          yield* Effect.forkScoped(legs.carrier.speaking)
          const rows = rowsOf(database)
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
          let answered = 0
          const ends = yield* whileMoving(
            "the end of every first call, and an answer to every append",
            Effect.forEach(
              Array.from({ length: count }, (_, nth) => nth),
              (nth) => Effect.tap(ending(engines, legs, nth), () => Effect.sync(() => void (answered += 1))),
              { concurrency: together },
            ),
            { progress: Effect.sync(() => `${legs.dialled.length} dialled, ${answered} of ${count} ended`), rows },
          )
          yield* comesAbout("the end of every campaign", {
            look: Effect.map(query(database, open), (left) => ({
              isThere: left.length === 0,
              progress: `${legs.dialled.length} dialled, ${JSON.stringify(left)}`,
            })),
            rows,
            pollMs: 100,
          })
          const refused = ends.flatMap((each) => each.refused)
          const late = refused.filter((cause) => cause.includes("StateConflict"))
          const wanted = ends.flatMap(({ numbers }) => numbers)
          assert.deepStrictEqual(legs.dialled.toSorted(), wanted.toSorted())
          // Parallel appends do not refuse one another, and nothing had to be mended.
          assert.deepStrictEqual(refused, late)
          assert.deepStrictEqual(yield* query(database, mended), [])
        }).pipe(Effect.scoped),
      Math.max(testMaxMs, count * eachMaxMs),
    )
  })
}
