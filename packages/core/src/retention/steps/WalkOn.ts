import { type Outcome, put, type RowChange, unchanged, write } from "../../engine/rules/Outcome.ts"
import { type Reading, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { seenBy } from "./PurgeReads.ts"
import type { Purge, PurgedCounts } from "../rules/PurgeRow.ts"
import { isAny, nothingGone, type Seen, stepOf, walkAt, walkFrom } from "./Purging.ts"

/** A walk after a step, and what has gone, where the audit trail was told of it. */
export interface Walked {
  readonly walk: Purge
  readonly told: PurgedCounts
}

/** A walk that goes on, as it stands in the rows, and what it has read. */
interface Going {
  readonly known: Purge | null
  readonly walk: Purge
  readonly seen: Seen | null
}

/** How a walk stands. Once it is over, the audit trail is told what has gone. */
const standing = (known: Purge | null, walk: Purge, changes: ReadonlyArray<RowChange>): Outcome<Walked> => {
  const { days, gone, organization_id, place } = walk
  const isTold = place === null && isAny(gone)
  const after = put("purge", known, isTold ? { ...walk, gone: nothingGone } : walk)
  const resource = { type: "organization", id: organization_id }
  return write([after, ...changes], {
    audit: isTold ? [{ action: "retention.purge", resource, details: { ...gone, days } }] : [],
    reply: { walk: after.row, told: isTold ? gone : nothingGone },
  })
}

function* goingOn(known: Purge | null, walk: Purge): Reading<Going> {
  return { known, walk, seen: yield* seenBy(walk) }
}

const walkedOn = ({ known, seen, walk }: Going, now: number): Outcome<Walked> => {
  const stepped = seen === null ? { walk, changes: [] } : stepOf(walk, seen, now)
  return standing(known, stepped.walk, stepped.changes)
}

/** One step of the walk that an organization's days ask for at a moment; replies when there is one again where there is none now. */
export const sweepOn = step({
  name: "retention.sweep",
  *reads({ at, days, organization_id }: ByEngine & { readonly days: number; readonly at: number }) {
    const known = yield* row("purge", organization_id)
    const walk = walkAt(known, organization_id, days, at)
    return typeof walk === "number" ? walk : yield* goingOn(known, walk)
  },
  decide: (_, going, { now }): Outcome<Walked | number> =>
    typeof going === "number" ? unchanged(going) : walkedOn(going, now),
})

/** What somebody asks to go who names a moment. */
interface PurgeAsked extends ByEngine {
  /** What goes has ended before. */
  readonly before: number
  /** When it was asked for. */
  readonly at: number
  /** Whether its walk begins with this step. */
  readonly begins: boolean
}

/** One step of the walk that somebody has asked for, which begins with the first. */
export const purgeOn = step({
  name: "retention.purge",
  *reads({ at, before, begins, organization_id }: PurgeAsked) {
    const known = yield* row("purge", organization_id)
    const walk = begins || known === null ? walkFrom(known, organization_id, { days: null, before }, at) : known
    return yield* goingOn(known, walk)
  },
  decide: (_, going, { now }) => walkedOn(going, now),
})

/** Ends a walk whose organization keeps everything from now on. */
export const endWalk = step({
  name: "retention.end",
  reads: ({ organization_id }: ByEngine) => row("purge", organization_id),
  decide: (_, known): Outcome<Walked | null> =>
    known === null || (known.place === null && !isAny(known.gone))
      ? unchanged(null)
      : standing(known, { ...known, place: null }, []),
})
