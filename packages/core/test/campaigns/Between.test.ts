import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { EngineError } from "@carillon/core"
import type { CampaignBody } from "@carillon/core/domain"
import { isFinishedBatch } from "../../src/batches/rules/BatchStatus.ts"
import { sampleAgent } from "../../src/testing/Samples.ts"
import { hasEnded } from "../../src/campaigns/rules/CampaignStatus.ts"
import { Between } from "../../src/testing/world/Between.ts"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const day = 24 * 60 * minute

interface Scene {
  readonly test: Campaigning
  readonly campaignId: string
  readonly batchId: string
}

/** What is done to a campaign with three contacts, or comes over it; and what leads up to it. */
const events: Readonly<
  Record<
    string,
    {
      readonly before?: (scene: Scene) => Effect.Effect<unknown, EngineError>
      readonly run: (scene: Scene) => Effect.Effect<unknown, EngineError>
    }
  >
> = {
  "its last calls end": {
    before: ({ test }) => test.world.advance(14_900),
    run: ({ test }) => test.world.advance(2_000),
  },
  "its only batch is stopped": {
    run: ({ batchId, test }) => test.batches((batches) => batches.stop(caller, batchId)),
  },
  "its end comes": {
    before: ({ campaignId, test }) =>
      Effect.andThen(
        test.campaigns((campaigns) => campaigns.patch(caller, campaignId, { end_time: epoch + 30_000 })),
        Effect.andThen(
          test.batches((batches) =>
            batches.create(
              caller,
              { agent_id: agentId, campaign_id: campaignId, scheduled_at: epoch + 5 * minute },
              { contacts: contactsOf(2, 50), file_name: null },
            ),
          ),
          test.world.advance(29_000),
        ),
      ),
    run: ({ test }) => test.world.advance(2_000),
  },
  "it is paused": { run: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.pause(caller, campaignId)) },
  "it is resumed": {
    before: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.pause(caller, campaignId)),
    run: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.resume(caller, campaignId)),
  },
  "it is cancelled": {
    run: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.cancel(caller, campaignId)),
  },
  "it is deleted": {
    before: ({ batchId, campaignId, test }) =>
      Effect.andThen(
        test.campaigns((campaigns) => campaigns.pause(caller, campaignId)),
        test.batches((batches) => batches.stop(caller, batchId)),
      ),
    run: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.remove(caller, campaignId)),
  },
  "it is revived": {
    before: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.cancel(caller, campaignId)),
    run: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.revive(caller, campaignId)),
  },
  "its agent is changed": {
    before: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.pause(caller, campaignId)),
    run: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.patch(caller, campaignId, { name: "b" })),
  },
}

const additions: Readonly<Record<string, (scene: Scene) => Effect.Effect<unknown, EngineError>>> = {
  "contacts are appended": ({ campaignId, test }) =>
    test.campaigns((campaigns) =>
      campaigns.append(caller, campaignId, { contacts: contactsOf(2, 100), file_name: null }),
    ),
  "a batch is made in it": ({ campaignId, test }) =>
    test.batches((batches) =>
      batches.create(
        caller,
        { agent_id: agentId, campaign_id: campaignId },
        { contacts: contactsOf(2, 100), file_name: null },
      ),
    ),
}

const unfinished = ({ campaignId, test }: Scene) =>
  test.world.tables.batches.ofCampaign(organizationId, campaignId).filter(({ status }) => !isFinishedBatch(status))

const judge = (scene: Scene, when: string) => {
  const campaign = scene.test.world.tables.campaigns.get(scene.campaignId)
  assert(campaign !== undefined)
  if (hasEnded(campaign)) assert.deepStrictEqual(unfinished(scene), [], `${campaign.status} ${when}`)
}

/** Whether there was an nth operation. */
const play = Effect.fnUntraced(function* (
  event: (typeof events)[string],
  addition: (scene: Scene) => Effect.Effect<unknown, EngineError>,
  nth: number,
) {
  const between = new Between()
  const world = new World({ script: () => ending("completed"), interpose: between.interpose })
  yield* world.start()
  const test = new Campaigning(world)
  const { batch_id, campaign_id } = yield* test.create(contactsOf(3))
  const scene: Scene = { test, campaignId: campaign_id, batchId: batch_id ?? "" }
  if (event.before !== undefined) yield* event.before(scene)
  let added: Exit.Exit<unknown, EngineError> | undefined
  between.arm(
    nth,
    Effect.map(Effect.exit(addition(scene)), (exit) => {
      added = exit
    }),
  )
  yield* Effect.exit(event.run(scene))
  if (!between.disarm()) return false
  yield* world.settle()
  judge(scene, "at once")
  yield* world.advance(day)
  judge(scene, "at rest")
  const campaign = world.tables.campaigns.get(campaign_id)
  if (campaign?.status === "active" || campaign?.status === "completed") {
    assert.deepStrictEqual(unfinished(scene), [], "left undialled")
  }
  if (added !== undefined && Exit.isSuccess(added) && campaign?.status === "completed") {
    assert.include(
      world.dials.map(({ to_number }) => to_number),
      contactsOf(1, 100)[0]?.to_number,
    )
  }
  return true
})

describe("what joins a campaign between the operations of what becomes of it", () => {
  for (const [said, event] of Object.entries(events)) {
    for (const [when, addition] of Object.entries(additions)) {
      it.effect(`${when} while ${said}`, () =>
        Effect.gen(function* () {
          let nth = 0
          while (yield* Effect.scoped(play(event, addition, nth))) nth += 1
          assert.isAbove(nth, 1)
        }),
      )
    }
  }

  it.effect("an edit that does not fit another one that came before it is refused, and takes nothing of it back", () =>
    Effect.gen(function* () {
      const edited = Effect.fnUntraced(function* (nth: number) {
        const between = new Between()
        const world = new World({ interpose: between.interpose })
        yield* world.start()
        const test = new Campaigning(world)
        const { campaign_id } = yield* test.create([])
        const patch = (body: CampaignBody) => test.campaigns((campaigns) => campaigns.patch(caller, campaign_id, body))
        let isFirst = false
        const starts = Effect.map(Effect.exit(patch({ start_time: epoch + 2 * day })), (exit) => {
          isFirst = Exit.isSuccess(exit)
        })
        between.arm(nth, starts)
        const ends = yield* Effect.exit(patch({ end_time: epoch + day }))
        if (!between.disarm()) return false
        const { end_time, start_time } = world.tables.campaigns.get(campaign_id) ?? {}
        assert.deepStrictEqual(
          { end_time, start_time },
          isFirst ? { end_time: null, start_time: epoch + 2 * day } : { end_time: epoch + day, start_time: null },
        )
        assert.strictEqual(Exit.isSuccess(ends), !isFirst)
        return true
      })
      let nth = 0
      while (yield* Effect.scoped(edited(nth))) nth += 1
      assert.isAbove(nth, 3)
    }),
  )

  it.effect("an append takes the agent and the name that its campaign has when the contacts are there", () =>
    Effect.gen(function* () {
      const other = sampleAgent(organizationId, { agent_id: "agt_other" })
      const edited = Effect.fnUntraced(function* (nth: number) {
        const between = new Between()
        const world = new World({ interpose: between.interpose, rows: [{ put: "agent", row: other }] })
        yield* world.start()
        const test = new Campaigning(world)
        const { campaign_id } = yield* test.create(contactsOf(3))
        const edit = test.campaigns((campaigns) =>
          campaigns.patch(caller, campaign_id, { agent_id: other.agent_id, name: "edited" }),
        )
        let isShown = false
        const looked = Effect.sync(() => {
          isShown = world.tables.batches.ofCampaign(organizationId, campaign_id).length > 1
        })
        between.arm(nth, Effect.andThen(Effect.exit(edit), looked))
        yield* test.campaigns((campaigns) =>
          campaigns.append(caller, campaign_id, { contacts: contactsOf(2, 100), file_name: null }),
        )
        if (!between.disarm()) return false
        const appended = world.tables.batches.ofCampaign(organizationId, campaign_id)[1]
        assert.deepInclude(appended, { agent_id: other.agent_id, name: isShown ? "Test" : "edited" })
        return true
      })
      let nth = 0
      while (yield* Effect.scoped(edited(nth))) nth += 1
      assert.isAbove(nth, 3)
    }),
  )
})
