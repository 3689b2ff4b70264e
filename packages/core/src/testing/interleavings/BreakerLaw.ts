import type { Call } from "../../calls/rules/Call.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import type { Change } from "../../engine/rules/Commit.ts"
import type { RowsByKind } from "../RowsByKind.ts"
import type { Violation } from "./Laws.ts"

const failed: ReadonlySet<string> = new Set(["failed", "busy", "no-answer", "error", "call-disconnected"])

/** The calls that the breaker of a campaign must have looked at, the last one first. */
const lookedAt = (rows: RowsByKind, { breaker, campaign_id }: Campaign): ReadonlyArray<Call> => {
  const { since = 0, window_calls = 0, window_minutes = null } = breaker ?? {}
  const ended = [...rows.of("call").values()]
    .filter((call) => call.campaign_id === campaign_id && call.watched === true && call.folded_into === null)
    .filter(({ status }) => status === "completed" || failed.has(status))
    .filter(({ completed_at }) => completed_at !== null && completed_at >= since)
    .sort((one, other) => (other.completed_at ?? 0) - (one.completed_at ?? 0))
  const last = ended[0]?.completed_at ?? 0
  const isRecent = ({ completed_at }: Call) =>
    window_minutes === null || (completed_at ?? 0) >= last - window_minutes * 60_000
  return ended.filter(isRecent).slice(0, window_calls)
}

/** How many of a hundred calls were too many, and of how many there may not be more. */
const sharesOf = (calls: ReadonlyArray<Call>, campaign: Campaign): ReadonlyArray<readonly [number, number | null]> => {
  const { breaker } = campaign
  if (breaker === undefined) return []
  const share = (isLike: (call: Call) => boolean) => (calls.filter(isLike).length / calls.length) * 100
  const isShort = ({ answered_by_voicemail, duration_seconds, status }: Call) =>
    status === "completed" &&
    answered_by_voicemail !== true &&
    duration_seconds !== null &&
    duration_seconds < breaker.short_call_seconds
  return [
    [share(({ status }) => failed.has(status)), breaker.failed_percent],
    [share(({ status }) => status === "failed" || status === "error"), breaker.error_percent],
    [share(isShort), breaker.short_call_percent],
    [share(({ answered_by_voicemail }) => answered_by_voicemail === true), breaker.voicemail_percent],
  ]
}

/** How the last calls of a campaign ended where its breaker does not allow it; null where it does. `until` leaves out what ended later. */
const wrongOf = (rows: RowsByKind, campaign: Campaign, until = Infinity): string | null => {
  if (campaign.status !== "active" || campaign.breaker === undefined) return null
  const calls = lookedAt(rows, campaign)
  if (calls.length < campaign.breaker.minimum_calls || (calls[0]?.completed_at ?? 0) > until) return null
  const isFine = sharesOf(calls, campaign).every(([share, most]) => most === null || share <= most)
  return isFine ? null : calls.map(({ status }) => status).join(", ")
}

/** Once nothing is to come any more, no campaign is active whose last calls went as its breaker does not allow. */
export function* leftRunning(rows: RowsByKind): Iterable<Violation> {
  for (const campaign of rows.of("campaign").values()) {
    const ends = wrongOf(rows, campaign)
    if (ends === null) continue
    yield {
      law: "a campaign whose breaker says so is paused",
      detail: `${campaign.campaign_id} is active after ${ends}`,
    }
  }
}

/** How long after an end a campaign may still dial: a wake-up that is due has been handled by then. */
const graceMs = 1_000

/** Nobody is dialled by a campaign that should have paused itself a while ago. */
function* atDial(rows: RowsByKind, { campaign_id, dial, execution_id }: Call, now: number): Iterable<Violation> {
  if (campaign_id === null || dial !== "intended" || rows.of("call").has(execution_id)) return
  const campaign = rows.of("campaign").get(campaign_id)
  const ends = campaign === undefined ? null : wrongOf(rows, campaign, now - graceMs)
  if (ends !== null) {
    yield { law: "a campaign whose breaker says so dials nobody", detail: `${execution_id} is dialled after ${ends}` }
  }
}

const says = "a campaign that pauses itself says why"

/** A breaker pauses what runs, and says why in the same commit; what goes on by itself is what it has paused, and its time has come. */
export function* atBreaker(rows: RowsByKind, changes: ReadonlyArray<Change>, now: number): Iterable<Violation> {
  const told = changes.flatMap((change) => (change.put === "campaign_entry" ? [change.row] : []))
  const saysOf = (campaignId: string, event: string) =>
    told.some(
      (entry) => entry.campaign_id === campaignId && entry.event === event && entry.details["reason"] === "breaker",
    )
  for (const change of changes) {
    if (change.put === "call") yield* atDial(rows, change.row, now)
    if (change.put !== "campaign") continue
    const { breaker, campaign_id, status } = change.row
    const before = rows.of("campaign").get(campaign_id)
    if (before === undefined) continue
    const trip = breaker?.trip ?? null
    const had = before.breaker?.trip ?? null
    if (trip !== null && status !== "paused") yield { law: says, detail: `${campaign_id} is ${status}, and tripped` }
    if (trip !== null && had === null && (before.status !== "active" || !saysOf(campaign_id, "paused"))) {
      yield { law: says, detail: `${campaign_id} was ${before.status} as it paused itself` }
    }
    if (!saysOf(campaign_id, "resumed")) continue
    if (had?.resume_at !== undefined && had.resume_at !== null && had.resume_at <= now) continue
    yield { law: "only what has paused itself goes on by itself, in its time", detail: `${campaign_id} goes on` }
  }
}
