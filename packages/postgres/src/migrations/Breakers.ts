/**
 * Which campaigns may pause themselves, and how calls of theirs ended: what a breaker reads lies in columns, and in the order in which it is read. An
 * earlier release leaves the columns as they are for what has none.
 */
export const breakers = `
alter table carillon.campaigns add column watched boolean not null default false;
create index campaigns_watched on carillon.campaigns (campaign_id) where watched;
alter table carillon.calls add column watched_end bigint, add column watched_seconds double precision;
create index calls_watched on carillon.calls (campaign_id, watched_end, sequence) where watched_end is not null
`
