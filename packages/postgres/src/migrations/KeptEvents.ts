/**
 * Events that are kept for the host, beside the wide rows of the events themselves: a place is given after the commit, and must not write those
 * again. Nothing refers to them by a constraint, so that tables can be emptied and filled in any order, as whoever restores rows does.
 */
export const keptEvents = `
create table carillon.kept_events (
  event_id text collate "C" primary key,
  entered bigint generated always as identity,
  place bigint
);
create unique index kept_events_place on carillon.kept_events (place) where place is not null;
create index kept_events_unplaced on carillon.kept_events (entered) where place is null;

create table carillon.kept_head (
  head_id text collate "C" primary key,
  place bigint not null
)
`
