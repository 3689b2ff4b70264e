import { Effect } from "effect"
import type { Call } from "../../calls/rules/Call.ts"
import { foldedInto } from "../../calls/steps/Surviving.ts"
import { discard, put, type RowChange, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, each, glance, list, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { eventIdsOf, type WebhookEvent } from "../../webhooks/rules/WebhookEvent.ts"
import { erasedCall, erasedEvent, erasedMedia, isOver } from "../rules/Erased.ts"

/** What the carrier, or whoever keeps recordings, still has of a call that was erased here. */
export interface KeptElsewhere {
  readonly execution_id: string
  readonly call_sid: string | null
  readonly recording_url: string | null
}

/** What was done to a call. */
export type CallErased =
  | { readonly _tag: "Nothing" | "UnderWay" }
  | { readonly _tag: "Erased"; readonly events: number; readonly elsewhere: KeptElsewhere }

const foldedRecords: ListDescription<Call, ReadonlyArray<Call>> = {
  members: "records that were folded into a call",
  read: ({ calls }, call) => foldedInto(calls, call),
}

/** The records of calls, as the ledger of webhooks stood at a moment. */
interface RecordsAt {
  readonly records: ReadonlyArray<Call>
  readonly at: number
}

const isSending: ListDescription<RecordsAt, boolean> = {
  members: "webhooks of a call that are still to be sent",
  read: ({ deliveries }, { at, records }) =>
    Effect.gen(function* () {
      const first = { page: 1, page_size: 1 }
      for (const { execution_id, organization_id } of records) {
        for (const status of ["pending", "retrying"] as const) {
          const { total } = yield* deliveries.page(organization_id, { execution_id, status }, first, at)
          if (total > 0) return true
        }
      }
      return false
    }),
}

/** A kept event keeps its place. */
const eventGone = (event: WebhookEvent): RowChange =>
  event.kept === true ? put("event", event, erasedEvent(event)) : discard("event", event.event_id)

const isLeft = (event: WebhookEvent | null): event is WebhookEvent => event !== null && event.erased !== true

/** Erases a call with what was folded into it, once it is over and each of its webhooks is settled; `at` is when the erasure came to it. */
export const eraseCall = step({
  name: "person.erase_call",
  *reads({ at, execution_id, organization_id }: ByEngine & { readonly execution_id: string; readonly at: number }) {
    const call = yield* row("call", execution_id, { of: organization_id })
    if (call === null || call.erased_at !== undefined) return null
    const [folded, media] = yield* all(
      glance(
        "grows",
        "What a call goes on for is said as it begins, and each record is written.",
        list(foldedRecords, call),
      ),
      row("call_media", execution_id, { of: organization_id }),
    )
    const ids = [call, ...folded].flatMap(eventIdsOf)
    const [events, sending] = yield* all(
      glance("grows", "Nothing changes an event that was routed.", each(ids.map((id) => row("event", id)))),
      glance(
        "again",
        "An attempt finds that its event was erased.",
        list(isSending, { records: [call, ...folded], at }),
      ),
    )
    const left = events.filter(isLeft)
    const isSettled = !sending && left.every(({ routed_at }) => routed_at !== null)
    return { call, folded, media, events: left, isDone: isOver(call) && isSettled }
  },
  decide(_, seen, { now }) {
    if (seen === null) return unchanged<CallErased>({ _tag: "Nothing" })
    const { call, events, folded, isDone, media } = seen
    if (!isDone) return unchanged<CallErased>({ _tag: "UnderWay" })
    const { call_sid, execution_id, recording_url } = call
    const changes = [
      put("call", call, erasedCall(call, now)),
      ...folded.map((record) => put("call", record, erasedCall(record, now))),
      ...(media === null ? [] : [put("call_media", media, erasedMedia(media))]),
      ...events.map((event) => eventGone(event)),
    ]
    const elsewhere = { execution_id, call_sid, recording_url }
    return write<CallErased>(changes, { reply: { _tag: "Erased", events: events.length, elsewhere } })
  },
})
