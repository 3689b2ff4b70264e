const hourMs = 3_600_000

const keys = "organization_id, start, agent_id, campaign_id, figure, stripe"

/** The minutes of a table as hours, each as many times as `n` says. As every step this one is never edited. */
const hours = (table: string, n: 1 | -1): string => `
  select organization_id, start - start % ${hourMs} as start, agent_id, campaign_id, figure, stripe, ${n} * value as value
  from ${table} where grain = 'minute'`

/**
 * Adds to the hours. A statement that adds usage inserts some minutes and updates others: each kind has stripes of its own, and they come in this
 * order in every commit, so that two that share a stripe wait for each other and never in a circle.
 */
const added = (minutes: string, nth: 0 | 1): string => `
  insert into carillon.usage_hours as h (${keys}, value)
  select organization_id, start, agent_id, campaign_id, figure, 2 * stripe + ${nth}, sum(value)
  from (${minutes}) as m group by ${keys} order by ${keys}
  on conflict (${keys}) do update set value = h.value + excluded.value`

const counting = (operation: "update" | "insert", nth: 0 | 1, tables: string, minutes: string): string =>
  `create function carillon.add_hours_at_${operation}() returns trigger language plpgsql as $$ begin ${added(minutes, nth)}; return null; end $$;
create trigger usage_hours_at_${operation} after ${operation} on carillon.usage referencing ${tables}
  for each statement execute function carillon.add_hours_at_${operation}()`

/**
 * Usage by hours, so that a report that ends within a day does not read each of its minutes. The database keeps them itself, so that they are right
 * whichever release writes. On a large table this step reads all minutes, and whoever ends a call waits meanwhile.
 */
export const usageHours = [
  `create table carillon.usage_hours (
  organization_id text collate "C" not null,
  start bigint not null,
  agent_id text collate "C" not null,
  campaign_id text collate "C" not null,
  figure text collate "C" not null,
  stripe smallint not null,
  value double precision not null,
  primary key (${keys})
)`,
  counting("update", 0, "old table as was new table as now", `${hours("was", -1)} union all ${hours("now", 1)}`),
  counting("insert", 1, "new table as now", hours("now", 1)),
  added(hours("carillon.usage", 1), 1),
].join(";\n")
