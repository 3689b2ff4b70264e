import type { Call } from "../../calls/rules/Call.ts"
import { limits } from "../../Limits.ts"
import { addUsage, noUsage, sumUsage, usageDelta, type UsageFigures, usageMinuteMs } from "./Usage.ts"
import type { UsageGroup, UsagePart } from "./UsageParts.ts"

/** A stretch of time, `from` included and `to` not, epoch milliseconds. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

const notEmpty = ({ from, to }: Stretch): boolean => from < to

/** The first moment of the minute of a time. */
const minuteOf = (at: number): number => Math.floor(at / usageMinuteMs) * usageMinuteMs

/** The whole minute in which an edge lies. */
export const minuteAround = ({ from }: Stretch): Stretch => ({
  from: minuteOf(from),
  to: minuteOf(from) + usageMinuteMs,
})

/**
 * A range divided into its whole minutes, which are one stretch, and what is left of it at its ends, each within one minute; nothing is there
 * that is empty.
 */
export const stretchesOf = (
  from: number,
  to: number,
): { readonly whole: ReadonlyArray<Stretch>; readonly edges: ReadonlyArray<Stretch> } => {
  const first = minuteOf(from + usageMinuteMs - 1)
  const last = minuteOf(to)
  if (first > last) return { whole: [], edges: [{ from, to }].filter(notEmpty) }
  return {
    whole: [{ from: first, to: last }].filter(notEmpty),
    edges: [
      { from, to: first },
      { from: last, to },
    ].filter(notEmpty),
  }
}

/** The parts of several stretches as those of one, in the order of their keys, null first. */
export const sumParts = (parts: ReadonlyArray<UsagePart>): ReadonlyArray<UsagePart> => {
  const sums = new Map<string | null, UsageFigures>()
  for (const { figures, key } of parts) sums.set(key, sumUsage(sums.get(key) ?? noUsage, figures))
  return [...sums].map(([key, figures]) => ({ key, figures })).sort((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1))
}

const keyOf = (call: Call, group: UsageGroup): string | null => {
  if (group === "day") return new Date(call.created_at).toISOString().slice(0, 10)
  return group === "agent" ? call.agent_id : call.campaign_id
}

/** Of more agents or campaigns than a report may have, that many and one more, which says that there are more. */
export const firstParts = (parts: ReadonlyArray<UsagePart>, group: UsageGroup): ReadonlyArray<UsagePart> =>
  group === "day" ? parts : parts.slice(0, limits.usageGroups + 1)

/** What calls add up to, looked at one by one. */
export const usageOf = (calls: Iterable<Call>, group: UsageGroup): ReadonlyArray<UsagePart> => {
  const sums = new Map<string | null, UsageFigures>()
  for (const call of calls) {
    const delta = usageDelta(null, call)
    const key = keyOf(call, group)
    if (delta !== null) sums.set(key, addUsage(sums.get(key) ?? noUsage, delta))
  }
  return sumParts([...sums].map(([key, figures]) => ({ key, figures })))
}
