import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { type Campaign } from "../campaigns/rules/Campaign.ts"
import { campaignStatuses, hasEnded } from "../campaigns/rules/CampaignStatus.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import { Store } from "../engine/ports/Store.ts"
import { callerIdLaw } from "./CallerIdLaw.ts"
import { law } from "./Law.ts"
import { fresh, sampleBreaker, sampleCampaign, sampleCampaignEntry, sampleCommit, sampleEpoch } from "./Samples.ts"

const putCampaign = Effect.fnUntraced(function* (row: Campaign) {
  yield* (yield* Store).commit(sampleCommit(row.organization_id, { changes: [{ put: "campaign", row }] }))
})

/** The campaigns of an organization that a paged read finds, one on each page. */
const idsIn = Effect.fnUntraced(function* (organizationId: string, read: CampaignStore["Service"]["ending"]) {
  const found = new Set<string>()
  for (let after: string | null = null; ;) {
    const page: ReadonlyArray<Campaign> = yield* read(after, 1)
    const [row] = page
    if (row === undefined) return found
    if (row.organization_id === organizationId) found.add(row.campaign_id)
    after = row.campaign_id
  }
})

const status = fc.constantFrom(...campaignStatuses)

/** Lays down what every adapter of `CampaignStore` must do. Rows are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | CampaignStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("pages through the log of a campaign newest first, and knows its last number", () =>
      law(
        fc.record({
          made: fc.integer({ min: 0, max: 12 }),
          kept: fc.integer({ min: 1, max: 12 }),
          page_size: fc.integer({ min: 1, max: 5 }),
        }),
        Effect.fnUntraced(function* ({ kept, made, page_size }) {
          const campaigns = yield* CampaignStore
          const store = yield* Store
          const organizationId = fresh("org_")
          const [campaign_id, other] = [fresh("cmp_"), fresh("cmp_")]
          for (let number = 1; number <= made; number++) {
            const row = sampleCampaignEntry(organizationId, { campaign_id, number, at: sampleEpoch + (number % 3) })
            const gone = `${campaign_id}:${number - kept}`
            yield* store.commit(
              sampleCommit(organizationId, {
                changes: [
                  { put: "campaign_entry", row },
                  { put: "campaign_entry", row: { ...row, campaign_id: other } },
                  { put: "discard", organization_id: organizationId, kind: "campaign_entry", id: gone },
                ],
              }),
            )
          }
          assert.strictEqual(yield* campaigns.lastEntry(campaign_id), made)
          assert.strictEqual(yield* campaigns.lastEntry(fresh("cmp_")), 0)
          const expected = Array.from({ length: Math.min(made, kept) }, (_, nth) => made - nth)
          const found: Array<number> = []
          for (let page = 1; page <= Math.ceil(expected.length / page_size) + 1; page++) {
            const { items, total } = yield* campaigns.entries(campaign_id, { page, page_size })
            assert.strictEqual(total, expected.length)
            found.push(...items.map(({ number }) => number))
          }
          assert.deepStrictEqual(found, expected)
          assert.strictEqual((yield* campaigns.entries(other, { page: 1, page_size: 1 })).total, made)
        }),
      ),
    )

    it.effect("shows a campaign to its own organization, and to who knows only its id", () =>
      Effect.gen(function* () {
        const campaigns = yield* CampaignStore
        const campaign = sampleCampaign(fresh("org_"), { working_hours: { monday: { start: "09:00", end: "17:00" } } })
        yield* putCampaign(campaign)
        assert.deepStrictEqual(yield* campaigns.find(campaign.organization_id, campaign.campaign_id), campaign)
        assert.deepStrictEqual(yield* campaigns.locate(campaign.campaign_id), campaign)
        assert.isNull(yield* campaigns.find(fresh("org_"), campaign.campaign_id))
        assert.isNull(yield* campaigns.locate(fresh("cmp_")))
      }),
    )

    it.effect("pages newest first through exactly the campaigns of a status, and counts them", () =>
      law(
        fc.record({
          made: fc.array(fc.tuple(status, fc.nat(3)), { minLength: 1, maxLength: 12 }),
          moved: fc.array(fc.tuple(fc.nat(), status), { maxLength: 6 }),
          asked: fc.option(status, { nil: undefined }),
          page_size: fc.integer({ min: 1, max: 5 }),
        }),
        Effect.fnUntraced(function* ({ made, moved, asked, page_size }) {
          const campaigns = yield* CampaignStore
          const organizationId = fresh("org_")
          const rows = made.map(([of, after]) => {
            const at = sampleEpoch + after
            return sampleCampaign(organizationId, { status: of, created_at: at })
          })
          for (const row of rows) yield* putCampaign(row)
          for (const [nth, to] of moved) {
            const index = nth % rows.length
            const row = rows[index]
            if (row === undefined) continue
            rows[index] = { ...row, status: to, revision: row.revision + 1 }
            yield* putCampaign(rows[index])
          }
          const expected = rows
            .map((row, order) => ({ row, order }))
            .filter(({ row }) => asked === undefined || row.status === asked)
            .toSorted((a, b) => b.row.created_at - a.row.created_at || b.order - a.order)
            .map(({ row }) => row)
          const items: Array<Campaign> = []
          for (let page = 1; page <= Math.ceil(rows.length / page_size); page++) {
            const query = asked === undefined ? {} : { status: asked }
            const answer = yield* campaigns.page(organizationId, query, { page, page_size })
            assert.strictEqual(answer.total, expected.length)
            items.push(...answer.items)
          }
          assert.deepStrictEqual(items, expected)
        }),
      ),
    )

    it.effect("knows whether a campaign that has not ended names a phone number", () =>
      Effect.flatMap(CampaignStore, ({ callsFrom }) =>
        callerIdLaw({
          statuses: campaignStatuses,
          isOpen: (each) => !hasEnded({ status: each }),
          put: Effect.fnUntraced(function* (organizationId, versions) {
            const row = sampleCampaign(organizationId)
            for (const [nth, named] of versions.entries()) yield* putCampaign({ ...row, ...named, revision: nth + 1 })
          }),
          callsFrom,
        }),
      ),
    )

    it.effect("finds every campaign that may still expire, page by page", () =>
      Effect.gen(function* () {
        const campaigns = yield* CampaignStore
        const organizationId = fresh("org_")
        const wanted = new Set<string>()
        for (const each of campaignStatuses) {
          for (const end_time of [null, sampleEpoch]) {
            const row = sampleCampaign(organizationId, { status: each, end_time })
            yield* putCampaign(row)
            if (end_time !== null && (each === "created" || each === "active")) wanted.add(row.campaign_id)
          }
        }
        assert.deepStrictEqual(yield* idsIn(organizationId, campaigns.ending), wanted)
      }),
    )

    it.effect("lists the campaigns with a breaker that have not ended, in pages", () =>
      Effect.gen(function* () {
        const campaigns = yield* CampaignStore
        const organizationId = fresh("org_")
        const wanted = new Set<string>()
        for (const each of campaignStatuses) {
          yield* putCampaign(sampleCampaign(organizationId, { status: each }))
          const row = sampleCampaign(organizationId, { status: each, breaker: sampleBreaker })
          yield* putCampaign(row)
          if (!hasEnded(row)) wanted.add(row.campaign_id)
        }
        const without = sampleCampaign(organizationId, { status: "active", breaker: sampleBreaker })
        yield* putCampaign(without)
        const { breaker: _breaker, ...removed } = without
        yield* putCampaign({ ...removed, revision: 2 })
        assert.deepStrictEqual(yield* idsIn(organizationId, campaigns.watched), wanted)
      }),
    )
  })
