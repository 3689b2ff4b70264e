import { Effect, Schedule } from "effect"
import { unheardAtStart } from "../calls/Unheard.ts"
import type { Unheard } from "../calls/steps/AskSooner.ts"
import { Alarm } from "../engine/Alarm.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Parking } from "../engine/Parking.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { Reconciler } from "../limits/Reconciler.ts"
import { Sampler } from "../metrics/Sampler.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { watchMachineClock } from "./MachineClock.ts"
import { CurrentOutages, storeIsAway } from "./Outages.ts"
import { outlasting } from "./Outlasting.ts"
import type { Pulse } from "./rules/Pulse.ts"

/** What the driver asks of its engine (`Engine.ts` says what each of them is). */
interface Driven {
  readonly pulse: Pulse
  readonly runDue: Effect.Effect<number, PortError>
  readonly nextDue: (options: { readonly housekeeping: boolean }) => Effect.Effect<number | null, PortError>
  readonly repair: Effect.Effect<void, PortError>
  readonly unheard: (why: Unheard) => Effect.Effect<void, PortError>
}

/** Drives the engine in real time until its scope closes: pauses until something is due, or a step of this process says that it is. */
export const drive = Effect.fnUntraced(function* (engine: Driven) {
  const parking = yield* Parking
  const alarm = yield* Alarm
  const clock = yield* DomainClock
  /** When this process last did what was due. */
  let workedAt = clock.now()
  let owed: Unheard | null = yield* unheardAtStart(yield* Wakeups, workedAt)
  // What earlier processes left live holds its lines before any is given; while they cannot be counted, the rows are.
  yield* Effect.ignore((yield* Reconciler).tick)
  // Wake-ups are written with their rows, so none is missing; only what lay between two commits of a process that died is.
  const repair = Effect.retry(engine.repair, Schedule.spaced(limits.wakeupRetryMs))
  yield* Effect.forkScoped(
    outlasting("What repairs at the start what a process has left", repair, limits.wakeupRetryMs),
  )
  yield* Effect.forkScoped((yield* Sampler).always)
  yield* Effect.forkScoped(outlasting("What watches the clock of the machine", watchMachineClock, limits.clockLookMs))
  // It says so where dialling is held.
  yield* (yield* Dialling).standing
  const outages = yield* CurrentOutages
  outages?.whenBack(({ awayMs, what }) =>
    what === "carrier" && awayMs >= limits.unheardGapMs ? Effect.ignore(engine.unheard("carrier")) : Effect.void,
  )
  const answered = (began: number) => outages?.answered("store", began) ?? Effect.void
  const turn = Effect.gen(function* () {
    const began = outages?.now() ?? 0
    parking.expire(clock.now())
    const claimed = yield* engine.runDue
    yield* answered(began)
    if (clock.now() - workedAt >= limits.unheardGapMs) owed = "gap"
    workedAt = clock.now()
    if (owed !== null) yield* engine.unheard(owed)
    owed = null
    if (claimed >= limits.wakeupBatch) return
    const due = yield* engine.nextDue({ housekeeping: true })
    const next = Math.min(due ?? Infinity, parking.nextDeadline() ?? Infinity)
    const latest = clock.now() + limits.driverMaxPauseMs
    yield* Effect.sleep(limits.driverMinPauseMs)
    yield* alarm.wait(Math.min(next, latest))
  })
  const turned = Effect.catch(turn, (error) =>
    Effect.andThen(
      storeIsAway(outages, "The engine waits for a dependency.", error),
      Effect.sleep(limits.driverMaxPauseMs),
    ),
  )
  const beats = Effect.onExit(turned, () => Effect.sync(() => engine.pulse.beat()))
  yield* Effect.acquireRelease(
    Effect.sync(() => engine.pulse.beat()),
    () => Effect.sync(() => engine.pulse.end()),
  )
  yield* Effect.forkScoped(outlasting("The driver of the engine", Effect.forever(beats), limits.driverMaxPauseMs))
})
