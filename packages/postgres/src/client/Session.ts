import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlConnection } from "effect/sql"

/** How a session is asked. */
type Asked = Pick<PgConnection.PgConnection, "query" | "queryValues" | "stream">

/** A session as statements use it. Rows are taken as they come: no client of ours renames their columns. */
export class Session implements SqlConnection.Connection {
  readonly #asked: Asked

  constructor(asked: Asked) {
    this.#asked = asked
  }

  readonly execute: SqlConnection.Connection["execute"] = (sql, params) =>
    Effect.map(this.#asked.query(sql, params), ({ rows }) => rows)

  readonly executeUnprepared: SqlConnection.Connection["executeUnprepared"] = (sql, params) =>
    Effect.map(this.#asked.query(sql, params, false), ({ rows }) => rows)

  /** What a statement answers, with its command. */
  readonly result: Asked["query"] = (...statement) => this.#asked.query(...statement)

  readonly executeRaw: SqlConnection.Connection["executeRaw"] = (sql, params) => this.#asked.query(sql, params)

  readonly executeValues: SqlConnection.Connection["executeValues"] = (sql, params) =>
    this.#asked.queryValues(sql, params)

  readonly executeValuesUnprepared: SqlConnection.Connection["executeValuesUnprepared"] = (sql, params) =>
    this.#asked.queryValues(sql, params, false)

  readonly executeStream: SqlConnection.Connection["executeStream"] = (sql, params) => this.#asked.stream(sql, params)
}
