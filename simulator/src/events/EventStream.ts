import { Timestamp } from "@carillon/core/domain"
import type { EventHistory } from "./EventHistory.ts"
import type { WorldEvent } from "./WorldEvent.ts"

/** An event in the words of the stream: one JSON object. */
const viewOf = ({ sequence, at, fact }: WorldEvent) => ({ sequence, at: Timestamp.formatUtc(at), ...fact })

/** An event as server-sent events have it; its number is what a client that comes back asks to go on from. */
const frameOf = (event: WorldEvent): string => `id: ${event.sequence}\ndata: ${JSON.stringify(viewOf(event))}\n\n`

/** Events that are handed over at once. */
const batch = 1_000

/** Real time after which an idle stream says that it is still there. */
const heartbeatMs = 15_000

/** A comment keeps the connection open and tells the client that it is. */
const heartbeat = ": still here\n\n"

/** How a client is to come back, in real milliseconds. */
const opening = "retry: 1000\n\n"

/** Says that the world was reset or restored: numbers begin anew. */
const anew = 'id: 0\ndata: {"sequence":0,"type":"reset"}\n\n'

/** Where a stream begins: after an event, or with what comes next. */
export type EventsFrom = number | "latest"

/**
 * The history of whatever world is there, as server-sent events: what is remembered first, then everything as it happens. It is pulled
 * by its reader, so that a slow one misses what is forgotten meanwhile and costs no memory. `current` is null once there is nothing more to tell.
 */
export const eventStream = (current: () => EventHistory | null, from: EventsFrom): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let history = current()
  let after = from === "latest" ? (history?.latest ?? 0) : from
  // One that has seen more than there is has seen another world.
  if (history !== null && after > history.latest) after = 0
  let stopWaiting: () => void = () => {}

  const next = async (): Promise<string | null> => {
    for (;;) {
      const now = current()
      if (now === null || history === null) return null
      if (now !== history) {
        history = now
        after = 0
        return anew
      }
      const events = history.after(after, batch)
      const last = events.at(-1)
      if (last !== undefined) {
        after = last.sequence
        return events.map(frameOf).join("")
      }
      const waited = history
      const isIdle = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), heartbeatMs)
        timer.unref()
        const forget = waited.onNext(() => resolve(false))
        stopWaiting = () => {
          clearTimeout(timer)
          forget()
        }
      })
      stopWaiting()
      if (isIdle) return heartbeat
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(opening)),
      pull: async (controller) => {
        const text = await next()
        if (text === null) controller.close()
        else controller.enqueue(encoder.encode(text))
      },
      cancel: () => stopWaiting(),
    },
    { highWaterMark: 1 },
  )
}
