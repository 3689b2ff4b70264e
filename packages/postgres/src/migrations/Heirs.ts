/**
 * Who waits for a number, in the order in which the first of each batch is looked for, however many wait. The old index goes first: a table
 * that is locked for its readers only after it was locked for its writers meets those who are both.
 */
export const heirs = `
drop index carillon.contacts_number;
create index contacts_heirs on carillon.contacts (lane_id, to_number, batch_id, in_hours_only, row_number) where waits_for_number
`
