import { assert, describe, it } from "@effect/vitest"
import { type CarrierReport, type DialCommand, Engine } from "@carillon/core"
import { Effect } from "effect"
import { isFinishedBatch } from "../../src/batches/rules/BatchStatus.ts"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { restart } from "../../src/testing/world/Plans.ts"
import { caller, World } from "../../src/testing/world/World.ts"
import { everywhere, untilStill } from "../Interrupted.ts"

const hour = 3_600_000

/** The call of the second batch goes on for a little longer, unless its end is reported before. */
const script = ({ to_number }: DialCommand) => ending("completed", to_number === contactsOf(1)[0]?.to_number ? 15 : 20)

const end = {
  status: "completed",
  duration_seconds: 15,
  answered_by_voicemail: false,
  hangup_by: null,
  hangup_reason: null,
  error: null,
} as const

/** The last word of the carrier on the call of a batch, and all that follows from it. */
const reported = (test: Campaigning, batchId: string) =>
  Effect.suspend(() => {
    const call = test.calls().find(({ batch_id }) => batch_id === batchId)
    const report: CarrierReport = {
      type: "final",
      execution_id: call?.execution_id ?? "",
      at: test.world.now,
      call_sid: null,
      end,
      facts: { recording_url: null, cost: null, media: null },
    }
    return Effect.andThen(test.world.admit(Effect.flatMap(Engine, (engine) => engine.report(report))), untilStill)
  })

describe("two batches that finish at the same moment", () => {
  it.effect(
    "complete their campaign, wherever one stands when the other finishes, and though the process dies then and its wake-ups are lost",
    () =>
      Effect.gen(function* () {
        const operations = yield* everywhere(
          Effect.fnUntraced(function* (nth) {
            let count = 0
            let isArmed = false
            const batchIds: Array<string> = []
            const isOver = (batchId = "") => {
              const batch = world.tables.batches.get(batchId)
              return batch !== undefined && isFinishedBatch(batch.status)
            }
            const world: World = new World({
              script,
              interpose: (_operation, effect) =>
                Effect.suspend(() => {
                  const isTurn = isArmed && count++ === nth
                  const use = isTurn ? Effect.andThen(reported(test, batchIds[1] ?? ""), effect) : effect
                  return Effect.tap(use, () => {
                    if (!isArmed || !isOver(batchIds[0]) || world.isDown) return Effect.void
                    return Effect.andThen(
                      Effect.sync(() => world.kill()),
                      Effect.never,
                    )
                  })
                }),
            })
            const test: Campaigning = new Campaigning(world)
            yield* world.start()
            const { batch_id, campaign_id } = yield* Effect.orDie(test.create(contactsOf(1)))
            const more = yield* Effect.orDie(
              test.campaigns((campaigns) =>
                campaigns.append(caller, campaign_id, { contacts: contactsOf(1, 1), file_name: null }),
              ),
            )
            batchIds.push(batch_id ?? "", more.batch_id)
            yield* world.advance(14_999)
            isArmed = true
            yield* world.advance(1)
            yield* untilStill
            isArmed = false
            if (world.isDown) {
              // Nothing is left of what was to be looked at: the rows alone say it.
              world.tables.wakeups.clearAll()
              yield* restart(world)
            }
            yield* world.advance(hour)
            assert.strictEqual(world.tables.campaigns.get(campaign_id)?.status, "completed", `before operation ${nth}`)
            return count
          }),
        )
        assert.isAbove(operations, 5)
      }),
  )
})
