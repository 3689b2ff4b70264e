import { mkdirSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { holdDirectory } from "./DirectoryLock.ts"
import { PgliteStream } from "./PgliteStream.ts"
import { layerNoDeps, maxMessageSize } from "./Postgres.ts"

/** A day: the one connection is never given up while it is idle. */
const never = "1 day"

/** What names no directory: `memory://` and the file systems of browsers. */
const isElsewhere = (directory: string): boolean => /^[a-z]{2,}:\/\//.test(directory)

const held = Effect.fnUntraced(function* (directory: string) {
  if (isElsewhere(directory)) return
  yield* Effect.sync(() => mkdirSync(directory, { recursive: true }))
  yield* holdDirectory(directory)
})

export { DirectoryInUse } from "./DirectoryLock.ts"

/** PostgreSQL within this process, in a directory, or in memory with `memory://`. One process at a time has a directory. */
export const layerClient = (directory: string) =>
  Layer.unwrap(
    Effect.map(
      Effect.andThen(
        held(directory),
        Effect.acquireRelease(
          Effect.promise(() => PGlite.create(directory)),
          (database) => Effect.promise(() => database.close()),
        ),
      ),
      (database) =>
        PgClient.layer({
          stream: () => new PgliteStream(database),
          username: "postgres",
          database: "postgres",
          applicationName: "carillon",
          maxMessageSize,
          // There is one backend: a second session would lose what the first has not committed.
          maxConnections: 1,
          minConnections: 1,
          idleTimeout: never,
        }),
    ),
  )

/** Every storage port on PGlite. */
export const layer = (directory: string) => Layer.provide(layerNoDeps, layerClient(directory))
