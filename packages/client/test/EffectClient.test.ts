import type { Conflict, InsufficientCredits, NotFound } from "@carillon/api"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { assert, describe, expectTypeOf, it } from "vitest"
import { CarillonClient, type ClientFailure, type EffectClient, IdempotencyKey } from "../src/effect.ts"
import { type Flaky, flaky } from "./Flaky.ts"

const clientOf = ({ fetch, simulator }: Flaky) => {
  const send: typeof globalThis.fetch = (input, init) => fetch(new Request(input, init))
  return CarillonClient.layer({ baseUrl: "http://carillon.test", key: Redacted.make(simulator.info.key) }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(Layer.succeed(FetchHttpClient.Fetch, send)),
  )
}

describe("a client in Effect", () => {
  it("takes each run of an effect for a deed of its own, unless it is given the key of one", async () => {
    await using world = await flaky()
    const { agent_id } = world.simulator.info
    const place = CarillonClient.use((client) =>
      client.calls.place({ payload: { agent_id, to_number: "+999000100000001" } }),
    )
    const keyed = Effect.provideService(place, IdempotencyKey, "order-17")
    const placed = await Effect.all([place, place, keyed, keyed]).pipe(
      Effect.provide(clientOf(world)),
      Effect.runPromise,
    )
    const ids = placed.map(({ execution_id }) => execution_id)
    assert.lengthOf(new Set(ids), 3)
    assert.strictEqual(ids[2], ids[3])
  })

  it("has the errors of each operation in its type, and streams where there are pages", () => {
    type Errors<Ask extends (...args: never) => Effect.Effect<unknown, unknown>> = Effect.Error<ReturnType<Ask>>
    expectTypeOf<InsufficientCredits | Conflict | NotFound | ClientFailure>().toExtend<
      Errors<EffectClient["calls"]["place"]>
    >()
    expectTypeOf<InsufficientCredits>().not.toExtend<Errors<EffectClient["calls"]["get"]>>()
    expectTypeOf<Conflict>().not.toExtend<Errors<EffectClient["calls"]["get"]>>()
    expectTypeOf<EffectClient["calls"]["list"]>().toHaveProperty("stream")
    expectTypeOf<EffectClient["calls"]["get"]>().not.toHaveProperty("stream")
  })
})
