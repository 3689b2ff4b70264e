import {
  Conflict,
  type Commit,
  type Guard,
  guardName,
  keyLost,
  placeOf,
  putId,
  replacedRevision,
  type RowKind,
  rowKinds,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { atOnce } from "../AtOnce.ts"
import { raiseGuards } from "../queries/Guards.ts"
import { holdKeys } from "../queries/HeldKeys.ts"
import { tables } from "../rows/Tables.ts"

/** What a commit expects of a row: the revision at which it must stand. */
interface Expected {
  readonly kind: RowKind
  readonly id: string
  readonly revision: number
}

type Strength = "share" | "no key update"

interface Standing {
  readonly id: string
  readonly revision: number
}

const contactStandings = `
  select c.contact_id as id, c.revision from carillon.contacts as c
  join unnest($1::text[], $2::integer[]) as r(batch_id, row_number) using (batch_id, row_number)
  where c.contact_id is not null order by c.batch_id, c.row_number for`

/** Locks rows of one kind in the order of their ids until the transaction ends, and tells at which revisions they stand. */
const standings = (sql: SqlClient.SqlClient, kind: RowKind, ids: ReadonlyArray<string>, strength: Strength) => {
  if (kind === "contact") {
    const found = ids.map(placeOf).filter((place) => place !== null)
    return sql.unsafe<Standing>(`${contactStandings} ${strength} of c`, [
      found.map(({ batch_id }) => batch_id),
      found.map(({ row }) => row),
    ])
  }
  const { id, name } = tables[kind]
  return sql.unsafe<Standing>(
    `select ${id} as id, revision from carillon.${name} where ${id} = any($1::text[]) order by 1 for ${strength}`,
    [ids],
  )
}

/** The rows that a commit replaces, at the revisions before. New rows are judged by their insert. */
const replacedBy = ({ changes }: Commit): ReadonlyArray<Expected> =>
  changes.flatMap((change): ReadonlyArray<Expected> => {
    if ("row" in change) {
      const revision = replacedRevision(change)
      return revision === 0 ? [] : [{ kind: change.put, id: putId(change), revision }]
    }
    return change.put === "erased_call"
      ? [{ kind: "call", id: change.call.execution_id, revision: change.call.revision }]
      : []
  })

/** A commit that conflicts, and where. */
type Found = readonly [commitId: string, conflict: Conflict]

/** Compares what commits expect of rows with how they stand. */
const compare = (
  sql: SqlClient.SqlClient,
  commits: ReadonlyArray<Commit>,
  expectedBy: (commit: Commit) => ReadonlyArray<Expected>,
  strength: Strength,
): ReadonlyArray<Effect.Effect<ReadonlyArray<Found>, SqlError.SqlError>> => {
  const expected = commits.flatMap((commit) => expectedBy(commit).map((row) => ({ ...row, commitId: commit.id })))
  return rowKinds.flatMap((kind) => {
    const ofKind = expected.filter((row) => row.kind === kind)
    if (ofKind.length === 0) return []
    const found = standings(sql, kind, [...new Set(ofKind.map(({ id }) => id))], strength)
    return [
      Effect.map(found, (standing) => {
        const revisions = new Map(standing.map(({ id, revision }) => [id, revision]))
        return ofKind
          .filter(({ id, revision }) => (revisions.get(id) ?? 0) !== revision)
          .map(({ commitId, id }) => [commitId, new Conflict({ kind, id })] as const)
      }),
    ]
  })
}

/** Whether a row is looked at under the lock on callees. */
const isOfCallees = (kind: RowKind): boolean => kind === "callee" || kind === "callee_hours"

/** The rows that a commit expects. Callees and their hours are looked at with the lines (`Admission.ts`): one that is not there has no row to lock. */
const expectedBy = ({ expect }: Commit): ReadonlyArray<Expected> =>
  expect.flatMap((expected) => ("revision" in expected && !isOfCallees(expected.kind) ? [expected] : []))

/** The guards that commits raise, and how far. */
const raisedBy = (commits: ReadonlyArray<Commit>): ReadonlyMap<string, Guard & { readonly added: number }> => {
  const guards = commits.flatMap(({ changes }) => changes.flatMap((each) => (each.put === "guard" ? [each.guard] : [])))
  return new Map(
    [...Map.groupBy(guards, guardName)].flatMap(([name, [guard, ...more]]) =>
      guard === undefined ? [] : [[name, { ...guard, added: 1 + more.length }] as const],
    ),
  )
}

/** Takes back what commits have raised that are not written: those that were before, and those that are refused. */
export const lowerGuards = (sql: SqlClient.SqlClient, commits: ReadonlyArray<Commit>) => {
  const lowered = [...raisedBy(commits).values()].map(({ added, ...guard }) => ({ ...guard, added: -added }))
  return lowered.length === 0 ? Effect.void : Effect.asVoid(raiseGuards(sql, lowered))
}

/**
 * Raises the guards of commits, and holds those that they expect. Who reads a set and who adds to it thereby come one after the other, before
 * either has looked at a row: the first statement after it sees what the other has written.
 */
const compareGuards = (
  sql: SqlClient.SqlClient,
  commits: ReadonlyArray<Commit>,
): ReadonlyArray<Effect.Effect<ReadonlyArray<Found>, SqlError.SqlError>> => {
  const touched = new Map(raisedBy(commits))
  for (const { expect } of commits) {
    for (const expected of expect) {
      if (!("guard" in expected)) continue
      const name = guardName(expected.guard)
      if (!touched.has(name)) touched.set(name, { ...expected.guard, added: 0 })
    }
  }
  if (touched.size === 0) return []
  return [
    Effect.map(raiseGuards(sql, [...touched.values()]), (found) => {
      const versions = new Map(
        found.map((guard) => [guardName(guard), guard.version - (touched.get(guardName(guard))?.added ?? 0)]),
      )
      return commits.flatMap(({ expect, id }) =>
        expect.flatMap((expected): ReadonlyArray<Found> => {
          if (!("guard" in expected) || versions.get(guardName(expected.guard)) === expected.version) return []
          return [[id, new Conflict({ kind: expected.guard.set, id: expected.guard.id })]]
        }),
      )
    }),
  ]
}

/** Has the keys of requests stay with those that hold them, and says which commits rest on one that has gone to somebody else. */
const compareKeys = (
  sql: SqlClient.SqlClient,
  commits: ReadonlyArray<Commit>,
): ReadonlyArray<Effect.Effect<ReadonlyArray<Found>, SqlError.SqlError>> => {
  const expected = commits.flatMap(({ expect, id }) =>
    expect.flatMap((each) => ("held" in each ? [[id, each.held] as const] : [])),
  )
  if (expected.length === 0) return []
  const holding = holdKeys(
    sql,
    expected.map(([, key]) => key),
  )
  return [
    Effect.map(holding, (held) =>
      expected.flatMap(([id, key]): ReadonlyArray<Found> => (held.has(key) ? [] : [[id, keyLost(key)]])),
    ),
  ]
}

/**
 * Holds the guards and rows that commits rest on until the transaction ends, and says which of them conflict. What they rest on is shared, for many commits
 * rest on one campaign. Where several are written together the rows that they replace are looked at, too, so that one that conflicts does not
 * undo the others; a commit of its own finds out by writing.
 */
export const judge = (sql: SqlClient.SqlClient, commits: ReadonlyArray<Commit>) =>
  Effect.map(
    atOnce([
      ...compareGuards(sql, commits),
      ...compareKeys(sql, commits),
      ...compare(sql, commits, expectedBy, "share"),
      ...(commits.length > 1 ? compare(sql, commits, replacedBy, "no key update") : []),
    ]),
    (found) => {
      // The last that was found comes first: a commit is told of the first.
      const conflicts = new Map(found.flat().toReversed())
      return (judged: ReadonlyArray<Commit>): ReadonlyMap<string, Conflict> =>
        new Map(
          judged.flatMap(({ id }) => {
            const conflict = conflicts.get(id)
            return conflict === undefined ? [] : [[id, conflict] as const]
          }),
        )
    },
  )
