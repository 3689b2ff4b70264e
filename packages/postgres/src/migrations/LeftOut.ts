/** Contacts that were never dialled and never will be. They lie among those that are dialled in order, which are counted without being looked at. */
export const leftOut = `
alter table carillon.contacts add column left_out boolean not null default false;
create index contacts_left_out on carillon.contacts (batch_id, row_number) where left_out
`
