/** What a process knows of something that it depends on. Times are epoch milliseconds. */
export interface Standing {
  /** Since when it is away; null while it is not. */
  readonly since: number | null
  /** When it last failed to answer. */
  readonly failedAt: number
  /** Failures in a row, and when they began. */
  readonly streak: number
  readonly streakSince: number
  /** What was not answered while it was away. */
  readonly operations: number
  readonly requests: number
  /** What failed last could not be written: reads may be answered all the same, and say little. */
  readonly isUnwritten: boolean
}

export const unknownStanding: Standing = {
  since: null,
  failedAt: -Infinity,
  streak: 0,
  streakSince: 0,
  operations: 0,
  requests: 0,
  isUnwritten: false,
}

/** When it counts as away, and when as back. */
export interface Patience {
  /** Failures in a row after which it is away. */
  readonly failures: number
  /** How long no failure may come before it is back, so that one that comes and goes is two lines in that time and no more. */
  readonly calmMs: number
  /** The same for reads, where what failed last could not be written; as long as `calmMs` where reads and writes fail together. */
  readonly readCalmMs?: number
}

/** What an operation does; a full disk refuses writes alone. */
export type Doing = "read" | "write"

/** An operation was not answered. */
export const failed = (
  standing: Standing,
  now: number,
  { failures }: Patience,
  isUnwritten: boolean = false,
): Standing => {
  const streak = standing.streak + 1
  const streakSince = standing.streak === 0 ? now : standing.streakSince
  const isAway = standing.since !== null || streak >= failures
  return {
    since: standing.since ?? (isAway ? streakSince : null),
    failedAt: now,
    streak,
    streakSince,
    operations: standing.since === null ? streak : standing.operations + 1,
    requests: standing.requests,
    isUnwritten,
  }
}

/** An operation that began at a moment was answered. One that began before the last failure says nothing of what came after it. */
export const answered = (
  standing: Standing,
  began: number,
  { calmMs, readCalmMs = calmMs }: Patience,
  doing: Doing = "write",
): Standing => {
  if (standing.since === null) return standing.streak === 0 ? standing : unknownStanding
  const calm = doing === "read" && standing.isUnwritten ? readCalmMs : calmMs
  return began >= standing.failedAt + calm ? unknownStanding : standing
}

/** A request was refused while it was away. */
export const touched = (standing: Standing): Standing =>
  standing.since === null ? standing : { ...standing, requests: standing.requests + 1 }

/** An operation was not even asked, because it is away. */
export const missed = (standing: Standing): Standing =>
  standing.since === null ? standing : { ...standing, operations: standing.operations + 1 }
