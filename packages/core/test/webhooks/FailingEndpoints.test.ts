import { assert, describe, it } from "@effect/vitest"
import { limits, metersLayer, type MetricRegistry, Subscriptions } from "@carillon/core"
import { metrics } from "@carillon/core/ports"
import { Context, Effect, Layer, Logger, Metric, References } from "effect"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"
import type { Reaction } from "../../src/testing/world/Endpoints.ts"

const url = "https://hooks.inbox.test/path-of-a-customer?token=secret-of-a-customer"
const minuteMs = 60_000
const callMs = 15_000

const answering = (http_status: number): Reaction => ({ answer: { _tag: "Answered", http_status } })
const hanging: Reaction = { answer: { _tag: "Answered", http_status: 200 }, afterMs: Infinity }

/** A world whose log and metrics can be read, with an endpoint. */
const watched = () => {
  const world = new World()
  const registry: MetricRegistry = new Map()
  const lines: Array<string> = []
  const logger = Logger.make(({ fiber, message }) => {
    const line = `${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`
    if (line.includes("webhooks")) lines.push(line)
  })
  const surroundings = Layer.merge(metersLayer(registry), Logger.layer([logger]))
  const metric = (name: string): unknown =>
    Object(Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).find(({ id }) => id === name)?.state)
  const failing = () => Object(metric(metrics.endpointsFailing.name)).value
  const age = () => Object(metric(metrics.endpointsFailingAge.name)).value
  const givenUp = () => Object(metric(metrics.deliveriesGivenUp.name)).count
  return { age, failing, givenUp, lines, surroundings, world }
}

const withEndpoint = (
  play: (given: ReturnType<typeof watched>, subscriptionId: string) => Effect.Effect<void, unknown>,
) =>
  Effect.gen(function* () {
    const given = watched()
    const { surroundings, world } = given
    yield* Effect.gen(function* () {
      yield* world.start()
      const { subscription_id } = yield* world.run(
        Effect.flatMap(Subscriptions, (subscriptions) =>
          subscriptions.create(caller, { callback_url: url, agent_id: agentId, event_types: ["call_ringing"] }),
        ),
      )
      yield* play(given, subscription_id)
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  })

describe("an endpoint that takes no webhooks", () => {
  for (const [name, reaction, cause] of [
    ["refuses", answering(503), "The endpoint answered 503."],
    ["hangs", hanging, "The endpoint did not answer in time."],
  ] as const) {
    it.effect(`and ${name} shows within a minute, to its operator and to its customer`, () =>
      withEndpoint(
        Effect.fnUntraced(function* ({ age, failing, givenUp, lines, world }, subscriptionId) {
          world.endpoints.react = () => reaction
          yield* world.place({ to_number: "+15555550101" })
          assert.strictEqual(failing(), 0)
          yield* world.advance(minuteMs)
          assert.lengthOf(lines, 1)
          assert.include(lines[0], `hooks.inbox.test takes no webhooks. ${cause}`)
          assert.include(lines[0], `"organization_id":"${organizationId}"`)
          assert.include(lines[0], `"subscription_id":"${subscriptionId}"`)
          assert.notInclude(lines[0], "of-a-customer")
          assert.strictEqual(failing(), 1)
          assert.isAbove(age(), 0)
          const { health } = yield* world.run(
            Effect.flatMap(Subscriptions, (all) => all.find(organizationId, subscriptionId)),
          )
          assert.isNotNull(health.failing_since)
          assert.isNotNull(health.last_failure)
          // All four attempts fail; more of them are no further lines.
          assert.strictEqual(givenUp(), 0)
          yield* world.advance(2 * minuteMs)
          assert.strictEqual(givenUp(), 1)
          assert.lengthOf(lines, 1)
          // To whom nothing is sent, of that nobody knows whether it fails.
          yield* world.advance(limits.webhookFailingKnownMs)
          assert.strictEqual(failing(), 0)
          assert.strictEqual(age(), 0)
          world.endpoints.react = () => answering(204)
          yield* world.place({ to_number: "+15555550102" })
          yield* world.advance(callMs)
          assert.lengthOf(lines, 2)
          assert.match(
            lines[1] ?? "",
            /hooks\.inbox\.test takes webhooks again, after \d+\.\d s: [34] attempts had failed\./,
          )
          assert.strictEqual(failing(), 0)
        }),
      ),
    )
  }

  it.effect("is none that refuses one attempt and takes the next", () =>
    withEndpoint(
      Effect.fnUntraced(function* ({ failing, givenUp, lines, world }) {
        world.endpoints.react = (_, nth) => answering(nth % 2 === 0 ? 500 : 200)
        for (const to_number of ["+15555550101", "+15555550102", "+15555550103"]) {
          yield* world.place({ to_number })
          yield* world.advance(minuteMs)
        }
        assert.deepStrictEqual(lines, [])
        assert.strictEqual(failing(), 0)
        assert.strictEqual(givenUp(), 0)
      }),
    ),
  )
})
