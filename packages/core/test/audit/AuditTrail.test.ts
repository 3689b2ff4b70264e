import { assert, describe, it } from "@effect/vitest"
import { AuditTrail, limits } from "@carillon/core"
import { Activity, Pacing, Pieces } from "@carillon/core/ports"
import { Effect, Layer } from "effect"
import { append, type AuditRecord, emptyChain, headOf } from "../../src/audit/rules/AuditChain.ts"
import { AuditStore } from "../../src/audit/ports/AuditStore.ts"

const organization_id = "org_1"

const chainOf = (count: number): ReadonlyArray<AuditRecord> => {
  let head = emptyChain
  return Array.from({ length: count }, (_, nth) => {
    const record = append(head, {
      event_id: `aud_${nth}`,
      organization_id,
      actor: { type: "system", key_id: null },
      action: "call.create",
      resource: { type: "call", id: null },
      outcome: "allowed",
      error_code: null,
      http_status: null,
      request_id: null,
      details: {},
      created_at: 1_767_603_600_000,
    })
    head = headOf(record)
    return record
  })
}

describe("an audit trail", () => {
  it.effect("is verified a page at a time, each in a turn of its own", () =>
    Effect.gen(function* () {
      for (const count of [0, 1, limits.auditPage, 3 * limits.auditPage + 7]) {
        const chain = chainOf(count)
        /** What is done in each turn, as far as the reads tell. */
        const done: Array<string> = []
        const store = Layer.mock(AuditStore)({
          origin: () => Effect.succeed(emptyChain),
          after: (_, sequence, limit) =>
            Effect.sync(() => {
              const records = chain.slice(sequence, sequence + limit)
              done.push(`read ${records.length}`)
              return records
            }),
        })
        const report = yield* Effect.flatMap(AuditTrail, (trail) => trail.verify(organization_id, {})).pipe(
          Effect.provide(AuditTrail.layer.pipe(Layer.provide([store, Pieces.layer]), Layer.provide(Activity.layer))),
          Effect.provideService(
            Pacing,
            Effect.sync(() => void done.push("turn")),
          ),
        )
        assert.isTrue(report.valid)
        assert.strictEqual(report.checked, count)
        const sizes = Array.from({ length: Math.floor(count / limits.auditPage) }, () => limits.auditPage)
        assert.deepStrictEqual(
          done,
          [...sizes, count % limits.auditPage].flatMap((size) => [`read ${size}`, "turn"]),
        )
      }
    }),
  )
})
