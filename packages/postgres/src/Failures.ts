import {
  type Dependency,
  DependencyTimeout,
  DependencyUnavailable,
  type InvalidField,
  type PortError,
} from "@carillon/core"
import { CurrentMeters, CurrentOutages, metrics, outcomeOf, timed } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** How long a read may take before it counts as unanswered; the server's own limit ends a statement before. */
const readMaxMs = 10_000

/** Errors of PostgreSQL that say nothing of the commit itself: the transaction was undone, and may simply be run again. */
export const isTransient = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError" || reason._tag === "LockTimeoutError"

/**
 * States in which the server itself ends a connection, or takes none: a shutdown or the crash of another session (57P01, 57P02, 57P05), a
 * start that is not over (57P03), a transaction in which nothing happened (25P03), too many connections (53300).
 */
const endedByServer: ReadonlySet<unknown> = new Set(["57P01", "57P02", "57P03", "57P05", "25P03", "53300"])

/**
 * States in which the server is there and does nothing for anybody: it is a standby or was told to write nothing (25006), its disk is full (53100), it
 * has no memory left (53200), a limit of its configuration is met (53400), its disk cannot be read (58030). The statement was not done.
 */
const disabled: ReadonlySet<unknown> = new Set(["25006", "53100", "53200", "53400", "58030"])

/** What operators call the states that they can do something about. */
const words: ReadonlyMap<string, string> = new Map([
  ["25006", "it is read-only"],
  ["53100", "its disk is full"],
  ["53200", "it has no memory left"],
  ["53300", "it takes no more connections"],
  ["53400", "a limit of its configuration is met"],
  ["57P01", "it was shut down"],
  ["57P03", "it is starting"],
  ["58030", "its disk cannot be read"],
  ["28P01", "the password is wrong"],
  ["28000", "the user may not connect"],
  ["3D000", "there is no such database"],
])

const codeOf = ({ reason: { cause } }: SqlError.SqlError): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** Whether the connection is gone. Told in the place of an answer, it leaves open whether the statement was done. */
export const isBroken = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "ConnectionError" || endedByServer.has(codeOf(error))

/** What the engine is told of an error of the database. */
export const portError = (dependency: Dependency, { reason }: SqlError.SqlError): PortError =>
  reason._tag === "StatementTimeoutError"
    ? new DependencyTimeout({ dependency })
    : new DependencyUnavailable({ dependency })

/** What comes and goes with a server or a network is the caller's to tell of; anything else is wrong here or in the schema. */
const comesAndGoes: ReadonlySet<SqlError.SqlError["reason"]["_tag"]> = new Set([
  "StatementTimeoutError",
  "DeadlockError",
  "SerializationError",
  "LockTimeoutError",
])

/** Of what the server says of an error, what names parts of the schema. Its message, detail and context may quote customers' values. */
const namesOfSchema = ["code", "schema", "table", "column", "constraint", "routine"] as const

/** What a log may be told of an error: its kind and what it names of the schema, and no value of anybody. */
const told = ({ reason }: SqlError.SqlError): Readonly<Record<string, string>> => {
  const { cause } = reason
  const said = new Map(typeof cause === "object" && cause !== null ? Object.entries(cause) : [])
  const names = namesOfSchema.flatMap((name) => {
    const value: unknown = said.get(name)
    return typeof value === "string" ? [[name, value] as const] : []
  })
  return { kind: reason._tag, ...Object.fromEntries(names) }
}

/** What an operator is told of a server that is not there, or does nothing: what is the matter with it, or the kind of the error, and its code. */
const causeOf = (error: SqlError.SqlError): string => {
  const { code = "", kind = "" } = told(error)
  const said = words.get(code)
  if (said !== undefined) return `${said}, ${code}`
  return code === "" ? kind : `${kind} ${code}`
}

const away = (error: SqlError.SqlError): boolean =>
  isBroken(error) || disabled.has(codeOf(error)) || error.reason._tag === "StatementTimeoutError"

/** Notes an error that the engine is going to be told of as a dependency that is away. */
export const noted = (doing: string, error: SqlError.SqlError): Effect.Effect<void> =>
  comesAndGoes.has(error.reason._tag) || away(error)
    ? Effect.andThen(
        Effect.logDebug("PostgreSQL did not answer.", doing, told(error)),
        away(error) ? unanswered(causeOf(error), disabled.has(codeOf(error))) : Effect.void,
      )
    : Effect.logError("PostgreSQL refused a statement.", doing, told(error))

/** PostgreSQL did not answer, for this reason; or is there, and could not write (`isUnwritten`). */
export const unanswered = (cause: string, isUnwritten = false): Effect.Effect<void> =>
  Effect.withFiber(
    (fiber) => fiber.getRef(CurrentOutages)?.failed("postgresql", cause, null, isUnwritten) ?? Effect.void,
  )

/** Tells, where an operation is answered, that PostgreSQL is there. */
export const heard = <A, E>(doing: "read" | "write", operation: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const outages = fiber.getRef(CurrentOutages)
    if (outages === null) return operation
    const began = outages.now()
    return Effect.tap(operation, () => outages.answered("postgresql", began, null, doing))
  })

/** How an operation's end is told; what was asked for too much has had its answer. */
const outcomes = {
  ok: "ok",
  DependencyUnavailable: "unavailable",
  DependencyTimeout: "timeout",
  InvalidField: "ok",
} as const

/** Measures a read, where the engine that asked is measured. */
const measured = <A>(dependency: Dependency, effect: Effect.Effect<A, PortError>): Effect.Effect<A, PortError> =>
  Effect.withFiber((fiber) =>
    timed(fiber.getRef(CurrentMeters), effect, (meters, seconds, exit) => {
      const outcome = outcomeOf(exit)
      if (outcome !== null)
        meters.record(metrics.database, ["postgresql", "read", dependency, outcomes[outcome]], seconds)
    }),
  )

/** A read under the public name of what it belongs to. */
export const reading = <A>(
  dependency: Dependency,
  read: Effect.Effect<A, SqlError.SqlError | InvalidField>,
): Effect.Effect<A, PortError> => measured(dependency, heard("read", answered(dependency, read)))

const answered = <A>(
  dependency: Dependency,
  read: Effect.Effect<A, SqlError.SqlError | InvalidField>,
): Effect.Effect<A, PortError> =>
  read.pipe(
    Effect.catchTag("SqlError", (error) =>
      Effect.andThen(noted(dependency, error), Effect.fail(portError(dependency, error))),
    ),
    // Steps that cannot be interrupted read, too; a statement whose connection is lost without a word must not hold them up for ever.
    Effect.interruptible,
    Effect.timeoutOrElse({
      duration: readMaxMs,
      orElse: () =>
        Effect.andThen(
          unanswered(`no answer in ${readMaxMs / 1_000} s`),
          Effect.fail(new DependencyTimeout({ dependency })),
        ),
    }),
  )
