/**
 * Who has the key of a request until when, and how what it makes is called. `leased` is the `expires_at` for which that stands: a process of an earlier
 * release begins a key without saying so, and nobody takes that over.
 */
export const heldKeys = `
alter table carillon.idempotency
  add column leased bigint,
  add column holding integer,
  add column held_until bigint,
  add column subject text collate "C"
`
