import type { HeldKey } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { textOf } from "../Documents.ts"

interface Standing {
  readonly nth: number
}

/** Of several keys those that are held as it is said. Whoever would take one over waits until the transaction ends. */
const held = `
  select r.nth::int as nth from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::int[])
    with ordinality as r(organization_id, route, key, expires_at, holding, nth)
  join carillon.idempotency as k using (organization_id, route, key)
  where k.expires_at = r.expires_at and k.leased = r.expires_at and k.holding = r.holding
  order by k.organization_id, k.route, k.key for share of k`

/** Has keys stay with those that hold them until the transaction ends. Returns those that are held. */
export const holdKeys = (sql: SqlClient.SqlClient, keys: ReadonlyArray<HeldKey>) =>
  Effect.map(
    sql.unsafe<Standing>(held, [
      keys.map(({ organization_id }) => organization_id),
      keys.map(({ route }) => textOf(route)),
      keys.map(({ key }) => textOf(key)),
      keys.map(({ expires_at }) => expires_at),
      keys.map(({ holding }) => holding),
    ]),
    (standing): ReadonlySet<HeldKey> => new Set(standing.flatMap(({ nth }) => keys[nth - 1] ?? [])),
  )
