import { Effect } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { type Begun, Dialler } from "../calls/Dialler.ts"
import { Lifecycle } from "../campaigns/Lifecycle.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import type { AgentTurns } from "./AgentTurns.ts"
import { dueSince } from "./rules/ContactCall.ts"
import type { Desk } from "./Desk.ts"
import type { OpenLane } from "./rules/OpenLane.ts"
import type { Reload } from "./DeskPicture.ts"
import { dialContact } from "./steps/DialContact.ts"
import type { Fit } from "./rules/Judged.ts"

type Started = Extract<Begun, { readonly _tag: "Begun" }>
type Full = Extract<Begun, { readonly _tag: "Full" }>

/** The first dial of a campaign or a batch changes its row, on which all others rest. */
export const isFirstDial = (lane: OpenLane, batch: Batch): boolean =>
  batch.started_at === null || lane.campaign?.status === "created"

/** Begins the calls of contacts. `platformWaits` are the organizations that could not have a line because the platform had none. */
export const makeContactDials = Effect.fnUntraced(function* (
  platformWaits: Set<string>,
  reload: Reload,
  passOver: AgentTurns["passOver"],
) {
  const dialler = yield* Dialler
  const lifecycle = yield* Lifecycle
  const steps = yield* Steps
  const activity = yield* Activity
  const clock = yield* DomainClock

  /** Dials a call that is committed, and answers how that ended; null where nobody can say. */
  const ended = ({ finish }: Started) =>
    finish.pipe(
      Effect.map((dialled) => (dialled._tag === "Settled" ? dialled.end : null)),
      Effect.catch(() => Effect.as(Effect.logWarning("A call was not dialled; the carrier will be asked."), null)),
    )

  const fork = (desk: Desk, laneId: string, row: ContactRow, begun: Started) =>
    activity.fork(
      Effect.map(ended(begun), (end) => {
        if (end === "dialled") desk.waits.accepted(laneId)
        // Who is held no more is no reason to wait: others may have nobody before them.
        else if (end === "held") desk.waits.refused(laneId, row, clock.now())
      }),
    )

  return {
    /** Claims the contact with its call, if there is a line for it. */
    begin: (lane: OpenLane, { advance, agents, call, callee, dial, number, routing, row, until }: Fit) =>
      dialler.begin(
        call,
        { campaign_id: lane.lane_id, max_concurrent_calls: lane.ceiling, due_at: dueSince(dial), until },
        (lined) =>
          steps.drafted(dialContact, {
            ...lined,
            organization_id: call.organization_id,
            stored: row.contact,
            dial,
            until,
            lane_id: lane.lane_id,
            advance,
            number,
            agents,
            routing,
            callee,
            hours: lane.hours,
          }),
      ),
    /** Sends the dial of a committed call on its way. It does no I/O: what could fail here would leave the call undialled. */
    start: (desk: Desk, lane: OpenLane, { row }: Fit, started: Started) =>
      Effect.map(fork(desk, lane.lane_id, row, started), () => desk.started(lane, row)),
    /** Enters at which level there was no line. */
    enterFull: Effect.fnUntraced(function* (desk: Desk, lane: OpenLane, { call, dial, row }: Fit, full: Full) {
      switch (full.level) {
        case "platform":
          platformWaits.add(call.organization_id)
          return "lines_full" as const
        case "organization":
          return "lines_full" as const
        case "agent":
          desk.agents.fill(call.agent_id, full.max ?? Infinity)
          return yield* passOver(desk, lane, dial, row.contact, call.agent_id)
        case "campaign":
          desk.block(lane)
          return "lane_blocked" as const
      }
    }),
    /** Looks whether a first or a last dial has moved the batch on. */
    moveOn: Effect.fnUntraced(function* (desk: Desk, lane: OpenLane, batch: Batch) {
      if (!isFirstDial(lane, batch) && lane.dialable > 0) return
      yield* lifecycle.settle(batch)
      yield* reload(desk, lane.lane_id)
    }),
  }
})

export type ContactDials = Effect.Success<ReturnType<typeof makeContactDials>>
