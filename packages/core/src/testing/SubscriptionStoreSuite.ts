import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Change } from "../engine/rules/Commit.ts"
import { Store } from "../engine/ports/Store.ts"
import { limits } from "../Limits.ts"
import type { Subscription } from "../webhooks/rules/Subscription.ts"
import { SubscriptionStore } from "../webhooks/ports/SubscriptionStore.ts"
import { refusalOf } from "./Refusals.ts"
import { fresh, sampleCommit, sampleEpoch, sampleSubscription } from "./Samples.ts"
import { walkLaw } from "./WalkLaw.ts"

const put = Effect.fnUntraced(function* (organizationId: string, ...changes: ReadonlyArray<Change>) {
  yield* (yield* Store).commit(sampleCommit(organizationId, { changes }))
})

/** Lays down what every adapter of `SubscriptionStore` must do. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | SubscriptionStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("finds and lists what belongs to an organization, newest first, and who listens to an agent", () =>
      Effect.gen(function* () {
        const subscriptions = yield* SubscriptionStore
        const [organizationId, other] = [fresh("org_"), fresh("org_")]
        const [agentA, agentB] = [fresh("agt_"), fresh("agt_")]
        const sample = (agentId: string | null, n: number) =>
          sampleSubscription(organizationId, agentId, { created_at: sampleEpoch + n })
        const [first, second, third, fallback] = [
          sample(agentA, 0),
          sample(agentB, 1),
          sample(agentA, 2),
          sample(null, 3),
        ]
        const rows = [first, second, third, fallback]
        for (const row of rows) yield* put(organizationId, { put: "subscription", row })
        const page = yield* subscriptions.page(organizationId, {}, { page: 1, page_size: 3 })
        assert.deepStrictEqual([page.items, page.total], [rows.toReversed().slice(0, 3), 4])
        const ofA = yield* subscriptions.page(organizationId, { agent_id: agentA }, { page: 1, page_size: 10 })
        assert.deepStrictEqual(ofA.items, [third, first])
        const heard = ({ enabled, event_types, revision, subscription_id }: Subscription) => ({
          subscription_id,
          revision,
          enabled,
          event_types,
        })
        assert.deepStrictEqual(yield* subscriptions.listeners(organizationId, agentA), {
          own: [first, third].map(heard),
          fallback: heard(fallback),
        })
        assert.deepStrictEqual(yield* subscriptions.fallback(organizationId), fallback)
        const id = first.subscription_id
        assert.deepStrictEqual(yield* subscriptions.find(organizationId, id), first)
        assert.isNull(yield* subscriptions.find(other, id))
        assert.deepStrictEqual(yield* subscriptions.listeners(other, agentA), { own: [], fallback: null })
      }),
    )

    it.effect("says what a listener is told of as it was written last, whatever else is in the row", () =>
      Effect.gen(function* () {
        const subscriptions = yield* SubscriptionStore
        const [organizationId, agentId] = [fresh("org_"), fresh("agt_")]
        const odd = {
          description: String.raw`,"enabled":false,"event_types":["call_ringing"] \u0000 \ud800` + "\u0000\ud800",
          headers: [
            ["x-a", '"enabled":false,"event_types":[]'],
            ["x-b", String.raw`\","enabled":false`],
            ["~x", '{"~":'],
          ],
        } as const
        const first = sampleSubscription(organizationId, agentId, {
          ...odd,
          event_types: ["call_started", "call_completed"],
        })
        const second = sampleSubscription(organizationId, agentId, { ...odd, enabled: false })
        for (const row of [first, second]) yield* put(organizationId, { put: "subscription", row })
        const told = Effect.map(subscriptions.listeners(organizationId, agentId), ({ own }) =>
          own.map(({ enabled, event_types, revision }) => [revision, enabled, event_types]),
        )
        const written = ({ enabled, event_types, revision }: Subscription) => [revision, enabled, event_types]
        assert.deepStrictEqual(yield* told, [first, second].map(written))
        const changed = { ...first, revision: 2, enabled: false, event_types: ["call_ringing"] } as const
        yield* put(organizationId, { put: "subscription", row: changed })
        assert.deepStrictEqual(yield* told, [changed, second].map(written))
        const page = yield* subscriptions.page(organizationId, {}, { page: 1, page_size: 10 })
        assert.deepStrictEqual(page.items, [second, changed])
      }),
    )

    it.effect("reads of a page its own rows, however large those beside it are, and no more than it may carry", () =>
      Effect.gen(function* () {
        const subscriptions = yield* SubscriptionStore
        const organizationId = fresh("org_")
        const large = Array.from({ length: 3 }, () =>
          sampleSubscription(organizationId, fresh("agt_"), { description: "x".repeat(limits.rowBytes - 4_096) }),
        )
        for (const row of large) yield* put(organizationId, { put: "subscription", row })
        const pages = (page: number) => subscriptions.page(organizationId, {}, { page, page_size: 1 })
        for (const [nth, row] of large.toReversed().entries()) {
          assert.deepStrictEqual(yield* pages(nth + 1), { items: [row], total: large.length })
        }
        assert.lengthOf((yield* subscriptions.page(organizationId, {}, { page: 1, page_size: 2 })).items, 2)
        const all = yield* refusalOf(subscriptions.page(organizationId, {}, { page: 1, page_size: 3 }))
        assert.deepInclude(all, { _tag: "InvalidField", field: "page_size" })
      }),
    )

    it.effect("is walked by ids: a row that is there all the while is met once, whatever goes and comes", () =>
      Effect.gen(function* () {
        const subscriptions = yield* SubscriptionStore
        yield* walkLaw({
          sample: (organizationId) => sampleSubscription(organizationId, "agt_walked"),
          idOf: ({ subscription_id }) => subscription_id,
          after: (organizationId) => (after, limit) => subscriptions.after(organizationId, after, limit),
          find: ({ organization_id, subscription_id }) => subscriptions.find(organization_id, subscription_id),
          put: (row) => put(row.organization_id, { put: "subscription", row }),
          remove: ({ organization_id, subscription_id: id }) =>
            put(organization_id, { put: "discard", organization_id, kind: "subscription", id }),
          renewed: (row) => ({ ...row, revision: row.revision + 1, secret: "whsec_renewed" }),
        })
      }),
    )

    it.effect("has one default for an organization, also when two come at once", () =>
      Effect.gen(function* () {
        const organizationId = fresh("org_")
        const create = put(organizationId, { put: "subscription", row: sampleSubscription(organizationId, null) })
        const another = put(organizationId, { put: "subscription", row: sampleSubscription(organizationId, null) })
        const exits = yield* Effect.all([Effect.exit(create), Effect.exit(another)], { concurrency: 2 })
        assert.deepStrictEqual(exits.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
        const subscriptions = yield* SubscriptionStore
        const fallback = yield* subscriptions.fallback(organizationId)
        assert.isNotNull(fallback)
        const removal = {
          put: "discard",
          organization_id: organizationId,
          kind: "subscription",
          id: fallback?.subscription_id ?? "",
        } as const
        yield* put(organizationId, removal)
        assert.isNull(yield* subscriptions.fallback(organizationId))
        yield* put(organizationId, { put: "subscription", row: sampleSubscription(organizationId, null) })
      }),
    )

    it.effect("keeps an endpoint's health from its attempts, whatever is put meanwhile", () =>
      Effect.gen(function* () {
        const subscriptions = yield* SubscriptionStore
        const organizationId = fresh("org_")
        const row = sampleSubscription(organizationId, fresh("agt_"))
        const { subscription_id } = row
        yield* put(organizationId, { put: "subscription", row })
        const attempt = (at: number, failed: boolean) =>
          put(organizationId, {
            put: "endpoint_attempt",
            organization_id: organizationId,
            subscription_id,
            at,
            failure: failed ? { at, http_status: 500, error_class: "http_error" } : null,
          })
        yield* attempt(1, true)
        yield* attempt(2, true)
        yield* put(organizationId, { put: "subscription", row: { ...row, revision: 2, enabled: false } })
        const health = Effect.map(subscriptions.find(organizationId, subscription_id), (found) => found?.health)
        const last_failure = { at: 2, http_status: 500, error_class: "http_error" } as const
        assert.deepStrictEqual(yield* health, { failing_since: 1, last_failure })
        yield* attempt(3, false)
        assert.deepStrictEqual(yield* health, { failing_since: null, last_failure })
      }),
    )
  })
