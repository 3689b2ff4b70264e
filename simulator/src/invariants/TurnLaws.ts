import { Turns } from "@carillon/core/domain"
import type { Invariants } from "./Invariants.ts"

/** How long ceilings are cached: after a change it is not known which of them a dispatcher goes by. */
const cacheMs = 60_000

/** After so many contacts that it set aside a lane lets others go first, though it could dial: that is much work, and they wait for it. */
const setAsideAtMost = 250

/** A lane as the one who takes turns sees it, before a call is started. */
export interface Runner {
  readonly lane_id: string
  readonly used: number
  /** Whether it has a contact to dial and nothing of its own refuses it a line. */
  readonly fit: boolean
  /** When the clock alone may close or open it, or null. */
  readonly until: number | null
}

/** A call that is being started by one of an organization's lanes. */
export interface Start {
  readonly lane_id: string
  readonly share: number
  readonly runners: ReadonlyArray<Runner>
}

/** Two lanes that both could dial all the time: how far one of them is ahead, and was at most and at least. */
interface Race {
  readonly stints: readonly [number, number]
  ahead: number
  most: number
  least: number
  saved: number
}

/** How often a lane began anew, and what is known of it since. */
interface Stint {
  nth: number
  /** When the clock alone may close or open it, or null. */
  until: number | null
  /** Contacts that it may have set aside since it last started a call. */
  setAside: number
}

/** An organization's lanes and the races between them. */
class Course {
  readonly #stints = new Map<string, Stint>()
  readonly races = new Map<string, Race>()

  stintOf(laneId: string): number {
    return this.#stints.get(laneId)?.nth ?? 0
  }

  /** A lane that could not dial, or that the clock may have closed since it was last seen, begins anew. */
  see({ fit, lane_id, until }: Runner, now: number): void {
    const seen = this.#stints.get(lane_id)
    const isNew = seen === undefined || !fit || (seen.until !== null && seen.until <= now)
    this.#stints.set(lane_id, { nth: (seen?.nth ?? 0) + (isNew ? 1 : 0), until, setAside: seen?.setAside ?? 0 })
  }

  /** A lane started a call. */
  start(laneId: string): void {
    const seen = this.#stints.get(laneId)
    if (seen !== undefined) seen.setAside = 0
  }

  /** A lane wrote a contact; after many of them it begins anew. */
  write(laneId: string): void {
    const seen = this.#stints.get(laneId)
    if (seen === undefined) return
    seen.setAside += 1
    if (seen.setAside < setAsideAtMost) return
    seen.setAside = 0
    seen.nth += 1
  }

  leave(laneId: string): void {
    const seen = this.#stints.get(laneId)
    if (seen !== undefined) seen.nth += 1
  }
}

export interface TurnLaws {
  /** A lane starts a call. */
  readonly started: (organizationId: string, start: Start) => void
  /** Something happened to a lane that may have made it lose its place. */
  readonly disturbed: (organizationId: string, laneId: string) => void
  /** A contact of a lane was written: it may have been set aside without a call. */
  readonly written: (organizationId: string, laneId: string) => void
  /** What happened in the organization was not seen, or cannot be judged. */
  readonly missed: (organizationId: string) => void
  /** Ceilings have changed: of one organization, or null for all. */
  readonly resized: (organizationId: string | null) => void
}

/** The law of turns, folded over the calls that lanes start. A call on a line below the floor is no turn. */
export const turnLaws = (invariants: Invariants, options: { readonly now: () => number }): TurnLaws => {
  const s7 = invariants.open({
    name: "S7",
    description:
      "Of two campaigns that could dial all the time neither takes more than 2 turns, and those that one may save, ahead of the other.",
  })
  const courses = new Map<string, Course>()
  const resizedAt = new Map<string | null, number>()

  const isUnsettled = (organizationId: string): boolean => {
    const last = Math.max(resizedAt.get(organizationId) ?? -Infinity, resizedAt.get(null) ?? -Infinity)
    return options.now() - last <= cacheMs
  }

  const courseOf = (organizationId: string): Course => {
    let course = courses.get(organizationId)
    if (course === undefined) courses.set(organizationId, (course = new Course()))
    return course
  }

  const run = (course: Course, ahead: string, behind: string, share: number) => {
    const [a, b] = ahead < behind ? [ahead, behind] : [behind, ahead]
    const stints = [course.stintOf(a), course.stintOf(b)] as const
    const key = `${a} ${b}`
    const known = course.races.get(key)
    const isOn = known?.stints[0] === stints[0] && known.stints[1] === stints[1]
    const race = isOn ? known : { stints, ahead: 0, most: 0, least: 0, saved: 0 }
    if (!isOn) course.races.set(key, race)
    race.saved = Math.max(race.saved, Turns.carriedTurnsLimit(share))
    race.ahead += ahead === a ? 1 : -1
    race.most = Math.max(race.most, race.ahead)
    race.least = Math.min(race.least, race.ahead)
    s7(
      race.most - race.least <= 2 + race.saved,
      () => `${ahead} took ${race.most - race.least} turns more than ${behind}, which could dial all the time`,
    )
  }

  return {
    started: (organizationId, { lane_id, runners, share }) => {
      if (isUnsettled(organizationId)) return void courses.delete(organizationId)
      const course = courseOf(organizationId)
      const now = options.now()
      for (const runner of runners) course.see(runner, now)
      course.start(lane_id)
      const chosen = runners.find((runner) => runner.lane_id === lane_id)
      if (chosen === undefined || chosen.used < share) return
      for (const other of runners) if (other.fit && other !== chosen) run(course, lane_id, other.lane_id, share)
    },
    disturbed: (organizationId, laneId) => courses.get(organizationId)?.leave(laneId),
    written: (organizationId, laneId) => courses.get(organizationId)?.write(laneId),
    missed: (organizationId) => courses.delete(organizationId),
    resized: (organizationId) => resizedAt.set(organizationId, options.now()),
  }
}
