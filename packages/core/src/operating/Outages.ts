import { Clock, Context, Effect, Layer } from "effect"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters, type Meters } from "../metrics/ports/Meters.ts"
import { formatUtc } from "../time/Timestamp.ts"
import {
  answered,
  type Doing,
  failed,
  missed,
  type Patience,
  type Standing,
  touched,
  unknownStanding,
} from "./rules/Outage.ts"

/** What a process depends on. `store`: one of the host's own, that does not tell by itself. `credentials`: that a carrier takes ours. */
export type Outsider = "postgresql" | "redis" | "carrier" | "store" | "credentials"

/** What an operator is told when it goes away and when it is back, what follows while it is away, and how sure one has to be. */
interface Told extends Patience {
  readonly gone: string
  readonly back: string
  readonly follows: string
}

const outsiders: Readonly<Record<Outsider, Told>> = {
  postgresql: {
    gone: "PostgreSQL does not answer",
    back: "PostgreSQL answers again",
    follows: "what needs it is answered 1501 or 1502, and nothing is dialled",
    failures: 1,
    calmMs: limits.outageCalmMs,
    readCalmMs: limits.outageReadCalmMs,
  },
  redis: {
    gone: "Redis does not answer",
    back: "Redis answers again",
    follows: "requests are not limited, and lines are given by the count of committed calls",
    failures: 1,
    calmMs: 0,
  },
  carrier: {
    gone: "The carrier does not answer",
    back: "The carrier answers again",
    follows: "contacts are held, and dials without an answer are asked about",
    failures: limits.carrierOutageFailures,
    calmMs: limits.outageCalmMs,
  },
  store: {
    gone: "The store does not answer",
    back: "The store answers again",
    follows: "what needs it is answered 1501 or 1502, and nothing is dialled",
    failures: 1,
    calmMs: limits.outageCalmMs,
  },
  credentials: {
    gone: "The carrier refuses the credentials",
    back: "The carrier takes the credentials again",
    follows: "nobody is dialled by it, and contacts are held",
    failures: limits.carrierOutageFailures,
    calmMs: limits.outageCalmMs,
  },
}

const millisPerSecond = 1_000

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** Something that was away and is there again: which of several carriers, and for how long it was away, in milliseconds. */
export interface Back {
  readonly what: Outsider
  readonly name: string | null
  readonly awayMs: number
}

/** One of what a process depends on: `name` tells carriers apart, of which there may be several. */
interface Known {
  readonly what: Outsider
  readonly name: string | null
  readonly standing: Standing
}

/**
 * What a process depends on, as it comes and goes: one line in the log when it goes away, with the cause, and one when it is back, with how long it
 * was away and what it touched. However many ask, nobody else needs to say so.
 */
export class Outages {
  readonly #clock: Clock.Clock
  readonly #meters: Meters | null
  readonly #known = new Map<string, Known>()
  /** Carriers of which each request is told of where it is made, so that nobody else counts it once more. */
  readonly #asked = new Set<string>()
  readonly #waiting: Array<(back: Back) => Effect.Effect<void>> = []

  constructor(clock: Clock.Clock, meters: Meters | null) {
    this.#clock = clock
    this.#meters = meters
  }

  /** The moment at which an operation begins, for `answered`. */
  now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  /** Whether it is away: of several carriers the one with this name, or whichever. */
  isAway(what: Outsider, name: string | null = null): boolean {
    if (name !== null) return (this.#standing(what, name)?.since ?? null) !== null
    return [...this.#known.values()].some((known) => known.what === what && known.standing.since !== null)
  }

  /** Whoever makes the requests to this carrier tells of them. */
  asks(carrier: string): void {
    this.#asked.add(carrier)
  }

  /** Runs this each time that something is back, for as long as the process lives: for whoever had put something off. */
  whenBack(goOn: (back: Back) => Effect.Effect<void>): void {
    this.#waiting.push(goOn)
  }

  isAsked(carrier: string): boolean {
    return this.#asked.has(carrier)
  }

  #standing(what: Outsider, name: string | null): Standing | undefined {
    return this.#known.get(`${what} ${name ?? ""}`)?.standing
  }

  #isUp(what: Outsider, name: string | null, isUp: boolean): void {
    this.#meters?.set(metrics.dependencyUp, [what, name ?? ""], isUp ? 1 : 0)
  }

  #set(what: Outsider, name: string | null, standing: Standing): void {
    this.#known.set(`${what} ${name ?? ""}`, { what, name, standing })
  }

  /** It did not answer, or, where `isUnwritten`, could not write. The cause names no value of anybody. `name` is the carrier's. */
  failed(what: Outsider, cause: string, name: string | null = null, isUnwritten = false): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.#standing(what, name) ?? unknownStanding
      const after = failed(before, this.now(), outsiders[what], isUnwritten)
      this.#set(what, name, after)
      this.#meters?.count(metrics.dependencyFailures, [what, name ?? ""])
      if (before.since !== null || after.since === null) return Effect.void
      this.#isUp(what, name, false)
      const { follows, gone } = outsiders[what]
      return Effect.logWarning(`${gone} (${cause}): ${follows}.`).pipe(
        Effect.annotateLogs({
          dependency: what,
          since: formatUtc(after.since),
          ...(name === null ? {} : { carrier: name }),
        }),
      )
    })
  }

  /** An operation went without it, which says nothing of whether it is there: whoever asks it knows that by other means. */
  missed(what: Outsider): void {
    const before = this.#standing(what, null)
    this.#meters?.count(metrics.dependencyFailures, [what, ""])
    if (before !== undefined) this.#set(what, null, missed(before))
  }

  /** It answered an operation that began at this moment. */
  answered(what: Outsider, began: number, name: string | null = null, doing: Doing = "write"): Effect.Effect<void> {
    const before = this.#standing(what, name)
    if (before === undefined) {
      this.#set(what, name, unknownStanding)
      this.#isUp(what, name, true)
      return Effect.void
    }
    if (before.streak === 0) return Effect.void
    const after = answered(before, began, outsiders[what], doing)
    this.#set(what, name, after)
    if (before.since === null || after.since !== null) return Effect.void
    this.#isUp(what, name, true)
    const { operations, requests, since } = before
    const awayMs = this.now() - since
    const seconds = (awayMs / millisPerSecond).toFixed(1)
    const touched = `${counted(operations, "operation")} and ${counted(requests, "request")} went without it`
    const goOn = Effect.forEach(this.#waiting, (each) => each({ what, name, awayMs }), { discard: true })
    return Effect.logInfo(`${outsiders[what].back}, after ${seconds} s: ${touched}.`).pipe(
      Effect.annotateLogs({ dependency: what, since: formatUtc(since), ...(name === null ? {} : { carrier: name }) }),
      Effect.andThen(goOn),
    )
  }

  /** A request was refused because something is away. */
  touched(): void {
    for (const { name, standing, what } of this.#known.values()) this.#set(what, name, touched(standing))
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

/** A failure of a port as a line of the log names it. */
export const portErrorTold = (error: PortError): string =>
  "dependency" in error ? `${error._tag} ${error.dependency}` : error._tag

/** Tells of a store that did not answer to whoever waits for it, unless who knows its name has said so. */
export const storeIsAway = (outages: Outages | null, waiting: string, error: PortError): Effect.Effect<void> => {
  if (outages === null) return Effect.logWarning(waiting, error)
  if (outages.isAway("postgresql")) return Effect.void
  return outages.failed("store", portErrorTold(error))
}
