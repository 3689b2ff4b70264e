import { Effect } from "effect"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { limits } from "../Limits.ts"
import { least } from "./rules/Lane.ts"
import { type LaneEntries, type OpenMarks, openMarks } from "./rules/OpenMarks.ts"

/** Goes through the marks of a lane, some in a turn of the event loop: there may be ten thousand, and an entry for each of a hundred agents. */
export const eachOfMarks = Effect.fnUntraced(function* (
  entries: LaneEntries,
  marks: ReadonlyArray<string>,
  work: (some: ReadonlyArray<string>) => void,
) {
  const atOnce = Math.max(1, Math.floor(limits.calleeMarksAtOnce / Math.max(1, entries.length)))
  for (let from = 0; from < marks.length; from += atOnce) {
    if (from > 0) yield* nextTurn
    work(marks.slice(from, from + atOnce))
  }
})

/** As `openMarks`, in turns. */
export const openMarksInTurns = Effect.fnUntraced(function* (
  entries: LaneEntries,
  marks: ReadonlyArray<string>,
  now: number,
) {
  const open: Array<string> = []
  let changes: number | null = null
  let opens: number | null = null
  yield* eachOfMarks(entries, marks, (some) => {
    const part = openMarks(entries, some, now)
    open.push(...part.open)
    changes = least(changes, part.changes)
    opens = least(opens, part.opens)
  })
  return { open, changes, opens } satisfies OpenMarks
})
