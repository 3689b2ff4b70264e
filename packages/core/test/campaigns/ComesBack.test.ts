import { assert, describe, it } from "@effect/vitest"
import type { EngineError } from "@carillon/core"
import { Effect } from "effect"
import { Between } from "../../src/testing/world/Between.ts"
import { Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000

interface Scene {
  readonly test: Campaigning
  readonly campaignId: string
  readonly batchId: string
}

/** What holds a batch back, and what brings it back. */
const ways: Readonly<
  Record<string, Readonly<Record<"away" | "back", (scene: Scene) => Effect.Effect<unknown, EngineError>>>>
> = {
  "it is resumed": {
    away: ({ batchId, test }) => test.batches((batches) => batches.pause(caller, batchId)),
    back: ({ batchId, test }) => test.batches((batches) => batches.resume(caller, batchId)),
  },
  "its campaign is resumed": {
    away: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.pause(caller, campaignId)),
    back: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.resume(caller, campaignId)),
  },
  "its campaign is revived": {
    away: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.cancel(caller, campaignId)),
    back: ({ campaignId, test }) => test.campaigns((campaigns) => campaigns.revive(caller, campaignId)),
  },
}

/** The last call of a batch ends before the nth use of a port, while another batch of its campaign waits for the next day. False where there is no nth. */
const play = Effect.fnUntraced(function* ({ away, back }: (typeof ways)[string], nth: number) {
  const between = new Between()
  const world = new World({
    script: ({ to_number }) => ending(to_number === numberOf(0) ? "busy" : "completed"),
    interpose: between.interpose,
  })
  yield* world.start()
  const test = new Campaigning(world)
  const retry_policy = { max_retries: 1, base_delay_minutes: 24 * 60 }
  const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy })
  yield* world.advance(minute)
  yield* test.campaigns((campaigns) =>
    campaigns.append(caller, campaign_id, { contacts: contactsOf(1, 1), file_name: null }),
  )
  yield* world.advance(5_000)
  const batches = () => world.tables.batches.ofCampaign(organizationId, campaign_id)
  const batchId = test.calls().find(({ to_number }) => to_number === numberOf(1))?.batch_id ?? ""
  assert.notStrictEqual(batchId, "")
  const scene = { test, campaignId: campaign_id, batchId }
  yield* away(scene)
  yield* world.advance(5_000)
  between.arm(nth, Effect.orDie(world.advance(20_000)))
  yield* back(scene)
  const hasCome = between.disarm()
  yield* world.advance(10 * minute)
  const statuses = batches().map(({ batch_id, status }) => [batch_id === batchId ? "ends" : "waits", status] as const)
  assert.deepStrictEqual(new Map(statuses), new Map([["ends", "completed"] as const, ["waits", "dispatched"] as const]))
  assert.strictEqual(statuses.length, 2)
  return hasCome
})

describe("a batch that comes back as its last call ends", () => {
  for (const [said, way] of Object.entries(ways)) {
    it.effect(`completes while others of its campaign wait: ${said}`, () =>
      Effect.gen(function* () {
        let nth = 0
        while (yield* Effect.scoped(play(way, nth))) nth += 1
        assert.isAbove(nth, 3)
      }),
    )
  }
})
