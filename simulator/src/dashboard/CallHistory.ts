import type { Call } from "@carillon/core"
import type { World } from "../World.ts"

/** One moment in the life of a call; epoch milliseconds of virtual time. */
export interface Moment {
  readonly at: number
  readonly kind: "call" | "carrier" | "webhook" | "trouble"
  readonly what: string
  readonly detail: string | null
}

/** A stretch of a call's life; null: it goes on. */
export interface Phase {
  readonly name: "booked" | "dialling" | "ringing" | "talking" | "processing"
  readonly from: number
  readonly to: number | null
}

/** Deliveries and attempts of one contact that are looked at. */
const pageSize = 50

const phasesOf = (call: Call): ReadonlyArray<Phase> => {
  const { answered_at, completed_at, created_at, processing, ringing_at, scheduled_at } = call
  const booked = scheduled_at !== null && scheduled_at > created_at
  const dialled = booked ? scheduled_at : created_at
  const wasDialled = call.dial !== "none" || call.direction === "inbound"
  const dialledTo = ringing_at ?? answered_at ?? completed_at
  const phases: Array<Phase> = []
  if (booked) phases.push({ name: "booked", from: created_at, to: wasDialled ? dialled : completed_at })
  if (wasDialled) phases.push({ name: "dialling", from: dialled, to: dialledTo })
  if (ringing_at !== null) phases.push({ name: "ringing", from: ringing_at, to: answered_at ?? completed_at })
  if (answered_at !== null) phases.push({ name: "talking", from: answered_at, to: completed_at })
  if (completed_at !== null && (processing.completed_at !== null || processing.due_at !== null)) {
    phases.push({ name: "processing", from: completed_at, to: processing.completed_at })
  }
  return phases
}

const momentsOf = (world: World, call: Call): ReadonlyArray<Moment> => {
  const moments: Array<Moment> = []
  const add = (at: number | null, kind: Moment["kind"], what: string, detail: string | null = null) => {
    if (at !== null) moments.push({ at, kind, what, detail })
  }
  const origin = call.is_follow_up
    ? "follow-up"
    : call.retry_count > 0
      ? `attempt ${call.retry_count + 1}`
      : call.campaign_id !== null
        ? "campaign"
        : call.direction === "inbound"
          ? "inbound"
          : "API"
  add(call.created_at, "call", call.direction === "inbound" ? "Arrived" : "Accepted", origin)
  if (call.scheduled_at !== null && call.scheduled_at <= world.clock.now()) {
    add(call.scheduled_at, "call", "Booked time", null)
  }
  for (const leg of world.carrier.query({ execution_id: call.execution_id }, world.clock.now()).data) {
    add(leg.placed_at, "carrier", "Dial at the carrier", leg.leg_id)
    add(leg.ended_at, "carrier", "Leg is down", leg.result)
  }
  add(call.ringing_at, "call", "Ringing")
  add(call.answered_at, "call", "Answered", call.answered_by_voicemail === true ? "voicemail" : null)
  add(call.stop?.requested_at ?? null, "call", "Stop requested", call.stop?.reason ?? null)
  add(call.completed_at, "call", `Ended: ${call.status}`, call.hangup_reason?.replaceAll("_", " ") ?? call.error)
  add(call.final_report_at, "call", "Line given back", "final report of the carrier")
  add(call.processing.analysed_at, "call", "Analysis is in")
  add(call.processing.completed_at, "call", "Processing completed")
  for (const { at, from, to } of call.refused_reports) add(at, "trouble", "Report refused", `${from} → ${to}`)
  const filter = { execution_id: call.execution_id }
  const page = { page: 1, page_size: pageSize }
  for (const delivery of world.tables.webhooks.page(call.organization_id, filter, page, world.clock.now()).items) {
    for (const { attempt, error_class, http_status, started_at } of delivery.attempts) {
      const outcome = http_status ?? error_class ?? "no answer"
      const kind = error_class === null ? "webhook" : "trouble"
      add(started_at, kind, `Webhook ${delivery.event_type}`, `attempt ${attempt}: ${outcome}`)
    }
    if (delivery.attempts.length === 0) add(delivery.created_at, "webhook", `Webhook ${delivery.event_type}`, "queued")
  }
  return moments.sort((a, b) => a.at - b.at)
}

/** Everything that is known of one call, for a page about it; null where there is no such call. */
export const callHistory = (world: World, executionId: string) => {
  const call = world.call(executionId)
  if (call === undefined) return null
  const { campaign_id, contact_id, organization_id } = call
  const page = { page: 1, page_size: pageSize }
  const attempts = contact_id === null ? [call] : world.tables.calls.page(organization_id, { contact_id }, page).items
  const transcript = world.tables.calls.media(call.execution_id)?.transcript ?? null
  return {
    execution_id: call.execution_id,
    status: call.status,
    to_number: call.to_number,
    from_number: call.from_number,
    agent: world.tables.agents.get(call.agent_id)?.display_name ?? call.agent_id,
    campaign: campaign_id === null ? null : (world.tables.campaigns.get(campaign_id)?.name ?? campaign_id),
    levels: call.slot?.levels.map(({ level }) => level) ?? [],
    holds_line: call.slot !== null && call.final_report_at === null,
    cost: call.cost,
    summary: call.summary,
    sentiment: call.sentiment,
    duration_seconds: call.duration_seconds,
    phases: phasesOf(call),
    moments: momentsOf(world, call),
    attempts: attempts
      .toReversed()
      .map(({ created_at, execution_id, status }) => ({ execution_id, status, created_at })),
    transcript: typeof transcript === "string" ? [{ role: null, content: transcript }] : transcript,
  }
}
