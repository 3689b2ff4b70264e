import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const place = "organization_id, agent_id, campaign_id, figure"

/** The hours of usage that are not the sums of their minutes, those of zero left out. */
export const differingHours = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(
    `with kept as (select start, ${place}, sum(value) as value from carillon.usage_hours group by start, ${place} having sum(value) <> 0),
    summed as (
      select start - start % 3600000 as start, ${place}, sum(value) as value from carillon.usage where grain = 'minute'
      group by 1, ${place} having sum(value) <> 0)
    (table kept except table summed) union all (table summed except table kept)`,
  ),
)
