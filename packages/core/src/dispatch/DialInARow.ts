import { Effect, Exit } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import type { Begun } from "../calls/Dialler.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import { Activity } from "../engine/Activity.ts"
import type { PortError } from "../Errors.ts"
import type { ContactDials } from "./ContactDials.ts"
import type { Desk } from "./Desk.ts"
import type { OpenLane } from "./rules/OpenLane.ts"
import type { Reload } from "./DeskPicture.ts"
import type { Fit } from "./rules/Judged.ts"
import type { Judge } from "./Judging.ts"
import { makeAlike, makeFresh, makeLeft } from "./LeftContacts.ts"

/** A call that was to be begun, and what came of it. */
interface Tried {
  readonly each: Fit
  readonly exit: Exit.Exit<Begun, PortError>
}

/** Dials contacts of one lane together. */
export const makeDialInARow = Effect.fnUntraced(function* (judge: Judge, dials: ContactDials, reload: Reload) {
  const activity = yield* Activity
  const freshFrom = yield* makeFresh
  const alike = yield* makeAlike
  const left = yield* makeLeft

  const beginAll = (desk: Desk, lane: OpenLane, fit: ReadonlyArray<Fit>) =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        const all = yield* activity.together(
          fit.map((each) => Effect.map(Effect.exit(dials.begin(lane, each)), (exit): Tried => ({ each, exit }))),
        )
        // Those that are committed come first: what is to be said of the others may fail.
        for (const { each, exit } of all) {
          if (Exit.isFailure(exit) || exit.value._tag !== "Begun") continue
          yield* dials.start(desk, lane, each, exit.value)
          desk.next()?.take()
        }
        return all
      }),
    )

  /** Enters what came of them: how many were begun, and whether all lines are taken, or something has changed meanwhile. */
  const entered = Effect.fnUntraced(function* (desk: Desk, lane: OpenLane, begun: ReadonlyArray<Tried>) {
    let count = 0
    let isFull = false
    let isStale = false
    for (const { each, exit } of begun) {
      if (Exit.isFailure(exit)) continue
      if (exit.value._tag === "Begun") count += 1
      else if (exit.value._tag === "Stale") isStale = true
      else {
        const entering = dials.enterFull(desk, lane, each, exit.value)
        const end = yield* Effect.catchTag(entering, "Conflict", () => Effect.succeed("stale" as const))
        if (end === "lines_full") isFull = true
        else if (end === "stale") isStale = true
      }
    }
    return { count, isFull, isStale }
  })

  /**
   * Starts calls of the only lane that waits, all at a time: whose turn it is, is no question then, and the store writes them together.
   * It goes as far as nothing is to be said of a contact but that it is dialled or skipped; the next one takes its turn by itself. Returns
   * how many contacts that took: none where the first one is neither.
   */
  return Effect.fnUntraced(function* (desk: Desk, lane: OpenLane, first: ContactRow, batch: Batch, most: number) {
    const rows = yield* freshFrom(first, most)
    // Where the first one is skipped, many may be, and are skipped together.
    if ((yield* alike.barredOf(lane, batch, rows.slice(0, 1))).length > 0) return { taken: 0, isFull: false }
    const judged = yield* activity.together(rows.map((row, nth) => judge(desk, lane, row, batch, nth)))
    const unfit = judged.findIndex(({ _tag }) => _tag !== "Fit" && _tag !== "Suppressed")
    const head = judged.slice(0, unfit < 0 ? judged.length : unfit)
    const fit = head.filter((each) => each._tag === "Fit")
    const barred = head.filter((each) => each._tag === "Suppressed")
    // Contacts are first touched in order: nobody is dialled before one who stands first and could not be skipped.
    const isSkipped = yield* left.skip(batch, barred).pipe(
      Effect.as(true),
      Effect.catchTag("Conflict", () => Effect.succeed(false)),
    )
    if (!isSkipped) {
      yield* reload(desk, lane.lane_id)
      return { taken: 1, isFull: false }
    }
    const begun = yield* beginAll(desk, lane, fit)
    const { count, isFull, isStale } = yield* entered(desk, lane, begun)
    if (count > 0) yield* dials.moveOn(desk, lane, batch)
    if (isStale || barred.length > 0) yield* reload(desk, lane.lane_id)
    for (const { exit } of begun) if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
    // Where no call was begun, that has been entered all the same: the first contact is no longer what was read.
    return { taken: head.length === 0 ? 0 : Math.max(1, count + barred.length), isFull }
  })
})
