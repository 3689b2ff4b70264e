import type { Call } from "../../calls/rules/Call.ts"
import { callStatuses, isTerminal } from "../../calls/rules/CallStatus.ts"
import { addUsage, lessUsage, noUsage, usageDayMs, usageDelta, type UsageFigures } from "../../usage/rules/Usage.ts"
import type { UsagePart } from "../../usage/rules/UsageParts.ts"

/** Sums of fractions depend on their order. */
const slack = 1e-6

const isSameSum = (a: number, b: number): boolean => Math.abs(a - b) <= slack * Math.max(1, Math.abs(a))

const isSame = (a: UsageFigures, b: UsageFigures): boolean =>
  a.calls === b.calls &&
  a.connected_calls === b.connected_calls &&
  isSameSum(a.duration_seconds, b.duration_seconds) &&
  isSameSum(a.cost, b.cost) &&
  callStatuses.every((status) => (a.status_counts[status] ?? 0) === (b.status_counts[status] ?? 0))

/** Whether some calls that have ended could be what one has more than the other. */
const isOfSomeCalls = ({ calls, connected_calls, cost, duration_seconds, status_counts }: UsageFigures): boolean => {
  const counts = callStatuses.map((status) => [status, status_counts[status] ?? 0] as const)
  return (
    counts.every(([status, count]) => count === 0 || (count > 0 && isTerminal(status))) &&
    calls === counts.reduce((sum, [, count]) => sum + count, 0) &&
    connected_calls >= 0 &&
    connected_calls <= calls &&
    duration_seconds >= -slack &&
    cost >= -slack &&
    (calls > 0 || (isSameSum(duration_seconds, 0) && isSameSum(cost, 0)))
  )
}

const told = ({ calls, connected_calls, cost, duration_seconds, status_counts }: UsageFigures): string =>
  `${calls} calls, ${connected_calls} connected, ${duration_seconds} s, ${cost}, ${JSON.stringify(status_counts)}`

/** What each day of usage would be if its calls were counted anew. */
export class UsageRecount {
  readonly #days = new Map<string, UsageFigures>()

  add(call: Call): void {
    const delta = usageDelta(null, call)
    const day = new Date(call.created_at - (call.created_at % usageDayMs)).toISOString().slice(0, 10)
    if (delta !== null) this.#days.set(day, addUsage(this.#days.get(day) ?? noUsage, delta))
  }

  /**
   * The days that are kept otherwise than they count, in words; one that has moved between the two readings is not judged. Calls that were created
   * before `goneBefore` may be gone; null where none is.
   */
  differences(
    before: ReadonlyArray<UsagePart>,
    after: ReadonlyArray<UsagePart>,
    goneBefore: number | null,
  ): ReadonlyArray<string> {
    const [was, is] = [before, after].map((parts) => new Map(parts.map(({ figures, key }) => [key ?? "", figures])))
    const of = (parts: ReadonlyMap<string, UsageFigures> | undefined, day: string) => parts?.get(day) ?? noUsage
    const days = [...new Set([...(is?.keys() ?? []), ...this.#days.keys()])].toSorted()
    const isRight = (day: string): boolean => {
      const [kept, counted] = [of(is, day), of(this.#days, day)]
      const mayBeGone = goneBefore !== null && Date.parse(day) < goneBefore
      return isSame(counted, kept) || (mayBeGone && isOfSomeCalls(lessUsage(kept, counted)))
    }
    return days
      .filter((day) => isSame(of(was, day), of(is, day)) && !isRight(day))
      .map((day) => `${day} is kept as ${told(of(is, day))}, and counts ${told(of(this.#days, day))}`)
  }
}
