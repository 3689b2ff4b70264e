import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Batch } from "../../src/batches/rules/Batch.ts"
import { roomFault } from "../../src/batches/steps/BatchRoom.ts"
import { type BatchStatus, batchStatuses } from "../../src/batches/rules/BatchStatus.ts"
import { limits } from "../../src/Limits.ts"
import { memoryRows } from "../../src/memory/MemoryPorts.ts"
import { MemoryTables } from "../../src/memory/MemoryTables.ts"
import { jsonBytes } from "../../src/Measure.ts"
import { sampleBatch, sampleCampaign } from "../../src/testing/Samples.ts"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { Between } from "../../src/testing/world/Between.ts"
import type { Interposition } from "../../src/testing/world/Interposed.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

const campaign = sampleCampaign(organizationId)
const batch = sampleBatch(organizationId, { campaign_id: campaign.campaign_id })
const { batchesPerCampaign, movableBatchBytes, movableBatches } = limits

const filled = (made: Partial<Record<BatchStatus, number>>, bytes = 0) => ({
  campaign,
  bytes,
  tally: Object.fromEntries(Object.entries(made).map(([status, count]) => [`batch:${status}`, count])),
})

/** How many rows reads of batches have brought. */
class Counts {
  rows = 0
  readonly interpose: Interposition = (operation, effect) =>
    operation.startsWith("batches.")
      ? Effect.tap(effect, (answer) =>
          Effect.sync(() => {
            this.rows += this.#rowsIn(answer)
          }),
        )
      : effect

  #rowsIn(answer: unknown): number {
    if (Array.isArray(answer)) return answer.length
    if (typeof answer !== "object" || answer === null) return 0
    return "items" in answer ? this.#rowsIn(answer.items) : 1
  }
}

const nothing: Interposition = (_, effect) => effect

/** A campaign that is paused, with batches that stand so. */
const scene = Effect.fnUntraced(function* (
  interpose: Interposition,
  ...made: ReadonlyArray<readonly [BatchStatus, number, Partial<Batch>?]>
) {
  const world = new World({ script: () => ending("completed"), interpose })
  yield* world.start()
  const test = new Campaigning(world)
  const { campaign_id } = yield* test.create([])
  const rows = made.flatMap(([status, count, besides]) =>
    Array.from({ length: count }, () =>
      sampleBatch(organizationId, { campaign_id, agent_id: agentId, status, total_contacts: 2, ...besides }),
    ),
  )
  world.write(
    ...rows.map((row) => ({ put: "batch", row }) as const),
    ...made.map(([status, count]) => {
      const add = { [`batch:${status}`]: count, contacts: 2 * count }
      return { put: "tally", subject: campaign_id, add } as const
    }),
  )
  yield* test.campaigns((campaigns) => campaigns.pause(caller, campaign_id))
  const create = (metadata: Batch["metadata"] = {}) =>
    test.batches((batches) =>
      batches.create(
        caller,
        { agent_id: agentId, campaign_id, metadata },
        { contacts: contactsOf(1), file_name: null },
      ),
    )
  const append = () =>
    test.campaigns((campaigns) => campaigns.append(caller, campaign_id, { contacts: contactsOf(1), file_name: null }))
  return { append, campaign_id, create, test, world }
})

/** Where there is room for one batch more, asks for two, the second in front of the nth use of a port of the first. */
const raced = Effect.fnUntraced(function* (nth: number) {
  const between = new Between()
  const { append, campaign_id, create, world } = yield* scene(between.interpose, ["paused", movableBatches - 1])
  between.arm(nth, Effect.exit(append()))
  const first = yield* Effect.exit(create())
  if (!between.disarm()) return false
  assert.lengthOf(world.tables.batches.ofCampaign(organizationId, campaign_id), movableBatches)
  if (Exit.isFailure(first)) assert.include(String(first.cause), `This campaign (campaign_id=${campaign_id}) has`)
  return true
})

describe("the room that a campaign has for batches", () => {
  it("ends with so many that have neither completed nor failed, in whatever other status", () => {
    for (const status of batchStatuses) {
      const isCounted = status !== "completed" && status !== "failed"
      assert.isNull(roomFault(batch, filled({ [status]: movableBatches - 1 })))
      assert.strictEqual(roomFault(batch, filled({ [status]: movableBatches })) !== null, isCounted, status)
    }
  })

  it("ends with so many at all", () => {
    assert.isNull(roomFault(batch, filled({ completed: batchesPerCampaign - 1 })))
    const fault = roomFault(batch, filled({ completed: batchesPerCampaign - 1, failed: 1 }))
    assert.include(fault?.message, `campaign_id=${campaign.campaign_id}`)
  })

  it("ends with so many bytes of settings", () => {
    const left = movableBatchBytes - jsonBytes(batch)
    assert.isNull(roomFault(batch, filled({}, left)))
    assert.isNotNull(roomFault(batch, filled({}, left + 1)))
  })

  it.effect("is had by one of two who ask for the last of it, whenever the second does", () =>
    Effect.gen(function* () {
      let nth = 0
      while (yield* Effect.scoped(raced(nth))) nth += 1
      assert.isAbove(nth, 3)
    }),
  )

  it.effect("is counted in bytes as well, and contacts that find none are not kept", () =>
    Effect.gen(function* () {
      const metadata = { said: "x".repeat(60_000) }
      const { create, world } = yield* scene(nothing, ["paused", 17, { metadata }])
      const before = world.commits.length
      assert.deepInclude(yield* Effect.flip(create(metadata)), { _tag: "StateConflict" })
      assert.strictEqual(world.commits.length, before)
      yield* create()
    }),
  )
})

describe("a campaign of many batches", () => {
  it.effect("reads for a page no more batches than are on it", () =>
    Effect.gen(function* () {
      const counts = new Counts()
      const { campaign_id, test } = yield* scene(counts.interpose, ["completed", 300], ["paused", 300])
      counts.rows = 0
      const page = { page: 2, page_size: 1 }
      const batches = yield* test.campaigns((campaigns) => campaigns.batches(organizationId, campaign_id, page))
      assert.deepStrictEqual([batches.items.length, batches.total, counts.rows], [1, 600, 1])
      counts.rows = 0
      const contacts = yield* test.campaigns((campaigns) => campaigns.contacts(organizationId, campaign_id, page))
      assert.deepStrictEqual([contacts.total, counts.rows], [1_200, 1])
    }),
  )

  it.effect("reads and writes only those that it moves, however many have completed", () =>
    Effect.gen(function* () {
      const counts = new Counts()
      const { campaign_id, test, world } = yield* scene(
        counts.interpose,
        ["completed", 2_000],
        ["failed", 500],
        ["in_progress", 3],
      )
      for (const move of ["resume", "pause", "cancel", "revive"] as const) {
        counts.rows = 0
        const before = world.commits.length
        yield* test.campaigns((campaigns) => campaigns[move](caller, campaign_id))
        const written = world.commits
          .slice(before)
          .flatMap(({ changes }) => changes.filter((change) => change.put === "batch"))
        assert.isAtMost(counts.rows, 6, move)
        assert.lengthOf(written, 3, move)
      }
    }),
  )

  it.live("has its lane looked at by a dispatcher that says which batches it knows", () =>
    Effect.gen(function* () {
      const ports = memoryRows(new MemoryTables())
      const known: Array<number> = []
      const batches: typeof ports.batches = {
        ...ports.batches,
        unfinished: (laneId, some) => {
          known.push(some?.size ?? 0)
          return ports.batches.unfinished(laneId, some)
        },
      }
      const world = new World({ script: () => ending("completed", 60), storage: { ...ports, batches } })
      yield* world.start()
      const test = new Campaigning(world)
      const { campaign_id } = yield* test.create(contactsOf(1))
      for (let nth = 1; nth < 6; nth++) {
        yield* test.campaigns((campaigns) =>
          campaigns.append(caller, campaign_id, { contacts: contactsOf(1, nth), file_name: null }),
        )
      }
      yield* world.advance(30_000)
      assert.isAbove(Math.max(...known), 3)
    }),
  )
})
