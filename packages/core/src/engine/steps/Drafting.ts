import { descriptions, type Put, type RowKind } from "../../Rows.ts"
import type { Change, CommitDraft } from "../rules/Commit.ts"
import type { ErasedCall } from "../../Changes.ts"
import { type Grounds, rowName } from "./Grounds.ts"
import { type Guard, guardName } from "../rules/Guards.ts"
import type { PutRow, RowChange } from "../rules/Outcome.ts"
import { following } from "../rules/Put.ts"
import type { Follows } from "../rules/RowDescription.ts"
import type { WakeupChange } from "../rules/Wakeup.ts"

/** Whether two changes of wake-ups of one subject are one and the same. */
const isSameLook = (one: WakeupChange, other: WakeupChange): boolean => {
  if ("clear" in one) return "clear" in other && one.clear.kind === other.clear.kind
  return "set" in other && one.set.kind === other.set.kind && one.set.at === other.set.at
}

/** Changes and wake-ups as they come. */
class Draft {
  readonly changes: Array<Change> = []
  readonly wakeups: Array<WakeupChange> = []
  /** The rows that are replaced or removed at their revisions. */
  readonly replaced = new Set<string>()
  readonly #raised = new Set<string>()
  /** By subject, whose looks are few: a text of each change would be made only to be compared. */
  readonly #looks = new Map<string, Array<WakeupChange>>()

  /** The guards of the sets that a row joins, and all that follows from it. */
  follow<K extends RowKind>({ before, isCarried, put: kind, row }: PutRow<K>, at: number): void {
    const { id, joins } = descriptions[kind]
    this.replaced.add(rowName({ kind, id: id(row) }))
    if (isCarried !== true) for (const guard of joins?.(before, row) ?? []) this.raise(guard)
    this.#enter(following(kind, before, row, at))
  }

  /** What follows where a call is taken back. */
  takeBack({ call }: ErasedCall, at: number): void {
    this.replaced.add(rowName({ kind: "call", id: call.execution_id }))
    this.#enter(following("call", call, null, at))
  }

  #enter({ changes, wakeups }: Follows): void {
    this.changes.push(...changes)
    this.look(wakeups)
  }

  /** Several rows may want the same look. */
  look(wakeups: ReadonlyArray<WakeupChange>): void {
    for (const wakeup of wakeups) {
      const { subject } = "set" in wakeup ? wakeup.set : wakeup.clear
      const known = this.#looks.get(subject)
      if (known === undefined) this.#looks.set(subject, [wakeup])
      else if (known.some((other) => isSameLook(other, wakeup))) continue
      else known.push(wakeup)
      this.wakeups.push(wakeup)
    }
  }

  /** Several rows may join one set. */
  raise(guard: Guard): void {
    const name = guardName(guard)
    if (this.#raised.has(name)) return
    this.#raised.add(name)
    this.changes.push({ put: "guard", guard })
  }
}

const written = <K extends RowKind>({ from, put, row }: PutRow<K>): Put<K> =>
  from === undefined ? { put, row } : { put, row, from }

/** The commit of what a step has decided at a time, on the grounds of what it has read; `looks` are when to look again, beside what follows from the rows. */
export const draftOf = (
  organization_id: string,
  rows: ReadonlyArray<RowChange>,
  grounds: Grounds,
  at: number,
  looks: ReadonlyArray<WakeupChange> = [],
): Required<Pick<CommitDraft, "organization_id" | "expect" | "changes" | "wakeups">> => {
  const draft = new Draft()
  for (const change of rows) {
    switch (change.put) {
      case "guard":
        draft.raise(change.guard)
        break
      case "endpoint_attempt":
      case "tally":
      case "usage":
      case "debit":
        draft.changes.push(change)
        break
      case "erased_call":
        draft.changes.push(change)
        draft.takeBack(change, at)
        break
      case "removal":
        draft.replaced.add(rowName(change))
        draft.changes.push({ ...change, organization_id })
        break
      case "discard":
        draft.changes.push({ ...change, organization_id })
        break
      default:
        draft.changes.push(written(change))
        draft.follow(change, at)
    }
  }
  draft.look(looks)
  const { changes, replaced, wakeups } = draft
  return { organization_id, expect: grounds.expected(replaced), changes, wakeups }
}
