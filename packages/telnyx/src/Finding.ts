import { Effect } from "effect"
import { activeLegs, eventsBy, fetchCall, type LegIds } from "./Calls.ts"
import type { KnownLeg } from "./LegBook.ts"
import type { Settings } from "./Settings.ts"
import { answeredSince, joined, type Story, timeOf, untold, type VendorEvent, withEvent } from "./Story.ts"

/** The story that Telnyx's list of events tells of a leg. Where it is not `isWhole`, there may be more to tell. */
export const toldByEvents = (
  settings: Settings,
  legId: string,
): Effect.Effect<{ readonly story: Story; readonly isWhole: boolean }> =>
  Effect.map(eventsBy(settings, { "filter[leg_id]": legId }), ({ events, isWhole }) => ({
    story: events.reduce(withEvent, untold),
    isWhole,
  }))

/** The legs that an execution's state names among events. */
const legsIn = (events: ReadonlyArray<VendorEvent>, executionId: string): ReadonlyMap<string, LegIds> => {
  const legs = new Map<string, LegIds>()
  for (const { payload, state } of events) {
    const { call_control_id, call_leg_id } = payload
    if (state?.execution_id !== executionId || !call_control_id || !call_leg_id) continue
    legs.set(call_control_id, { call_sid: call_control_id, leg_id: call_leg_id })
  }
  return legs
}

/** Which leg is an execution's: the one whose state says so. `None`: there is none, or one cannot be told from another. */
export type Looked = ({ readonly _tag: "Leg" } & LegIds) | { readonly _tag: "None" } | { readonly _tag: "Open" }

export const chosenOf = (legs: Iterable<LegIds>): Looked => {
  const [first, ...more] = legs
  return first === undefined || more.length > 0 ? { _tag: "None" } : { _tag: "Leg", ...first }
}

/**
 * Looks for the leg of a dial whose answer got lost, and of which no webhook has come: among the calls that go on, and among the events of
 * the last day. Only the state that our own dial gave a leg is a proof. While Telnyx does not list what goes on, nobody can say. Nor can anybody
 * say that there is no leg while it does not list all that has happened.
 */
export const lookFor = Effect.fnUntraced(function* (
  settings: Settings,
  { execution_id, to_number }: KnownLeg,
): Effect.fn.Return<Looked> {
  const active = yield* activeLegs(settings, execution_id)
  if (active._tag === "Silent") return { _tag: "Open" }
  const filter = { "filter[connection_id]": settings.connectionId, "filter[to]": to_number }
  const { events, isWhole } = yield* eventsBy(settings, filter)
  const legs = new Map(legsIn(events, execution_id))
  for (const leg of active.legs) legs.set(leg.call_sid, leg)
  if (legs.size === 0 && !isWhole) return { _tag: "Open" }
  return chosenOf(legs.values())
})

/** How a leg stands that Telnyx has named. */
export type Standing =
  | { readonly _tag: "Live"; readonly isThere: boolean; readonly story: Story }
  | { readonly _tag: "Over"; readonly story: Story; readonly endedAt: number | null }
  /**
   * Telnyx shows it no more: it is over for ten minutes at least, or it never was. `isAll`: what happened to it was not asked for, or the whole
   * list was had.
   */
  | { readonly _tag: "Gone"; readonly story: Story; readonly isAll: boolean }
  | { readonly _tag: "Silent" }

/** Asks how a leg stands. What the events say is asked for where the story cannot do without it. */
export const standingOf = Effect.fnUntraced(function* (
  settings: Settings,
  sid: string,
  known: Story,
): Effect.fn.Return<Standing> {
  const fetched = yield* fetchCall(settings, sid)
  if (fetched._tag === "Silent") return { _tag: "Silent" }
  const named: Story =
    fetched._tag === "Found"
      ? { ...known, call_sid: sid, leg_id: fetched.call.call_leg_id }
      : { ...known, call_sid: sid }
  const isAlive = fetched._tag === "Found" && fetched.call.is_alive === true
  const isTold = isAlive ? answeredSince(named) !== null : named.hangup !== null && named.answeredAt !== null
  const listed = isTold || named.leg_id === null ? null : yield* toldByEvents(settings, named.leg_id)
  const story = listed === null ? named : joined(named, listed.story)
  if (fetched._tag === "Gone") return { _tag: "Gone", story, isAll: listed?.isWhole !== false }
  const endedAt = timeOf(fetched.call.end_time)
  if (isAlive || (endedAt === null && story.hangup === null)) return { _tag: "Live", isThere: isAlive, story }
  return { _tag: "Over", story, endedAt: story.hangup?.at ?? endedAt }
})
