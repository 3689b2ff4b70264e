import type { PortError } from "@carillon/core"
import type { Commit, Conflict, RowPorts } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Contents } from "@carillon/postgres"
import { Effect, Semaphore } from "effect"

/** What is done to a mirror that disagrees with its database; it cannot be repaired while it is looked at. */
const diverged = (conflict: Conflict): Error =>
  new Error(
    `The simulator's picture of its database is wrong at ${conflict.kind} ${conflict.id}: does another process write to it?`,
  )

/** A commit as the mirror takes it: wake-ups and the keys of requests are the database's alone. */
export const ofRows = (commit: Commit): Commit => ({
  ...commit,
  wakeups: [],
  expect: commit.expect.filter((expected) => !("held" in expected)),
})

const applyTo = (tables: MemoryTables, commit: Commit): void => {
  const conflict = tables.commit(ofRows(commit))
  if (conflict !== undefined) throw diverged(conflict)
}

/**
 * The ports of a database with a picture of its rows kept beside it, which the invariants and the control surface look at. The engine
 * reads the database alone. Commits follow one another, so that the picture takes them in the order in which they were written.
 */
export const mirrored = (ports: RowPorts, tables: MemoryTables): RowPorts => {
  const turn = Semaphore.makeUnsafe(1)
  const follow = <E>(commit: Commit, write: Effect.Effect<void, E>): Effect.Effect<void, E> =>
    turn.withPermit(
      Effect.andThen(
        write,
        Effect.sync(() => applyTo(tables, commit)),
      ),
    )
  return {
    ...ports,
    store: {
      ...ports.store,
      commit: (commit) => follow(commit, ports.store.commit(commit)),
      admit: (commit, levels) => follow(commit, ports.store.admit(commit, levels)),
    },
    contacts: {
      ...ports.contacts,
      fill: (batchId, fromRow, entries) =>
        Effect.tap(ports.contacts.fill(batchId, fromRow, entries), () =>
          Effect.sync(() => tables.contacts.fill(batchId, fromRow, entries)),
        ),
      replace: (batchId, row, entry) =>
        Effect.tap(ports.contacts.replace(batchId, row, entry), () =>
          Effect.sync(() => tables.contacts.replace(batchId, row, entry)),
        ),
      discard: (batchId) =>
        Effect.tap(ports.contacts.discard(batchId), () => Effect.sync(() => tables.contacts.discard(batchId))),
    },
  }
}

/** Writes what control has put into the picture already. */
export const written = (ports: RowPorts, commits: ReadonlyArray<Commit>): Effect.Effect<void, Conflict | PortError> =>
  Effect.forEach(commits, (commit) => ports.store.commit(commit), { discard: true })

/** Enters the contents of a database into empty tables. */
export const restoreTables = (tables: MemoryTables, { audit, changes, entries, guards }: Contents): void => {
  for (const { batch_id, row, entry } of entries) tables.contacts.fill(batch_id, row, [entry])
  for (const change of changes) tables.restore(change)
  for (const { guard, version } of guards) tables.restoreGuard(guard, version)
  for (const record of audit) tables.audit.push(record)
}

/** The last moment that the rows tell of; null where there are none. */
export const latestMoment = ({ changes }: Contents): number | null => {
  let latest: number | null = null
  for (const change of changes) {
    if (!("row" in change)) continue
    const { row } = change
    const times = [
      "created_at" in row ? row.created_at : null,
      "updated_at" in row ? row.updated_at : null,
      "raised_at" in row ? row.raised_at : null,
    ]
    for (const time of times) if (time !== null && (latest === null || time > latest)) latest = time
  }
  return latest
}
