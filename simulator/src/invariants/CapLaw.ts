import type { Call } from "@carillon/core"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"

const hourMs = 3_600_000
const stretches = [
  { cap: "per_day", ms: 24 * hourMs },
  { cap: "per_week", ms: 7 * 24 * hourMs },
  { cap: "per_thirty_days", ms: 30 * 24 * hourMs },
] as const

interface Dial {
  readonly execution_id: string
  readonly at: number
}

export interface CapLaw {
  /** A dial was committed, at a time. */
  readonly begun: (call: Call, at: number) => void
  /** A dial was taken back as if it had never been made. */
  readonly undone: (call: Call) => void
}

const nameOf = ({ organization_id, to_number }: Call): string => `${organization_id} ${to_number}`

/** The law of call caps: folded over the dials themselves, by a count of its own. Dials of while no caps stood count for nothing. */
export const capLaw = (invariants: Invariants, { calleeHours }: Pick<MemoryTables, "calleeHours">): CapLaw => {
  const s25 = invariants.open({
    name: "S25",
    description: "No number is called more often than call caps allow, unless somebody asked for it all the same.",
  })
  const dials = new Map<string, ReadonlyArray<Dial>>()

  const begun = (call: Call, at: number) => {
    const caps = calleeHours.get(call.organization_id)?.caps
    if (caps === undefined) return
    const { execution_id, to_number } = call
    const name = nameOf(call)
    const before = (dials.get(name) ?? []).filter((dial) => dial.at > at - 30 * 24 * hourMs)
    dials.set(name, [...before, { execution_id, at }])
    if (call.overrides_call_caps === true) return
    for (const { cap, ms } of stretches) {
      const count = before.filter((dial) => dial.at > at - ms).length + 1
      const most = caps[cap]
      s25(most === null || count <= most, () => `${execution_id} is call ${count} to ${to_number}, by ${cap} ${most}`)
    }
    const last = before.at(-1)
    const rest = caps.minimum_rest_seconds
    const rested = last === undefined || rest === null || at - last.at >= rest * 1_000
    s25(rested, () => `${execution_id} calls ${to_number} ${at - (last?.at ?? at)} ms after another`)
  }

  const undone = (call: Call) => {
    const name = nameOf(call)
    const left = (dials.get(name) ?? []).filter(({ execution_id }) => execution_id !== call.execution_id)
    if (left.length === 0) dials.delete(name)
    else dials.set(name, left)
  }

  return { begun, undone }
}
