import { formatUtc } from "../../time/Timestamp.ts"
import type { Attempt, Callee } from "./Callee.ts"

/** How often an organization may call one number: at most so many times in each stretch that ends with a dial. Null: as often as one likes. */
export interface CallCapsSetting {
  /** In 24 hours. */
  readonly per_day: number | null
  /** In seven times 24 hours. */
  readonly per_week: number | null
  /** In thirty times 24 hours. */
  readonly per_thirty_days: number | null
  /** So many seconds lie at least between two dials. */
  readonly minimum_rest_seconds: number | null
}

/** The caps of an organization, and when they were written (epoch milliseconds). */
export interface CallCaps extends CallCapsSetting {
  readonly updated_at: number
}

const dayMs = 24 * 3_600_000

/** The longest stretch of a cap; what was dialled before it counts no more. */
export const longestCapMs = 30 * dayMs

/** At most `most` attempts in each stretch of so many milliseconds. */
interface Cap {
  readonly most: number
  readonly stretchMs: number
}

const capsIn = ({ minimum_rest_seconds, per_day, per_thirty_days, per_week }: CallCapsSetting): ReadonlyArray<Cap> =>
  [
    { most: per_day, stretchMs: dayMs },
    { most: per_week, stretchMs: 7 * dayMs },
    { most: per_thirty_days, stretchMs: longestCapMs },
    { most: minimum_rest_seconds === null ? null : 1, stretchMs: (minimum_rest_seconds ?? 0) * 1_000 },
  ].flatMap(({ most, stretchMs }) => (most === null ? [] : [{ most, stretchMs }]))

/** The dials of a number that count. */
export const attemptsOf = (callee: Callee | null): ReadonlyArray<Attempt> => callee?.attempts ?? []

/** From when on a number may be dialled again that caps keep from being dialled at a moment; null where they do not. */
export const cappedUntil = (callee: Callee | null, caps: CallCapsSetting | undefined, at: number): number | null => {
  if (caps === undefined) return null
  const times = attemptsOf(callee)
    .map((attempt) => attempt.at)
    .sort((one, other) => one - other)
  const ends = capsIn(caps).map(({ most, stretchMs }) => (times.at(-most) ?? -Infinity) + stretchMs)
  const until = Math.max(...ends)
  return until > at ? until : null
}

/** Why a call is refused whose number was called as often as it may be. */
export const cappedMessage = (until: number): string =>
  `This number was called as often as the call caps allow: it may be called again at ${formatUtc(until)}.`
