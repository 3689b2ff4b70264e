import type { EventPayload } from "@carillon/api"
import type { CommittedEvent, EventsFrom, KeptEvents } from "@carillon/core"
import { type Context, Effect, Stream } from "effect"

/** An event as the host of an engine reads it, with the body of its webhooks parsed. */
export interface HostEvent extends CommittedEvent {
  readonly payload: EventPayload
}

/** The engine writes the bodies itself. */
const isPayload = (value: unknown): value is EventPayload =>
  typeof value === "object" && value !== null && "event_id" in value && "event_type" in value

const parsed = (event: CommittedEvent): Effect.Effect<HostEvent> =>
  Effect.suspend(() => {
    const payload: unknown = JSON.parse(event.body)
    return isPayload(payload)
      ? Effect.succeed({ ...event, payload })
      : Effect.die(new Error(`The body of ${event.event_id} is no payload.`))
  })

/** The events from there on, for a loop; `over` ends it. What it has to say while it waits goes where the engine's log goes. */
export const hostEvents = (
  kept: KeptEvents["Service"],
  from: EventsFrom,
  over: Effect.Effect<void>,
  context: Context.Context<never>,
): AsyncIterable<HostEvent> =>
  kept.stream(from).pipe(Stream.mapEffect(parsed), Stream.interruptWhen(over), Stream.toAsyncIterableWith(context))
