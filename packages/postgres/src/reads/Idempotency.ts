import type {
  HeldKey,
  IdempotencyStore,
  IdempotentRequest,
  KeptAnswer,
  KeyTaking,
  Standing,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { documentOf, rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"

/** Takes a key that is free or has expired; one that stands is left as it is. */
const take = `
  insert into carillon.idempotency as k
    (organization_id, route, key, fingerprint, expires_at, leased, holding, held_until, subject)
  values ($1, $2, $3, $4, $6::bigint, $6::bigint, 1, $7::bigint, $8)
  on conflict (organization_id, route, key) do update
    set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, answer = null, leased = excluded.leased,
      holding = 1, held_until = excluded.held_until, subject = excluded.subject
    where k.expires_at <= $5::bigint
  returning 1`

/** One that was begun by an earlier release says nothing of who holds it: it is held until it expires. */
const standing = `
  select fingerprint, answer, held_until <= $4::bigint and leased = expires_at as lapsed
  from carillon.idempotency where organization_id = $1 and route = $2 and key = $3`

/** Takes a key over whose time has passed. */
const takeOver = `
  update carillon.idempotency set holding = holding + 1, held_until = $6::bigint
  where organization_id = $1 and route = $2 and key = $3 and fingerprint = $4
    and answer is null and leased = expires_at and held_until <= $5::bigint and expires_at > $5::bigint
  returning expires_at::double precision as expires_at, holding, subject`

/** What has expired goes, so many at a time. */
const clear = `
  delete from carillon.idempotency where (organization_id, route, key) in (
    select organization_id, route, key from carillon.idempotency where expires_at <= $1::bigint
    order by expires_at limit $2::int for update skip locked)
  returning 1`

/** Each key that is taken clears away some that have expired, so that little is left for whoever looks later. */
const clearedByTaking = 2

/** The row as one process holds it, and no other under the same key. */
const ofHolder = `where organization_id = $1 and route = $2 and key = $3
  and expires_at = $4::bigint and leased = expires_at and holding = $5::int`

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading("call_storage", effect)

type Named = Pick<IdempotentRequest, "organization_id" | "route" | "key">

const keyOf = ({ organization_id, route, key }: Named): ReadonlyArray<string> => [
  organization_id,
  textOf(route),
  textOf(key),
]

interface Known {
  readonly fingerprint: string
  readonly answer: KeptAnswer | null
  readonly lapsed: boolean | null
}

interface Taken {
  readonly expires_at: number
  readonly holding: number
  readonly subject: string
}

const begin = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  request: IdempotentRequest,
  { expires_at, held_until, now, subject }: KeyTaking,
) {
  const { fingerprint, key, organization_id, route } = request
  for (;;) {
    const taken = yield* sql.unsafe(take, [...keyOf(request), fingerprint, now, expires_at, held_until, subject])
    if (taken.length > 0) {
      yield* sql.unsafe(clear, [now, clearedByTaking])
      const held = { organization_id, route, key, expires_at, holding: 1 }
      return { _tag: "Begun", held } satisfies Standing
    }
    const [known] = yield* sql.unsafe<Known>(standing, [...keyOf(request), now])
    // Given up in between: it is free again.
    if (known === undefined) continue
    if (known.fingerprint !== fingerprint) return { _tag: "Different" } satisfies Standing
    if (known.answer !== null) return { _tag: "Answered", answer: rowOf(known.answer) } satisfies Standing
    if (known.lapsed !== true) return { _tag: "Running" } satisfies Standing
    const [over] = yield* sql.unsafe<Taken>(takeOver, [...keyOf(request), fingerprint, now, held_until])
    // Somebody else was faster.
    if (over === undefined) continue
    const held = { organization_id, route, key, expires_at: over.expires_at, holding: over.holding }
    return { _tag: "TakenOver", held, subject: over.subject } satisfies Standing
  }
})

export const makeIdempotencyStore = (sql: SqlClient.SqlClient): IdempotencyStore["Service"] => {
  /** Does something with the row of whoever holds the key; returns whether it is held still. */
  const byHolder = (statement: string, held: HeldKey, ...more: ReadonlyArray<unknown>) => {
    const parameters = [...keyOf(held), held.expires_at, held.holding, ...more]
    return read(Effect.map(sql.unsafe(`${statement} returning 1`, parameters), ({ length }) => length > 0))
  }
  const until = `update carillon.idempotency set held_until = $6::bigint ${ofHolder}`

  return {
    begin: (request, taking) => read(begin(sql, request, taking)),
    renew: (held, at) => byHolder(until, held, at),
    rename: (held, subject) => byHolder(`update carillon.idempotency set subject = $6 ${ofHolder}`, held, subject),
    keep: (held, answer) =>
      Effect.asVoid(
        byHolder(`update carillon.idempotency set answer = $6::text::json ${ofHolder}`, held, documentOf(answer)),
      ),
    release: (held, now) => byHolder(until, held, now),
    abandon: (held) => byHolder(`delete from carillon.idempotency ${ofHolder} and answer is null`, held),
    forget: (now, limit) => read(Effect.map(sql.unsafe(clear, [now, limit]), ({ length }) => length)),
  }
}
