import { assert, describe, it } from "@effect/vitest"
import { limits, Subscriptions, WebhookTests } from "@carillon/core"
import { Effect, Exit, Fiber } from "effect"
import { sampleCaller } from "../../src/testing/Samples.ts"
import { agentId, caller, World } from "../../src/testing/world/World.ts"

const neighbour = sampleCaller("org_neighbour", { key_id: "key_neighbour" })

const test = { subscription_id: null, event_type: null, agent_id: null, method_type: null, headers: null, secret: null }

/** A world in which some endpoints never answer. */
const started = Effect.gen(function* () {
  const world = new World()
  world.endpoints.react = ({ destination }) => ({
    answer: { _tag: "Answered", http_status: 200 },
    afterMs: destination.host.startsWith("hanging") ? Infinity : 0,
  })
  yield* world.start()
  const tests = world.service(WebhookTests)
  const send = (of: typeof caller, host: string) =>
    world.admit(tests.send(of, { ...test, callback_url: `https://${host}.inbox.test/` }))
  return { world, send }
})

const sentTo = (world: World, part: string): number =>
  world.endpoints.received.filter(({ request }) => request.destination.host.startsWith(part)).length

describe("tests of webhooks", () => {
  it.effect("have so many places of an organization, and are refused beyond them until one answers or gives up", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { send, world } = yield* started
        const most = limits.webhookEndpointInFlight
        const sent = yield* Effect.forEach(
          Array.from({ length: 300 }, (_, nth) => nth),
          (nth) => send(caller, `hanging${nth}`),
        )
        yield* world.advance(0)
        assert.strictEqual(sentTo(world, "hanging"), most)
        const refused = yield* send(caller, "good")
        yield* world.advance(0)
        const answers = yield* Effect.forEach([...sent.slice(most), refused], (fiber) => Fiber.join(fiber))
        for (const answer of answers) {
          assert(Exit.isFailure(answer))
          assert.include(String(answer.cause), "LimitExceeded")
        }
        // Whoever is beside it is sent at once.
        const beside = yield* send(neighbour, "neighbours")
        yield* world.advance(0)
        const answer = yield* Fiber.join(beside)
        assert(Exit.isSuccess(answer))
        assert.strictEqual(answer.value.delivered, true)
        yield* world.advance(limits.webhookTestMs)
        const again = yield* send(caller, "good")
        yield* world.advance(0)
        assert.isTrue(Exit.isSuccess(yield* Fiber.join(again)))
        for (const fiber of sent.slice(0, most)) {
          const timedOut = yield* Fiber.join(fiber)
          assert(Exit.isSuccess(timedOut))
          assert.strictEqual(timedOut.value.error_class, "timeout")
        }
      }),
    ),
  )

  it.effect("hold up no delivery, of their own organization either", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { send, world } = yield* started
        const subscriptions = world.service(Subscriptions)
        const created = { callback_url: "https://deliveries.inbox.test/", agent_id: agentId }
        yield* world.run(subscriptions.create(caller, created))
        for (let nth = 0; nth < 300; nth++) yield* send(caller, "hanging")
        yield* world.placed()
        yield* world.advance(limits.webhookTestMs - 1)
        assert.isAtMost(sentTo(world, "hanging"), limits.webhookEndpointInFlight)
        yield* world.advance(60_000)
        assert.strictEqual(sentTo(world, "deliveries"), 1)
      }),
    ),
  )
})
