import { type Commit, platformParty, type Wakeup, wakeupParty } from "@carillon/core/ports"
import type { SqlClient } from "effect/sql"
import { atOnce } from "../AtOnce.ts"
import { counted } from "../rows/Table.ts"

/** A wake-up that is set by who does not say whose it is stays whose it was. */
const whose = `organization_id = case when excluded.organization_id = '${platformParty}' then w.organization_id
    else excluded.organization_id end`

/**
 * A wake-up that is being handled stays claimed, so that a subject has one handler at a time; it comes up again once it was handled. Its token
 * says so by its sign: code that knows of no sign finds its claim no more, and leaves the row as it is.
 */
const set = `
  insert into carillon.wakeups as w (kind, subject, at, organization_id)
  select kind, subject, at, coalesce(organization_id, '${platformParty}')
  from jsonb_to_recordset($1::jsonb) as r(kind text, subject text, at bigint, organization_id text)
  order by kind collate "C", subject collate "C"
  on conflict (kind, subject) do update set at = excluded.at, token = -abs(w.token), ${whose}`

const setAnew = `
  insert into carillon.wakeups as w (kind, subject, at, organization_id) values ($1, $2, $3::bigint, $4)
  on conflict (kind, subject) do update
  set at = least(w.at, excluded.at), token = null, claimed_until = null, owner = null, ${whose}`

const clear = `
  delete from carillon.wakeups as w
  using ${counted("kind text, subject text")} where w.kind = r.kind and w.subject = r.subject`

/** Rows are locked in one order whatever is done to them, so that nobody waits for one another in turn. */
const lock = `
  select 1 from carillon.wakeups as w
  join ${counted("kind text, subject text")} on w.kind = r.kind and w.subject = r.subject
  order by w.kind, w.subject for update of w`

const keyOf = ({ kind, subject }: Pick<Wakeup, "kind" | "subject">): string => `${kind} ${subject}`

/** Sets wake-ups, each subject once. */
export const setWakeups = (sql: SqlClient.SqlClient, wakeups: ReadonlyArray<Wakeup>) =>
  sql.unsafe(set, [JSON.stringify(wakeups)])

/** Sets a wake-up as if it had never been claimed, and not later than it was. */
export const setWakeupAnew = (sql: SqlClient.SqlClient, wakeup: Wakeup) =>
  sql.unsafe(setAnew, [wakeup.kind, wakeup.subject, wakeup.at, wakeupParty(wakeup)])

const clearWakeups = (sql: SqlClient.SqlClient, cleared: ReadonlyArray<Pick<Wakeup, "kind" | "subject">>) =>
  sql.unsafe(clear, [JSON.stringify(cleared), cleared.length])

/** What a commit does to wake-ups; of several changes of one subject the last one counts. */
export const writeWakeups = (sql: SqlClient.SqlClient, changes: Commit["wakeups"]) => {
  const last = new Map(changes.map((change) => [keyOf("set" in change ? change.set : change.clear), change]))
  const sets: Array<Wakeup> = []
  const clears: Array<Pick<Wakeup, "kind" | "subject">> = []
  for (const change of last.values()) {
    if ("set" in change) sets.push(change.set)
    else clears.push(change.clear)
  }
  // Sets alone are taken in their order; what is cleared is found in whatever order its rows lie.
  const named = [...sets, ...clears].map(({ kind, subject }) => ({ kind, subject }))
  return atOnce([
    ...(clears.length > 0 && last.size > 1 ? [sql.unsafe(lock, [JSON.stringify(named), named.length])] : []),
    ...(clears.length > 0 ? [clearWakeups(sql, clears)] : []),
    ...(sets.length > 0 ? [setWakeups(sql, sets)] : []),
  ])
}
