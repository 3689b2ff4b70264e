import type { PortError } from "@carillon/core"
import { type SlotAnswer, type SlotDemand, type SlotMember, type SlotRequest, SlotStore } from "@carillon/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { isTransient, reading } from "./Failures.ts"
import { upToDate } from "./Migrations.ts"

/** Times that a step is run again which PostgreSQL undid for the sake of another. */
const transientRetries = 8

type Line = Pick<SlotDemand, "level" | "key">

interface StoredMember {
  readonly execution_id: string
  readonly organization_id: string
  readonly fence: number
  readonly held: boolean
  readonly reserved_until: number
  readonly levels: ReadonlyArray<Line>
}

/** What an acquire came to: a fence, or the number of the level that is full, counted from 1. */
interface Acquired {
  readonly fence: number | null
  readonly at: number | null
  readonly taken: number | null
}

const members = `
  select execution_id, organization_id, fence::double precision as fence, held,
    reserved_until::double precision as reserved_until, levels
  from carillon.slot_members where $1::text is null or execution_id > $1 order by execution_id limit $2::bigint`

const acquire = `
  select fence::double precision as fence, at, taken::double precision as taken
  from carillon.slot_acquire($1::text::json)`

const hold = "update carillon.slot_members set held = true where execution_id = $1 and fence = $2::bigint returning 1"

const reservation =
  "select fence::double precision as fence from carillon.slot_members where execution_id = $1 and not held"

const used = `
  select carillon.slot_used(r.level, r.key)::double precision as used
  from unnest($1::text[], $2::text[]) with ordinality as r(level, key, nth) order by r.nth`

const answerOf = ({ levels }: SlotRequest, { at, fence, taken }: Acquired): SlotAnswer | null => {
  if (fence !== null) return { _tag: "Acquired", fence }
  const full = at === null ? undefined : levels[at - 1]
  return full === undefined ? null : { _tag: "Blocked", level: full.level, used: taken ?? 0, max: full.ceiling ?? 0 }
}

/**
 * Lines as rows beside the others, for hosts without Redis. Every step that gives or takes one is a function of the server under one lock of the
 * installation: lines of all organizations meet at the platform's ceiling anyway. It asks for the client that the storage has.
 */
export const layer = Layer.effect(
  SlotStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* upToDate
    const step = <A>(body: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, PortError> =>
      reading("slot_store", Effect.retry(body, { times: transientRetries, while: isTransient }))
    /** A step that answers which waiting dials were given a line. */
    const granting = (call: string, parameters: ReadonlyArray<string | number | boolean>) =>
      step(
        Effect.map(
          sql.unsafe<{ readonly granted: ReadonlyArray<string> }>(`select carillon.${call} as granted`, parameters),
          ([found]) => found?.granted ?? [],
        ),
      )
    const release = (executionId: string, fence: number, now: number) =>
      granting("slot_release($1, $2::bigint, $3::bigint)", [executionId, fence, now])
    return SlotStore.of({
      acquire: (request) =>
        step(
          Effect.flatMap(sql.unsafe<Acquired>(acquire, [JSON.stringify(request)]), ([found]) => {
            const answer = found === undefined ? null : answerOf(request, found)
            return answer === null ? Effect.die("slot_acquire answers every request") : Effect.succeed(answer)
          }),
        ),
      hold: (executionId, fence) => step(Effect.map(sql.unsafe(hold, [executionId, fence]), (held) => held.length > 0)),
      release,
      leave: Effect.fnUntraced(function* (executionId, now) {
        yield* step(sql.unsafe("delete from carillon.slot_waiters where execution_id = $1", [executionId]))
        // Nobody gives it a line any more; whether somebody has is looked at afterwards.
        const [reserved] = yield* step(sql.unsafe<{ readonly fence: number }>(reservation, [executionId]))
        return reserved === undefined ? [] : yield* release(executionId, reserved.fence, now)
      }),
      used: (levels) =>
        step(
          Effect.map(
            sql.unsafe<{ readonly used: number }>(used, [
              levels.map(({ level }) => level),
              levels.map(({ key }) => key),
            ]),
            (found) => found.map((row) => row.used),
          ),
        ),
      members: (after, limit) =>
        step(
          Effect.map(sql.unsafe<StoredMember>(members, [after, limit]), (found) =>
            found.map(({ held, ...member }): SlotMember => ({ ...member, state: held ? "held" : "reserved" })),
          ),
        ),
      restore: (member) =>
        step(Effect.asVoid(sql.unsafe("select carillon.slot_restore($1::text::json)", [JSON.stringify(member)]))),
      want: (organizationId, wanting, now) => granting("slot_want($1, $2, $3::bigint)", [organizationId, wanting, now]),
      lapse: (now) => granting("slot_lapse($1::bigint)", [now]),
    })
  }),
)
