import { Effect } from "effect"
import { type Errand, errandName } from "../Errands.ts"
import type { PortError } from "../Errors.ts"
import type { Ask, Decided } from "./rules/Outcome.ts"
import { limits } from "../Limits.ts"
import { BeforeErrands, ErrandHandling, type Take } from "./ErrandHandling.ts"
import { makeTriedLater } from "./TriedLater.ts"

const none: ReadonlyArray<Errand> = []

/**
 * Does errands once the commit is written that named them: first in, first out. Those that a step names which follows from one of them stand at the end.
 * What has failed is done again later (`TriedLater.ts`), and holds up none of the others. What the end of the process leaves undone follows from the
 * rows: the reconciler, the dispatcher and a process that starts look. An errand that asks comes after the others, and is done once: whoever asked
 * is told where it fails.
 */
export const makeDoneErrands = Effect.fnUntraced(function* (take: Take) {
  const { ask, handle } = yield* ErrandHandling
  const before = yield* BeforeErrands

  const follows = ({ answer, errands }: Decided<unknown>): ReadonlyArray<Errand> => {
    if ("reply" in answer) return errands
    throw new Error(`Nobody waits for the answer to ${errandName(answer.errand)}.`)
  }

  /** Does one; those that follow from it. */
  const handled = (errand: Errand) =>
    Effect.flatMap(Effect.andThen(before(errand), handle(errand)), (next) =>
      next === null ? Effect.succeed(none) : Effect.map(next.takenBy(take), follows),
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

  const asked: Ask = (errand) =>
    Effect.flatMap(Effect.andThen(before(errand), ask(errand)), (next) => next.takenBy(take))

  /** Does what a step has named, what it asks, and what follows from that, until there is an answer. */
  const settled = Effect.fnUntraced(function* <Reply, Refusal>(
    decided: Decided<Reply, Refusal>,
  ): Effect.fn.Return<Reply, Refusal | PortError> {
    let last = decided
    for (let nth = 0; ; nth++) {
      if (last.errands.length > 0) yield* all(last.errands)
      if ("reply" in last.answer) return last.answer.reply
      if (nth === limits.errandsTogether) {
        throw new Error(`What is asked leads to another question: ${errandName(last.answer.errand)}.`)
      }
      last = yield* last.answer.by(asked)
    }
  })

  return {
    /** Does those that a step has named. None fails: what has is done again later. */
    all,
    /** Does what a step has named, and answers whoever took it: where it asks, what the step replies that takes what came of that. */
    answered: <Reply, Refusal>(decided: Decided<Reply, Refusal>): Effect.Effect<Reply, Refusal | PortError> =>
      decided.errands.length === 0 && "reply" in decided.answer
        ? Effect.succeed(decided.answer.reply)
        : settled(decided),
    /** Does one that somebody finds undone. Where it fails they are told, and it is done again later. */
    one: (errand: Errand) => Effect.tapError(Effect.flatMap(handled(errand), all), () => doLater(errand)),
  }
})
