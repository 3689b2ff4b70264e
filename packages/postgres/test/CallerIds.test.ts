import { BatchStatus, CampaignStatus } from "@carillon/core/domain"
import { type Batch, BatchStore, CampaignStore } from "@carillon/core/ports"
import { sampleBatch, sampleCampaign } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"
import { documentOf } from "../src/Documents.ts"
import { makeBatchStore } from "../src/reads/Campaigns.ts"
import { beforeKnowledgePieces } from "./EarlierSchema.ts"

const embedded = await newPglite()
afterAll(() => embedded.remove())

const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(embedded.directory))

const run = <A, E>(effect: Effect.Effect<A, E, BatchStore | CampaignStore | SqlClient.SqlClient>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer))

const insertCampaign = `insert into carillon.campaigns (campaign_id, organization_id, revision, status, ending, created_at, row)
  values ($1, $2, 1, $3, false, 0, $4::text::json)`

const insertBatch = `insert into carillon.batches (batch_id, organization_id, revision, status, agent_id, campaign_id, lane_id, finished, created_at, row)
  values ($1, $2, 1, $3, 'agt_1', null, $1, false, 0, $4::text::json)`

/** What customers write, and what PostgreSQL cannot read into. */
const metadata = [
  {},
  { phone_numbers: ["+15550009999"] },
  { nul: "a\0b" },
  { half: '\ud800"' },
  { letters: "\\u0000 \\\\ud800" },
  { cut: "\\ud8" },
  { short: "\\uD8", quoted: '\\udaa"' },
  { 'has "quotes"': ["~"] },
  { "~": { phone_numbers: ["+15550009999"] } },
]

const number = (kind: string, status: string, nth: number): string => `+1555${kind}${status}${nth}`

/** A campaign and a batch of each status and kind of metadata, as a release before wrote them: each names a number of its own. */
const write = (organizationId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const [nth, each] of metadata.entries()) {
      for (const status of CampaignStatus.campaignStatuses) {
        const phone_numbers = ["+15550000001", number("cmp", status, nth)]
        const row = sampleCampaign(organizationId, { status, phone_numbers, metadata: each })
        yield* sql.unsafe(insertCampaign, [row.campaign_id, organizationId, status, documentOf(row)])
      }
      for (const status of BatchStatus.batchStatuses) {
        const row = sampleBatch(organizationId, { status, phone_numbers: [number("bat", status, nth)], metadata: each })
        yield* sql.unsafe(insertBatch, [row.batch_id, organizationId, status, documentOf(row)])
      }
    }
  })

it("what the release before has written, and writes, is known by the numbers that it names", async () => {
  await run(
    Effect.gen(function* () {
      yield* beforeKnowledgePieces(write("org_before"))
      yield* write("org_after")
      const campaigns = yield* CampaignStore
      const batches = yield* BatchStore
      for (const organizationId of ["org_before", "org_after"]) {
        for (const nth of metadata.keys()) {
          for (const status of CampaignStatus.campaignStatuses) {
            const isNamed = yield* campaigns.callsFrom(organizationId, number("cmp", status, nth))
            assert.strictEqual(isNamed, !CampaignStatus.hasEnded({ status }), `${organizationId} ${status} ${nth}`)
          }
          for (const status of BatchStatus.batchStatuses) {
            const isNamed = yield* batches.callsFrom(organizationId, number("bat", status, nth))
            assert.strictEqual(isNamed, !BatchStatus.isFinishedBatch(status), `${organizationId} ${status} ${nth}`)
          }
        }
        for (const store of [campaigns, batches]) {
          assert.isFalse(yield* store.callsFrom(organizationId, "+15550009999"))
        }
        assert.isTrue(yield* campaigns.callsFrom(organizationId, "+15550000001"))
        assert.isFalse(yield* batches.callsFrom(organizationId, "+15550000001"))
      }
    }),
  )
})

interface Plan {
  readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: { readonly "Shared Hit Blocks": number } }>
}

/** Letters that do not compress, about as many as a batch may have. */
const noise = (nth: number): string => {
  let state = nth + 1
  const letters: Array<string> = []
  for (let at = 0; at < 47_000; at++) {
    state = (state * 48_271) % 2_147_483_647
    letters.push(String.fromCharCode(97 + (state % 26)))
  }
  return letters.join("")
}

it("that a number is named by none of many large batches is known without reading them", async () => {
  await run(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const organizationId = "org_of_many"
      for (let nth = 0; nth < 200; nth++) {
        const row: Batch = sampleBatch(organizationId, {
          phone_numbers: ["+15550000001"],
          metadata: { noise: noise(nth) },
        })
        yield* sql.unsafe(insertBatch, [row.batch_id, organizationId, "in_progress", documentOf(row)])
      }
      let pages = 0
      const explaining = new Proxy(sql, {
        get: (target, name) =>
          name === "unsafe"
            ? (text: string, parameters?: ReadonlyArray<unknown>) =>
                Effect.tap(target.unsafe(text, parameters), () =>
                  Effect.map(
                    target.unsafe<Plan>(`explain (analyze, buffers, format json) ${text}`, parameters),
                    ([found]) => {
                      pages += found?.["QUERY PLAN"][0]?.Plan["Shared Hit Blocks"] ?? 0
                    },
                  ),
                )
            : Reflect.get(target, name),
      })
      const { callsFrom } = makeBatchStore(explaining)
      assert.isFalse(yield* callsFrom(organizationId, "+15550000002"))
      assert.isTrue(yield* callsFrom(organizationId, "+15550000001"))
      assert.isAbove(pages, 0)
      assert.isAtMost(pages, 20)
    }),
  )
})
