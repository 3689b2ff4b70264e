// What a client does, in whatever runtime this file is started: it prints what came of each part as one line of JSON.
import { CarillonClient } from "@carillon/client/effect"
import { ApiError, createClient } from "@carillon/client/promise"
import { webhookVerifier } from "@carillon/client/webhooks"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"

const baseUrl = process.env["CARILLON_URL"] ?? ""
const key = process.env["CARILLON_KEY"] ?? ""
const agent_id = process.env["CARILLON_AGENT"] ?? ""

const control = async (method: string, path: string, body?: object) => {
  const response = await fetch(baseUrl + path, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  })
  return response.text()
}

const carillon = createClient({
  baseUrl,
  key,
  // The simulator's time stands still, and passes where the client waits.
  sleep: async (ms) => void (await control("POST", "/_sim/clock/advance", { by_ms: ms })),
})

const secret = "whsec_runtime"
await carillon.webhooks.create({
  payload: { callback_url: "https://runtime.inbox.test/", agent_id, secret, event_types: ["call_completed"] },
})

const placed = []
for (const last of [0, 1, 2]) {
  placed.push(await carillon.calls.place({ payload: { agent_id, to_number: `+1555555010${last}` } }))
}
const statuses: Array<string> = []
for (const { execution_id } of placed) statuses.push((await carillon.callEnd(execution_id)).status)

const walked: Array<string> = []
for await (const call of carillon.calls.list({ query: { page_size: 2 } })) walked.push(call.execution_id)

const refused = await carillon.calls.get({ params: { execution_id: "exec_of-nobody" } }).then(
  () => "found",
  (error: unknown) => (error instanceof ApiError ? [error.status, error.code] : String(error)),
)
const unreachable = await createClient({ baseUrl: "http://127.0.0.1:1", key, retries: 0 })
  .identity.me()
  .then(
    () => "answered",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  )

interface Received {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly received_at: string
}
const { data: received }: { readonly data: ReadonlyArray<Received> } = JSON.parse(
  await control("GET", "/_sim/inbox/runtime"),
)
const verified = received.map(({ body, headers, received_at }) => {
  const verify = webhookVerifier({ secrets: [secret], now: () => Date.parse(received_at) })
  const signature = headers["X-Service-Signature"]
  const genuine = verify({ body, signature })
  const bytes = verify({ body: new TextEncoder().encode(body), signature })
  const forged = verify({ body: body.replace("call_completed", "call_started"), signature })
  return [genuine.ok ? genuine.event.event_type : genuine.reason, bytes.ok, forged.ok ? "genuine" : forged.reason]
})

const inEffect = await Effect.gen(function* () {
  const client = yield* CarillonClient
  const me = yield* client.identity.me()
  const count = yield* client.calls.list.stream({ query: { page_size: 2 } }).pipe(Stream.runCount)
  const error = yield* client.calls.get({ params: { execution_id: "exec_of-nobody" } }).pipe(Effect.flip)
  return { organization: me.organization_id, count, error: error._tag }
}).pipe(
  Effect.provide(CarillonClient.layer({ baseUrl, key: Redacted.make(key) }).pipe(Layer.provide(FetchHttpClient.layer))),
  Effect.runPromise,
)

console.log(
  JSON.stringify({
    statuses,
    walked:
      walked.toSorted().join() ===
      placed
        .map(({ execution_id }) => execution_id)
        .toSorted()
        .join(),
    refused,
    unreachable,
    verified,
    inEffect,
  }),
)
