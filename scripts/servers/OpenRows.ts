/** Rows of each kind that are shown. */
const shown = 20

/**
 * Statements whose rows show why somebody on PostgreSQL has not come to an end yet: campaigns and batches that go on, contacts without an
 * outcome with their next moments, calls that hold a line or have not ended, lines, and what is to be looked at.
 *
 * @param where narrows down the campaigns; it is told of `k`, the campaign.
 */
export const openRows = (where = "true"): ReadonlyArray<string> => {
  const contacts = `from carillon.contacts c join carillon.batches b using (batch_id) left join carillon.campaigns k using (campaign_id)
    where ${where} and coalesce(c.contact ->> 'status', 'pending') not in ('completed', 'failed')`
  return [
    `select json_build_object('campaign', campaign_id, 'status', status, 'ending', ending, 'revision', revision) as row
      from carillon.campaigns k where ${where} and status not in ('completed', 'archived') limit ${shown}`,
    `select json_build_object('batch', b.batch_id, 'campaign', campaign_id, 'status', b.status, 'campaign_status', k.status) as row
      from carillon.batches b left join carillon.campaigns k using (campaign_id) where ${where} and not b.finished limit ${shown}`,
    `select json_build_object('contact', c.contact, 'batch', batch_id, 'row', row_number, 'number', c.to_number,
      'eligible_at', c.eligible_at, 'in_hours_only', c.in_hours_only, 'waits_for_number', c.waits_for_number,
      'batch_status', b.status, 'campaign_status', k.status) as row ${contacts} limit ${shown}`,
    `select row from carillon.calls where contact_id in (select c.contact_id ${contacts} limit ${shown}) limit ${shown}`,
    `select json_build_object('call', execution_id, 'status', status, 'holds_line', holds_line, 'processing', processing, 'due', due,
      'dial', row ->> 'dial', 'lane', lane_id, 'to', to_number) as row
      from carillon.calls where holds_line or processing or due order by holds_line desc, due desc limit ${shown}`,
    `select json_build_object('line', execution_id, 'fence', fence, 'held', held, 'reserved_until', reserved_until) as row
      from carillon.slot_members limit ${shown}`,
    `select json_build_object('wakeup', kind, 'subject', subject, 'at', at, 'claimed_until', claimed_until) as row
      from carillon.wakeups order by at limit ${shown}`,
  ]
}
