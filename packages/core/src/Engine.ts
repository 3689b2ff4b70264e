import { Context, Effect, Layer } from "effect"
import { Agents } from "./agents/Agents.ts"
import { Audit } from "./audit/Audit.ts"
import type { Call } from "./calls/Call.ts"
import { CallProgress } from "./calls/CallProgress.ts"
import { Calls } from "./calls/Calls.ts"
import { CallStore } from "./calls/CallStore.ts"
import type { InboundCall } from "./calls/InboundCall.ts"
import { Dialler } from "./calls/Dialler.ts"
import { Activity } from "./engine/Activity.ts"
import { DomainClock } from "./engine/DomainClock.ts"
import { Parking } from "./engine/Parking.ts"
import { Steps } from "./engine/Steps.ts"
import { type WakeupClaim, Wakeups } from "./engine/Wakeups.ts"
import type { NotFound, PortError, StateConflict } from "./Errors.ts"
import { Keys } from "./keys/Keys.ts"
import { Knowledge } from "./knowledge/Knowledge.ts"
import { Gate } from "./limits/Gate.ts"
import { RateLimiter } from "./limits/RateLimiter.ts"
import { Reconciler } from "./limits/Reconciler.ts"
import { limits } from "./Limits.ts"
import { Organizations } from "./organizations/Organizations.ts"
import type { CarrierReport } from "./telephony/Telephony.ts"

interface EngineShape {
  /** The carrier's reports come in here. A failure means that the report was not taken and should be sent again. */
  readonly report: (report: CarrierReport) => Effect.Effect<void, PortError>
  /** A call arrives at one of an organization's numbers; the carrier's reports on it follow through `report`. */
  readonly arrive: (inbound: InboundCall) => Effect.Effect<Call, NotFound | StateConflict | PortError>
  /** Claims everything that is due and starts handling it; handlers may park. Returns how many were claimed. */
  readonly runDue: Effect.Effect<number, PortError>
  /** The next moment at which something is due, or null. */
  readonly nextDue: (options: { readonly housekeeping: boolean }) => Effect.Effect<number | null, PortError>
  /** Sets every wake-up anew from the rows; returns how many. */
  readonly rebuildWakeups: Effect.Effect<number, PortError>
}

/** The engine as its host drives it; customers' requests go to `Calls`, `Agents` and `Keys`. */
export class Engine extends Context.Service<Engine, EngineShape>()("@carillon/core/Engine") {
  /** The engine on its ports alone. */
  static readonly layerNoDeps = Layer.effect(
    Engine,
    Effect.gen(function* () {
      const progress = yield* CallProgress
      const reconciler = yield* Reconciler
      const wakeups = yield* Wakeups
      const calls = yield* CallStore
      const activity = yield* Activity
      const clock = yield* DomainClock
      const parking = yield* Parking

      const handle = (claim: WakeupClaim): Effect.Effect<void, PortError> =>
        claim.kind === "call" ? progress.wake(claim.subject) : reconciler.tick

      /** Sets a wake-up that could not be handled; while even that cannot be done, it is this process that keeps it in mind. */
      const lookAgain = Effect.fnUntraced(function* ({ kind, subject }: WakeupClaim) {
        for (let attempt = 0; attempt < limits.wakeupRetries; attempt++) {
          const at = clock.now() + limits.wakeupRetryMs
          const isSet = yield* wakeups.set({ kind, subject, at }).pipe(
            Effect.as(true),
            Effect.catch(() => Effect.succeed(false)),
          )
          if (isSet) return
          yield* parking.park(`wakeup:${kind}:${subject}`, at).wait
        }
      })

      /** A handler that fails looks again a little later; if this process ends before, the claim's lease brings it back. */
      const settle = (claim: WakeupClaim) =>
        handle(claim).pipe(
          Effect.andThen(wakeups.complete(claim)),
          Effect.catch((error) =>
            Effect.andThen(Effect.logDebug("A wake-up could not be handled now.", claim.kind, error), lookAgain(claim)),
          ),
        )

      return Engine.of({
        report: (report) => activity.track(progress.report(report)),
        arrive: (inbound) => activity.track(progress.arrive(inbound)),
        runDue: Effect.gen(function* () {
          const claims = yield* wakeups.claimDue(clock.now(), limits.wakeupBatch, limits.wakeupLeaseMs)
          for (const claim of claims) yield* activity.fork(settle(claim))
          return claims.length
        }),
        nextDue: wakeups.next,
        rebuildWakeups: Effect.gen(function* () {
          let count = 0
          for (let after: string | null = null; ;) {
            const page: ReadonlyArray<Call> = yield* calls.due(after, limits.reconcilePage)
            for (const call of page) {
              if (call.due_at === null) continue
              yield* wakeups.set({ kind: "call", subject: call.execution_id, at: call.due_at })
              count += 1
            }
            if (page.length < limits.reconcilePage) break
            after = page.at(-1)?.execution_id ?? null
          }
          yield* wakeups.set({ kind: "slots", subject: "platform", at: clock.now() })
          return count + 1
        }),
      })
    }),
  )

  /**
   * The whole engine. It asks for the storage ports (`Store`, `CallStore`, `AgentStore`, `KeyStore`, `AccountStore`, `AuditStore`,
   * `KnowledgeStore`, `RetrievalIndex`, `UploadPlaces`, `Wakeups`), the counters (`SlotStore`, `RateStore`), the world outside (`Telephony`, `Funds`) and the engine's own sources
   * (`DomainClock`, `Ids`, `Chance`, `KeyMinter`, `Parking`, `Activity`).
   */
  static readonly layer = Engine.layerNoDeps.pipe(
    Layer.provideMerge(Layer.mergeAll(CallProgress.layer, Calls.layer)),
    Layer.provideMerge(Dialler.layer),
    Layer.provideMerge(
      Layer.mergeAll(Reconciler.layer, Agents.layer, Keys.layer, Organizations.layer, Knowledge.layer),
    ),
    Layer.provideMerge(Layer.mergeAll(Gate.layer, RateLimiter.layer, Audit.layer)),
    Layer.provideMerge(Steps.layer),
  )

  /** Drives the engine in real time until its scope closes: sleeps until something is due, then runs it. */
  static readonly driver = Layer.effectDiscard(
    Effect.gen(function* () {
      const engine = yield* Engine
      const parking = yield* Parking
      const clock = yield* DomainClock
      yield* engine.rebuildWakeups
      const turn = Effect.gen(function* () {
        parking.expire(clock.now())
        const claimed = yield* engine.runDue
        if (claimed === limits.wakeupBatch) return
        const due = yield* engine.nextDue({ housekeeping: true })
        const next = Math.min(due ?? Infinity, parking.nextDeadline() ?? Infinity)
        const pause = Math.min(Math.max(next - clock.now(), limits.driverMinPauseMs), limits.driverMaxPauseMs)
        yield* Effect.sleep(pause)
      })
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.catch(turn, (error) =>
            Effect.andThen(
              Effect.logWarning("The engine waits for a dependency.", error),
              Effect.sleep(limits.driverMaxPauseMs),
            ),
          ),
        ),
      )
    }),
  )
}
