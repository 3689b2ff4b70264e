/** Whether a wake-up was set again while it is handled, and who is left the next one of its subject. */
export const claims = `
alter table carillon.wakeups
  add column again boolean not null default false,
  add column owner text collate "C";
create index wakeups_kept on carillon.wakeups (at) where claimed_until is null and owner is not null
`
