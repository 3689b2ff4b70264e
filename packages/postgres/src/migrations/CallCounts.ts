/**
 * The statuses that are counted: those that end a call. Calls under way change theirs too often, and are few enough to be looked at. As every step
 * this one is never edited: a status that comes later is looked at.
 */
export const countedStatuses: ReadonlyArray<string> = [
  "completed",
  "failed",
  "busy",
  "no-answer",
  "canceled",
  "stopped",
  "balance-low",
  "error",
  "call-disconnected",
]

const stripes = 16

/** The calls of a table as they are counted, each as many times as `n` says. */
const counted = (table: string, n: 1 | -1): string => `
  select organization_id, agent_id, campaign_id, batch_id, status, direction, voicemail, ${n} as n
  from ${table} where listed and status in (${countedStatuses.map((status) => `'${status}'`).join(", ")})`

const keys = "organization_id, subject, status, direction, voicemail"

/** Adds to the counts. No two transactions share a stripe as long as there are not more connections, so that none waits for another. */
const added = (calls: string, stripe: string): string => `
  insert into carillon.call_counts as t (${keys}, stripe, calls)
  select ${keys}, ${stripe}, sum(n)
  from (${calls}) as c cross join lateral (values (''), (agent_id), (campaign_id), (batch_id)) as s (subject)
  where subject is not null group by ${keys} having sum(n) <> 0 order by ${keys}
  on conflict (${keys}, stripe) do update set calls = t.calls + excluded.calls`

/**
 * Each kind of statement has stripes of its own, and they come in this order in every commit, so that those that do meet wait for each other and
 * never in a circle. A function's text has no statement that ends a line: steps are divided there.
 */
const counting = (
  operation: "update" | "insert" | "delete",
  nth: number,
  tables: string,
  calls: string,
): string => `create function carillon.count_calls_at_${operation}() returns trigger language plpgsql as $$ begin ${added(
  calls,
  `${nth * stripes} + pg_backend_pid() % ${stripes}`,
)}; return null; end $$;
create trigger call_counts_at_${operation} after ${operation} on carillon.calls referencing ${tables}
  for each statement execute function carillon.count_calls_at_${operation}()`

/**
 * How many ended calls an organization, an agent, a campaign and a batch has, as lists count them, so that a page of a list does not count a
 * million rows. The database keeps them itself, so that they are right whichever release writes.
 */
export const callCounts = [
  `create table carillon.call_counts (
  organization_id text collate "C" not null,
  subject text collate "C" not null,
  status text collate "C" not null,
  direction text collate "C" not null,
  voicemail boolean not null,
  stripe smallint not null,
  calls bigint not null,
  primary key (organization_id, subject, status, direction, voicemail, stripe)
)`,
  counting("update", 0, "old table as was new table as now", `${counted("was", -1)} union all ${counted("now", 1)}`),
  counting("insert", 1, "new table as now", counted("now", 1)),
  counting("delete", 2, "old table as was", counted("was", -1)),
  added(counted("carillon.calls", 1), "0"),
].join(";\n")
