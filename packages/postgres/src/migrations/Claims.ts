/** Who is left the next wake-up of its subject. */
export const claims = `
alter table carillon.wakeups add column owner text collate "C";
create index wakeups_kept on carillon.wakeups (at) where claimed_until is null and owner is not null
`
