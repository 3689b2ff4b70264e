import { type Dependency, DependencyTimeout, DependencyUnavailable, type PortError } from "@carillon/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** How long a read may take before it counts as unanswered; the server's own limit ends a statement before. */
const readMaxMs = 10_000

/** Errors of PostgreSQL that say nothing of the commit itself: the transaction was undone, and may simply be run again. */
export const isTransient = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError" || reason._tag === "LockTimeoutError"

/** What the engine is told of an error of the database. */
export const portError = (dependency: Dependency, { reason }: SqlError.SqlError): PortError =>
  reason._tag === "StatementTimeoutError"
    ? new DependencyTimeout({ dependency })
    : new DependencyUnavailable({ dependency })

/** What a server says that is being shut down, has lost one of its processes, or is not up yet; the driver has no name for these. */
const goingStates: ReadonlySet<unknown> = new Set(["57P01", "57P02", "57P03"])

/** Whether the connection broke, or the server is about to break it: what was asked last may have been done or not. */
export const isGone = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "ConnectionError" ||
  (reason.cause instanceof Error && "code" in reason.cause && goingStates.has(reason.cause.code))

/** What comes and goes with a server or a network is the caller's to tell of; anything else is wrong here or in the schema. */
const comesAndGoes: ReadonlySet<SqlError.SqlError["reason"]["_tag"]> = new Set([
  "StatementTimeoutError",
  "DeadlockError",
  "SerializationError",
  "LockTimeoutError",
])

/** Notes an error that the engine is going to be told of as a dependency that is away. */
export const noted = (doing: string, error: SqlError.SqlError): Effect.Effect<void> =>
  isGone(error) || comesAndGoes.has(error.reason._tag)
    ? Effect.logDebug("PostgreSQL did not answer.", doing, error)
    : Effect.logError("PostgreSQL refused a statement.", doing, error)

/** A read under the public name of what it belongs to. */
export const reading = <A>(
  dependency: Dependency,
  read: Effect.Effect<A, SqlError.SqlError>,
): Effect.Effect<A, PortError> =>
  read.pipe(
    Effect.tapError((error) => noted(dependency, error)),
    Effect.mapError((error) => portError(dependency, error)),
    // Steps that cannot be interrupted read, too; a statement whose connection is lost without a word must not hold them up for ever.
    Effect.interruptible,
    Effect.timeoutOrElse({
      duration: readMaxMs,
      orElse: () => Effect.fail(new DependencyTimeout({ dependency })),
    }),
  )
