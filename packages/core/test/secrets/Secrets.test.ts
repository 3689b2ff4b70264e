import { assert, describe, it } from "@effect/vitest"
import {
  limits,
  Organizations,
  plainSecrets,
  Providers,
  Resealing,
  type SecretsShape,
  Subscriptions,
  WebhookTests,
} from "@carillon/core"
import { WebhookSignature } from "@carillon/core/domain"
import { isSealed } from "../../src/secrets/rules/SealedText.ts"
import { Effect, Logger, Result } from "effect"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { fresh, sampleProvider, sampleSubscription } from "../../src/testing/Samples.ts"
import type { Change } from "../../src/engine/rules/Commit.ts"
import { suite } from "../../src/testing/SecretsSuite.ts"
import { restart } from "../../src/testing/world/Plans.ts"
import { testSecrets } from "../../src/testing/world/Seals.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

suite("secrets that lie as they are", () => plainSecrets, { seals: false })
suite("secrets of the tests", testSecrets)

const planted = {
  own: "whsec_of-its-own",
  organizations: "whsec_of-all",
  header: "Bearer very-secret",
  value: "sk-provider-0123456789",
}

/** Secrets that let something happen before each sealing. */
const interrupted = (secrets: SecretsShape, happen: () => void): SecretsShape => ({
  ...secrets,
  seal: (text, place) => Effect.andThen(Effect.sync(happen), secrets.seal(text, place)),
})

/** Secrets whose keys change while the world goes on. */
const changeable = (first: SecretsShape) => {
  let current = first
  const secrets: SecretsShape = {
    seal: (text, place) => Effect.suspend(() => current.seal(text, place)),
    open: (sealed, place) => Effect.suspend(() => current.open(sealed, place)),
    isCurrent: (sealed) => current.isCurrent(sealed),
  }
  return { secrets, become: (next: SecretsShape) => (current = next) }
}

const url = "https://93.184.216.34/hook"

/** A world with each kind of secret in it. */
const furnished = Effect.fnUntraced(function* (secrets: SecretsShape) {
  const world = new World({ secrets })
  yield* world.start()
  const { subscription_id } = yield* world.run(
    Effect.flatMap(Subscriptions, (all) =>
      all.create(caller, {
        callback_url: url,
        agent_id: agentId,
        secret: planted.own,
        headers: { Authorization: planted.header },
        event_types: ["call_completed"],
      }),
    ),
  )
  yield* world.run(
    Effect.flatMap(Organizations, (all) => all.change(organizationId, { webhook_secret: planted.organizations })),
  )
  yield* world.run(
    Effect.flatMap(Providers, (all) => all.add(caller, { provider_name: "voice", provider_value: planted.value })),
  )
  return { world, subscription_id }
})

const rowsOf = (world: World) => JSON.stringify(world.commits)

const called = Effect.fnUntraced(function* (world: World) {
  yield* world.placed()
  yield* world.advance(120_000)
})

const assertSigned = (world: World, secret: string) => {
  const last = world.endpoints.received.at(-1)
  assert.isDefined(last)
  const headers = new Map(last.request.headers)
  assert.strictEqual(headers.get("Authorization"), planted.header)
  const nowSeconds = Math.floor(last.at / 1_000)
  const received = { header: headers.get("X-Service-Signature") ?? "", body: last.request.body, nowSeconds }
  assert.isTrue(WebhookSignature.verify({ ...received, secrets: [secret] }).ok)
}

describe("what a customer keeps secret", () => {
  it.effect("lies sealed in every row that is written, and signs as before", () =>
    Effect.gen(function* () {
      const { world } = yield* furnished(testSecrets(["one"]))
      yield* called(world)
      assertSigned(world, planted.own)
      for (const secret of Object.values(planted)) assert.notInclude(rowsOf(world), secret)
      assert.strictEqual(
        yield* world.run(Effect.flatMap(Providers, (all) => all.value(organizationId, "voice"))),
        planted.value,
      )
    }),
  )

  it.effect("lies there as it is without keys, which is what earlier releases did", () =>
    Effect.gen(function* () {
      const { world } = yield* furnished(plainSecrets)
      yield* called(world)
      assertSigned(world, planted.own)
      for (const secret of Object.values(planted)) assert.include(rowsOf(world), secret)
    }),
  )

  it.effect("stays as it was where a change does not name it, and is sealed where it does", () =>
    Effect.gen(function* () {
      const { subscription_id, world } = yield* furnished(testSecrets(["one"]))
      const row = () => world.tables.subscriptions.get(subscription_id)
      const before = row()
      const patch = (body: object) =>
        world.run(Effect.flatMap(Subscriptions, (all) => all.patch(caller, subscription_id, body)))
      yield* patch({ description: "Renamed" })
      assert.deepStrictEqual([row()?.secret, row()?.headers], [before?.secret, before?.headers])
      yield* patch({ secret: "whsec_another", headers: { "X-Token": "token-another" } })
      assert.notInclude(rowsOf(world), 'another"')
      yield* patch({ headers: { Authorization: planted.header } })
      yield* called(world)
      assertSigned(world, "whsec_another")
      yield* patch({ secret: null })
      yield* called(world)
      assertSigned(world, planted.organizations)
      yield* world.run(
        Effect.flatMap(Organizations, (all) => all.change(organizationId, (organization) => ({ ...organization }))),
      )
      yield* called(world)
      assertSigned(world, planted.organizations)
    }),
  )

  it.effect("opens in no other row, wherever somebody moves it", () =>
    Effect.gen(function* () {
      const { subscription_id, world } = yield* furnished(testSecrets(["one"]))
      const row = world.tables.subscriptions.get(subscription_id)
      const organization = world.tables.organizations.get(organizationId)
      assert.isDefined(row)
      assert.isDefined(organization)
      const { revision } = row
      world.write({ put: "subscription", row: { ...row, revision: revision + 1, secret: organization.webhook_secret } })
      yield* called(world)
      assert.isEmpty(world.endpoints.received)
    }),
  )
})

describe("a key that is missing", () => {
  it.effect("holds deliveries until it is there: none is lost, signed with another, or sent without", () =>
    Effect.gen(function* () {
      const { become, secrets } = changeable(testSecrets(["one"]))
      const { subscription_id, world } = yield* furnished(secrets)
      const lines: Array<string> = []
      const listening = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      const heard = <A>(effect: Effect.Effect<A>) => Effect.provide(effect, Logger.layer([listening]))
      become(testSecrets(["two"]))
      yield* restart(world)
      yield* called(world).pipe(Effect.orDie, heard)
      yield* heard(world.advance(2 * limits.unreadableSecretsMs))
      assert.isEmpty(world.endpoints.received)
      const told = lines.filter((line) => line.includes("cannot be read"))
      assert.isNotEmpty(told)
      assert.isAtMost(told.length, 6)
      assert.include(told[0], "Error")
      assert.include(told[0], subscription_id)
      assert.include(told[0], "'one'")
      for (const secret of Object.values(planted)) assert.notInclude(lines.join("\n"), secret)
      become(testSecrets(["two", "one"]))
      yield* world.advance(limits.webhookUnreadableLookMs)
      assert.lengthOf(world.endpoints.received, 1)
      assertSigned(world, planted.own)
    }),
  )

  it.effect("refuses a test of the webhook as away, and names the key to the host that asks for a value", () =>
    Effect.gen(function* () {
      const { become, secrets } = changeable(testSecrets(["one"]))
      const { subscription_id, world } = yield* furnished(secrets)
      become(testSecrets(["two"]))
      const nothing = {
        callback_url: null,
        event_type: null,
        agent_id: null,
        method_type: null,
        headers: null,
        secret: null,
      }
      const test = world.run(Effect.flatMap(WebhookTests, (all) => all.send(caller, { ...nothing, subscription_id })))
      const refused = yield* Effect.result(test)
      assert.deepInclude(Result.isFailure(refused) ? refused.failure : {}, { _tag: "DependencyUnavailable" })
      const asked = world.run(Effect.flatMap(Providers, (all) => all.value(organizationId, "voice")))
      const value = yield* Effect.result(asked)
      assert.deepInclude(Result.isFailure(value) ? value.failure : {}, { _tag: "SecretUnreadable", key_id: "one" })
      const { items } = yield* world.run(
        Effect.flatMap(Providers, (all) => all.page(organizationId, { page: 1, page_size: 10 })),
      )
      assert.lengthOf(items, 1)
    }),
  )
})

describe("keys that turn", () => {
  const walk = (world: World) => world.run(Effect.flatMap(Resealing, (all) => all.walk))

  it.effect("bring every secret under the first key, also what lay there as it was", () =>
    Effect.gen(function* () {
      const { become, secrets } = changeable(plainSecrets)
      const { subscription_id, world } = yield* furnished(secrets)
      become(testSecrets(["one"]))
      assert.deepStrictEqual(yield* walk(world), { secrets: 4, resealed: 4, unreadable: 0 })
      assert.deepStrictEqual(yield* walk(world), { secrets: 4, resealed: 0, unreadable: 0 })
      become(testSecrets(["two", "one"]))
      assert.deepStrictEqual(yield* walk(world), { secrets: 4, resealed: 4, unreadable: 0 })
      become(testSecrets(["two"]))
      const row = world.tables.subscriptions.get(subscription_id)
      assert.isTrue(isSealed(row?.secret ?? ""))
      yield* called(world)
      assertSigned(world, planted.own)
      assert.strictEqual(
        yield* world.run(Effect.flatMap(Providers, (all) => all.value(organizationId, "voice"))),
        planted.value,
      )
    }),
  )

  /** Rows of each kind: two pages and some more. */
  const many = 2 * limits.resealRows + 3
  /** What happens to the rows before a secret is sealed: one of them goes, or another comes. */
  const happening = fc.record({
    kind: fc.constantFrom("subscription" as const, "provider" as const),
    goes: fc.boolean(),
    nth: fc.nat(many - 1),
  })
  type Happening = typeof happening extends fc.Arbitrary<infer A> ? A : never

  const changesOf = (
    world: World,
    { goes, kind }: Happening,
    subscriptionId = "",
    providerId = "",
  ): ReadonlyArray<Change> => {
    const ours = { organization_id: organizationId }
    if (kind === "subscription") {
      if (goes) return [{ ...ours, put: "discard", kind, id: subscriptionId }]
      return [{ put: kind, row: sampleSubscription(organizationId, "agt_sample", { secret: null, headers: [] }) }]
    }
    if (!goes) {
      const row = sampleProvider(organizationId, { provider_name: fresh("voice "), provider_value: "" })
      return [{ put: kind, row }]
    }
    const row = world.tables.providers.get(providerId)
    return row === undefined ? [] : [{ ...ours, put: "removal", kind, id: providerId, revision: row.revision }]
  }

  it.effect("bring every secret that stays under the first key, whatever rows go and come meanwhile", () =>
    law(
      fc.array(happening, { minLength: 1, maxLength: many }),
      Effect.fnUntraced(function* (happenings) {
        const { become, secrets } = changeable(plainSecrets)
        const world = new World({ secrets })
        yield* world.start()
        const subscriptions = Array.from({ length: many }, (_, n) => sampleSubscription(organizationId, `agt_${n}`))
        const providers = Array.from({ length: many }, () =>
          sampleProvider(organizationId, { provider_name: fresh("voice ") }),
        )
        for (const row of subscriptions) world.write({ put: "subscription", row })
        for (const row of providers) world.write({ put: "provider", row })
        const waiting = [...happenings]
        const happen = () => {
          const next = waiting.shift()
          if (next === undefined) return
          world.write(
            ...changesOf(world, next, subscriptions[next.nth]?.subscription_id, providers[next.nth]?.provider_id),
          )
        }
        const first = testSecrets(["one"])
        become(interrupted(first, happen))
        yield* walk(world)
        for (const { subscription_id } of subscriptions) {
          const row = world.tables.subscriptions.get(subscription_id)
          for (const text of row === undefined ? [] : [row.secret ?? "", ...row.headers.map(([, value]) => value)]) {
            assert.isTrue(first.isCurrent(text), subscription_id)
          }
        }
        for (const { provider_id } of providers) {
          const row = world.tables.providers.get(provider_id)
          assert.isTrue(row === undefined || first.isCurrent(row.provider_value), provider_id)
        }
      }),
      { numRuns: 30 },
    ),
  )

  it.effect("leave as it is what does not open, and count it", () =>
    Effect.gen(function* () {
      const { become, secrets } = changeable(testSecrets(["one"]))
      const { world } = yield* furnished(secrets)
      become(testSecrets(["two"]))
      const before = world.commits.length
      assert.deepStrictEqual(yield* walk(world), { secrets: 4, resealed: 0, unreadable: 4 })
      assert.lengthOf(world.commits, before)
    }),
  )
})
