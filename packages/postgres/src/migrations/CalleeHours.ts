/**
 * Callee hours of organizations, and whose hours a contact waits for. The index is for those that have a mark: who has no callee hours pays nothing
 * for it. The older index stays for those that have none.
 */
export const calleeHours = `
create table carillon.callee_hours (
  organization_id text collate "C" primary key,
  revision integer not null,
  row json not null
);
alter table carillon.contacts add column hours_of text collate "C" not null default '';
create index contacts_of_hours on carillon.contacts (batch_id, in_hours_only, hours_of, eligible_at, row_number)
  where eligible_at is not null and hours_of <> ''
`
