/** How long things have gone on in the installation whose history `history` writes. */
const size = { calls: 100_000, contacts: 100_000, lanes: 50, closed: 100_000 } as const

/** The moment at which it stands, in epoch milliseconds. */
export const present = Date.UTC(2026, 0, 5, 9)

const number = (nth: string) => `'+1555' || lpad((${nth})::text, 7, '0')`

const document = `json_build_object('padding', repeat('x', 100))`

/**
 * Years of an installation in some seconds of SQL: nineteen of twenty rows belong to one organization, all but a few are over, each campaign
 * has a quarter of its contacts left, twenty thousand contacts of one batch wait for one number, all of another for the hours of their callees, and
 * every second call still has its event, its delivery and its audit record.
 */
export const history: ReadonlyArray<string> = [
  `insert into carillon.calls (execution_id, organization_id, revision, listed, status, direction, voicemail, agent_id, batch_id,
     campaign_id, contact_id, to_number, from_number, lane_id, holds_line, live_number, due, processing, created_at, row)
   select 'exec_' || n, case when n % 20 = 0 then 'org_small' else 'org_big' end, 7, true,
     case when live then 'in-progress' when n % 7 = 0 then 'busy' else 'completed' end, 'outbound', n % 11 = 0, 'agt_' || n % 20,
     case when n % 10 = 0 then null else 'bat_' || n % ${size.lanes} end, case when n % 10 = 0 then null else 'cmp_' || n % ${size.lanes} end,
     case when n % 10 = 0 then null else 'con_' || n end, ${number("n % 50000")}, '+15550000001',
     case when n % 10 = 0 then null else 'cmp_' || n % ${size.lanes} end, live, case when live then '+15550000001' end, live, n % 4999 = 0,
     ${present}::bigint - (${size.calls} - n) * 1000, ${document}
   from (select n, n % 1000 = 1 as live from generate_series(1, ${size.calls}) n) as numbered`,
  `insert into carillon.call_media (execution_id, organization_id, revision, row)
   select execution_id, organization_id, 1, ${document} from carillon.calls where sequence % 2 = 0`,
  `insert into carillon.contacts (batch_id, row_number, to_number, entry, contact_id, lane_id, revision, eligible_at, in_hours_only,
     waits_for_number, contact)
   select 'bat_' || n % ${size.lanes}, n / ${size.lanes}, ${number("n")}, ${document},
     case when touched then 'con_' || n end, case when touched then 'cmp_' || n % ${size.lanes} end, case when touched then 3 else 0 end,
     case when touched and n % 40 = 0 then ${present}::bigint + (n % 3000 - 1500) * 1000 end, n % 3 = 0 and touched,
     touched and n % 997 = 0, case when touched then ${document} end
   from (select n, n < ${size.contacts} * 3 / 4 as touched from generate_series(0, ${size.contacts - 1}) n) as numbered`,
  `insert into carillon.contacts (batch_id, row_number, to_number, entry, contact_id, lane_id, revision, waits_for_number, contact)
   select 'bat_same', n, '+15550000077', ${document}, 'con_same_' || n, 'cmp_1', 3, true, ${document} from generate_series(1, 20000) n`,
  `insert into carillon.contacts (batch_id, row_number, to_number, entry, contact_id, lane_id, revision, eligible_at, in_hours_only, hours_of, contact)
   select 'bat_hours', n, ${number("n")}, ${document}, 'con_hours_' || n, 'cmp_2', 3, ${present}::bigint - 100000 + n, n % 5 = 0,
     (array['America/New_York', 'America/Denver', 'America/Los_Angeles', '+1208'])[1 + n % 4], ${document}
   from generate_series(1, ${size.closed}) n`,
  `insert into carillon.campaigns (campaign_id, organization_id, revision, status, ending, created_at, row)
   select 'cmp_' || n, 'org_big', 3, 'active', n % 10 = 0, ${present}, ${document} from generate_series(0, ${size.lanes - 1}) n`,
  `insert into carillon.batches (batch_id, organization_id, revision, status, agent_id, campaign_id, lane_id, finished, listed_contacts, created_at, row)
   select 'bat_' || n, 'org_big', 3, case when n < ${size.lanes} then 'in_progress' else 'completed' end, 'agt_' || n % 20, 'cmp_' || n % ${size.lanes}, 'cmp_' || n % ${size.lanes},
     n >= ${size.lanes}, ${size.contacts / size.lanes}, ${present}, ${document}
   from generate_series(0, 20000) n`,
  `insert into carillon.campaign_entries (entry_id, campaign_id, number, revision, row)
   select 'cmp_' || n % ${size.lanes} || ':' || 1 + n / ${size.lanes}, 'cmp_' || n % ${size.lanes}, 1 + n / ${size.lanes}, 1, ${document}
   from generate_series(0, 20000) n`,
  `insert into carillon.caller_ids (organization_id, phone_number, kind, named_by)
   select 'org_big', ${number("n % 100")}, 'batch', 'bat_' || n from generate_series(1, 20000) n`,
  `insert into carillon.lanes (organization_id, lane_id, stripe, changed)
   select case when n % 20 = 0 then 'org_small' else 'org_big' end, 'cmp_' || n, s, n from generate_series(0, 2000) n, generate_series(0, 7) s`,
  `insert into carillon.events (event_id, organization_id, revision, waiting, expires_at, row)
   select 'evt_' || sequence, organization_id, 2, sequence % 5000 = 1, created_at + 2678400000, ${document} from carillon.calls where sequence % 2 = 1`,
  `insert into carillon.kept_events (event_id, place) select event_id, row_number() over (order by event_id) from carillon.events`,
  `insert into carillon.kept_head (head_id, place) select 'head', count(*) from carillon.kept_events`,
  `insert into carillon.deliveries (delivery_id, organization_id, revision, event_id, event_type, execution_id, subscription_id, status,
     due, created_at, expires_at, row)
   select 'dlv_' || sequence, organization_id, 2, 'evt_' || sequence, 'call_completed', execution_id, 'sub_' || sequence % 3, 'delivered',
     sequence % 5000 = 1, created_at, created_at + 2592000000, ${document} from carillon.calls where sequence % 2 = 1`,
  `insert into carillon.wakeups (kind, subject, at, organization_id, token, claimed_until)
   select 'call', 'exec_' || n, ${present} + (n - 20) * 1000, 'org_' || n % 8, case when n % 100 = 0 then n end,
     case when n % 100 = 0 then ${present} + 30000 end
   from generate_series(1, 30000) n`,
  `insert into carillon.guards (kind, id, version) select 'campaign_batches', 'cmp_' || n, 1 from generate_series(0, 20000) n`,
  `insert into carillon.tallies (subject, figure, stripe, value)
   select 'cmp_' || n, 'status:' || f, s, 1 from generate_series(0, 1500) n, generate_series(1, 3) f, generate_series(0, 7) s`,
  `insert into carillon.usage (organization_id, grain, start, agent_id, campaign_id, figure, stripe, value)
   select 'org_big', 'minute', ${present} - n * 60000, 'agt_' || n % 20, 'cmp_' || n % ${size.lanes}, 'calls', s, 1
   from generate_series(1, 4000) n, generate_series(0, 7) s`,
  `insert into carillon.audit_records (organization_id, sequence, event_id, action, resource_type, resource_id, outcome, created_at, record)
   select organization_id, sequence, 'aud_' || sequence, 'call.create', 'call', execution_id, 'allowed', created_at, ${document}
   from carillon.calls where sequence % 2 = 1`,
  `insert into carillon.commits (commit_id) select 'cmt_' || n from generate_series(1, 50000) n`,
  `insert into carillon.idempotency (organization_id, route, key, fingerprint, expires_at)
   select 'org_big', 'POST /v2/calls', 'key_' || n, 'print', ${present} + n * 1000 from generate_series(1, 30000) n`,
  `insert into carillon.rates (organization_id, bucket, window_number, current, previous, allowed)
   select 'org_' || n, 'calls.create', 1, 1, 1, true from generate_series(1, 20000) n`,
  `insert into carillon.organizations (organization_id, revision, balance, row)
   select 'org_' || n, 1, 10, ${document} from generate_series(1, 20000) n`,
  `insert into carillon.organizations (organization_id, revision, balance, row)
   select id, 1, 10, ${document} from unnest(array['org_big', 'org_small']) id`,
  `insert into carillon.api_keys (key_id, organization_id, hash, revision, created_at, row)
   select 'key_' || n, 'org_' || n, md5(n::text), 1, ${present}, ${document} from generate_series(1, 20000) n`,
  `insert into carillon.phone_numbers (phone_number_id, organization_id, phone_number, revision, created_at, row)
   select 'pn_' || n, 'org_' || n % 2000, ${number("n")}, 1, ${present}, ${document} from generate_series(1, 20000) n`,
  `insert into carillon.agents (agent_id, organization_id, revision, status, knowledge_bases, name_order, name_search, created_at,
     updated_at, row)
   select 'agt_' || n, 'org_' || n % 2000, 1, 'ACTIVE', '{}', '', '', ${present}, ${present}, ${document} from generate_series(1, 20000) n`,
  `insert into carillon.subscriptions (subscription_id, organization_id, agent_id, revision, row)
   select 'sub_' || n, 'org_' || n % 2000, 'agt_' || n, 1, ${document} from generate_series(1, 20000) n`,
  `insert into carillon.subscriptions (subscription_id, organization_id, agent_id, revision, row)
   select 'sub_big_' || n, 'org_big', 'agt_big_' || n, 1, ${document} from generate_series(1, 5000) n`,
  `insert into carillon.knowledge_documents (retrieval_id, document_id, organization_id, chunk_count, chunks)
   select case when n > 20000 then 'kb_big' else 'kb_' || n end, 'doc_' || n, 'org_' || n % 2000, 1,
     json_build_object('chunks', json_build_array(json_build_object('file', 'a.pdf', 'chunk', 0, 'text', 'fjord')))
   from generate_series(1, 20500) n`,
  `update carillon.knowledge_documents set organization_id = 'org_big' where retrieval_id = 'kb_big'`,
  `insert into carillon.slot_members (execution_id, organization_id, fence, held, reserved_until, levels, platform_key, organization_key,
     agent_key, campaign_key)
   select execution_id, organization_id, sequence, true, 0, '[]', 'platform', organization_id, agent_id, campaign_id
   from carillon.calls where holds_line`,
]

/** Leaves a tenth of the largest tables. */
export const tenth: ReadonlyArray<string> = [
  `delete from carillon.calls where sequence % 10 <> 7`,
  `delete from carillon.contacts where row_number % 10 <> 3`,
  `delete from carillon.events where substr(event_id, 5)::bigint % 10 <> 7`,
  `delete from carillon.deliveries where substr(delivery_id, 5)::bigint % 10 <> 7`,
  `delete from carillon.commits where sequence % 10 <> 7`,
  `delete from carillon.wakeups where at % 3000 <> 0`,
]
