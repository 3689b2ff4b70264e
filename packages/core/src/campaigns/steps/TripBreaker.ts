import { cascadeToBatch } from "../../batches/rules/BatchStatus.ts"
import type { WatchedCall } from "../../calls/rules/WatchedCall.ts"
import { type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import { glance, list, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import { step } from "../../engine/steps/Step.ts"
import { overrunOf, resumesAt } from "../rules/Breaker.ts"
import type { Breaker } from "../rules/BreakerSetting.ts"
import { brokenWords, goesOnWords } from "./CampaignLog.ts"
import { countsOf, wholeBecause, wholeOf } from "./CampaignReads.ts"
import { progressIn, steering } from "./Steering.ts"

/** What a breaker looks at. */
interface Watching {
  readonly campaign_id: string
  readonly breaker: Breaker
}

const lastWatched: ListDescription<Watching, ReadonlyArray<WatchedCall>> = {
  members: "calls of a campaign with a breaker that ended last, as many as its window has",
  read: ({ calls }, { breaker, campaign_id }) => calls.watched(campaign_id, breaker.window_calls),
}

interface OfBreaker extends ByRow {
  readonly campaign_id: string
}

/** What is said of who pauses a campaign that is nobody: the engine, by a rule that its owner has set. */
const byBreaker = { reason: "breaker" }

/** A campaign pauses itself where its last calls went as its breaker does not allow. */
export const tripBreaker = step({
  name: "breaker.trip",
  whole: wholeBecause,
  *reads({ campaign_id }: OfBreaker) {
    const campaign = yield* row("campaign", campaign_id)
    if (campaign?.breaker === undefined || campaign.status !== "active") return null
    const { breaker } = campaign
    const calls = yield* glance(
      "level",
      "Each call that ends later has the breaker look again.",
      list(lastWatched, { breaker, campaign_id }),
    )
    const overrun = overrunOf(breaker, calls)
    if (overrun === null) return null
    return { breaker, overrun, whole: yield* wholeOf(campaign) }
  },
  decide(_, view, { now }): Outcome<void> {
    if (view === null) return unchanged(undefined)
    const { breaker, overrun, whole } = view
    const { campaign } = whole
    const trip = { ...overrun, at: now, resume_at: resumesAt(breaker, now) }
    const cascade = { kind: "pause" } as const
    const { changes, wakeups } = steering(whole, {
      now,
      after: { ...campaign, status: "paused", breaker: { ...breaker, trip } },
      words: brokenWords(campaign.status, trip),
      cascade: (batch) => cascadeToBatch(batch, cascade),
    })
    const resource = { type: "campaign", id: campaign.campaign_id }
    const audit = [{ action: "campaign.pause", resource, details: { ...byBreaker, rate: trip.rate } }]
    return write(changes, { audit, by: campaign, wakeups, reply: undefined })
  },
})

/** A campaign that has paused itself goes on once it may. Replies when to look again, where that is still to come. */
export const closeBreaker = step({
  name: "breaker.close",
  whole: wholeBecause,
  *reads({ campaign_id }: OfBreaker) {
    const campaign = yield* row("campaign", campaign_id)
    const resume_at = campaign?.status === "paused" ? (campaign.breaker?.trip?.resume_at ?? null) : null
    if (campaign === null || resume_at === null) return null
    const whole = yield* wholeOf(campaign)
    return { resume_at, whole, counts: yield* countsOf(whole.batches) }
  },
  decide(_, view, { now }): Outcome<number | null> {
    if (view === null) return unchanged(null)
    const { counts, resume_at, whole } = view
    // A call that was live as its campaign was paused has the breaker look, too.
    if (resume_at > now) return unchanged(resume_at)
    const { campaign } = whole
    const progress = progressIn(counts)
    const { changes, wakeups } = steering(whole, {
      now,
      after: { ...campaign, status: "active" },
      words: goesOnWords(campaign.status),
      cascade: (batch) => cascadeToBatch(batch, { kind: "resume", progress: progress(batch) }),
    })
    const resource = { type: "campaign", id: campaign.campaign_id }
    const audit = [{ action: "campaign.resume", resource, details: byBreaker }]
    return write(changes, { audit, by: campaign, wakeups, reply: null })
  },
})
