import type { Commit, SlotLevel } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"

/** One stretch of time: when it begins, the most lines in use within it, and how many at its end. */
export interface LinePoint {
  readonly at: number
  readonly most: number
  readonly last: number
}

/** The resolutions that are kept: stretches of so many milliseconds, and how many stretches with a change. */
const resolutions = [
  { stepMs: 1_000, kept: 1_024 },
  { stepMs: 60_000, kept: 1_536 },
  { stepMs: 3_600_000, kept: 1_024 },
] as const

/** Subjects that are remembered; the one that has been still for longest gives way. */
const maxSubjects = 256

/** Stretches of one length, oldest first. What did not change takes no room. */
class Steps {
  readonly #stepMs: number
  readonly #kept: number
  #points: Array<LinePoint> = []

  constructor({ stepMs, kept }: { readonly stepMs: number; readonly kept: number }) {
    this.#stepMs = stepMs
    this.#kept = kept
  }

  note(at: number, used: number): void {
    const from = at - (at % this.#stepMs)
    const newest = this.#points.at(-1)
    if (newest?.at === from) {
      this.#points[this.#points.length - 1] = { at: from, most: Math.max(newest.most, used), last: used }
      return
    }
    if ((newest?.last ?? 0) === used) return
    this.#points.push({ at: from, most: Math.max(newest?.last ?? 0, used), last: used })
    // Shortened only now and then, so that a note costs the same however many there are.
    if (this.#points.length > 2 * this.#kept) this.#points = this.#points.slice(-this.#kept)
  }

  /** From the last stretch that begins no later than `from` on; with none, from zero lines. */
  since(from: number): ReadonlyArray<LinePoint> {
    const before = this.#points.findLastIndex(({ at }) => at <= from)
    const points = this.#points.slice(Math.max(0, before))
    return before < 0 ? [{ at: from, most: 0, last: 0 }, ...points] : points
  }
}

/** Merges stretches into ones of at least `stepMs`. */
const coarsened = (points: ReadonlyArray<LinePoint>, stepMs: number): ReadonlyArray<LinePoint> => {
  const merged: Array<LinePoint> = []
  for (const point of points) {
    const newest = merged.at(-1)
    if (newest === undefined || point.at - newest.at >= stepMs) merged.push(point)
    else merged[merged.length - 1] = { at: newest.at, most: Math.max(newest.most, point.most), last: point.last }
  }
  return merged
}

/** What is kept of a subject, and how many of its lines were last in use: most changes of calls change nothing here. */
interface Noted {
  readonly level: SlotLevel
  readonly key: string
  used: number
  readonly steps: ReadonlyArray<Steps>
}

/**
 * How many lines were in use at every level, at three resolutions of virtual time. Its memory is bounded by the number of stretches
 * and of subjects, whatever the traffic.
 */
export class LineHistory {
  readonly #tables: MemoryTables
  /** Those that are remembered, the one that has been still for longest first. */
  readonly #subjects = new Set<Noted>()
  /** The same by level and key. */
  readonly #known: { readonly [level in SlotLevel]: Map<string, Noted> } = {
    platform: new Map(),
    organization: new Map(),
    agent: new Map(),
    campaign: new Map(),
  }

  constructor(tables: MemoryTables) {
    this.#tables = tables
  }

  /** Looks at the levels of every call that a commit changes. */
  observe(commit: Commit, now: number): void {
    for (const change of commit.changes) {
      if (change.put !== "call" && change.put !== "erased_call") continue
      const { agent_id, batch_id, campaign_id, organization_id } = change.put === "call" ? change.row : change.call
      this.#note("platform", "platform", now)
      this.#note("organization", organization_id, now)
      this.#note("agent", agent_id, now)
      const lane = campaign_id ?? batch_id
      if (lane !== null) this.#note("campaign", lane, now)
    }
  }

  /** The lines in use from a moment on, in at most about `points` stretches. */
  read(level: SlotLevel, key: string, from: number, now: number, points: number): ReadonlyArray<LinePoint> {
    const stepMs = (now - from) / points
    const index = resolutions.findIndex((resolution) => now - from <= resolution.stepMs * resolution.kept)
    const steps = this.#known[level].get(key)?.steps.at(index)
    return steps === undefined ? [{ at: from, most: 0, last: 0 }] : coarsened(steps.since(from), stepMs)
  }

  #note(level: SlotLevel, key: string, now: number): void {
    const known = this.#known[level].get(key)
    const used = this.#tables.calls.holding(level, key)
    if (used === (known?.used ?? 0)) return
    const noted = known ?? this.#begin(level, key)
    noted.used = used
    for (const each of noted.steps) each.note(now, used)
    // Entered anew each time, so that the first one is the one that has been still for longest.
    this.#subjects.delete(noted)
    this.#subjects.add(noted)
    if (this.#subjects.size <= maxSubjects) return
    const [stillest] = this.#subjects
    if (stillest === undefined) return
    this.#subjects.delete(stillest)
    this.#known[stillest.level].delete(stillest.key)
  }

  #begin(level: SlotLevel, key: string): Noted {
    const noted = { level, key, used: 0, steps: resolutions.map((resolution) => new Steps(resolution)) }
    this.#known[level].set(key, noted)
    return noted
  }
}
