import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Contact, contactId } from "../contacts/rules/Contact.ts"
import { dialled, untouched } from "../contacts/rules/ContactProgress.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { LaneStore } from "../dispatch/ports/LaneStore.ts"
import type { Change } from "../engine/rules/Commit.ts"
import { Store } from "../engine/ports/Store.ts"
import {
  fresh,
  sampleAgent,
  sampleBatch,
  sampleCall,
  sampleCampaign,
  sampleCommit,
  sampleOrganization,
} from "./Samples.ts"

/** Lays down what every adapter of `LaneStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | ContactStore | LaneStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("tells which lanes changed since it was last asked, and only those", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const lanes = yield* LaneStore
        const contacts = yield* ContactStore
        const organizationId = fresh("org_")
        let sequence = 0
        const changed = Effect.gen(function* () {
          const news = yield* lanes.changed(organizationId, sequence)
          sequence = news.sequence
          return new Set(news.lanes)
        })
        const write = (...changes: ReadonlyArray<Change>) => store.commit(sampleCommit(organizationId, { changes }))
        assert.isFalse(yield* lanes.any(organizationId))
        assert.deepStrictEqual(yield* changed, new Set())
        const campaign = sampleCampaign(organizationId)
        const { campaign_id } = campaign
        const batch = sampleBatch(organizationId, { campaign_id })
        const alone = sampleBatch(organizationId)
        yield* contacts.fill(batch.batch_id, 0, [{ to_number: "+15550001111", variables: {} }])
        yield* write({ put: "campaign", row: campaign }, { put: "batch", row: batch })
        assert.deepStrictEqual(yield* changed, new Set([campaign_id]))
        yield* write({ put: "batch", row: alone })
        assert.deepStrictEqual(yield* changed, new Set([alone.batch_id]))
        assert.deepStrictEqual(yield* changed, new Set())
        const contact: Contact = {
          ...dialled(untouched(batch, contactId(batch.batch_id, 0), 0), "exec_x"),
          revision: 1,
        }
        yield* write({ put: "contact", row: contact })
        assert.deepStrictEqual(yield* changed, new Set([campaign_id]))
        const call = sampleCall(organizationId, { batch_id: alone.batch_id, dial: "intended" })
        yield* write({ put: "call", row: call })
        assert.deepStrictEqual(yield* changed, new Set([alone.batch_id]))
        const ringing = { ...call, revision: 2, status: "ringing" as const }
        yield* write({ put: "call", row: ringing })
        assert.deepStrictEqual(yield* changed, new Set())
        yield* write({ put: "call", row: { ...ringing, revision: 3, final_report_at: call.created_at } })
        assert.deepStrictEqual(yield* changed, new Set([alone.batch_id]))
        yield* write({ put: "agent", row: sampleAgent(organizationId) })
        assert.deepStrictEqual(yield* changed, new Set([campaign_id, alone.batch_id]))
        yield* write({ put: "organization", row: sampleOrganization(organizationId) })
        assert.deepStrictEqual(yield* changed, new Set([campaign_id, alone.batch_id]))
        assert.deepStrictEqual(
          new Set((yield* lanes.changed(organizationId, 0)).lanes),
          new Set([campaign_id, alone.batch_id]),
        )
        assert.isTrue(yield* lanes.any(organizationId))
        const found: Array<string> = []
        for (let after: string | null = null; ;) {
          const [next]: ReadonlyArray<string> = yield* lanes.organizations(after, 1)
          if (next === undefined) break
          found.push(next)
          after = next
        }
        assert.include(found, organizationId)
      }),
    )

    it.effect("loses no change however many there were", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const lanes = yield* LaneStore
        const organizationId = fresh("org_")
        const rows = Array.from({ length: 7 }, () => sampleBatch(organizationId))
        for (let revision = 1; revision <= 60; revision++) {
          for (const row of rows) {
            yield* store.commit(
              sampleCommit(organizationId, { changes: [{ put: "batch", row: { ...row, revision } }] }),
            )
          }
        }
        const { sequence, lanes: all } = yield* lanes.changed(organizationId, 0)
        assert.deepStrictEqual(new Set(all), new Set(rows.map((row) => row.batch_id)))
        const [first] = rows
        assert(first !== undefined)
        const row = { ...first, revision: 61 }
        yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "batch", row }] }))
        assert.deepStrictEqual((yield* lanes.changed(organizationId, sequence)).lanes, [first.batch_id])
      }),
    )
  })
