import { Effect } from "effect"
import { type Call, holdsLine } from "../calls/rules/Call.ts"
import type { CallStore } from "../calls/ports/CallStore.ts"
import { surviving } from "../calls/steps/Surviving.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { slotLevels, type SlotLevel } from "./rules/SlotLevels.ts"
import { countedFence, everyHolder, restoreLine } from "./Holders.ts"
import type { SlotMember, SlotStore } from "./ports/SlotStore.ts"

type StaleMember = Pick<SlotMember, "execution_id" | "organization_id" | "fence">

/** The organization, agent or campaign that has the most lines, and whose it is. */
export interface MostUsed {
  readonly organization_id: string
  readonly used: number
}

/** Lines whose calls nobody has heard of for long, and since when of the one that has been silent the longest (epoch milliseconds). */
export interface SilentLines {
  readonly calls: number
  readonly since: number | null
}

/** Of these calls, those that hold a line and that nobody has heard of for long. */
export const silentLines = (calls: Iterable<Call>, now: number): SilentLines => {
  let count = 0
  let since: number | null = null
  for (const call of calls) {
    if (!holdsLine(call) || call.updated_at > now - limits.silentLineMs) continue
    count += 1
    since = Math.min(since ?? Infinity, call.updated_at)
  }
  return { calls: count, since }
}

/** What the slot store holds whose row holds no line any more, what it holds without a row, and whether anything was held at all. */
export interface Comparison {
  readonly isEmpty: boolean
  /** Calls that hold a line and had none in the slot store. */
  readonly missing: number
  /** At each level, the key that has the most members. */
  readonly most: ReadonlyMap<SlotLevel, MostUsed>
  readonly silent: SilentLines
  readonly stale: ReadonlyArray<StaleMember>
  readonly strays: ReadonlyArray<StaleMember>
}

const everyMember = Effect.fnUntraced(function* (slots: SlotStore["Service"]) {
  const members = new Map<string, SlotMember>()
  for (let after: string | null = null; ;) {
    const page: ReadonlyArray<SlotMember> = yield* slots.members(after, limits.reconcilePage)
    for (const member of page) members.set(member.execution_id, member)
    if (page.length < limits.reconcilePage) return members
    after = page.at(-1)?.execution_id ?? null
  }
})

const mostUsed = (members: Iterable<SlotMember>): ReadonlyMap<SlotLevel, MostUsed> => {
  const used = new Map<SlotLevel, Map<string, number>>(slotLevels.map((level) => [level, new Map()]))
  const most = new Map<SlotLevel, MostUsed>()
  for (const { levels, organization_id } of members) {
    for (const { key, level } of levels) {
      const count = (used.get(level)?.get(key) ?? 0) + 1
      used.get(level)?.set(key, count)
      if (count > (most.get(level)?.used ?? 0)) most.set(level, { organization_id, used: count })
    }
  }
  return most
}

/** The row that a member stands for by now, which is another one after a folding; null where none was ever written, or it was taken back. */
export const rowOf = (calls: CallStore["Service"], member: string) => surviving(calls.locate, member)

/**
 * Compares the memberships with the rows, which are the truth, and enters those that are missing, over a ceiling if need be. A call is
 * committed before its line is held, so a line whose own row, read after it, holds none is nobody's under that fence ever again: it is
 * stale for good. Without a row it is a stray, which nothing has proved yet. That is also asked of what was just entered, because a call may have ended meanwhile. A reservation lapses by itself.
 */
export const compare = (
  slots: SlotStore["Service"],
  calls: CallStore["Service"],
  now: number,
): Effect.Effect<Comparison, PortError> =>
  Effect.gen(function* () {
    const members = yield* everyMember(slots)
    const holders = yield* everyHolder(calls)
    const doubtful: Array<StaleMember & { readonly hadRow: boolean }> = []
    for (const [member, call] of holders) {
      // A reservation does not do: it would lapse under the call.
      if (members.get(member)?.state === "held") continue
      yield* restoreLine(slots, member, call)
      const { organization_id, slot } = call
      doubtful.push({ execution_id: member, organization_id, fence: slot?.fence ?? countedFence, hadRow: true })
    }
    for (const member of members.values()) {
      if (member.state === "held" && !holders.has(member.execution_id)) doubtful.push({ ...member, hadRow: false })
    }
    const rows = yield* Effect.forEach(doubtful, ({ execution_id }) => rowOf(calls, execution_id), {
      concurrency: limits.reconcileTogether,
    })
    return {
      isEmpty: members.size === 0 && holders.size === 0,
      missing: doubtful.filter(({ hadRow }) => hadRow).length,
      silent: silentLines(holders.values(), now),
      most: mostUsed(members.values()),
      stale: doubtful.filter(({ hadRow }, index) => isOver(rows[index] ?? null, hadRow)),
      strays: doubtful.filter(({ hadRow }, index) => !hadRow && rows[index] === null),
    }
  })

/** Whether a call whose row was there, or is there, holds no line: a dial may have been taken back meanwhile. */
const isOver = (row: Call | null, hadRow: boolean): boolean => (row === null ? hadRow : !holdsLine(row))
