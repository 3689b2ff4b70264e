/** A row as JSON has no other member of either name: what customers write is in texts, where a quotation mark is escaped. */
const told = [
  `new.enabled := coalesce(substring(new.row::text from '"enabled":(true|false)')::boolean, false)`,
  `new.event_types := coalesce(substring(new.row::text from '"event_types":(\\[[^]]*\\])')::json, '[]')`,
]

/**
 * What a subscription is told of lies beside its document, so that who listens to an agent is known without its headers. The database keeps it itself,
 * whichever release writes the row. Subscriptions of an agent have an index of their own.
 */
export const listeners = [
  "alter table carillon.subscriptions add column enabled boolean not null default false, add column event_types json not null default '[]'",
  `create function carillon.tell_listeners() returns trigger language plpgsql as $$ begin ${told.join("; ")}; return new; end $$`,
  `create trigger tell_listeners before insert or update of row on carillon.subscriptions
  for each row execute function carillon.tell_listeners()`,
  "update carillon.subscriptions set row = row",
  "create index subscriptions_agent on carillon.subscriptions (organization_id, agent_id, sequence)",
].join(";\n")
