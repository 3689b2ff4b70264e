import { countedStatuses } from "./CallCounts.ts"

/** What a day of counts is of: one of UTC, in milliseconds. */
export const countedDayMs = 86_400_000

const stripes = 16

/** The ended calls of a table as they are counted, each as many times as `n` says. As every step this one is never edited. */
const counted = (table: string, n: 1 | -1): string => `
  select organization_id, agent_id, campaign_id, created_at - created_at % ${countedDayMs} as day, status, direction, voicemail, ${n} as n
  from ${table} where listed and status in (${countedStatuses.map((status) => `'${status}'`).join(", ")})`

const keys = "organization_id, subject, day, status, direction, voicemail"

const added = (calls: string, stripe: string): string => `
  insert into carillon.call_days as t (${keys}, stripe, calls)
  select ${keys}, ${stripe}, sum(n)
  from (${calls}) as c cross join lateral (values (''), (agent_id), (campaign_id)) as s (subject)
  where subject is not null group by ${keys} having sum(n) <> 0 order by ${keys}
  on conflict (${keys}, stripe) do update set calls = t.calls + excluded.calls`

/** As with the counts of all days: stripes of its own for each kind of statement, in the same order in every commit, so that nobody waits in a circle. */
const counting = (
  operation: "update" | "insert" | "delete",
  nth: number,
  tables: string,
  calls: string,
): string => `create function carillon.count_days_at_${operation}() returns trigger language plpgsql as $$ begin ${added(
  calls,
  `${nth * stripes} + pg_backend_pid() % ${stripes}`,
)}; return null; end $$;
create trigger call_days_at_${operation} after ${operation} on carillon.calls referencing ${tables}
  for each statement execute function carillon.count_days_at_${operation}()`

/**
 * How many ended calls an organization, an agent and a campaign has by the day of their creation, so that a list of a long time does not count each
 * of its calls. The database keeps them itself, as it does those of all days. On a large table this step reads all calls, and nobody dials meanwhile.
 */
export const callDays = [
  `create table carillon.call_days (
  organization_id text collate "C" not null,
  subject text collate "C" not null,
  day bigint not null,
  status text collate "C" not null,
  direction text collate "C" not null,
  voicemail boolean not null,
  stripe smallint not null,
  calls bigint not null,
  primary key (organization_id, subject, day, status, direction, voicemail, stripe)
)`,
  counting("update", 0, "old table as was new table as now", `${counted("was", -1)} union all ${counted("now", 1)}`),
  counting("insert", 1, "new table as now", counted("now", 1)),
  counting("delete", 2, "old table as was", counted("was", -1)),
  added(counted("carillon.calls", 1), "0"),
].join(";\n")
