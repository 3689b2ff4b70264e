import { Clock, Context, Effect, Layer } from "effect"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/Catalogue.ts"
import { CurrentMeters, type Meters } from "../metrics/Meters.ts"
import { formatUtc } from "../time/Timestamp.ts"
import { answered, failed, missed, type Patience, type Standing, touched, unknownStanding } from "./Outage.ts"

/** What a process depends on. `store`: one of the host's own, that does not tell by itself. */
export type Outsider = "postgresql" | "redis" | "carrier" | "store"

/** What an operator calls it, what follows while it is away, and how sure one has to be. */
const outsiders: Readonly<Record<Outsider, Patience & { readonly name: string; readonly follows: string }>> = {
  postgresql: {
    name: "PostgreSQL",
    follows: "what needs it is answered 1501 or 1502, and nothing is dialled",
    failures: 1,
    calmMs: limits.outageCalmMs,
  },
  redis: {
    name: "Redis",
    follows: "requests are not limited, and lines are given by the count of committed calls",
    failures: 1,
    calmMs: 0,
  },
  carrier: {
    name: "The carrier",
    follows: "contacts are held, and dials without an answer are asked about",
    failures: limits.carrierOutageFailures,
    calmMs: limits.outageCalmMs,
  },
  store: {
    name: "The store",
    follows: "what needs it is answered 1501 or 1502, and nothing is dialled",
    failures: 1,
    calmMs: limits.outageCalmMs,
  },
}

const millisPerSecond = 1_000

/**
 * What a process depends on, as it comes and goes: one line in the log when it goes away, with the cause, and one when it is back, with how long it
 * was away and what it touched. However many ask, nobody else needs to say so.
 */
export class Outages {
  readonly #clock: Clock.Clock
  readonly #meters: Meters | null
  readonly #standings = new Map<Outsider, Standing>()

  constructor(clock: Clock.Clock, meters: Meters | null) {
    this.#clock = clock
    this.#meters = meters
  }

  /** The moment at which an operation begins, for `answered`. */
  now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  isAway(what: Outsider): boolean {
    return (this.#standings.get(what)?.since ?? null) !== null
  }

  /** It did not answer. The cause names no value of anybody. */
  failed(what: Outsider, cause: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.#standings.get(what) ?? unknownStanding
      const after = failed(before, this.now(), outsiders[what])
      this.#standings.set(what, after)
      this.#meters?.count(metrics.dependencyFailures, [what])
      if (before.since !== null || after.since === null) return Effect.void
      this.#meters?.set(metrics.dependencyUp, [what], 0)
      const { follows, name } = outsiders[what]
      return Effect.logWarning(`${name} does not answer (${cause}): ${follows}.`).pipe(
        Effect.annotateLogs({ dependency: what, since: formatUtc(after.since) }),
      )
    })
  }

  /** An operation went without it, which says nothing of whether it is there: whoever asks it knows that by other means. */
  missed(what: Outsider): void {
    const before = this.#standings.get(what)
    this.#meters?.count(metrics.dependencyFailures, [what])
    if (before !== undefined) this.#standings.set(what, missed(before))
  }

  /** It answered an operation that began at this moment. */
  answered(what: Outsider, began: number): Effect.Effect<void> {
    const before = this.#standings.get(what)
    if (before === undefined) {
      this.#standings.set(what, unknownStanding)
      this.#meters?.set(metrics.dependencyUp, [what], 1)
      return Effect.void
    }
    if (before.streak === 0) return Effect.void
    const after = answered(before, began, outsiders[what])
    this.#standings.set(what, after)
    if (before.since === null || after.since !== null) return Effect.void
    this.#meters?.set(metrics.dependencyUp, [what], 1)
    const { operations, requests, since } = before
    const seconds = ((this.now() - since) / millisPerSecond).toFixed(1)
    return Effect.logInfo(
      `${outsiders[what].name} answers again, after ${seconds} s: ${operations} operations and ${requests} requests went without it.`,
    ).pipe(Effect.annotateLogs({ dependency: what, since: formatUtc(since) }))
  }

  /** A request was refused because something is away. */
  touched(): void {
    for (const [what, standing] of this.#standings) this.#standings.set(what, touched(standing))
  }
}

/** Who tells of outages; null, which is the default, tells of none, and whoever meets one says so by itself. */
export const CurrentOutages = Context.Reference<Outages | null>("@carillon/core/operating/Outages", {
  defaultValue: () => null,
})

/** Has outages told of once for the process, and counted where it is measured. */
export const outagesLayer: Layer.Layer<never> = Layer.effect(
  CurrentOutages,
  Effect.gen(function* () {
    return new Outages(yield* Clock.Clock, yield* CurrentMeters)
  }),
)

/** Tells of a store that did not answer to whoever waits for it, unless who knows its name has said so. */
export const storeIsAway = (outages: Outages | null, waiting: string, error: PortError): Effect.Effect<void> => {
  if (outages === null) return Effect.logWarning(waiting, error)
  if (outages.isAway("postgresql")) return Effect.void
  return outages.failed("store", "dependency" in error ? `${error._tag} ${error.dependency}` : error._tag)
}
