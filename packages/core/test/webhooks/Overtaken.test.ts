import { assert, describe, it } from "@effect/vitest"
import { type EventType, Subscriptions } from "@carillon/core"
import { Effect } from "effect"
import { agentId, caller, World } from "../../src/testing/world/World.ts"

const both = ["call_completed", "all_processing_completed"] as const
const acknowledged = { _tag: "Answered", http_status: 200 } as const

/** A call from its dial to its last event, told to endpoints of which each takes so long for the first word of its completion. */
const told = Effect.fnUntraced(function* (
  endpoints: Readonly<Record<string, { readonly types: ReadonlyArray<EventType>; readonly afterMs: number }>>,
) {
  const world = new World()
  const typeOf = (body: string): string => JSON.parse(body).event_type
  world.endpoints.react = ({ body, destination }, nth) => {
    const earlier = world.endpoints.received.slice(0, nth)
    const isAgain = earlier.some(
      ({ request }) => request.destination.hostname === destination.hostname && request.body === body,
    )
    const { afterMs = 0 } = endpoints[destination.hostname.split(".")[0] ?? ""] ?? {}
    return { answer: acknowledged, afterMs: typeOf(body) === "call_completed" && !isAgain ? afterMs : 0 }
  }
  yield* world.start()
  for (const [name, { types }] of Object.entries(endpoints)) {
    yield* world.run(
      Effect.flatMap(Subscriptions, (subscriptions) =>
        subscriptions.create(caller, {
          callback_url: `https://${name}.inbox.test/hook`,
          agent_id: agentId,
          secret: null,
          event_types: types,
        }),
      ),
    )
  }
  yield* world.place()
  yield* world.advance(10 * 60_000)
  return (name: string) =>
    world.endpoints.received
      .filter(({ request }) => request.destination.hostname.startsWith(name))
      .map(({ at, request }) => ({ at, type: typeOf(request.body) }))
})

// "`all_processing_completed` is sent once per call, after the call finished and processing completed"; it is the last of its call.
describe("the last event of a call, while another is still on its way", () => {
  it.effect("leaves once the other was answered, however late that is", () =>
    Effect.gen(function* () {
      const at = yield* told({ slow: { types: both, afterMs: 25_000 }, quick: { types: both, afterMs: 0 } })
      const [completed, last, ...more] = at("slow")
      assert.deepStrictEqual([completed?.type, last?.type, more], [...both, []])
      assert.isAtLeast(last?.at ?? 0, (completed?.at ?? Infinity) + 25_000)
      // Who takes its events at once does not wait for another endpoint.
      const [first, second] = at("quick")
      assert.deepStrictEqual([first?.type, second?.type], [...both])
      assert.isBelow(second?.at ?? Infinity, (completed?.at ?? 0) + 25_000)
    }).pipe(Effect.scoped),
  )

  it.effect("leaves once the other's first attempt has failed, and may be overtaken by no first attempt", () =>
    Effect.gen(function* () {
      const at = yield* told({ late: { types: both, afterMs: 40_000 } })
      const [completed, ...rest] = at("late")
      assert.strictEqual(completed?.type, "call_completed")
      assert.deepStrictEqual(
        rest.map(({ type }) => type).toSorted(),
        ["all_processing_completed", "call_completed"],
        "the last event once, and the other again",
      )
      for (const { at: later } of rest) assert.isAtLeast(later, (completed?.at ?? Infinity) + 30_000)
    }).pipe(Effect.scoped),
  )
})
