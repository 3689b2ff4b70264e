import { limits } from "@carillon/core"
import { FewInTurn } from "@carillon/core/ports"
import { Effect } from "effect"

/** An answer of the database, and whoever waits for it. */
export interface Answered {
  /** The organization that waits, or nobody in particular. */
  readonly party: string
  /** Has it go on, at once and as far as it comes without waiting for something else. */
  readonly give: () => void
}

// As it is now: a test that fakes it meanwhile would lose a turn that is due.
const soon = setImmediate

/** There is one event loop, whatever pools and engines a process has, so all that is handed out in it has the same turns. */
const turns = new FewInTurn({ now: () => performance.now(), afterTurn: (work) => void soon(work) }, limits.wokenInTurn)

/**
 * Hands out answers, a few in a turn of the event loop and party by party, and waits for none of them: what is to be asked or written next does not wait
 * for those who have hundreds of answers to come. Whoever waits goes on in the moment in which it is given its answer, so what many of them do then
 * is as long as they are many. Who is gone by its turn is given nothing, and nothing is lost: until then it has an answer as little as while the
 * database was asked.
 */
export const handedOut = (answers: ReadonlyArray<Answered>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const { give, party } of answers) turns.enter(party, give)
  })
