import { Context, Data, Effect, Layer, Option, Stream } from "effect"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { CurrentOutages, storeIsAway } from "../operating/Outages.ts"
import { DeliveryStore } from "./ports/DeliveryStore.ts"
import type { EventType } from "./rules/EventType.ts"
import type { PlacedEvent } from "./rules/WebhookEvent.ts"

/**
 * Whether this engine keeps every event for its host (`KeptEvents`), also where no webhook listens. Each event is then a row for 31 days, so
 * it is not the default. Every process on the same rows needs it: an event that is committed without it is kept for nobody.
 */
export const KeepEvents = Context.Reference<boolean>("@carillon/core/webhooks/KeptEvents/KeepEvents", {
  defaultValue: () => false,
})

/** An event of a call as its host reads it: the same that webhooks carry, with where to go on after it. */
export interface CommittedEvent {
  /** Keep it once the event is handled: reading from it begins with the next one. */
  readonly cursor: string
  /** The same in every webhook of the event, and however often it is read. */
  readonly event_id: string
  readonly event_type: EventType
  readonly organization_id: string
  readonly execution_id: string
  readonly agent_id: string
  /** Epoch milliseconds. */
  readonly raised_at: number
  /** The JSON text of the payload, byte for byte what a webhook carries. */
  readonly body: string
}

/**
 * Nobody can say that nothing is missing after a cursor. `forgotten`: events after it have expired unread. `unknown`: it is none of these
 * rows, or the rows were put back to a time before it.
 */
export class CursorLost extends Data.TaggedError("CursorLost")<{
  readonly cursor: string
  readonly why: "forgotten" | "unknown"
}> {
  override get message(): string {
    return this.why === "forgotten"
      ? `Events after the cursor ${this.cursor} were not read in time and are kept no more. Read from "oldest", and look up in /v2/calls what is missing.`
      : `The cursor ${this.cursor} is none of these rows, or they were put back to a time before it. Read from "oldest".`
  }
}

/** Where to read from: after a cursor, from the oldest event that is kept, or from now on. */
export type EventsFrom = string

interface KeptEventsShape {
  /** Up to `limits.keptEventsAtOnce` events after a cursor, at once; none where it is the newest. */
  readonly read: (from: EventsFrom) => Effect.Effect<ReadonlyArray<CommittedEvent>, CursorLost | PortError>
  /** All events from there on, those that are still to come included. While the store is away it waits, and says so in the log. */
  readonly stream: (from: EventsFrom) => Stream.Stream<CommittedEvent, CursorLost>
  /** Whether this engine keeps events (`KeepEvents`). */
  readonly isKeeping: boolean
  /** Whether there are kept events on these rows, whoever has kept them. */
  readonly areThere: Effect.Effect<boolean, PortError>
}

/** Where a reader stands: the place it has read, and the cursor that it is known by; null before the first of "oldest". */
interface Position {
  readonly place: number
  readonly cursor: string | null
}

const cursorOf = ({ event, place }: PlacedEvent): string => `${place}.${event.event_id}`

const placeOf = (cursor: string): number | null => {
  const place = Number(/^([1-9]\d{0,14})\.evt_\w+$/.exec(cursor)?.[1])
  return Number.isNaN(place) ? null : place
}

const told = (placed: PlacedEvent): CommittedEvent => {
  const { agent_id, body, event_id, event_type, execution_id, organization_id, raised_at } = placed.event
  return { cursor: cursorOf(placed), event_id, event_type, organization_id, execution_id, agent_id, raised_at, body }
}

const notKept = new Error(
  "This engine keeps no events. Start it, and every other process on its rows, with keepEvents: true.",
)

/** The events of calls for the host of the engine, which needs no webhook to itself: at least once, in the order of their commits. */
export class KeptEvents extends Context.Service<KeptEvents, KeptEventsShape>()("@carillon/core/webhooks/KeptEvents") {
  static readonly layer = Layer.effect(
    KeptEvents,
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const keeps = yield* KeepEvents
      const outages = yield* CurrentOutages

      const unknown = (cursor: string) => Effect.fail(new CursorLost({ cursor, why: "unknown" }))

      /** Where a cursor stands. One whose own event has expired is believed: what comes next shows whether anything is missing. */
      const find = Effect.fnUntraced(function* (cursor: string) {
        const place = placeOf(cursor)
        if (place === null || place > (yield* store.lastKept)) return yield* unknown(cursor)
        const [own] = yield* store.kept(place - 1, 1)
        if (own?.place === place && cursorOf(own) !== cursor) return yield* unknown(cursor)
        return { place, cursor }
      })

      const begin = (from: EventsFrom): Effect.Effect<Position, CursorLost | PortError> => {
        if (!keeps) return Effect.die(notKept)
        if (from === "oldest") return Effect.succeed({ place: 0, cursor: null })
        if (from === "newest") return Effect.map(store.lastKept, (place) => ({ place, cursor: "newest" }))
        return find(from)
      }

      /** The next events after a position. Those that were erased are passed over: they have nothing more to say. */
      const next = Effect.fnUntraced(function* (
        position: Position,
      ): Effect.fn.Return<ReadonlyArray<PlacedEvent>, CursorLost | PortError> {
        for (let { cursor, place } = position; ;) {
          const found = yield* store.kept(place, limits.keptEventsAtOnce)
          const [first] = found
          if (first !== undefined && cursor !== null && first.place !== place + 1) {
            return yield* new CursorLost({ cursor, why: "forgotten" })
          }
          const telling = found.filter(({ event }) => event.erased !== true)
          const last = found.at(-1)
          if (last === undefined || telling.length > 0) return telling
          cursor = cursorOf(last)
          place = last.place
        }
      })

      /** Goes on trying while the store is away; a lost cursor is for the reader. */
      const patiently = <A>(effect: Effect.Effect<A, CursorLost | PortError>): Effect.Effect<A, CursorLost> =>
        Effect.catch(effect, (error) =>
          error._tag === "CursorLost"
            ? Effect.fail(error)
            : storeIsAway(outages, "A reader of events waits for a dependency.", error).pipe(
                Effect.andThen(Effect.sleep(limits.keptEventsRetryMs)),
                Effect.andThen(patiently(effect)),
              ),
        )

      const awaited = Effect.fnUntraced(function* (position: Position) {
        for (;;) {
          const found = yield* patiently(next(position))
          if (found.length > 0) return found
          yield* Effect.sleep(limits.keptEventsLookMs)
        }
      })

      const from = (position: Position): Stream.Stream<CommittedEvent, CursorLost> =>
        Stream.paginate(position, (at) =>
          Effect.map(awaited(at), (found) => {
            const last = found.at(-1)
            const reached = last === undefined ? at : { place: last.place, cursor: cursorOf(last) }
            return [found.map(told), Option.some(reached)] as const
          }),
        )

      return KeptEvents.of({
        read: (cursor) => Effect.map(Effect.flatMap(begin(cursor), next), (found) => found.map(told)),
        stream: (cursor) => Stream.unwrap(Effect.map(patiently(begin(cursor)), from)),
        isKeeping: keeps,
        areThere: Effect.flatMap(store.lastKept, (last) =>
          last === 0 ? Effect.succeed(false) : Effect.map(store.kept(last - 1, 1), (found) => found.length > 0),
        ),
      })
    }),
  )
}
