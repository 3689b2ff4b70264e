import { CarillonClient, IdempotencyKey } from "@carillon/client/effect"
import { Console, Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"

const Carillon = CarillonClient.layer({
  baseUrl: process.env["CARILLON_URL"] ?? "http://127.0.0.1:4010",
  key: Redacted.make(process.env["CARILLON_KEY"] ?? ""),
}).pipe(Layer.provide(FetchHttpClient.layer))

const program = Effect.gen(function* () {
  const carillon = yield* CarillonClient
  const { data: agents } = yield* carillon.agents.list({ query: { page_size: 1 } })
  const agent_id = agents[0]?.agent_id ?? ""

  const placed = yield* carillon.calls.place({ payload: { agent_id, to_number: "+15555550100" } }).pipe(
    Effect.provideService(IdempotencyKey, "reminder-18"),
    Effect.tapErrorTag("InsufficientCredits", () => Console.error("The wallet is empty.")),
  )
  const call = yield* carillon.callEnd(placed.execution_id, { every: "500 millis" })

  const busy = yield* carillon.calls.list.stream({ query: { status: "busy" } }).pipe(Stream.runCount)
  yield* Console.log(call.status, call.duration_seconds, `and ${busy} were busy`)
  return call
})

export const call = await program.pipe(Effect.provide(Carillon), Effect.runPromise)
