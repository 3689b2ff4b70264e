import {
  AdmissionRefused,
  type Commit,
  type Conflict,
  type LaneNumber,
  laneNumberName,
  numberTaken,
  type SlotDemand,
} from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { countHolders } from "../queries/CountLines.ts"
import type { Waiting } from "./Group.ts"

/**
 * Who holds the count of an organization waits so long for a lock: less than those that wait for the count, and longer than PostgreSQL takes
 * to find a deadlock. So one that waits for a row that is not had makes none of the others give up.
 */
const countingPatience = "1200ms"

const nameOf = ({ key, level }: Pick<SlotDemand, "level" | "key">): string => `${level} ${key}`

/** The numbers with which nobody of their lane may be in a call. */
const freeIn = ({ expect }: Commit): ReadonlyArray<LaneNumber> =>
  expect.flatMap((expected) => ("free" in expected ? [expected.free] : []))

/**
 * Counts the committed calls that hold a line under locks on the installation and the organizations, where they have a ceiling: agents,
 * campaigns and the numbers that they call belong to one organization. Nobody else admits by count until the transaction has ended, so what is
 * admitted here counts from one commit to the next. Says who is refused.
 */
export const admitByCount = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, waiting: ReadonlyArray<Waiting>) {
  const refused = new Map<string, AdmissionRefused | Conflict>()
  const asking = waiting.filter(({ commit, levels }) => levels.length > 0 || freeIn(commit).length > 0)
  if (asking.length === 0) return refused
  const isPlatformLimited = asking.some(({ levels }) =>
    levels.some(({ ceiling, level }) => level === "platform" && ceiling !== null),
  )
  const organizations = [...new Set(asking.map(({ commit }) => commit.organization_id))].sort()
  for (const key of [...(isPlatformLimited ? ["platform"] : []), ...organizations]) {
    yield* sql.unsafe("select pg_advisory_xact_lock(hashtextextended($1, 0)), set_config('lock_timeout', $2, true)", [
      `carillon ${key}`,
      countingPatience,
    ])
  }
  const limited = new Map(
    asking.flatMap(({ levels }) =>
      levels.filter(({ ceiling }) => ceiling !== null).map((demand) => [nameOf(demand), demand]),
    ),
  )
  const numbers = asking.flatMap(({ commit }) => freeIn(commit))
  const counted = yield* countHolders(sql, [...limited.values()], numbers)
  const used = new Map([...limited.keys()].map((name, index) => [name, counted[index] ?? 0]))
  const taken = new Set(
    numbers.flatMap((number, index) => ((counted[limited.size + index] ?? 0) > 0 ? [laneNumberName(number)] : [])),
  )
  for (const { commit, levels } of asking) {
    const full = levels.find(({ ceiling, ...line }) => ceiling !== null && (used.get(nameOf(line)) ?? 0) >= ceiling)
    if (full !== undefined) {
      const { ceiling, level } = full
      refused.set(commit.id, new AdmissionRefused({ level, used: used.get(nameOf(full)) ?? 0, max: ceiling ?? 0 }))
      continue
    }
    const busy = freeIn(commit).find((number) => taken.has(laneNumberName(number)))
    if (busy !== undefined) {
      refused.set(commit.id, numberTaken(busy))
      continue
    }
    for (const demand of levels) used.set(nameOf(demand), (used.get(nameOf(demand)) ?? 0) + 1)
  }
  return refused
})
