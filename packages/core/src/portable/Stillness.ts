import { Effect } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import type { BatchStatus } from "../batches/rules/BatchStatus.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import type { CallStatus } from "../calls/rules/CallStatus.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import { hasEnded } from "../campaigns/rules/CampaignStatus.ts"
import { type ReadAfter, walkRows } from "../engine/Walk.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { DeliveryStore } from "../webhooks/ports/DeliveryStore.ts"
import { oldestFirst } from "./OldestFirst.ts"

/** Calls that are with the carrier, or about to be; one that is booked waits for its time. */
const liveStatuses: ReadonlySet<CallStatus> = new Set<CallStatus>(["queued", "initiated", "ringing", "in-progress"])

/** Batches that dial, or may begin to by themselves. */
const dialling = ["created", "scheduled", "in_progress", "dispatched"] as const satisfies ReadonlyArray<BatchStatus>

const first = { page: 1, page_size: 1 }

/** A line of what is under way, where there is any. */
const told = (count: number, what: string): ReadonlyArray<string> => (count === 0 ? [] : [`${what}: ${count}`])

/** Whether an organization is at rest: nothing of it changes but what its customers, its host or the time change. */
export const makeStillness = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const calls = yield* CallStore
  const campaigns = yield* CampaignStore
  const batches = yield* BatchStore
  const deliveries = yield* DeliveryStore

  /** How many of the rows that wait in the whole installation are the organization's. */
  const own = Effect.fnUntraced(function* <Row extends { readonly organization_id: string }>(
    organizationId: string,
    read: ReadAfter<Row, PortError>,
    idOf: (row: Row) => string,
  ) {
    let count = 0
    yield* walkRows(read, idOf, limits.reconcilePage, ({ organization_id }) =>
      Effect.sync(() => {
        if (organization_id === organizationId) count += 1
      }),
    )
    return count
  })

  const callsUnderWay = Effect.fnUntraced(function* (organizationId: string) {
    const { total: live } = yield* calls.page(organizationId, { statuses: liveStatuses }, first)
    const level = { level: "organization", key: organizationId, ceiling: null } as const
    const [holding = 0] = yield* calls.holding([level])
    const processing = yield* own(organizationId, calls.processing, ({ execution_id }) => execution_id)
    return [
      ...told(live, "live calls"),
      ...told(Math.max(0, holding - live), "calls of which the carrier's last word is awaited"),
      ...told(processing, "calls that are not processed"),
    ]
  })

  const webhooksUnderWay = Effect.fnUntraced(function* (organizationId: string, now: number) {
    const waiting = yield* own(organizationId, deliveries.waiting, ({ event_id }) => event_id)
    const { total: pending } = yield* deliveries.page(organizationId, { status: "pending" }, first, now)
    const { total: retrying } = yield* deliveries.page(organizationId, { status: "retrying" }, first, now)
    return [...told(waiting, "events that wait to be routed"), ...told(pending + retrying, "webhooks to be sent")]
  })

  const isRunning = ({ campaign_id, organization_id }: Batch) =>
    campaign_id === null
      ? Effect.succeed(true)
      : Effect.map(
          campaigns.find(organization_id, campaign_id),
          (campaign) => campaign === null || (!hasEnded(campaign) && campaign.status !== "paused"),
        )

  const batchesUnderWay = Effect.fnUntraced(function* (organizationId: string) {
    let running = 0
    for (const status of dialling) {
      yield* oldestFirst(
        (page) => batches.page(organizationId, { status }, page),
        (batch) =>
          Effect.map(isRunning(batch), (isOn) => {
            if (isOn) running += 1
          }),
      )
    }
    return told(running, "batches that are not paused, while dialling is not held")
  })

  /** A walk that nobody goes on with takes nothing away: its organization keeps everything from now on. */
  const purgeUnderWay = Effect.fnUntraced(function* (organizationId: string) {
    const days = (yield* accounts.organization(organizationId))?.retention_days ?? null
    const place = (yield* accounts.purge(organizationId))?.place ?? null
    return days === null || place === null ? [] : ["rows that were kept for their time are being taken away"]
  })

  /** What is under way, in words for an operator; nothing where it is at rest. */
  return Effect.fnUntraced(function* (organizationId: string, isHeld: boolean, now: number) {
    return [
      ...(isHeld ? [] : yield* batchesUnderWay(organizationId)),
      ...(yield* callsUnderWay(organizationId)),
      ...(yield* webhooksUnderWay(organizationId, now)),
      ...(yield* purgeUnderWay(organizationId)),
    ]
  })
})
