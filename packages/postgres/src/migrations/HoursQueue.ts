/**
 * Everybody who waits for a time stands in the index by marks, those without one among them: each mark is a queue that is found at once, however many
 * wait in the others. It has the columns of the index in whose place it comes, so what was asked of that one is asked of it.
 */
export const hoursQueue = `
create index contacts_by_mark on carillon.contacts (batch_id, in_hours_only, hours_of, eligible_at, row_number)
  where eligible_at is not null;
drop index carillon.contacts_of_hours
`
