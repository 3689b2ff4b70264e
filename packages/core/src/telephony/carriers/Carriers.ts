import { Clock, Context, Effect, Layer } from "effect"
import { limits } from "../../Limits.ts"
import { metrics } from "../../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../../metrics/ports/Meters.ts"
import { CurrentOutages } from "../../operating/Outages.ts"
import { outlasting } from "../../operating/Outlasting.ts"
import * as E164 from "../../phone/E164.ts"
import { allCarriers, CarrierName } from "../ports/CarrierName.ts"
import { countingThrows } from "../Mistakes.ts"
import { told } from "../../engine/rules/Told.ts"
import { OwnNumber } from "../ports/OwnNumber.ts"
import { Telephony } from "../ports/Telephony.ts"
import type { Asked } from "../rules/Leg.ts"
import type { DialCommand, DialOutcome } from "../rules/Dial.ts"
import { type PromiseCarrier, promiseCarrier } from "../PromiseCarrier.ts"
import type { BreakerPolicy } from "./rules/Breaker.ts"
import { Routed } from "./Routed.ts"
import type { CarrierPace } from "./rules/Turns.ts"

/** One of several carriers. */
export interface RoutedCarrier<E = never, R = never> extends CarrierPace {
  /** The carrier, in promises or as the port. */
  readonly carrier: PromiseCarrier | Layer.Layer<Telephony, E, R>
  /** When it counts as away. Default: after five dials in a row that it did not hear, for 5 s, doubling to a minute. */
  readonly breaker?: Partial<BreakerPolicy>
}

/** Several carriers, and which of them a call goes to. */
export interface Routes<Name extends string, E = never, R = never> {
  readonly carriers: { readonly [name in Name]: RoutedCarrier<E, R> }
  /** The carriers of a call, the first choice first: by its organization, agent, caller ID or number. */
  readonly choose: (command: DialCommand) => Name | ReadonlyArray<Name>
}

const defaults: BreakerPolicy = {
  failures: limits.carrierFailures,
  awayMs: limits.carrierAwayMs,
  maxAwayMs: limits.carrierAwayMaxMs,
}

/** The next carrier is asked only where it is certain that there is no leg, and where another one may say otherwise. */
const goesOn = (outcome: DialOutcome): boolean => outcome._tag === "Refused" && outcome.kind !== "invalid_destination"

/** What all carriers together say: a leg that one of them has; otherwise nothing is certain unless all are. */
const together = (said: ReadonlyArray<Asked>): Asked =>
  said.find(({ _tag }) => _tag === "Live") ??
  said.find(({ _tag }) => _tag === "Ended") ??
  said.find(({ _tag }) => _tag === "NoAnswer") ??
  (said.every(({ _tag }) => _tag === "NeverDialled") ? { _tag: "NeverDialled" } : { _tag: "Unknown" })

/** Of several refusals the one after which it is worth while to try again soonest: contacts are held, not failed. */
const mildest = (refusals: ReadonlyArray<DialOutcome>): DialOutcome =>
  refusals.find((each) => each._tag === "Refused" && each.kind === "throttled") ??
  refusals.at(-1) ?? { _tag: "Refused", kind: "unreachable" }

/** Which carrier was asked last for a call: no other can have a leg of it. What is forgotten is asked of all. */
class LastAsked {
  readonly #routes = new Map<string, Routed>()

  get(executionId: string): Routed | undefined {
    return this.#routes.get(executionId)
  }

  set(executionId: string, routed: Routed): void {
    this.#routes.delete(executionId)
    this.#routes.set(executionId, routed)
    for (const oldest of this.#routes.keys()) {
      if (this.#routes.size <= limits.carrierRoutesKnown) return
      this.#routes.delete(oldest)
    }
  }
}

const namesOf = <Name extends string>(chosen: Name | ReadonlyArray<Name>): ReadonlyArray<Name> =>
  typeof chosen === "string" ? [chosen] : chosen

/** A carrier whose requests know what it is called. */
const named = (name: string, port: Telephony["Service"]): Telephony["Service"] => ({
  dial: (command) => Effect.provideService(port.dial(command), CarrierName, name),
  hangup: (executionId, callSid) => Effect.provideService(port.hangup(executionId, callSid), CarrierName, name),
  find: (executionId) => Effect.provideService(port.find(executionId), CarrierName, name),
})

const make = Effect.fnUntraced(function* <Name extends string, E, R>({ carriers, choose }: Routes<Name, E, R>) {
  const meters = yield* CurrentMeters
  const outages = yield* CurrentOutages
  const routes = new Map<string, Routed>()
  for (const [name, options] of Object.entries<RoutedCarrier<E, R>>(carriers)) {
    const { carrier } = options
    const built = "dial" in carrier ? promiseCarrier(carrier) : carrier
    const port = yield* Layer.build(Layer.provide(built, Layer.succeed(CarrierName, name)))
    const policy = { ...defaults, ...options.breaker }
    const counted = named(name, countingThrows(meters, name, Context.get(port, Telephony)))
    const defaultNumber = options.defaultNumber ?? Context.get(port, OwnNumber)
    const pace = defaultNumber === null ? options : { ...options, defaultNumber }
    const routed = new Routed(name, counted, policy, pace, meters)
    routes.set(name, routed)
    if (outages === null) continue
    const what = `What looks whether the carrier ${name} is there again`
    yield* Effect.forkScoped(outlasting(what, routed.lookForIt(outages), limits.carrierLookMs))
  }
  const last = new LastAsked()

  /** A choice that names nobody is the host's mistake; it is certain that nobody was rung. */
  const candidates = (command: DialCommand): Effect.Effect<ReadonlyArray<Routed>> =>
    Effect.gen(function* () {
      const names = yield* Effect.sync(() => namesOf(choose(command)))
      const known = names.flatMap((name) => routes.get(name) ?? [])
      if (known.length < names.length || known.length === 0) {
        meters?.count(metrics.carrierMistakes, [allCarriers, "choose"])
        yield* Effect.logError(`A route names no carrier: ${E164.quotable(names.join(", ")) || "nobody"}.`)
      }
      return known
    }).pipe(
      Effect.catchCause((cause) => {
        meters?.count(metrics.carrierMistakes, [allCarriers, "choose"])
        return Effect.as(Effect.logError("A route has a mistake: it must choose, not throw.", told(cause)), [])
      }),
      Effect.annotateLogs({ execution_id: command.execution_id }),
    )

  const dial = Effect.fnUntraced(function* (command: DialCommand) {
    const until = (yield* Clock.currentTimeMillis) + limits.carrierPatienceMs
    const refusals: Array<DialOutcome> = []
    const asked = yield* candidates(command)
    for (const [nth, routed] of asked.entries()) {
      const isLast = nth === asked.length - 1
      const outcome = yield* routed.dial(command, until, isLast, () => last.set(command.execution_id, routed))
      if (!goesOn(outcome)) return outcome
      refusals.push(outcome)
    }
    return mildest(refusals)
  })

  const everywhere = <A>(executionId: string, ask: (routed: Routed) => Effect.Effect<A>) => {
    const known = last.get(executionId)
    return Effect.forEach(known === undefined ? [...routes.values()] : [known], ask, { concurrency: "unbounded" })
  }

  return Telephony.of({
    dial,
    hangup: (executionId, callSid) =>
      Effect.map(
        everywhere(executionId, ({ port }) => port.hangup(executionId, callSid)),
        (said) => (said.includes("Sent") ? "Sent" : "Refused"),
      ),
    find: (executionId) =>
      Effect.map(
        everywhere(executionId, ({ port }) => port.find(executionId)),
        together,
      ),
  })
})

/**
 * One port to several carriers. A call goes to the first of its carriers that takes it: to the next one only where it is certain that the one
 * before made no leg. A carrier that does not answer is left alone for a while, so that its contacts are held and no attempt is spent; one that
 * takes so many calls in a second gets no more. After a restart a leg is looked for at all carriers.
 */
export const Carriers = {
  route: <const Name extends string, E = never, R = never>(routes: Routes<Name, E, R>): Layer.Layer<Telephony, E, R> =>
    Layer.merge(Layer.effect(Telephony, make(routes)), Layer.succeed(CarrierName, null)),
} as const
