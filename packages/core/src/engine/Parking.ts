import { Context, Effect, Layer } from "effect"
import { Activity } from "./Activity.ts"
import { DomainClock } from "./ports/DomainClock.ts"
import { TimeHeap } from "./rules/TimeHeap.ts"

/** A place taken before the condition is looked at, so that no wake-up between the look and the wait is lost. */
export interface Ticket {
  /** Waits until `wake` (true) or the deadline (false). */
  readonly wait: Effect.Effect<boolean>
  /** Gives the place back without waiting. */
  readonly cancel: Effect.Effect<void>
}

interface Place {
  readonly since: number
  woken: boolean | undefined
  resume: ((woken: boolean) => void) | undefined
}

/** What waits, as data: who comes on resumes it by its key. */
export interface Waiting {
  /** What it is, and of what: `line:exec_…` is the dial of a call that waits for its line. */
  readonly key: string
  /** Since when, and until when at the longest (epoch milliseconds of domain time). */
  readonly since: number
  readonly until: number
}

interface ParkingShape {
  /** Takes a place under `key` until `deadline` (epoch milliseconds of domain time). One place per key. */
  readonly park: (key: string, deadline: number) => Ticket
  /** Wakes the request that waits under `key`, if any does. */
  readonly wake: (key: string) => void
  /** The earliest deadline of a place, or null. */
  readonly nextDeadline: () => number | null
  /** Wakes every place whose deadline has come; the driver of domain time calls it. Returns how many. */
  readonly expire: (now: number) => number
  readonly size: () => number
  /** Everything that waits, the first deadline first. */
  readonly waiting: () => ReadonlyArray<Waiting>
}

/** Requests that wait for domain time or for one another: parked, bounded by a deadline, never polling. */
export class Parking extends Context.Service<Parking, ParkingShape>()("@carillon/core/engine/Parking") {
  static readonly layer = Layer.effect(
    Parking,
    Effect.gen(function* () {
      const activity = yield* Activity
      const clock = yield* DomainClock
      const places = new TimeHeap<Place>()

      const settle = (place: Place, woken: boolean) => {
        place.woken = woken
        if (place.resume === undefined) return
        activity.enter()
        place.resume(woken)
      }

      return Parking.of({
        park: (key, deadline) => {
          const place: Place = { since: clock.now(), woken: undefined, resume: undefined }
          places.set(key, deadline, place)
          const cancel = Effect.sync(() => {
            if (places.get(key)?.value === place) places.delete(key)
          })
          return {
            wait: Effect.callback<boolean>((resume) => {
              if (place.woken !== undefined) return resume(Effect.succeed(place.woken))
              place.resume = (woken) => resume(Effect.succeed(woken))
              activity.leave()
              // An interrupted wait ends as an open input again, because whoever interrupted it still tracks it.
              return Effect.suspend(() => {
                place.resume = undefined
                activity.enter()
                return cancel
              })
            }),
            cancel,
          }
        },
        wake: (key) => {
          const place = places.get(key)?.value
          if (place === undefined) return
          places.delete(key)
          settle(place, true)
        },
        nextDeadline: () => places.peek()?.at ?? null,
        expire: (now) => {
          let count = 0
          for (let due = places.popDue(now); due !== undefined; due = places.popDue(now)) {
            settle(due.value, false)
            count += 1
          }
          return count
        },
        size: () => places.size,
        waiting: () =>
          Array.from(places.values(), ({ at, key, value }) => ({ key, since: value.since, until: at })).toSorted(
            (one, other) => one.until - other.until,
          ),
      })
    }),
  )
}
