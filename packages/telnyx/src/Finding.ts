import type { Desk } from "@carillon/core/carrier"
import { Effect } from "effect"
import { activeLegs, eventsBy, fetchCall, type LegIds } from "./Calls.ts"
import type { EventList, ListReading } from "./EventList.ts"
import type { KnownLeg } from "./LegBook.ts"
import type { Settings } from "./Settings.ts"
import { answeredSince, joined, type Story, timeOf, untold, type VendorEvent, withEvent } from "./Story.ts"

/** What a question needs. */
export interface Seeking {
  readonly settings: Settings
  readonly desk: Desk
  readonly eventList: EventList
}

/** The story that Telnyx's list of events tells of a leg. Where it is not `isWhole`, there may be more to tell. */
export const toldByEvents = (
  settings: Settings,
  legId: string,
): Effect.Effect<ListReading & { readonly story: Story }> =>
  Effect.map(eventsBy(settings, { "filter[leg_id]": legId }), ({ events, isWhole, refusal }) => ({
    story: events.reduce(withEvent, untold),
    isWhole,
    refusal,
  }))

/** The same for a question. `isAll`: nothing more is to be had of the list. */
const storyOf = Effect.fnUntraced(function* ({ desk, eventList, settings }: Seeking, legId: string) {
  const told = yield* toldByEvents(settings, legId)
  return { story: told.story, isAll: yield* eventList.isAllThere(desk, told) }
})

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

/** The legs of an execution among the events of the last day. `isAll`: nothing more is to be had of the list. */
const legsTold = Effect.fnUntraced(function* (
  { desk, eventList, settings }: Seeking,
  { execution_id, to_number }: KnownLeg,
) {
  const filter = { "filter[connection_id]": settings.connectionId, "filter[to]": to_number }
  const told = yield* eventsBy(settings, filter)
  return { legs: legsIn(told.events, execution_id), isAll: yield* eventList.isAllThere(desk, told) }
})

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
export const lookFor = Effect.fnUntraced(function* (seeking: Seeking, leg: KnownLeg): Effect.fn.Return<Looked> {
  const active = yield* activeLegs(seeking.settings, leg.execution_id)
  if (active._tag === "Silent") return { _tag: "Open" }
  const { isAll, legs: told } = yield* legsTold(seeking, leg)
  const legs = new Map(told)
  for (const leg of active.legs) legs.set(leg.call_sid, leg)
  if (legs.size === 0 && !isAll) return { _tag: "Open" }
  return chosenOf(legs.values())
})

/** How a leg stands that Telnyx has named, or another carrier has: a row does not say which. */
export type Standing =
  | { readonly _tag: "Live"; readonly isThere: boolean; readonly story: Story }
  | { readonly _tag: "Over"; readonly story: Story; readonly endedAt: number | null }
  /** Telnyx shows it no more, and once had it: it is over for ten minutes at least. `isAll`: nothing more will be told of it. */
  | { readonly _tag: "Gone"; readonly story: Story; readonly isAll: boolean }
  /** Telnyx has no leg of that name, and has not told of one: it is another carrier's, or over for longer than a day. */
  | { readonly _tag: "NotOurs" }
  | { readonly _tag: "Silent" }

/**
 * How a leg stands that Telnyx shows no more. Its other name is the proof that Telnyx had it: somebody here has heard it, or the events of the
 * last day tell it. What a row says of the leg proves nothing.
 */
const goneStanding = Effect.fnUntraced(function* (
  seeking: Seeking,
  leg: KnownLeg,
  known: Story,
  sid: string,
): Effect.fn.Return<Standing> {
  if (known.leg_id === null) {
    const { isAll, legs } = yield* legsTold(seeking, leg)
    const found = legs.get(sid)
    if (found === undefined) return { _tag: isAll ? "NotOurs" : "Silent" }
    return yield* goneStanding(seeking, leg, { ...known, leg_id: found.leg_id }, sid)
  }
  if (known.hangup !== null && known.answeredAt !== null) return { _tag: "Gone", story: known, isAll: true }
  const { isAll, story } = yield* storyOf(seeking, known.leg_id)
  return { _tag: "Gone", story: joined(known, story), isAll }
})

/** Asks how a leg stands. What the events say is asked for where the story cannot do without it. */
export const standingOf = Effect.fnUntraced(function* (
  seeking: Seeking,
  leg: KnownLeg,
  sid: string,
): Effect.fn.Return<Standing> {
  const fetched = yield* fetchCall(seeking.settings, sid)
  if (fetched._tag === "Silent") return { _tag: "Silent" }
  if (fetched._tag === "Gone") return yield* goneStanding(seeking, leg, { ...leg.story, call_sid: sid }, sid)
  const named: Story = { ...leg.story, call_sid: sid, leg_id: fetched.call.call_leg_id }
  const isAlive = fetched.call.is_alive === true
  const isTold = isAlive ? answeredSince(named) !== null : named.hangup !== null && named.answeredAt !== null
  const story = isTold ? named : joined(named, (yield* storyOf(seeking, fetched.call.call_leg_id)).story)
  const endedAt = timeOf(fetched.call.end_time)
  if (isAlive || (endedAt === null && story.hangup === null)) return { _tag: "Live", isThere: isAlive, story }
  return { _tag: "Over", story, endedAt: story.hangup?.at ?? endedAt }
})
