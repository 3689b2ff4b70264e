import { limits } from "@carillon/core"
import type { PlacedEvent, WebhookEvent } from "@carillon/core/ports"
import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { rowOf } from "../Documents.ts"
import { counted } from "../rows/Table.ts"

/**
 * Events get their places after their commits, from whoever reads them. A number that is drawn before a commit would not do: a reader
 * could have passed it by the time the commit is seen. Of two events of which one's commit knew of the other, that one was drawn later and is
 * seen later, so places follow the order in which commits could know of each other.
 */
const enter = `
  insert into carillon.kept_events (event_id)
  select event_id from unnest($1::text[]) with ordinality as r(event_id, nth) order by nth`

/** In the order of the index that has nothing else, for PostgreSQL takes a table whose rows it never counted for a small one. */
const isUnplaced = "select 1 from carillon.kept_events where place is null order by entered limit 1"

/** Whoever gives places holds the head: the next one sees all that it has placed. */
const lockHead = `
  insert into carillon.kept_head as h (head_id, place) values ('head', 0)
  on conflict (head_id) do update set place = h.place
  returning place::double precision as place`

const unplaced = "select event_id from carillon.kept_events where place is null order by entered limit $1::bigint"

const give = `
  update carillon.kept_events as k set place = r.place from ${counted("event_id text, place bigint")}
  where k.event_id = r.event_id`

const moveHead = "update carillon.kept_head set place = $1::bigint where head_id = 'head'"

/** Events that are given their places at once. */
const placedAtOnce = 1_000

/** The first of the rows is there however large it is. Each is looked up for itself: a hundred are no reason to read a small table whole. */
const readPlaced = `
  select place, row from (
    select k.place::double precision as place, e.row,
      coalesce(sum(octet_length(e.row::text)) over (order by k.place rows between unbounded preceding and 1 preceding), 0) as before
    from (
      select event_id, place from carillon.kept_events where place > $1::bigint order by place limit $2::bigint
    ) as k cross join lateral (select row from carillon.events where event_id = k.event_id limit 1) as e
  ) as found where before < $3::bigint order by place`

const last = "select place::double precision as place from carillon.kept_head where head_id = 'head'"

/** Enters new events of a commit that are kept, in their order. */
export const enterKept = (sql: SqlClient.SqlClient, events: ReadonlyArray<WebhookEvent>) => {
  const kept = events.flatMap((event) => (event.kept === true && event.revision === 1 ? [event.event_id] : []))
  return kept.length === 0 ? Effect.void : Effect.asVoid(sql.unsafe(enter, [kept]))
}

const leave = "delete from carillon.kept_events where event_id = any($1::text[])"

/** Events that are removed leave their places empty. */
export const leaveKept = (sql: SqlClient.SqlClient, eventIds: ReadonlyArray<string>) =>
  eventIds.length === 0 ? Effect.void : Effect.asVoid(sql.unsafe(leave, [eventIds]))

const place = (sql: SqlClient.SqlClient) =>
  sql
    .withTransaction(
      Effect.gen(function* () {
        const [head] = yield* sql.unsafe<{ readonly place: number }>(lockHead)
        const before = head?.place ?? 0
        // A statement of its own: it has to see what was placed while that one waited for the head.
        const found = yield* sql.unsafe<{ readonly event_id: string }>(unplaced, [placedAtOnce])
        const placed = found.map(({ event_id }, nth) => ({ event_id, place: before + 1 + nth }))
        yield* sql.unsafe(give, [JSON.stringify(placed), placed.length])
        yield* sql.unsafe(moveHead, [before + placed.length])
      }),
    )
    .pipe(
      // Where even the rollback finds no connection, the client gives up with a defect.
      Effect.catchDefect((defect) => (defect instanceof SqlError.SqlError ? Effect.fail(defect) : Effect.die(defect))),
    )

/**
 * Kept events after a place, once those have places that were committed before. It looks for them first: another reader may place what this one
 * would then find neither with a place nor without.
 */
export const keptAfter = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, after: number, limit: number) {
  const [waiting] = yield* sql.unsafe(isUnplaced)
  if (waiting !== undefined) yield* place(sql)
  const found = yield* sql.unsafe<{ readonly place: number; readonly row: WebhookEvent }>(readPlaced, [
    after,
    limit,
    limits.pageBytes,
  ])
  return found.map((stored): PlacedEvent => ({ place: stored.place, event: rowOf(stored.row) }))
})

/** The last place that was given. */
export const lastKept = (sql: SqlClient.SqlClient) =>
  Effect.map(sql.unsafe<{ readonly place: number }>(last), ([head]) => head?.place ?? 0)
