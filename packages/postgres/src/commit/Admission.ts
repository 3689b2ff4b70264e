import {
  AdmissionRefused,
  type Commit,
  Conflict,
  type LaneNumber,
  laneNumberName,
  numberTaken,
  type SlotDemand,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { both } from "../AtOnce.ts"
import { type CalleeGuard, countHolders } from "../queries/CountLines.ts"
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

interface ExpectedCallee extends CalleeGuard {
  readonly revision: number
}

const guardName = ({ id, kind }: CalleeGuard): string => `${kind} ${id}`

/** The callees, and callee hours, that a commit takes to stand at a revision, or not to be there. */
const calleesIn = ({ expect }: Commit): ReadonlyArray<ExpectedCallee> =>
  expect.flatMap((expected) => {
    if (!("revision" in expected)) return []
    const { id, kind, revision } = expected
    return kind === "callee" || kind === "callee_hours" ? [{ kind, id, revision }] : []
  })

const writesCallee = ({ changes }: Commit): boolean =>
  changes.some((change) => {
    const kind = change.put === "removal" ? change.kind : change.put
    return kind === "callee" || kind === "callee_hours"
  })

/** A lock, and how it is taken: by whoever waits for it, or only where it is free. */
interface Lock {
  readonly key: string
  readonly mode: "exclusive" | "shared" | "try exclusive" | "try shared"
  /** How long the transaction waits for a lock from then on; nothing where that stays. */
  readonly patience: string
}

/** Takes locks one after the other in their order, and says which were had. */
const taking = `
  select case r.mode
    when 'try shared' then pg_try_advisory_xact_lock_shared(hashtextextended('carillon ' || r.key, 0))
    when 'try exclusive' then pg_try_advisory_xact_lock(hashtextextended('carillon ' || r.key, 0))
    when 'shared' then pg_advisory_xact_lock_shared(hashtextextended('carillon ' || r.key, 0))::text is not null
    else pg_advisory_xact_lock(hashtextextended('carillon ' || r.key, 0))::text is not null
  end as had, set_config('lock_timeout', coalesce(nullif(r.patience, ''), current_setting('lock_timeout')), true)
  from unnest($1::text[], $2::text[], $3::text[]) as r(key, mode, patience)`

/** The locks on the callees of organizations: exclusive for who writes some, shared for who rests on some. */
const calleeLocks = (waiting: ReadonlyArray<Waiting>, waitsForCallees: boolean): ReadonlyMap<string, Lock> => {
  const modes = new Map<string, "exclusive" | "shared">()
  for (const { commit } of waiting) {
    if (writesCallee(commit)) modes.set(commit.organization_id, "exclusive")
    else if (calleesIn(commit).length > 0 && !modes.has(commit.organization_id)) {
      modes.set(commit.organization_id, "shared")
    }
  }
  return new Map(
    [...modes].sort(inOrder).map(([organizationId, mode]) => [
      organizationId,
      {
        key: `callees ${organizationId}`,
        mode: waitsForCallees ? mode : (`try ${mode}` as const),
        patience: "",
      },
    ]),
  )
}

const inOrder = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : one > other ? 1 : 0

/** The locks under which calls are counted: on the installation where it has a ceiling, and on organizations. */
const countLocks = (waiting: ReadonlyArray<Waiting>): ReadonlyArray<Lock> => {
  const counting = waiting.filter(({ commit, levels }) => levels.length > 0 || freeIn(commit).length > 0)
  const isPlatformLimited = counting.some(({ levels }) =>
    levels.some(({ ceiling, level }) => level === "platform" && ceiling !== null),
  )
  const organizations = [...new Set(counting.map(({ commit }) => commit.organization_id))].sort()
  return [...(isPlatformLimited ? ["platform"] : []), ...organizations].map((key) => ({
    key,
    mode: "exclusive",
    patience: countingPatience,
  }))
}

const take = (sql: SqlClient.SqlClient, locks: ReadonlyArray<Lock>) =>
  locks.length === 0
    ? Effect.succeed([])
    : Effect.map(
        sql.unsafe<{ readonly had: boolean }>(taking, [
          locks.map(({ key }) => key),
          locks.map(({ mode }) => mode),
          locks.map(({ patience }) => patience),
        ]),
        (taken) => taken.map(({ had }) => had),
      )

/** What was said of commits before they are written. */
export interface Admitted {
  readonly refused: ReadonlyMap<string, AdmissionRefused | Conflict>
  /** Those that have to wait for the callees of their organization, and are not written now. */
  readonly waiting: ReadonlySet<string>
}

/**
 * Takes the locks under which commits are admitted, and looks at what they count.
 *
 * A dial rests on what is known of its number, and on the hours of callees; where nothing is there is no row that could be locked. So each
 * organization has a lock on its callees, which its dials share and who writes a callee, or their hours, has alone. The order of locks is: callees by organization, the installation, organizations,
 * then guards and rows. Nobody waits for callees who holds a lock that another organization needs: an upload holds up the dials of its own organization
 * and no others. For the same reason nobody waits for callees in a group with others: `waitsForCallees` says whether to wait, or to leave those
 * out whose callees are somebody else's now.
 *
 * Committed calls that hold a line are counted under locks on the installation and the organizations, where they have a ceiling: agents,
 * campaigns and the numbers that they call belong to one organization. Nobody else admits by count until the transaction has ended, so what is
 * admitted here counts from one commit to the next.
 *
 * All of them are asked about at once; what is said of them is said of those that are new.
 */
export const admitByCount = (
  sql: SqlClient.SqlClient,
  waiting: ReadonlyArray<Waiting>,
  waitsForCallees: boolean,
): Effect.Effect<(fresh: ReadonlyArray<Waiting>) => Admitted, SqlError.SqlError> => {
  const locks = calleeLocks(waiting, waitsForCallees)
  const rests = ({ commit }: Waiting): boolean => calleesIn(commit).length > 0 || writesCallee(commit)
  return Effect.map(
    both(take(sql, [...locks.values(), ...countLocks(waiting)]), counted(sql, waiting)),
    ([taken, refusedOf]) => {
      const taboo = new Set([...locks.keys()].filter((_, nth) => taken[nth] === false))
      return (fresh) => {
        const left = fresh.filter((each) => rests(each) && taboo.has(each.commit.organization_id))
        const refused = refusedOf(fresh.filter((each) => !left.includes(each)))
        return { refused, waiting: new Set(left.map(({ commit }) => commit.id)) }
      }
    },
  )
}

/** What is committed already of what commits count. */
interface Counts {
  readonly used: Map<string, number>
  readonly taken: ReadonlySet<string>
  readonly revisions: ReadonlyMap<string, number>
}

/** Counts what is committed. */
const counted = (sql: SqlClient.SqlClient, asking: ReadonlyArray<Waiting>) => {
  const limited = new Map(
    asking.flatMap(({ levels }) =>
      levels.filter(({ ceiling }) => ceiling !== null).map((demand) => [nameOf(demand), demand]),
    ),
  )
  const numbers = asking.flatMap(({ commit }) => freeIn(commit))
  const guards = new Map(
    asking.flatMap(({ commit }) => calleesIn(commit).map((guard) => [guardName(guard), guard] as const)),
  )
  const found =
    limited.size + numbers.length + guards.size === 0
      ? Effect.succeed([])
      : countHolders(sql, [...limited.values()], numbers, [...guards.values()])
  return Effect.map(found, (counts) => {
    const used = new Map([...limited.keys()].map((name, index) => [name, counts[index] ?? 0]))
    const taken = new Set(
      numbers.flatMap((number, index) => ((counts[limited.size + index] ?? 0) > 0 ? [laneNumberName(number)] : [])),
    )
    const revisions = new Map(
      [...guards.keys()].map((name, index) => [name, counts[limited.size + numbers.length + index] ?? 0]),
    )
    return (admitting: ReadonlyArray<Waiting>) => refusedBy({ used, taken, revisions }, admitting)
  })
}

/** Says who is refused by what is committed, one after the other: who is admitted counts for those behind it. */
const refusedBy = ({ revisions, taken, used }: Counts, admitting: ReadonlyArray<Waiting>) => {
  const refused = new Map<string, AdmissionRefused | Conflict>()
  for (const { commit, levels } of admitting) {
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
    const otherwise = calleesIn(commit).find((guard) => revisions.get(guardName(guard)) !== guard.revision)
    if (otherwise !== undefined) {
      refused.set(commit.id, new Conflict({ kind: otherwise.kind, id: otherwise.id }))
      continue
    }
    for (const demand of levels) used.set(nameOf(demand), (used.get(nameOf(demand)) ?? 0) + 1)
  }
  return refused
}
