import { twoTicksMs } from "./Standing.ts"

const endedCampaigns = "('completed', 'cancelled', 'expired', 'archived')"
const finishedBatches = "('completed', 'cancelled', 'expired', 'failed')"
const toBeDialled = "('pending', 'retry_scheduled', 'follow_up_scheduled')"

/** What has ended keeps nothing that goes on: nobody would ever come to it. */
const endedCampaignGoesOn = `select 'L4: ' || campaign_id || ' is ' || c.status || ', and its batch ' || batch_id || ' is ' || b.status as violation
  from carillon.campaigns c join carillon.batches b using (campaign_id)
  where c.status in ${endedCampaigns} and b.status not in ${finishedBatches}`

/** Whoever waits for a number is called by the end of the call to it, or after another one whose turn it is; with neither, by nobody. */
const waitsForNobody = `with numbered as (
    select c.batch_id, c.row_number, c.to_number, c.waits_for_number, coalesce(b.campaign_id, b.batch_id) as lane,
      coalesce(c.contact ->> 'status', 'pending') as status, b.status as batch_status
    from carillon.contacts c join carillon.batches b using (batch_id)
  )
  select 'L5: ' || w.batch_id || ' ' || w.row_number || ' waits for ' || w.to_number || ', which nobody holds' as violation
  from numbered w
  where w.waits_for_number and w.status in ${toBeDialled} and w.batch_status not in ${finishedBatches}
    and not exists (
      select from carillon.calls k where coalesce(k.campaign_id, k.batch_id) = w.lane and k.to_number = w.to_number
        and k.row ->> 'final_report_at' is null)
    and not exists (
      select from numbered n where n.lane = w.lane and n.to_number = w.to_number and not n.waits_for_number
        and n.status in ${toBeDialled} and n.batch_status not in ${finishedBatches})`

const lineOutlivesCall = (now: number) => `select 'S3: ' || execution_id || ' holds its line ' ||
    (${now} - (row ->> 'final_report_at')::bigint) || ' ms after its final report' as violation
  from carillon.calls where holds_line and (row ->> 'final_report_at')::bigint < ${now - twoTicksMs}`

/**
 * Statements that find what no row may be at the end of a day, in words of their own: they know of the engine's rows and of none of its rules.
 *
 * @param now epoch milliseconds, by the clock of the engines.
 */
export const rowLaws = (now: number): ReadonlyArray<string> => [
  endedCampaignGoesOn,
  waitsForNobody,
  lineOutlivesCall(now),
]
