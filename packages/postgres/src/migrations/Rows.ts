/**
 * The first schema. Each noun has a table: its rows as JSON documents in `row`, byte for byte as they were written (`json`, for `jsonb`
 * would reorder keys), and beside them as columns what reads filter, order and count by. Times are epoch milliseconds of the engine's
 * clock. Texts compare by code unit (`collate "C"`), as the engine compares them. Partial indexes hold the few rows that are live, due
 * or waiting, so that finding them does not grow with history.
 */
export const rows = `
create table carillon.commits (
  commit_id text collate "C" primary key,
  sequence bigint generated always as identity unique
);

create table carillon.platform (
  platform_id text collate "C" primary key,
  revision integer not null,
  row json not null
);

create table carillon.organizations (
  organization_id text collate "C" primary key,
  revision integer not null,
  balance double precision not null,
  row json not null
);

create table carillon.api_keys (
  key_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C",
  hash text collate "C" not null,
  revision integer not null,
  created_at bigint not null,
  row json not null
);
create unique index api_keys_hash on carillon.api_keys (hash);
create index api_keys_listed on carillon.api_keys (organization_id, created_at, sequence) where organization_id is not null;

create table carillon.phone_numbers (
  phone_number_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  phone_number text collate "C" not null,
  revision integer not null,
  created_at bigint not null,
  row json not null
);
create unique index phone_numbers_text on carillon.phone_numbers (organization_id, phone_number);

create table carillon.providers (
  provider_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  provider_name text collate "C" not null,
  revision integer not null,
  created_at bigint not null,
  row json not null
);
create unique index providers_name on carillon.providers (organization_id, provider_name);

create table carillon.inbound_agents (
  inbound_agent_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  phone_number_id text collate "C" not null,
  revision integer not null,
  created_at bigint not null,
  row json not null
);
create unique index inbound_agents_number on carillon.inbound_agents (organization_id, phone_number_id);

create table carillon.agents (
  agent_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  revision integer not null,
  status text collate "C" not null,
  category text collate "C",
  knowledge_bases text[] collate "C" not null,
  name_order bytea not null,
  name_search bytea not null,
  created_at bigint not null,
  updated_at bigint not null,
  row json not null
);
create index agents_listed on carillon.agents (organization_id, created_at, sequence);

create table carillon.experiments (
  version_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  main_agent_id text collate "C" not null,
  status text collate "C" not null,
  revision integer not null,
  created_at bigint not null,
  row json not null
);
create unique index experiments_active on carillon.experiments (organization_id, main_agent_id) where status = 'active';
create index experiments_listed on carillon.experiments (organization_id, main_agent_id, created_at, sequence);

create table carillon.subscriptions (
  subscription_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  agent_id text collate "C",
  revision integer not null,
  failing_since bigint,
  last_failure json,
  row json not null
);
create unique index subscriptions_default on carillon.subscriptions (organization_id) where agent_id is null;
create index subscriptions_listed on carillon.subscriptions (organization_id, sequence);

create table carillon.campaigns (
  campaign_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  revision integer not null,
  status text collate "C" not null,
  ending boolean not null,
  created_at bigint not null,
  row json not null
);
create index campaigns_listed on carillon.campaigns (organization_id, created_at, sequence);
create index campaigns_status on carillon.campaigns (organization_id, status, created_at, sequence);
create index campaigns_ending on carillon.campaigns (campaign_id) where ending;

create table carillon.batches (
  batch_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  revision integer not null,
  status text collate "C" not null,
  agent_id text collate "C" not null,
  campaign_id text collate "C",
  lane_id text collate "C" not null,
  finished boolean not null,
  created_at bigint not null,
  row json not null
);
create index batches_listed on carillon.batches (organization_id, created_at, sequence);
create index batches_status on carillon.batches (organization_id, status, created_at, sequence);
create index batches_agent on carillon.batches (organization_id, agent_id, created_at, sequence);
create index batches_campaign on carillon.batches (campaign_id, created_at, sequence) where campaign_id is not null;
create index batches_unfinished on carillon.batches (lane_id, created_at, sequence) where not finished;

create table carillon.contacts (
  batch_id text collate "C" not null,
  row_number integer not null,
  to_number text collate "C" not null,
  entry json not null,
  contact_id text collate "C",
  lane_id text collate "C",
  revision integer not null default 0,
  eligible_at bigint,
  in_hours_only boolean not null default false,
  waits_for_number boolean not null default false,
  contact json,
  primary key (batch_id, row_number)
);
create index contacts_fresh on carillon.contacts (batch_id, row_number) where revision = 0;
create index contacts_waiting on carillon.contacts (batch_id, in_hours_only, eligible_at, row_number) where eligible_at is not null;
create index contacts_number on carillon.contacts (lane_id, to_number) where waits_for_number;
create index contacts_number_waiting on carillon.contacts (contact_id) where waits_for_number;

create table carillon.calls (
  execution_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  revision integer not null,
  listed boolean not null,
  status text collate "C" not null,
  direction text collate "C" not null,
  voicemail boolean not null,
  agent_id text collate "C" not null,
  batch_id text collate "C",
  campaign_id text collate "C",
  contact_id text collate "C",
  parent_execution_id text collate "C",
  to_number text collate "C" not null,
  from_number text collate "C",
  lane_id text collate "C",
  holds_line boolean not null,
  held_line boolean not null default false,
  live_number text collate "C",
  due boolean not null,
  processing boolean not null,
  created_at bigint not null,
  row json not null
);
create index calls_listed on carillon.calls (organization_id, created_at, sequence) where listed;
create index calls_status on carillon.calls (organization_id, status, created_at, sequence) where listed;
create index calls_direction on carillon.calls (organization_id, direction, created_at, sequence) where listed;
create index calls_voicemail on carillon.calls (organization_id, created_at, sequence) where listed and voicemail;
create index calls_agent on carillon.calls (organization_id, agent_id, created_at, sequence) where listed;
create index calls_batch on carillon.calls (organization_id, batch_id, created_at, sequence) where listed and batch_id is not null;
create index calls_campaign on carillon.calls (organization_id, campaign_id, created_at, sequence) where listed and campaign_id is not null;
create index calls_contact on carillon.calls (organization_id, contact_id, created_at, sequence) where listed and contact_id is not null;
create index calls_parent on carillon.calls (organization_id, parent_execution_id, created_at, sequence) where listed and parent_execution_id is not null;
create index calls_to on carillon.calls (organization_id, to_number, created_at, sequence) where listed;
create index calls_from on carillon.calls (organization_id, from_number, created_at, sequence) where listed and from_number is not null;
create index calls_holders on carillon.calls (execution_id) where holds_line;
create index calls_holding_organization on carillon.calls (organization_id, from_number) where holds_line;
create index calls_holding_agent on carillon.calls (agent_id) where holds_line;
create index calls_holding_lane on carillon.calls (lane_id, to_number) where holds_line and lane_id is not null;
create index calls_live on carillon.calls (organization_id, live_number) where live_number is not null;
create index calls_due on carillon.calls (execution_id) where due;
create index calls_processing on carillon.calls (execution_id) where processing;

create table carillon.call_media (
  execution_id text collate "C" primary key,
  organization_id text collate "C" not null,
  revision integer not null,
  row json not null
);

create table carillon.knowledge_bases (
  retrieval_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  collection text collate "C" not null,
  revision integer not null,
  created_at bigint not null,
  row json not null
);
create unique index knowledge_bases_name on carillon.knowledge_bases (organization_id, collection);

create table carillon.knowledge_uploads (
  document_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  retrieval_id text collate "C" not null,
  revision integer not null,
  created_at bigint not null,
  row json not null
);
create index knowledge_uploads_listed on carillon.knowledge_uploads (retrieval_id, created_at, sequence);

create table carillon.knowledge_documents (
  retrieval_id text collate "C" not null,
  document_id text collate "C" not null,
  organization_id text collate "C" not null,
  chunk_count integer not null,
  chunks json not null,
  primary key (retrieval_id, document_id)
);

create table carillon.upload_places (
  organization_id text collate "C" primary key,
  holder text collate "C" not null,
  until bigint not null
);

create table carillon.events (
  event_id text collate "C" primary key,
  organization_id text collate "C" not null,
  revision integer not null,
  waiting boolean not null,
  expires_at bigint not null,
  row json not null
);
create index events_waiting on carillon.events (event_id) where waiting;
create index events_expiring on carillon.events (expires_at);

create table carillon.deliveries (
  delivery_id text collate "C" primary key,
  sequence bigint generated always as identity,
  organization_id text collate "C" not null,
  revision integer not null,
  event_id text collate "C" not null,
  event_type text collate "C" not null,
  execution_id text collate "C" not null,
  subscription_id text collate "C",
  status text collate "C" not null,
  due boolean not null,
  created_at bigint not null,
  expires_at bigint not null,
  row json not null
);
create index deliveries_listed on carillon.deliveries (organization_id, created_at, sequence);
create index deliveries_event on carillon.deliveries (organization_id, event_id, created_at, sequence);
create index deliveries_execution on carillon.deliveries (organization_id, execution_id, created_at, sequence);
create index deliveries_subscription on carillon.deliveries (organization_id, subscription_id, created_at, sequence) where subscription_id is not null;
create index deliveries_due on carillon.deliveries (delivery_id) where due;
create index deliveries_expiring on carillon.deliveries (expires_at);

create table carillon.tallies (
  subject text collate "C" not null,
  figure text collate "C" not null,
  stripe smallint not null,
  value double precision not null,
  primary key (subject, figure, stripe)
);

create table carillon.usage (
  organization_id text collate "C" not null,
  grain text collate "C" not null,
  start bigint not null,
  agent_id text collate "C" not null,
  campaign_id text collate "C" not null,
  figure text collate "C" not null,
  stripe smallint not null,
  value double precision not null,
  primary key (organization_id, grain, start, agent_id, campaign_id, figure, stripe)
);

create table carillon.lanes (
  organization_id text collate "C" not null,
  lane_id text collate "C" not null,
  stripe smallint not null,
  changed bigint not null,
  primary key (organization_id, lane_id, stripe)
);
create index lanes_changed on carillon.lanes (organization_id, changed);

create table carillon.audit_heads (
  organization_id text collate "C" primary key,
  sequence bigint not null,
  hash text collate "C" not null
);

create table carillon.audit_records (
  organization_id text collate "C" not null,
  sequence bigint not null,
  event_id text collate "C" not null,
  action text collate "C" not null,
  actor text collate "C",
  resource_type text collate "C" not null,
  resource_id text collate "C",
  outcome text collate "C" not null,
  created_at bigint not null,
  record json not null,
  primary key (organization_id, sequence)
);
create index audit_records_event on carillon.audit_records (organization_id, event_id);
create index audit_records_resource on carillon.audit_records (organization_id, resource_type, resource_id, sequence);

create table carillon.idempotency (
  organization_id text collate "C" not null,
  route text collate "C" not null,
  key text collate "C" not null,
  fingerprint text collate "C" not null,
  expires_at bigint not null,
  answer json,
  primary key (organization_id, route, key)
);
create index idempotency_expiring on carillon.idempotency (expires_at);

create table carillon.slot_members (
  execution_id text collate "C" primary key,
  organization_id text collate "C" not null,
  fence bigint not null,
  held boolean not null,
  reserved_until bigint not null,
  levels json not null,
  platform_key text collate "C",
  organization_key text collate "C",
  agent_key text collate "C",
  campaign_key text collate "C"
);
create index slot_members_platform on carillon.slot_members (platform_key);
create index slot_members_organization on carillon.slot_members (organization_key);
create index slot_members_agent on carillon.slot_members (agent_key);
create index slot_members_campaign on carillon.slot_members (campaign_key) where campaign_key is not null;
create index slot_members_reserved on carillon.slot_members (reserved_until) where not held;

create table carillon.slot_waiters (
  execution_id text collate "C" primary key,
  arrival bigint generated always as identity,
  level text collate "C" not null,
  key text collate "C" not null,
  request json not null
);
create index slot_waiters_line on carillon.slot_waiters (level, key, arrival);

create table carillon.slot_wants (
  organization_id text collate "C" primary key,
  owed boolean not null,
  kept boolean not null
);

create sequence carillon.slot_fences;

create table carillon.rates (
  organization_id text collate "C" not null,
  bucket text collate "C" not null,
  window_number bigint not null,
  current bigint not null,
  previous bigint not null,
  allowed boolean not null,
  primary key (organization_id, bucket)
);

create table carillon.wakeups (
  kind text collate "C" not null,
  subject text collate "C" not null,
  at bigint not null,
  token bigint,
  claimed_until bigint,
  primary key (kind, subject)
);
create index wakeups_due on carillon.wakeups (at) where claimed_until is null;
create index wakeups_claimed on carillon.wakeups (claimed_until) where claimed_until is not null;
create sequence carillon.wakeup_tokens;
`
