/**
 * Since when a contact waits for its number, 0 where that was not kept, as its document says. It is looked for in the text: the operators of `json`
 * fail at texts that a document may have. As every step this one is never edited.
 */
export const waitsSince = String.raw`coalesce(substring(contact::text from '[{,]"waits_since":(\d+)')::bigint, 0)`

/**
 * Who waits for a number, of each batch in the order in which they began to wait. It is read in the document, which every release writes, so whoever an
 * earlier release sets aside has its place as well, and no row is written anew. Only contacts that wait for a number are in it.
 *
 * An earlier release that shares the database goes on: it frees the first row of each batch, as it did, and finds it in this index by reading all that
 * wait for that number in the batch. The old index goes first, for the reason that `Heirs.ts` gives.
 */
export const numberQueue = `
drop index carillon.contacts_heirs;
create index contacts_number_queue on carillon.contacts (lane_id, to_number, batch_id, in_hours_only, (${waitsSince}), row_number) where waits_for_number
`
