import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { type AuditRecord, verifyChain } from "../audit/rules/AuditChain.ts"
import { type AuditFilter, AuditStore } from "../audit/ports/AuditStore.ts"
import { Store } from "../engine/ports/Store.ts"
import { law } from "./Law.ts"
import { fresh, sampleAudit, sampleCall, sampleCommit, sampleEpoch } from "./Samples.ts"

const trailOf = Effect.fnUntraced(function* (organizationId: string, limit: number) {
  const trail = yield* AuditStore
  const records: Array<AuditRecord> = []
  for (;;) {
    const page = yield* trail.after(organizationId, records.at(-1)?.sequence ?? 0, limit)
    assert.isAtMost(page.length, limit)
    records.push(...page)
    if (page.length < limit) return records
  }
})

const assertChain = (records: ReadonlyArray<AuditRecord>, eventIds: ReadonlyArray<string>) => {
  const { reason, checked } = verifyChain(records)
  assert.deepStrictEqual({ reason, checked }, { reason: null, checked: eventIds.length })
  assert.deepStrictEqual(
    records.map((record) => record.sequence),
    eventIds.map((_, index) => index + 1),
  )
  assert.deepStrictEqual(records.map((record) => record.event_id).toSorted(), eventIds.toSorted())
}

/** Lays down what every adapter of `AuditStore` must do. Records are appended by commits. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | AuditStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("keeps one chain per organization that verifies, in commit order, however it is paged", () =>
      law(
        fc.record({
          commits: fc.array(fc.record({ organization: fc.nat(1), entries: fc.integer({ min: 1, max: 3 }) }), {
            maxLength: 8,
          }),
          limit: fc.integer({ min: 1, max: 5 }),
        }),
        Effect.fnUntraced(function* ({ commits, limit }) {
          const store = yield* Store
          const organizations = [fresh("org_"), fresh("org_")]
          const written = new Map(organizations.map((id): [string, Array<string>] => [id, []]))
          for (const { organization, entries } of commits) {
            const organizationId = organizations[organization]
            assert(organizationId !== undefined)
            const audit = Array.from({ length: entries }, () => sampleAudit(organizationId))
            yield* store.commit(sampleCommit(organizationId, { audit }))
            written.get(organizationId)?.push(...audit.map((entry) => entry.event_id))
          }
          for (const [organizationId, eventIds] of written) {
            const records = yield* trailOf(organizationId, limit)
            assertChain(records, eventIds)
            assert.deepStrictEqual(
              records.map((record) => record.event_id),
              eventIds,
            )
          }
        }),
        { numRuns: 25 },
      ),
    )

    it.effect("stays one chain without gaps under commits that come at once, refused ones leaving nothing", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const entries = Array.from({ length: 20 }, () => sampleAudit(organizationId))
        const refused = sampleCall(organizationId, { revision: 5 })
        const commits = entries.flatMap((entry) => [
          store.commit(sampleCommit(organizationId, { audit: [entry] })),
          Effect.ignore(
            store.commit(
              sampleCommit(organizationId, {
                changes: [{ put: "call", row: refused }],
                audit: [sampleAudit(organizationId)],
              }),
            ),
          ),
        ])
        yield* Effect.all(commits, { concurrency: commits.length })
        const eventIds = entries.map((entry) => entry.event_id)
        assertChain(yield* trailOf(organizationId, 7), eventIds)
      }),
    )

    it.effect("stores every field as it was recorded", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const entry = sampleAudit(organizationId, {
          actor: { type: "system", key_id: null },
          action: "scope.denied",
          resource: { type: "route", id: null },
          outcome: "denied",
          error_code: 1102,
          http_status: 403,
          request_id: null,
          details: { scope: "calls:write", nested: { list: [1, "zwei", null, true, 0.5] } },
        })
        yield* store.commit(sampleCommit(organizationId, { audit: [entry] }))
        const [record, ...others] = yield* trailOf(organizationId, 10)
        const { created_at: _, ...fields } = entry
        assert.deepInclude(record, fields)
        assert.strictEqual(record?.created_at, "2026-01-05T09:00:00.000Z")
        assert.isEmpty(others)
      }),
    )

    it.effect("lists what a filter asks for, newest first, and finds one record, of its own organization alone", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const trail = yield* AuditStore
        const [organizationId, other] = [fresh("org_"), fresh("org_")]
        const entries = Array.from({ length: 6 }, (_, n) =>
          sampleAudit(organizationId, {
            action: n % 2 === 0 ? "call.create" : "call.stop",
            actor: { type: "api_key", key_id: n < 3 ? "key_a" : "key_b" },
            resource: { type: "call", id: `exec_${n}` },
            outcome: n === 5 ? "denied" : "allowed",
            created_at: sampleEpoch + n,
          }),
        )
        yield* store.commit(sampleCommit(organizationId, { audit: entries }))
        const idsOf = Effect.fnUntraced(function* (filter: AuditFilter, page = 1, page_size = 10) {
          const { items, total } = yield* trail.page(organizationId, filter, { page, page_size })
          return [items.map((record) => record.resource.id?.slice(-1)).join(""), total]
        })
        assert.deepStrictEqual(yield* idsOf({}), ["543210", 6])
        assert.deepStrictEqual(yield* idsOf({}, 2, 4), ["10", 6])
        assert.deepStrictEqual(yield* idsOf({ action: "call.stop" }), ["531", 3])
        assert.deepStrictEqual(yield* idsOf({ actor: "key_a", resource_type: "call" }), ["210", 3])
        assert.deepStrictEqual(yield* idsOf({ resource_id: "exec_4" }), ["4", 1])
        assert.deepStrictEqual(yield* idsOf({ outcome: "denied" }), ["5", 1])
        assert.deepStrictEqual(yield* idsOf({ from_date: sampleEpoch + 2, to_date: sampleEpoch + 3 }), ["32", 2])
        const eventId = entries[2]?.event_id ?? ""
        assert.strictEqual((yield* trail.find(organizationId, eventId))?.sequence, 3)
        assert.isNull(yield* trail.find(other, eventId))
        assert.isNull(yield* trail.find(organizationId, fresh("aud_")))
        assert.strictEqual((yield* trail.page(other, {}, { page: 1, page_size: 10 })).total, 0)
      }),
    )
  })
