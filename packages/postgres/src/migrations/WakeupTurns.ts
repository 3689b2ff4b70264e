/**
 * Whose a wake-up is; an earlier release says of none, and those are the platform's. What waits is found by spans of a minute or so and by whose it
 * is within a span: from one to the next it is one step, however much either has, and nobody is passed who has nothing in that time.
 */
export const wakeupTurns = `
alter table carillon.wakeups add column organization_id text collate "C" not null default 'platform';
create index wakeups_in_turn on carillon.wakeups ((at >> 16), organization_id, at) where claimed_until is null
`
