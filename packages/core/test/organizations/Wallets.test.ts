import { assert, describe, it } from "@effect/vitest"
import {
  CallCapsSettings,
  Dialling,
  HoursSettings,
  limits,
  metersLayer,
  type MetricRegistry,
  type Organization,
  type PlaceCall,
} from "@carillon/core"
import { metrics } from "@carillon/core/ports"
import { Context, Effect, Layer, Logger, Metric, References } from "effect"
import { Suppressions } from "../../src/callees/Suppressions.ts"
import { Wallets } from "../../src/organizations/Wallets.ts"
import { campaigning, type Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { agent, agentId, caller, organization, organizationId } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

/** Whom the carrier rings not. */
const unreachable = 999

/** A log and metrics that can be read, and a campaign's world in them. */
const watched = (
  play: (given: {
    readonly test: Campaigning
    readonly lines: ReadonlyArray<string>
    readonly empty: () => unknown
    readonly withheld: () => Record<string, number>
  }) => Effect.Effect<void, unknown>,
) =>
  Effect.suspend(() => {
    const registry: MetricRegistry = new Map()
    const lines: Array<string> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      const line = `${logLevel} ${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`
      if (line.includes("wallet")) lines.push(line)
    })
    const series = () => Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
    const empty = () => Object(series().find(({ id }) => id === metrics.emptyWallets.name)?.state).value
    const withheld = () =>
      Object.fromEntries(
        series()
          .filter(({ id }) => id === metrics.dialsWithheld.name)
          .map(({ attributes, state }) => [
            `${attributes?.["origin"]} ${attributes?.["reason"]}`,
            Number(Object(state).count),
          ]),
      )
    return Effect.gen(function* () {
      const test = yield* campaigning(({ to_number }) =>
        to_number === numberOf(unreachable)
          ? { outcome: { _tag: "Refused", kind: "unreachable" } }
          : ending("completed"),
      )
      yield* play({ test, lines, empty, withheld })
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(metersLayer(registry), Logger.layer([logger]))))
  })

const tenant = (nth: number, balance: number): Organization => ({
  ...organization,
  organization_id: `org_${nth}`,
  wallet: { balance, currency: "USD" },
})

describe("a wallet that carries no call", () => {
  it.effect("is one line when it begins to be met and one when it is over, and counts meanwhile", () =>
    watched(
      Effect.fnUntraced(function* ({ empty, lines, test, withheld }) {
        assert.strictEqual(empty(), 0)
        test.world.setBalance(0)
        yield* test.create(contactsOf(20))
        yield* test.world.advance(5 * minute)
        for (let nth = 0; nth < 5; nth += 1) yield* test.world.place({ to_number: numberOf(100 + nth) })
        yield* test.world.advance(0)
        assert.lengthOf(lines, 1)
        assert.include(lines[0], "Warn The wallet of an organization carries no call")
        assert.include(lines[0], `"organization_id":"${organizationId}"`)
        assert.strictEqual(empty(), 1)
        assert.strictEqual(withheld()["direct wallet"], 5)
        assert.isAbove(withheld()["contact wallet"] ?? 0, 2)
        test.world.setBalance(100)
        yield* test.world.advance(5 * minute)
        assert.isAbove(test.world.dials.length, 0)
        assert.lengthOf(lines, 2)
        assert.match(lines[1] ?? "", /^Info The wallet of an organization carries calls again, after \d+\.\d s\./)
        assert.strictEqual(empty(), 0)
      }),
    ),
  )

  it.effect("counts no more once nobody is to be dialled for its organization", () =>
    watched(
      Effect.fnUntraced(function* ({ empty, test }) {
        test.world.setBalance(0)
        yield* test.world.place({ to_number: numberOf(1) })
        yield* test.world.advance(0)
        assert.strictEqual(empty(), 1)
        yield* test.world.advance(limits.emptyWalletKnownMs + 1)
        assert.strictEqual(empty(), 0)
      }),
    ),
  )

  it.effect("has few lines where many have one, and where one comes and goes", () =>
    watched(
      Effect.fnUntraced(function* ({ lines, test }) {
        const asked = (one: Organization) => test.world.run(Effect.flatMap(Wallets, ({ open }) => open(one)))
        const { organization: own, process } = limits.emptyWalletsTold
        for (let nth = 0; nth < 50; nth += 1) {
          assert.isFalse(yield* asked(tenant(0, 0)))
          assert.isTrue(yield* asked(tenant(0, 1)))
        }
        // Each has its end, and one line says that there are more.
        assert.lengthOf(lines, 2 * own + 1)
        for (let nth = 1; nth < 500; nth += 1) yield* asked(tenant(nth, 0))
        assert.lengthOf(lines, own + process + 1)
        assert.lengthOf(
          lines.filter((line) => line.includes("too many to name each")),
          1,
        )
        // Who was not named comes back without a word, too.
        yield* asked(tenant(499, 1))
        assert.lengthOf(lines, own + process + 1)
      }),
    ),
  )
})

describe("somebody whose turn has come and who is not dialled", () => {
  it.effect("counts by the reason, contacts and booked calls alike", () =>
    watched(
      Effect.fnUntraced(function* ({ lines, test, withheld }) {
        const suppressed = Effect.flatMap(Suppressions, (suppressions) =>
          suppressions.add(caller, [numberOf(0), numberOf(1)], {
            agent_id: null,
            campaign_id: null,
            reason: "opt_out",
            source: null,
            note: null,
            expires_at: null,
          }),
        )
        yield* test.world.run(suppressed)
        yield* test.create(contactsOf(3))
        yield* test.world.advance(hour)
        assert.deepStrictEqual(withheld(), { "contact suppressed": 2 })
        yield* test.world.place({ to_number: numberOf(9), scheduled_at: test.world.now + 5 * minute })
        yield* test.world.advance(minute)
        test.world.write({ put: "agent", row: { ...agent, status: "INACTIVE", revision: agent.revision + 1 } })
        yield* test.create(contactsOf(1, 20), { agent_id: agentId })
        yield* test.world.advance(10 * minute)
        assert.strictEqual(withheld()["booked agent"], 1)
        assert.isAbove(withheld()["contact agent"] ?? 0, 1)
        assert.deepStrictEqual(lines, [])
      }),
    ),
  )

  it.effect("counts by the reason where it is a direct call that is refused, or booked for a better hour", () =>
    watched(
      Effect.fnUntraced(function* ({ test: { world }, withheld }) {
        const place = (nth: number, changes: Partial<PlaceCall> = {}) =>
          Effect.andThen(world.place({ to_number: numberOf(nth), ...changes }), world.advance(0))
        const scope = { agent_id: null, campaign_id: null }
        const words = { reason: null, source: null, note: null, expires_at: null }
        yield* world.run(Effect.flatMap(Suppressions, (all) => all.add(caller, [numberOf(1)], { ...scope, ...words })))
        yield* place(1)
        yield* place(1, { scheduled_at: world.now + hour })
        const caps = { per_day: 1, per_week: null, per_thirty_days: null, minimum_rest_seconds: null }
        yield* world.run(Effect.flatMap(CallCapsSettings, (settings) => settings.set(caller, caps)))
        yield* place(2)
        yield* place(2)
        yield* world.run(Effect.flatMap(Dialling, (dialling) => dialling.hold("test")))
        yield* place(3)
        yield* world.run(Effect.flatMap(Dialling, (dialling) => dialling.release))
        world.changeOrganization({ concurrency: { organization: 1, per_agent: null, enforced: true } })
        yield* world.advance(minute)
        yield* place(4)
        yield* place(5)
        yield* world.advance(limits.directDialWaitMs)
        yield* world.advance(minute)
        yield* place(unreachable)
        const never = {
          enabled: true,
          timezone_column: null,
          elsewhere: { monday: [{ start: "01:00", end: "02:00" }] },
        }
        yield* world.run(Effect.flatMap(HoursSettings, (settings) => settings.set(caller, scope, never)))
        yield* place(6)
        world.write({ put: "agent", row: { ...agent, status: "INACTIVE", revision: agent.revision + 1 } })
        yield* place(7)
        // What is wrong in the request itself is no reason.
        yield* place(8, { agent_id: "agt_nobody" })
        assert.deepStrictEqual(withheld(), {
          "direct suppressed": 1,
          "booked suppressed": 1,
          "direct caps": 1,
          "direct held": 1,
          "direct lines": 1,
          "direct carrier": 1,
          "direct hours": 1,
          "direct agent": 1,
        })
      }),
    ),
  )
})
