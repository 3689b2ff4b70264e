import {
  type PortError,
  type SlotAnswer,
  type SlotDemand,
  type SlotLevel,
  type SlotMember,
  type SlotRequest,
  SlotStore,
} from "@carillon/core"
import { Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { isTransient, reading } from "./Failures.ts"
import { migrate } from "./Migrations.ts"

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

interface Waiter {
  readonly level: SlotLevel
  readonly key: string
  readonly request: SlotRequest
}

interface Alternation {
  readonly owed: boolean
  readonly kept: boolean
}

const memberColumns = `execution_id, organization_id, fence::double precision as fence, held,
  reserved_until::double precision as reserved_until, levels`

const keyOf = (levels: ReadonlyArray<Line>, level: SlotLevel): string | null =>
  levels.find((one) => one.level === level)?.key ?? null

const isDispatched = ({ levels }: SlotRequest): boolean => keyOf(levels, "campaign") !== null

const lineName = ({ level, key }: Line): string => `${level} ${key}`

const inNoLine: ReadonlyArray<string> = []

/** The members at each level of a dial, and whether a free line is kept for its organization's dispatcher. */
const counts = `
  select
    (select count(*)::double precision from carillon.slot_members where platform_key = $1) as platform,
    (select count(*)::double precision from carillon.slot_members where organization_key = $2) as organization,
    (select count(*)::double precision from carillon.slot_members where agent_key = $3) as agent,
    (select count(*)::double precision from carillon.slot_members where campaign_key = $4) as campaign,
    coalesce((select kept from carillon.slot_wants where organization_id = $5), false) as kept`

/** The steps of the memberships, each within the lock of one transaction: the rule of `SlotLevels.admit`, executed on rows. */
const steps = (sql: SqlClient.SqlClient) => {
  const findMember = (executionId: string) =>
    Effect.map(
      sql.unsafe<StoredMember>(`select ${memberColumns} from carillon.slot_members where execution_id = $1`, [
        executionId,
      ]),
      ([found]) => found,
    )

  const used = ({ level, key }: Line) =>
    Effect.map(
      sql.unsafe<{ readonly used: number }>(
        `select count(*)::double precision as used from carillon.slot_members where ${level}_key = $1`,
        [key],
      ),
      ([found]) => found?.used ?? 0,
    )

  const alternationOf = (organizationId: string) =>
    Effect.map(
      sql.unsafe<Alternation>("select owed, kept from carillon.slot_wants where organization_id = $1", [
        organizationId,
      ]),
      ([found]) => found,
    )

  const setAlternation = (organizationId: string, { owed, kept }: Alternation) =>
    sql.unsafe("update carillon.slot_wants set owed = $2, kept = $3 where organization_id = $1", [
      organizationId,
      owed,
      kept,
    ])

  /** The first level that is full, with what is used there. */
  const blocking = Effect.fnUntraced(function* (request: SlotRequest) {
    const { levels, organization_id } = request
    const [now] = yield* sql.unsafe<{ readonly [level in SlotLevel]: number } & { readonly kept: boolean }>(counts, [
      keyOf(levels, "platform"),
      keyOf(levels, "organization"),
      keyOf(levels, "agent"),
      keyOf(levels, "campaign"),
      organization_id,
    ])
    if (now === undefined) return undefined
    for (const demand of levels) {
      const { ceiling, level } = demand
      const keptHere = level === "organization" && now.kept && !isDispatched(request) ? 1 : 0
      if (ceiling !== null && now[level] + keptHere >= ceiling) return { ...demand, ceiling, used: now[level] }
    }
    return undefined
  })

  /** Remembers whose turn it is after a line was given. */
  const turn = Effect.fnUntraced(function* (request: SlotRequest) {
    const alternation = yield* alternationOf(request.organization_id)
    if (alternation === undefined) return
    const owed = !isDispatched(request)
    yield* setAlternation(request.organization_id, { owed, kept: owed && alternation.kept })
  })

  const leave = (executionId: string) =>
    sql.unsafe("delete from carillon.slot_waiters where execution_id = $1", [executionId])

  const add = (
    { execution_id, organization_id, levels }: Pick<SlotMember, "execution_id" | "organization_id" | "levels">,
    fence: number,
    reservedUntil: number,
    held: boolean,
  ) =>
    sql.unsafe(
      `insert into carillon.slot_members (execution_id, organization_id, fence, held, reserved_until, levels,
        platform_key, organization_key, agent_key, campaign_key)
       values ($1, $2, $3::bigint, $4, $5::bigint, $6::text::json, $7, $8, $9, $10)`,
      [
        execution_id,
        organization_id,
        fence,
        held,
        reservedUntil,
        JSON.stringify(levels.map(({ level, key }) => ({ level, key }))),
        keyOf(levels, "platform"),
        keyOf(levels, "organization"),
        keyOf(levels, "agent"),
        keyOf(levels, "campaign"),
      ],
    )

  const enter = Effect.fnUntraced(function* (request: SlotRequest) {
    const [drawn] = yield* sql.unsafe<{ readonly fence: number }>(
      "select nextval('carillon.slot_fences')::double precision as fence",
    )
    const fence = drawn?.fence ?? 0
    yield* add(request, fence, request.reservedUntil, false)
    return fence
  })

  /** Stands in line behind whoever is there; one that stands already keeps its arrival. */
  const stand = (request: SlotRequest, { level, key }: Line) =>
    sql.unsafe(
      `insert into carillon.slot_waiters (execution_id, level, key, request) values ($1, $2, $3, $4::text::json)
       on conflict (execution_id) do update set level = excluded.level, key = excluded.key, request = excluded.request`,
      [request.execution_id, level, key, JSON.stringify(request)],
    )

  const firstOf = (open: ReadonlyMap<string, Line>) =>
    Effect.map(
      sql.unsafe<Waiter>(
        `select w.level, w.key, w.request from carillon.slot_waiters w
         join jsonb_to_recordset($1::jsonb) as r(level text, key text) on w.level = r.level and w.key = r.key
         order by w.arrival limit 1`,
        [JSON.stringify([...open.values()])],
      ),
      ([found]) => found,
    )

  /**
   * Gives freed room to the dials that wait for it, in order of arrival. One that another level blocks by now moves to that
   * level's line, so every turn of the loop either grants, moves a waiter away or closes a line.
   */
  const handOn = Effect.fnUntraced(function* (freed: ReadonlyArray<Line>, now: number) {
    const open = new Map(freed.map(({ level, key }) => [lineName({ level, key }), { level, key }]))
    const granted: Array<string> = []
    while (open.size > 0) {
      const waiter = yield* firstOf(open)
      if (waiter === undefined) break
      const { request } = waiter
      const full = yield* blocking(request)
      const alternation = yield* alternationOf(request.organization_id)
      if (request.waitUntil !== null && request.waitUntil < now) {
        yield* leave(request.execution_id)
      } else if (full === undefined && alternation?.owed === true && !alternation.kept) {
        yield* setAlternation(request.organization_id, { owed: false, kept: true })
      } else if (full === undefined) {
        yield* leave(request.execution_id)
        yield* turn(request)
        yield* enter(request)
        granted.push(request.execution_id)
      } else {
        open.delete(lineName(full))
        if (lineName(full) !== lineName(waiter)) yield* stand(request, full)
      }
    }
    return granted
  })

  const acquire = Effect.fnUntraced(function* (request: SlotRequest) {
    const member = yield* findMember(request.execution_id)
    if (member !== undefined) return { _tag: "Acquired", fence: member.fence } satisfies SlotAnswer
    const full = yield* blocking(request)
    if (full === undefined) {
      yield* leave(request.execution_id)
      yield* turn(request)
      return { _tag: "Acquired", fence: yield* enter(request) } satisfies SlotAnswer
    }
    if (request.waitUntil !== null) yield* stand(request, full)
    return { _tag: "Blocked", level: full.level, used: full.used, max: full.ceiling } satisfies SlotAnswer
  })

  const release = Effect.fnUntraced(function* (executionId: string, fence: number, now: number) {
    const [gone] = yield* sql.unsafe<{ readonly levels: ReadonlyArray<Line> }>(
      "delete from carillon.slot_members where execution_id = $1 and fence = $2::bigint returning levels",
      [executionId, fence],
    )
    return gone === undefined ? inNoLine : yield* handOn(gone.levels, now)
  })

  const restore = Effect.fnUntraced(function* (member: Omit<SlotMember, "state" | "reserved_until">) {
    const known = yield* findMember(member.execution_id)
    if (known?.held === true) return
    // A reservation of the same dial would lapse under a call that may be live: the membership that the rows prove takes its place.
    yield* sql.unsafe("delete from carillon.slot_members where execution_id = $1", [member.execution_id])
    yield* leave(member.execution_id)
    yield* sql.unsafe("select setval('carillon.slot_fences', greatest(nextval('carillon.slot_fences'), $1::bigint))", [
      member.fence,
    ])
    yield* add(member, member.fence, 0, true)
  })

  /** Voids every lapsed reservation before any line is handed on, so that arrival alone decides who gets one. */
  const lapse = Effect.fnUntraced(function* (now: number) {
    const gone = yield* sql.unsafe<{ readonly levels: ReadonlyArray<Line> }>(
      "delete from carillon.slot_members where not held and reserved_until <= $1::bigint returning levels",
      [now],
    )
    return yield* handOn(
      gone.flatMap(({ levels }) => levels),
      now,
    )
  })

  const want = Effect.fnUntraced(function* (organizationId: string, wanting: boolean, now: number) {
    const known = yield* alternationOf(organizationId)
    if (!wanting) yield* sql.unsafe("delete from carillon.slot_wants where organization_id = $1", [organizationId])
    else if (known === undefined) {
      yield* sql.unsafe("insert into carillon.slot_wants (organization_id, owed, kept) values ($1, false, false)", [
        organizationId,
      ])
    }
    if (known?.kept !== true) return inNoLine
    if (wanting) yield* setAlternation(organizationId, { owed: known.owed, kept: false })
    return yield* handOn([{ level: "organization", key: organizationId }], now)
  })

  return { acquire, release, restore, lapse, want, leave, used }
}

/**
 * Lines as rows beside the others, for hosts without Redis. Every step that gives or takes one is a transaction under one lock of the
 * installation: lines of all organizations meet at the platform's ceiling anyway. It asks for the client that the storage has.
 */
export const layer = Layer.effect(
  SlotStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate
    const step = steps(sql)
    const locked = <A>(body: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, PortError> =>
      reading(
        "slot_store",
        sql
          .withTransaction(
            Effect.andThen(sql.unsafe("select pg_advisory_xact_lock(hashtextextended('carillon slots', 0))"), body),
          )
          .pipe(
            // Where even the rollback finds no connection, the client gives up with a defect.
            Effect.catchDefect((defect) =>
              defect instanceof SqlError.SqlError ? Effect.fail(defect) : Effect.die(defect),
            ),
            Effect.retry({ times: transientRetries, while: isTransient }),
          ),
      )
    return SlotStore.of({
      acquire: (request) => locked(step.acquire(request)),
      hold: (executionId, fence) =>
        reading(
          "slot_store",
          Effect.map(
            sql.unsafe(
              "update carillon.slot_members set held = true where execution_id = $1 and fence = $2::bigint returning 1",
              [executionId, fence],
            ),
            (held) => held.length > 0,
          ),
        ),
      release: (executionId, fence, now) => locked(step.release(executionId, fence, now)),
      leave: (executionId) => reading("slot_store", Effect.asVoid(step.leave(executionId))),
      used: (levels) => reading("slot_store", Effect.forEach(levels, step.used)),
      members: (after, limit) =>
        reading(
          "slot_store",
          Effect.map(
            sql.unsafe<StoredMember>(
              `select ${memberColumns} from carillon.slot_members where $1::text is null or execution_id > $1
               order by execution_id limit $2::bigint`,
              [after, limit],
            ),
            (found) =>
              found.map(({ held, ...member }): SlotMember => ({ ...member, state: held ? "held" : "reserved" })),
          ),
        ),
      restore: (member) => locked(step.restore(member)),
      want: (organizationId, wanting, now) => locked(step.want(organizationId, wanting, now)),
      lapse: (now) => locked(step.lapse(now)),
    })
  }),
)
