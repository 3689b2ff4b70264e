import { assert, it } from "@effect/vitest"
import { limits, Subscriptions, WebhookTests } from "@carillon/core"
import { Effect } from "effect"
import { agentId, caller, World } from "../../src/testing/world/World.ts"

const url = "https://93.184.216.34/hook"

/** So many headers whose names and values have so many bytes together. */
const headersOf = (bytes: number): Readonly<Record<string, string>> => {
  const { count } = limits.webhookHeaders
  const headers: Record<string, string> = {}
  for (let nth = 0; nth < count; nth++) {
    const name = `x-${String(nth).padStart(2, "0")}`
    const share = Math.floor(bytes / count) + (nth < bytes % count ? 1 : 0)
    headers[name] = "é".repeat(share - name.length)
  }
  return headers
}

it.effect("a subscription and a test have headers up to the bytes that all may have together, and not one more", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const most = headersOf(limits.webhookHeaders.bytes)
      const larger = headersOf(limits.webhookHeaders.bytes + 1)
      const subscriptions = yield* world.run(Subscriptions)
      const tests = yield* world.run(WebhookTests)
      const create = (headers: Readonly<Record<string, string>>) =>
        subscriptions.create(caller, { callback_url: url, agent_id: agentId, headers })
      const { subscription_id } = yield* world.run(create(most))
      const test = { event_type: null, agent_id: null, method_type: null, secret: null }
      const others = (headers: Readonly<Record<string, string>>) => [
        Effect.asVoid(create(headers)),
        Effect.asVoid(subscriptions.patch(caller, subscription_id, { headers })),
        Effect.asVoid(tests.send(caller, { ...test, callback_url: url, subscription_id: null, headers })),
      ]
      for (const taken of others(most)) yield* world.run(taken)
      for (const tried of others(larger)) {
        const refused = yield* world.run(Effect.flip(tried))
        assert(refused._tag === "InvalidField")
        assert.strictEqual(refused.field, "headers")
        assert.include(refused.reason, `${limits.webhookHeaders.bytes} bytes`)
      }
    }),
  ),
)
