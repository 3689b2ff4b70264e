import { Effect } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { Activity } from "../engine/Activity.ts"
import { limits } from "../Limits.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import { type CountedBatch, idsOf, sumOf, waitingOf } from "./rules/CountedBatch.ts"

/** Counts what batches have left, whatever it waits for. */
export const makeBatchCounts = Effect.gen(function* () {
  const batches = yield* BatchStore
  const contacts = yield* ContactStore
  const tallies = yield* TallyStore
  const activity = yield* Activity

  /** What is counted of batches, read some at a time. */
  const counted = Effect.fnUntraced(function* (some: ReadonlyArray<Batch>) {
    const found: Array<CountedBatch> = []
    for (let from = 0; from < some.length; from += limits.talliesAtOnce) {
      const reads = some
        .slice(from, from + limits.talliesAtOnce)
        .map((batch) => Effect.map(tallies.read(batch.batch_id), (tally) => ({ batch, tally })))
      found.push(...(yield* activity.together(reads)))
    }
    return found
  })

  return {
    counted,
    /** Contacts that wait in batches of a campaign which have expired: they are not skipped, as those of a cancelled one are. */
    leftOver: Effect.fnUntraced(function* (campaignId: string) {
      const all = yield* batches.movable(campaignId)
      const expired = all.filter(({ purging_since, status }) => status === "expired" && purging_since === undefined)
      return (yield* counted(expired)).reduce((sum, each) => sum + waitingOf(each), 0)
    }),
    /** Contacts that wait in unfinished batches, for whatever it is. */
    leftIn: Effect.fnUntraced(function* (some: ReadonlyArray<CountedBatch>, now: number) {
      const ids = idsOf(some)
      const { dialable } = yield* contacts.load(ids, { now, in_hours: true })
      const { held, planned } = yield* contacts.times(ids, now)
      return dialable + held.contacts + planned.contacts + sumOf(some, "number_busy")
    }),
  }
})
