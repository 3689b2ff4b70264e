import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Engine, type JsonObject } from "@carillon/core"
import type { Campaign } from "@carillon/core/ports"
import { isFinishedBatch } from "../../src/batches/rules/BatchStatus.ts"
import { type CampaignStatus, campaignStatuses, hasEnded } from "../../src/campaigns/rules/CampaignStatus.ts"
import { mendingOf } from "../../src/campaigns/rules/Mending.ts"
import { campaigning, type Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, epoch, organizationId } from "../../src/testing/world/World.ts"

const minute = 60_000

/** A campaign with five contacts that nobody has dialled, marked as ended past the engine. */
const stuck = Effect.fnUntraced(function* (status: CampaignStatus, changes: Partial<Campaign> = {}) {
  const test = yield* campaigning(() => ending("completed"))
  const { campaign_id } = yield* test.create(contactsOf(5), { start_time: epoch + minute })
  yield* test.world.advance(0)
  const row = test.world.tables.campaigns.get(campaign_id)
  assert(row !== undefined)
  test.world.write({ put: "campaign", row: { ...row, ...changes, status, revision: row.revision + 1 } })
  return { test, campaignId: campaign_id }
})

const standing = ({ test, campaignId }: { readonly test: Campaigning; readonly campaignId: string }) => ({
  status: test.world.tables.campaigns.get(campaignId)?.status,
  batches: test.world.tables.batches.ofCampaign(organizationId, campaignId).map(({ status }) => status),
  recorded: test.world.tables
    .auditTrail(organizationId)
    .filter(({ action }) => action === "campaign.mend")
    .map(({ actor, details, resource }): JsonObject => ({
      by: actor.type,
      of: resource.id === campaignId,
      ...details,
    })),
})

const mended = (was: CampaignStatus, status: CampaignStatus): Array<JsonObject> => [
  { by: "system", of: true, was, status, unfinished_batches: 1 },
]

/** What looks at the campaign: an engine that starts, a dispatch for another one, a request. */
const looks: Readonly<Record<string, (test: Campaigning, campaignId: string) => Effect.Effect<unknown, unknown>>> = {
  "at a start": (test) => test.world.run(Effect.flatMap(Engine, (engine) => engine.repair)),
  "by a dispatch": (test) => Effect.andThen(test.create(contactsOf(1, 50)), test.world.advance(0)),
  "at a request": (test, campaignId) => Effect.exit(test.campaigns((campaigns) => campaigns.pause(caller, campaignId))),
}

describe("a campaign that has ended while a batch of it has not", () => {
  it("is mended where there is such a batch, and then nothing is left to mend", () => {
    for (const status of campaignStatuses) {
      assert.isNull(mendingOf(status, 0))
      const mending = mendingOf(status, 2)
      assert.strictEqual(mending !== null, hasEnded({ status }), status)
      if (mending === null) continue
      const state = { status: "created", paused_by: null, cancelled_by: null } as const
      const isAgreed = !hasEnded(mending) || isFinishedBatch(mending.batchAfter(state).status)
      assert.isTrue(isAgreed, status)
    }
  })

  for (const [when, look] of Object.entries(looks)) {
    it.effect(`goes on ${when} when it was completed, and everybody is dialled`, () =>
      Effect.gen(function* () {
        const scene = yield* stuck("completed")
        yield* look(scene.test, scene.campaignId)
        assert.deepStrictEqual(standing(scene).recorded, mended("completed", "active"))
        yield* Effect.ignore(scene.test.campaigns((campaigns) => campaigns.resume(caller, scene.campaignId)))
        yield* scene.test.world.advance(5 * minute)
        assert.deepInclude(standing(scene), { status: "completed", batches: ["completed"] })
        assert.isAtLeast(scene.test.world.dials.length, 5)
        assert.lengthOf(standing(scene).recorded, 1)
      }),
    )

    for (const [status, batch] of [
      ["cancelled", "cancelled"],
      ["expired", "expired"],
      ["archived", "cancelled"],
    ] as const) {
      it.effect(`takes its batches along ${when} when it was ${status}`, () =>
        Effect.gen(function* () {
          const scene = yield* stuck(status)
          yield* look(scene.test, scene.campaignId)
          assert.deepStrictEqual(standing(scene), { status, batches: [batch], recorded: mended(status, status) })
          yield* look(scene.test, scene.campaignId)
          assert.lengthOf(standing(scene).recorded, 1)
        }),
      )
    }
  }

  it.effect("can be deleted when it was cancelled", () =>
    Effect.gen(function* () {
      const { campaignId, test } = yield* stuck("cancelled")
      yield* test.campaigns((campaigns) => campaigns.remove(caller, campaignId))
      assert.deepInclude(standing({ campaignId, test }), { status: "archived", batches: ["cancelled"] })
    }),
  )

  it.effect("expires when its end has passed meanwhile", () =>
    Effect.gen(function* () {
      const scene = yield* stuck("completed", { end_time: epoch })
      yield* looks["at a start"]!(scene.test, scene.campaignId)
      yield* scene.test.world.advance(0)
      assert.deepInclude(standing(scene), { status: "expired", batches: ["expired"] })
    }),
  )
})
