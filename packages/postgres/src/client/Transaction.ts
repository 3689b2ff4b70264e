import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import { both } from "../AtOnce.ts"
import { Session } from "./Session.ts"

const isUndone = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("PostgreSQL answered the commit with a rollback."),
    message: "The transaction had failed before its commit.",
    operation: "commit",
  }),
})

const isGivenUp = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: new Error("Nobody waits for the answers of this session any more."),
    message: "The session was given up.",
    operation: "query",
  }),
})

type Ask<A> = Effect.Effect<A, SqlError.SqlError>

/**
 * A transaction on a session that takes the next statement before it has answered the one before, and is nobody else's meanwhile: what is asked at once
 * is one message. Its first statement, which begins it, waits for the next one and goes with it. A session whose answer nobody waited for is
 * given up; then the server undoes what was not committed, once the statement that it is at has ended (`statement_timeout`).
 */
export class Transaction implements SqlConnection.Connection {
  readonly #session: Session
  readonly #giveUp: Effect.Effect<void>
  /** What begins the transaction: not asked for yet, waiting for the next statement, or sent. */
  #beginning: Ask<unknown> | "unasked" | "sent" = "unasked"
  #isGivenUp = false

  constructor(session: PgConnection.PgConnection, giveUp: Effect.Effect<void>) {
    this.#session = new Session(session)
    this.#giveUp = Effect.suspend(() => {
      this.#isGivenUp = true
      return giveUp
    })
  }

  /** Whether the server knows of a transaction that is to be ended. */
  get isOpen(): boolean {
    return this.#beginning === "sent" && !this.#isGivenUp
  }

  /** Fails where the session was given up: the server has undone what was written. Where nothing was asked for there is nothing to end. */
  get commit(): Ask<void> {
    if (this.#isGivenUp) return Effect.fail(isGivenUp)
    if (!this.isOpen) return Effect.void
    return Effect.flatMap(this.#session.result("COMMIT", []), ({ command }) =>
      command === "ROLLBACK" ? Effect.fail(isUndone) : Effect.void,
    )
  }

  readonly execute: SqlConnection.Connection["execute"] = (...statement) =>
    this.#first(this.#session.execute(...statement))

  readonly executeUnprepared: SqlConnection.Connection["executeUnprepared"] = (...statement) =>
    this.#first(this.#session.executeUnprepared(...statement))

  readonly executeRaw: SqlConnection.Connection["executeRaw"] = (...statement) =>
    this.#sent(this.#session.executeRaw(...statement))

  readonly executeValues: SqlConnection.Connection["executeValues"] = (...statement) =>
    this.#sent(this.#session.executeValues(...statement))

  readonly executeValuesUnprepared: SqlConnection.Connection["executeValuesUnprepared"] = (...statement) =>
    this.#sent(this.#session.executeValuesUnprepared(...statement))

  readonly executeStream: SqlConnection.Connection["executeStream"] = (...statement) =>
    this.#session.executeStream(...statement)

  /** Holds back the first statement. */
  #first(ask: Ask<ReadonlyArray<object>>): Ask<ReadonlyArray<object>> {
    return Effect.suspend(() => {
      if (this.#beginning !== "unasked") return this.#sent(ask)
      this.#beginning = ask
      return Effect.succeed([])
    })
  }

  #sent<A>(ask: Ask<A>): Ask<A> {
    return Effect.suspend(() => {
      if (this.#isGivenUp) return Effect.fail(isGivenUp)
      const asked = Effect.onInterrupt(ask, () => this.#giveUp)
      const beginning = this.#beginning
      this.#beginning = "sent"
      return typeof beginning === "string" ? asked : Effect.map(both(beginning, asked), ([, answer]) => answer)
    })
  }
}
