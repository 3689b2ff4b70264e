import { Clock, Deferred, Effect, Exit } from "effect"
import { limits } from "../../Limits.ts"
import { metrics } from "../../metrics/rules/Catalogue.ts"
import type { Meters } from "../../metrics/ports/Meters.ts"
import { CurrentOutages, type Outages } from "../../operating/Outages.ts"
import { measuredDial } from "../MeasuredDial.ts"
import { told } from "../../engine/rules/Told.ts"
import { toldDial } from "../ToldDial.ts"
import type { Telephony } from "../ports/Telephony.ts"
import type { DialCommand, DialOutcome } from "../rules/Dial.ts"
import {
  answers,
  asks,
  type BreakerPolicy,
  type BreakerState,
  closed,
  heard,
  trialLeft,
  unheard,
} from "./rules/Breaker.ts"
import { PacedTurns } from "./PacedTurns.ts"
import type { CarrierPace } from "./rules/Turns.ts"

/** Stands for the pool of a call that nobody could say. */
const unknownPool = ""

const busy = (waitMs: number): DialOutcome => ({
  _tag: "Refused",
  kind: "throttled",
  retryAfterSeconds: Math.ceil(waitMs / 1000),
})

/** A carrier that hears says yes or no; one that says nothing, or cannot be reached, is away. */
const isHeard = (outcome: DialOutcome): boolean =>
  outcome._tag === "Accepted" || (outcome._tag === "Refused" && outcome.kind !== "unreachable")

/** Whether the carrier may have a leg of the call: only of such a one it is certain that it knows something. */
const mayHaveLeg = (exit: Exit.Exit<DialOutcome>): boolean => Exit.isFailure(exit) || exit.value._tag !== "Refused"

/** One carrier behind its breaker and its pace. */
export class Routed {
  readonly name: string
  readonly port: Telephony["Service"]
  readonly #policy: BreakerPolicy
  readonly #pace: CarrierPace
  readonly #turns: PacedTurns
  readonly #meters: Meters | null
  #state: BreakerState = closed
  /** Done once the trial that is under way is over. */
  #trial: Deferred.Deferred<void> | null = null
  /** The last call of which the carrier may have a leg: it can be asked about it. */
  #lastCall: string | null = null

  constructor(
    name: string,
    port: Telephony["Service"],
    policy: BreakerPolicy,
    pace: CarrierPace,
    meters: Meters | null = null,
  ) {
    this.#meters = meters
    this.name = name
    this.port = port
    this.#policy = policy
    this.#pace = pace
    this.#turns = new PacedTurns(pace)
  }

  /**
   * Dials, when its turn comes before `until`; `asking` is told once the carrier is about to be asked. Otherwise it is refused and nobody was asked.
   * Where no other carrier is left (`isLast`) it waits for a trial that is under way.
   */
  dial(command: DialCommand, until: number, isLast: boolean, asking: () => void): Effect.Effect<DialOutcome> {
    return Effect.gen({ self: this }, function* () {
      if (isLast) yield* this.#trialOver(until)
      const now = yield* Clock.currentTimeMillis
      const { from_number, organization_id } = command
      const pool = yield* this.#poolOf(command)
      // Nobody comes between how it stands and what follows from that.
      const { answer, state } = asks(this.#state, this.#policy, now)
      if (answer._tag === "Away") return { _tag: "Refused", kind: "unreachable" } satisfies DialOutcome
      const patienceMs = Math.max(0, until - now)
      const place = this.#turns.ask({ from_number, organization_id, pool }, now, patienceMs)
      if (place._tag === "TooLong") return busy(place.waitMs)
      const { waiting } = place
      this.#state = state
      const trial = answer._tag === "Trial" ? Deferred.makeUnsafe<void>() : null
      if (trial !== null) this.#trial = trial
      let isAsked = false
      const asked = Effect.gen({ self: this }, function* () {
        const waitMs = yield* this.#turns.come(waiting, patienceMs)
        if (waitMs > 0) return busy(waitMs)
        isAsked = true
        asking()
        const dialled = measuredDial(this.#meters, this.name, command, this.port.dial(command))
        return yield* toldDial(yield* CurrentOutages, this.name, command, dialled)
      })
      return yield* Effect.onExit(asked, (exit) => {
        this.#turns.leave(waiting)
        if (mayHaveLeg(exit)) this.#lastCall = command.execution_id
        const over = Effect.sync(() => this.#end(trial))
        if (isAsked) {
          const wasHeard = Exit.isSuccess(exit) && isHeard(exit.value)
          return Effect.andThen(this.#after(wasHeard, trial !== null), over)
        }
        // Whoever left before its turn came has tried nothing.
        if (trial !== null) this.#state = trialLeft(this.#state)
        return over
      })
    })
  }

  /**
   * While the carrier is away it is asked about a call now and then, for ever: nobody is dialled for that, no contact is held, and it is found within
   * seconds that it is there again. Only a carrier whose requests tell of it by themselves (`Outages.asks`) can be found so.
   */
  lookForIt(outages: Outages): Effect.Effect<never> {
    outages.whenBack(({ name, what }) =>
      what !== "carrier" || name !== this.name
        ? Effect.void
        : Effect.map(Clock.currentTimeMillis, (now) => {
            this.#state = answers(this.#state, now)
          }),
    )
    const question = Effect.suspend(() => {
      const isOut = this.#state.awayUntil !== null && outages.isAsked(this.name) && outages.isAway("carrier", this.name)
      if (!isOut || this.#lastCall === null) return Effect.void
      return Effect.timeoutOption(Effect.exit(this.port.find(this.#lastCall)), limits.carrierAnswerMs)
    })
    return Effect.forever(Effect.andThen(Effect.sleep(limits.carrierLookMs), question))
  }

  /** Waits until no trial is under way. */
  #trialOver(until: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (let trial = this.#trial; trial !== null; trial = this.#trial) {
        const left = until - (yield* Clock.currentTimeMillis)
        if (left <= 0) return
        yield* Effect.timeoutOption(Deferred.await(trial), left)
      }
    })
  }

  #end(trial: Deferred.Deferred<void> | null): void {
    if (trial === null) return
    if (this.#trial === trial) this.#trial = null
    Deferred.doneUnsafe(trial, Effect.void)
  }

  /** The pool of a call. Where the host's function has a mistake the call counts as one of a pool of its own, so that no rate is passed. */
  #poolOf(command: DialCommand): Effect.Effect<string | null> {
    const { pools } = this.#pace
    if (pools === undefined) return Effect.succeed(null)
    return Effect.sync(() => pools.of(command)).pipe(
      Effect.catchCause((cause) => {
        this.#meters?.count(metrics.carrierMistakes, [this.name, "choose"])
        return Effect.as(Effect.logError("The pools of a carrier have a mistake.", told(cause)), unknownPool)
      }),
      Effect.annotateLogs({ execution_id: command.execution_id }),
    )
  }

  /** Takes note of how a dial went; that a carrier is away, or back, is one line in the log. */
  #after(wasHeard: boolean, wasTrial: boolean): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const before = this.#state
      this.#state = wasHeard ? heard() : unheard(before, this.#policy, wasTrial, now)
      if (before.awayUntil === null && this.#state.awayUntil !== null)
        return Effect.logWarning(
          `The carrier ${this.name} is away: ${this.#state.failed} dials in a row were not heard.`,
        )
      if (before.awayUntil !== null && this.#state.awayUntil === null)
        return Effect.logInfo(`The carrier ${this.name} is back.`)
      return Effect.void
    })
  }
}
