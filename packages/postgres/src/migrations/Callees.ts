/** How many of the rows of a table are listed, each as many times as `n` says. */
const counted = (table: string, n: 1 | -1): string => `select organization_id, ${n} as n from ${table} where suppressed`

/** Keeps the count at each statement. A function's text has no statement that ends a line: steps are divided there. */
const counting = (
  operation: "update" | "insert" | "delete",
  tables: string,
  rows: string,
): string => `create function carillon.count_callees_at_${operation}() returns trigger language plpgsql as $$ begin
  insert into carillon.callee_counts as t (organization_id, suppressed)
  select organization_id, sum(n) from (${rows}) as r group by 1 having sum(n) <> 0 order by 1
  on conflict (organization_id) do update set suppressed = t.suppressed + excluded.suppressed; return null; end $$;
create trigger callee_counts_at_${operation} after ${operation} on carillon.callees referencing ${tables}
  for each statement execute function carillon.count_callees_at_${operation}()`

/**
 * What organizations know of the numbers that they call. A dial looks its number up by the primary key, in the statement that counts the lines; the
 * index is for the list alone. So that a page of it counts no million rows, the database keeps their count; whoever writes callees of an organization
 * is alone in it, so the one row of it makes nobody wait.
 */
export const callees = [
  `create table carillon.callees (
  callee_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  revision integer not null,
  suppressed boolean not null,
  row json not null
)`,
  "create index callees_suppressed on carillon.callees (organization_id, sequence) where suppressed",
  `create table carillon.callee_counts (
  organization_id text collate "C" primary key,
  suppressed bigint not null
)`,
  counting("update", "old table as was new table as now", `${counted("was", -1)} union all ${counted("now", 1)}`),
  counting("insert", "new table as now", counted("now", 1)),
  counting("delete", "old table as was", counted("was", -1)),
].join(";\n")
