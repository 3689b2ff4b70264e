/** The logs of campaigns. A campaign has one entry of each number, and is asked for the last one and for pages, newest first. */
export const campaignLog = `
create table carillon.campaign_entries (
  entry_id text collate "C" primary key,
  campaign_id text collate "C" not null,
  number bigint not null,
  revision integer not null,
  row json not null
);
create index campaign_entries_listed on carillon.campaign_entries (campaign_id, number)
`
