import { KeptEvents } from "@carillon/core"
import { Effect, Stream } from "effect"

/** How many calls have ended, by the next so many events after a cursor: a stream like any other. */
export const ended = (cursor: string, events: number) =>
  Effect.flatMap(KeptEvents, (kept) =>
    kept.stream(cursor).pipe(
      Stream.take(events),
      Stream.filter(({ event_type }) => event_type === "call_completed"),
      Stream.runCount,
    ),
  )
