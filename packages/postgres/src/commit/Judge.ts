import { Conflict, type Commit, type Guard, guardName, placeOf, putId, type RowKind, rowKinds } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { raiseGuards } from "../queries/Guards.ts"
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
const standings = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  kind: RowKind,
  ids: ReadonlyArray<string>,
  strength: Strength,
) {
  if (kind === "contact") {
    const found = ids.map(placeOf).filter((place) => place !== null)
    return yield* sql.unsafe<Standing>(`${contactStandings} ${strength} of c`, [
      found.map(({ batch_id }) => batch_id),
      found.map(({ row }) => row),
    ])
  }
  const { id, name } = tables[kind]
  return yield* sql.unsafe<Standing>(
    `select ${id} as id, revision from carillon.${name} where ${id} = any($1::text[]) order by 1 for ${strength}`,
    [ids],
  )
})

/** The rows that a commit replaces, at the revisions before. New rows are judged by their insert. */
const replacedBy = ({ changes }: Commit): ReadonlyArray<Expected> =>
  changes.flatMap((change): ReadonlyArray<Expected> => {
    if ("row" in change) {
      const { put: kind, row } = change
      return row.revision === 1 ? [] : [{ kind, id: putId(change), revision: row.revision - 1 }]
    }
    return change.put === "erased_call"
      ? [{ kind: "call", id: change.call.execution_id, revision: change.call.revision }]
      : []
  })

/** Compares what commits expect of rows with how they stand, and enters the first row of each commit that stands otherwise. */
const compare = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  commits: ReadonlyArray<Commit>,
  expectedBy: (commit: Commit) => ReadonlyArray<Expected>,
  strength: Strength,
  conflicts: Map<string, Conflict>,
) {
  const expected = commits.flatMap((commit) => expectedBy(commit).map((row) => ({ ...row, commitId: commit.id })))
  for (const kind of rowKinds) {
    const ofKind = expected.filter((row) => row.kind === kind)
    if (ofKind.length === 0) continue
    const found = yield* standings(sql, kind, [...new Set(ofKind.map(({ id }) => id))], strength)
    const revisions = new Map(found.map(({ id, revision }) => [id, revision]))
    for (const { commitId, id, revision } of ofKind) {
      if ((revisions.get(id) ?? 0) !== revision && !conflicts.has(commitId)) {
        conflicts.set(commitId, new Conflict({ kind, id }))
      }
    }
  }
})

/** Whether a row is looked at under the lock on callees. */
const isOfCallees = (kind: RowKind): boolean => kind === "callee" || kind === "callee_hours"

/** The rows that a commit expects. Callees and their hours are looked at with the lines (`Admission.ts`): one that is not there has no row to lock. */
const expectedBy = ({ expect }: Commit): ReadonlyArray<Expected> =>
  expect.flatMap((expected) => ("revision" in expected && !isOfCallees(expected.kind) ? [expected] : []))

/**
 * Raises the guards of commits, and holds those that they expect. Who reads a set and who adds to it thereby come one after the other, before
 * either has looked at a row: the first statement after it sees what the other has written.
 */
const compareGuards = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  commits: ReadonlyArray<Commit>,
  conflicts: Map<string, Conflict>,
) {
  const touched = new Map<string, Guard & { readonly added: number }>()
  const touch = (guard: Guard, added: number) => {
    const name = guardName(guard)
    touched.set(name, { ...guard, added: (touched.get(name)?.added ?? 0) + added })
  }
  for (const { changes, expect } of commits) {
    for (const change of changes) if (change.put === "guard") touch(change.guard, 1)
    for (const expected of expect) if ("guard" in expected) touch(expected.guard, 0)
  }
  if (touched.size === 0) return
  const found = yield* raiseGuards(sql, [...touched.values()])
  const versions = new Map(
    found.map((guard) => [guardName(guard), guard.version - (touched.get(guardName(guard))?.added ?? 0)]),
  )
  for (const { expect, id } of commits) {
    for (const expected of expect) {
      if (!("guard" in expected) || versions.get(guardName(expected.guard)) === expected.version) continue
      conflicts.set(id, new Conflict({ kind: expected.guard.set, id: expected.guard.id }))
    }
  }
})

/**
 * Holds the guards and rows that commits rest on until the transaction ends, and says which of them conflict. What they rest on is shared, for many commits
 * rest on one campaign. Where several are written together the rows that they replace are looked at, too, so that one that conflicts does not
 * undo the others; a commit of its own finds out by writing.
 */
export const judge = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, commits: ReadonlyArray<Commit>) {
  const conflicts = new Map<string, Conflict>()
  yield* compareGuards(sql, commits, conflicts)
  yield* compare(sql, commits, expectedBy, "share", conflicts)
  if (commits.length > 1) yield* compare(sql, commits, replacedBy, "no key update", conflicts)
  return conflicts
})
