// What the engine's webhooks do, in whatever runtime this file is started: it prints how each request went as one line of JSON.
import { AllowedDestinations } from "@carillon/core"
import { parseDestination, WebhookTransport } from "@carillon/core/ports"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Effect, Layer, Result } from "effect"

/** An endpoint of the test that answers 204, redirects at `/elsewhere`, and never answers at `/silent`. */
const endpoint = process.env["ENDPOINT"] ?? ""
const allowed = [`endpoint.test:${new URL(endpoint).port}`, "127.0.0.1/32"]

const send = (url: string) =>
  Effect.gen(function* () {
    const transport = yield* WebhookTransport
    const destination = Result.getOrThrow(parseDestination(url, allowed))
    const body = JSON.stringify({ event_type: "call_completed" })
    const headers = [["Content-Type", "application/json"]] as const
    return yield* transport.send({ destination, method: "POST", headers, body, timeoutMs: 1_000 })
  })

/** Two names: that of the endpoint, and one whose address is of a private network. */
const resolve = (hostname: string) => Promise.resolve([hostname === "private.example.com" ? "10.0.0.1" : "127.0.0.1"])

const answers = await Effect.gen(function* () {
  const byAddress = yield* send(endpoint)
  const again = yield* send(endpoint)
  const byName = yield* send(endpoint.replace("127.0.0.1", "endpoint.test"))
  const redirected = yield* send(`${endpoint}/elsewhere`)
  const inPrivate = yield* send("http://private.example.com/")
  const silent = yield* send(`${endpoint}/silent`)
  return { byAddress, again, byName, redirected, inPrivate, silent }
}).pipe(
  Effect.provide(nodeWebhookTransport({ resolve }).pipe(Layer.provide(Layer.succeed(AllowedDestinations, allowed)))),
  Effect.runPromise,
)

console.log(JSON.stringify(answers))
