import type { Wakeup, Wakeups } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { reading } from "../Failures.ts"
import {
  backlogOf,
  claimWakeups,
  claimWakeupsInTurn,
  completeWakeup,
  deferWakeup,
  fromTheStart,
  nextWakeup,
  renewWakeups,
} from "../queries/ClaimWakeups.ts"
import { setWakeupAnew, setWakeups } from "../queries/WriteWakeups.ts"
import { detached } from "../Detached.ts"
import { gather } from "./Gather.ts"

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading("scheduling_service", effect)

const doneWith = () => undefined

/** What is set at the same time is one statement, and of several times of one subject any may stay: whoever wakes looks for itself. */
const setIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), JSON.stringify, (asked: ReadonlyArray<Wakeup>) =>
    read(
      Effect.as(
        setWakeups(sql, [...new Map(asked.map((wakeup) => [`${wakeup.kind} ${wakeup.subject}`, wakeup])).values()]),
        doneWith,
      ),
    ),
  )

/** Turns go on where this process left off; another one goes round for itself. */
const claimIn = (sql: SqlClient.SqlClient): Wakeups["Service"]["claimDue"] => {
  let last = fromTheStart
  return (now, limit, lease, order) =>
    order !== "in turn"
      ? read(claimWakeups(sql, now, limit, lease, order))
      : Effect.map(
          Effect.suspend(() => read(claimWakeupsInTurn(sql, now, limit, lease, last))),
          ({ claims, reached }) => {
            last = reached
            return claims
          },
        )
}

export const makeWakeups = (sql: SqlClient.SqlClient): Wakeups["Service"] => ({
  set: setIn(sql),
  setAnew: (wakeup) => read(Effect.asVoid(setWakeupAnew(sql, wakeup))),
  claimDue: claimIn(sql),
  renew: (claims, until) => read(renewWakeups(sql, claims, until)),
  complete: (claim) => read(completeWakeup(sql, claim)),
  defer: (claim, at) => read(deferWakeup(sql, claim, at)),
  next: ({ housekeeping, owner }) => read(nextWakeup(sql, housekeeping, owner)),
  backlog: (now, limit) => read(backlogOf(sql, now, limit)),
  clearAll: read(Effect.asVoid(sql.unsafe("delete from carillon.wakeups"))),
})
