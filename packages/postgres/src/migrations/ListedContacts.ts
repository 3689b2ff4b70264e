/**
 * How many contacts of a batch are listed, so that a page of a campaign's contacts is found without reading its batches; null in rows from before. And
 * the batches that a campaign may move, however many of it have completed.
 *
 * Campaigns are locked before batches, as every commit locks them: a later step of the same transaction needs both, and would wait for a commit that
 * waits for this one.
 */
export const listedContacts = `
lock table carillon.campaigns in share row exclusive mode;
alter table carillon.batches add column listed_contacts bigint;
drop index carillon.batches_campaign;
create index batches_contacts on carillon.batches (campaign_id, created_at, sequence) include (batch_id, listed_contacts) where campaign_id is not null;
create index batches_movable on carillon.batches (campaign_id, created_at, sequence) where status not in ('completed', 'failed')
`
