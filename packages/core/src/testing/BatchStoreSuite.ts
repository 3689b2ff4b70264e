import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { Batch } from "../batches/rules/Batch.ts"
import { batchStatuses, isFinishedBatch } from "../batches/rules/BatchStatus.ts"
import { type BatchQuery, BatchStore } from "../batches/ports/BatchStore.ts"
import { Store } from "../engine/ports/Store.ts"
import { jsonBytes } from "../Measure.ts"
import { callerIdLaw } from "./CallerIdLaw.ts"
import { law } from "./Law.ts"
import { idsOfNothing } from "./Odd.ts"
import { fresh, sampleBatch, sampleCampaign, sampleCommit, sampleEpoch } from "./Samples.ts"

const status = fc.constantFrom(...batchStatuses)
const agent_id = fc.constantFrom("agt_a", "agt_b")

/** Lays down what every adapter of `BatchStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | BatchStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("lists batches as they are filtered, by campaign, and those of a lane that are not finished", () =>
      law(
        fc.record({
          made: fc.array(fc.tuple(status, agent_id, fc.nat(2)), { minLength: 1, maxLength: 10 }),
          moved: fc.array(fc.tuple(fc.nat(), status), { maxLength: 6 }),
          asked: fc.record({ status, agent_id, of: fc.nat(1) }, { requiredKeys: [] }),
          page_size: fc.integer({ min: 1, max: 4 }),
        }),
        Effect.fnUntraced(function* ({ made, moved, asked, page_size }) {
          const store = yield* Store
          const batches = yield* BatchStore
          const organizationId = fresh("org_")
          const campaigns = [sampleCampaign(organizationId), sampleCampaign(organizationId)]
          const put = (row: Batch) => store.commit(sampleCommit(organizationId, { changes: [{ put: "batch", row }] }))
          yield* store.commit(
            sampleCommit(organizationId, { changes: campaigns.map((row) => ({ put: "campaign" as const, row })) }),
          )
          const rows = made.map(([of, agent, lane], index) => {
            const campaign_id = campaigns[lane]?.campaign_id ?? null
            return sampleBatch(organizationId, {
              status: of,
              agent_id: agent,
              campaign_id,
              created_at: sampleEpoch + index,
            })
          })
          for (const row of rows) yield* put(row)
          const atFirst = new Map(rows.map((row) => [row.batch_id, row]))
          for (const [nth, to] of moved) {
            const index = nth % rows.length
            const row = rows[index]
            if (row === undefined) continue
            rows[index] = { ...row, status: to, revision: row.revision + 1 }
            yield* put(rows[index])
          }
          const { of, ...plain } = asked
          const wantedCampaign = of === undefined ? undefined : campaigns[of]?.campaign_id
          const query: BatchQuery = wantedCampaign === undefined ? plain : { ...plain, campaign_id: wantedCampaign }
          const expected = rows
            .filter(
              (row) =>
                (query.status === undefined || row.status === query.status) &&
                (query.agent_id === undefined || row.agent_id === query.agent_id) &&
                (query.campaign_id === undefined || row.campaign_id === query.campaign_id),
            )
            .toReversed()
          const items: Array<Batch> = []
          for (let page = 1; page <= Math.ceil(rows.length / page_size); page++) {
            const answer = yield* batches.page(organizationId, query, { page, page_size })
            assert.strictEqual(answer.total, expected.length)
            items.push(...answer.items)
          }
          assert.deepStrictEqual(items, expected)
          for (const nothing of idsOfNothing) {
            for (const of of [{ campaign_id: nothing }, { agent_id: nothing }]) {
              const answer = yield* batches.page(organizationId, of, { page: 1, page_size })
              assert.deepStrictEqual(answer, { items: [], total: 0 }, JSON.stringify(of))
            }
          }
          const running = (row: Batch) => !isFinishedBatch(row.status)
          for (const { campaign_id } of campaigns) {
            const own = rows.filter((row) => row.campaign_id === campaign_id)
            assert.deepStrictEqual(yield* batches.unfinished(campaign_id), own.filter(running))
            const known = new Map(
              own.map((row, nth) => [row.batch_id, nth % 2 === 0 ? row : (atFirst.get(row.batch_id) ?? row)]),
            )
            assert.deepStrictEqual(yield* batches.unfinished(campaign_id, known), own.filter(running))
            const movable = own.filter((row) => row.status !== "completed" && row.status !== "failed")
            assert.deepStrictEqual(yield* batches.movable(campaign_id), movable)
            const bytes = movable.reduce((sum, row) => sum + jsonBytes(row), 0)
            assert.strictEqual(yield* batches.movableBytes(campaign_id), bytes)
            const listed: Array<Batch> = []
            for (let page = 1; page <= own.length / page_size + 1; page++) {
              const answer = yield* batches.pageOfCampaign(campaign_id, { page, page_size })
              assert.strictEqual(answer.total, own.length)
              listed.push(...answer.items)
            }
            assert.deepStrictEqual(listed, own)
          }
          for (const row of rows) {
            if (row.campaign_id !== null) continue
            assert.deepStrictEqual(yield* batches.unfinished(row.batch_id), [row].filter(running))
          }
        }),
      ),
    )

    it.effect("finds the contacts of a page among all that the batches of a campaign have, but for those that go", () =>
      law(
        fc.record({
          sizes: fc.array(fc.tuple(fc.nat(5), fc.boolean()), { maxLength: 8 }),
          page_size: fc.integer({ min: 1, max: 7 }),
        }),
        Effect.fnUntraced(function* ({ page_size, sizes }) {
          const store = yield* Store
          const batches = yield* BatchStore
          const organizationId = fresh("org_")
          const campaign = sampleCampaign(organizationId)
          const { campaign_id } = campaign
          const rows = sizes.map(([total_contacts, isGoing], nth) =>
            sampleBatch(organizationId, {
              campaign_id,
              total_contacts,
              created_at: sampleEpoch - nth,
              ...(isGoing ? { status: "cancelled", purging_since: sampleEpoch } : {}),
            }),
          )
          const changes = [
            { put: "campaign" as const, row: campaign },
            ...rows.map((row) => ({ put: "batch" as const, row })),
          ]
          yield* store.commit(sampleCommit(organizationId, { changes }))
          const all = rows
            .toReversed()
            .flatMap((row) =>
              row.purging_since === undefined
                ? Array.from({ length: row.total_contacts }, (_, nth) => `${row.batch_id} ${nth}`)
                : [],
            )
          const found: Array<string> = []
          for (let page = 1; page <= all.length / page_size + 2; page++) {
            const answer = yield* batches.contactsOfCampaign(campaign_id, { page, page_size })
            assert.strictEqual(answer.total, all.length)
            assert.isAtMost(answer.items.length, page_size)
            for (const { batch, count, from } of answer.items) {
              assert.deepStrictEqual(
                batch,
                rows.find(({ batch_id }) => batch_id === batch.batch_id),
              )
              assert.isAbove(count, 0)
              for (let nth = 0; nth < count; nth++) found.push(`${batch.batch_id} ${from + nth}`)
            }
          }
          assert.deepStrictEqual(found, all)
        }),
      ),
    )

    it.effect("knows whether a batch that is not finished names a phone number", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const { callsFrom } = yield* BatchStore
        yield* callerIdLaw({
          statuses: batchStatuses,
          isOpen: (each) => !isFinishedBatch(each),
          put: Effect.fnUntraced(function* (organizationId, versions) {
            const batch = sampleBatch(organizationId)
            for (const [nth, named] of versions.entries()) {
              const row = { ...batch, ...named, revision: nth + 1 }
              yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "batch", row }] }))
            }
          }),
          callsFrom,
        })
      }),
    )

    it.effect("shows a batch to its own organization, and to who knows only its id", () =>
      Effect.gen(function* () {
        const batches = yield* BatchStore
        const row = sampleBatch(fresh("org_"), { metadata: { source: ["a"] } })
        yield* (yield* Store).commit(sampleCommit(row.organization_id, { changes: [{ put: "batch", row }] }))
        assert.deepStrictEqual(yield* batches.find(row.organization_id, row.batch_id), row)
        assert.deepStrictEqual(yield* batches.locate(row.batch_id), row)
        assert.isNull(yield* batches.find(fresh("org_"), row.batch_id))
      }),
    )
  })
