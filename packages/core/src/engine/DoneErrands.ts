import { Effect } from "effect"
import { type Errand, errandName } from "../Errands.ts"
import type { PortError } from "../Errors.ts"
import type { By, ByRow } from "./rules/By.ts"
import { limits } from "../Limits.ts"
import { BeforeErrands, ErrandHandling } from "./ErrandHandling.ts"
import type { Round } from "./steps/Reading.ts"
import type { Step } from "./steps/Step.ts"
import { makeTriedLater } from "./TriedLater.ts"

const none: ReadonlyArray<Errand> = []

/**
 * Does errands once the commit is written that named them: first in, first out. Those that a step names which follows from one of them stand at the end.
 * What has failed is done again later (`TriedLater.ts`), and holds up none of the others. What the end of the process leaves undone follows from the
 * rows: the reconciler, the dispatcher and a process that starts look. `taken` takes a step, and answers which errands it names.
 */
export const makeDoneErrands = Effect.fnUntraced(function* (
  taken: <In extends By | ByRow, View, Reply>(
    step: Step<In, View, Reply, Round>,
    input: In,
  ) => Effect.Effect<ReadonlyArray<Errand>, PortError>,
) {
  const { handle } = yield* ErrandHandling
  const before = yield* BeforeErrands

  /** Does one; those that follow from it. */
  const handled = (errand: Errand) =>
    Effect.flatMap(Effect.andThen(before(errand), handle(errand)), (next) =>
      next === null ? Effect.succeed(none) : next.takenBy(taken),
    )

  const all = Effect.fnUntraced(function* (named: ReadonlyArray<Errand>) {
    const queue = [...named]
    for (let nth = 0; nth < queue.length; nth++) {
      const errand = queue[nth]
      if (errand === undefined) return
      if (nth === limits.errandsTogether) throw new Error(`Errands lead to one another: ${errandName(errand)}.`)
      const follow = yield* Effect.catch(handled(errand), () => Effect.as(doLater(errand), none))
      queue.push(...follow)
    }
  })

  const doLater: (errand: Errand) => Effect.Effect<void> = yield* makeTriedLater(
    "errands:undone",
    { name: errandName, organization: ({ organization_id }) => organization_id },
    (errand: Errand) => Effect.flatMap(handled(errand), all),
  )

  return {
    /** Does those that a step has named. None fails: what has is done again later. */
    all,
    /** Does one that somebody finds undone. Where it fails they are told, and it is done again later. */
    one: (errand: Errand) => Effect.tapError(Effect.flatMap(handled(errand), all), () => doLater(errand)),
  }
})
