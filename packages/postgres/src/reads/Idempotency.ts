import type { IdempotencyStore, IdempotentRequest, KeptAnswer, Standing } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { documentOf, rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"

/** Takes a key that is free or has expired; one that stands is left as it is. */
const take = `
  insert into carillon.idempotency as k (organization_id, route, key, fingerprint, expires_at)
  values ($1, $2, $3, $4, $6::bigint)
  on conflict (organization_id, route, key) do update
    set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, answer = null where k.expires_at <= $5::bigint
  returning 1`

const standing =
  "select fingerprint, answer from carillon.idempotency where organization_id = $1 and route = $2 and key = $3"

/** What has expired goes, so many at a time. */
const clear = `
  delete from carillon.idempotency where (organization_id, route, key) in (
    select organization_id, route, key from carillon.idempotency where expires_at <= $1::bigint
    order by expires_at limit $2::int for update skip locked)
  returning 1`

/** Each key that is taken clears away some that have expired, so that little is left for whoever looks later. */
const clearedByTaking = 2

/** The row as one request has begun it, and no other under the same key. */
const ofClaim = "where organization_id = $1 and route = $2 and key = $3 and expires_at = $4::bigint"

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading("call_storage", effect)

const keyOf = ({ organization_id, route, key }: IdempotentRequest): ReadonlyArray<string> => [
  organization_id,
  textOf(route),
  textOf(key),
]

const begin = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  request: IdempotentRequest,
  now: number,
  expiresAt: number,
) {
  for (;;) {
    const taken = yield* sql.unsafe(take, [...keyOf(request), request.fingerprint, now, expiresAt])
    if (taken.length > 0) {
      yield* sql.unsafe(clear, [now, clearedByTaking])
      return { _tag: "Begun" } satisfies Standing
    }
    const [known] = yield* sql.unsafe<{ readonly fingerprint: string; readonly answer: KeptAnswer | null }>(
      standing,
      keyOf(request),
    )
    // Given up in between: it is free again.
    if (known === undefined) continue
    if (known.fingerprint !== request.fingerprint) return { _tag: "Different" } satisfies Standing
    if (known.answer === null) return { _tag: "Running" } satisfies Standing
    return { _tag: "Answered", answer: rowOf(known.answer) } satisfies Standing
  }
})

export const makeIdempotencyStore = (sql: SqlClient.SqlClient): IdempotencyStore["Service"] => ({
  begin: (request, now, expiresAt) => read(begin(sql, request, now, expiresAt)),
  keep: (request, expiresAt, answer) =>
    read(
      Effect.asVoid(
        sql.unsafe(`update carillon.idempotency set answer = $5::text::json ${ofClaim}`, [
          ...keyOf(request),
          expiresAt,
          documentOf(answer),
        ]),
      ),
    ),
  abandon: (request, expiresAt) =>
    read(
      Effect.asVoid(
        sql.unsafe(`delete from carillon.idempotency ${ofClaim} and answer is null`, [...keyOf(request), expiresAt]),
      ),
    ),
  forget: (now, limit) => read(Effect.map(sql.unsafe(clear, [now, limit]), ({ length }) => length)),
})
