import { Clock, Context, Effect, Exit, Layer, Option } from "effect"
import { Agents } from "./agents/Agents.ts"
import { Audit } from "./audit/Audit.ts"
import { AuditEntries } from "./engine/AuditEntries.ts"
import { AuditTrail } from "./audit/AuditTrail.ts"
import { Callees } from "./callees/Callees.ts"
import { CallCapsSettings } from "./callees/CallCapsSettings.ts"
import { HoursSettings } from "./callees/HoursSettings.ts"
import { Suppressions } from "./callees/Suppressions.ts"
import { CurrentCallLimits } from "./calls/ports/CurrentCallLimits.ts"
import type { Call } from "./calls/rules/Call.ts"
import { Batches } from "./batches/Batches.ts"
import { CallProgress } from "./calls/CallProgress.ts"
import { Calls } from "./calls/Calls.ts"
import type { InboundCall } from "./calls/rules/InboundCall.ts"
import { Dialler } from "./calls/Dialler.ts"
import { keptReports } from "./calls/KeptReports.ts"
import { lookForUnheard } from "./calls/Unheard.ts"
import type { Unheard } from "./calls/steps/AskSooner.ts"
import { CampaignRecovery } from "./campaigns/CampaignRecovery.ts"
import { Breakers } from "./campaigns/Breakers.ts"
import { CallOrders } from "./campaigns/CallOrders.ts"
import { Campaigns } from "./campaigns/Campaigns.ts"
import { Lifecycle } from "./campaigns/Lifecycle.ts"
import { ContactCalls } from "./contacts/ContactCalls.ts"
import { Dispatcher } from "./dispatch/Dispatcher.ts"
import { Explainer } from "./dispatch/Explainer.ts"
import { Activity } from "./engine/Activity.ts"
import { Alarm } from "./engine/Alarm.ts"
import { Claims } from "./operating/Claims.ts"
import { DomainClock } from "./engine/ports/DomainClock.ts"
import { Parking } from "./engine/Parking.ts"
import { Requesters } from "./calls/Requesters.ts"
import { Steps } from "./engine/Steps.ts"
import { Wakeups } from "./engine/ports/Wakeups.ts"
import { DependencyUnavailable, type NotFound, type PortError, type StateConflict } from "./Errors.ts"
import { Pieces } from "./engine/Pieces.ts"
import { Intake } from "./intake/Intake.ts"
import { Erasure } from "./erasure/Erasure.ts"
import { Verification } from "./verification/Verification.ts"
import { Experiments } from "./experiments/Experiments.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { InboundAgents } from "./inbound/InboundAgents.ts"
import { Keys } from "./keys/Keys.ts"
import { Knowledge } from "./knowledge/Knowledge.ts"
import { Gate } from "./limits/Gate.ts"
import { PlatformLines } from "./limits/PlatformLines.ts"
import { RateLimiter } from "./limits/RateLimiter.ts"
import { Reconciler } from "./limits/Reconciler.ts"
import { hostIds } from "./HostIds.ts"
import { limits } from "./Limits.ts"
import { metrics } from "./metrics/rules/Catalogue.ts"
import { commitMeterLayer } from "./metrics/CommitMetrics.ts"
import { timed } from "./metrics/ports/Measured.ts"
import { CurrentMeters } from "./metrics/ports/Meters.ts"
import { Sampler } from "./metrics/Sampler.ts"
import { Numbers } from "./numbers/Numbers.ts"
import { Organizations } from "./organizations/Organizations.ts"
import { Withheld } from "./operating/Withheld.ts"
import { Wallets } from "./organizations/Wallets.ts"
import * as E164 from "./phone/E164.ts"
import { Portable } from "./portable/Portable.ts"
import { Providers } from "./providers/Providers.ts"
import { Retention } from "./retention/Retention.ts"
import { Dialling } from "./telephony/Dialling.ts"
import { checkedInbound, checkedReport } from "./telephony/rules/CarrierWords.ts"
import { withoutWrongAddress } from "./telephony/RecordingAddress.ts"
import type { CarrierReport, ReportReceipt } from "./telephony/rules/Leg.ts"
import { NowAndThen } from "./engine/rules/NowAndThen.ts"
import { tellCutOff } from "./operating/CutOff.ts"
import { handledErrands } from "./operating/HandledErrands.ts"
import { makeHandler } from "./operating/WakeupHandling.ts"
import { makeRebuiltWakeups } from "./operating/RebuiltWakeups.ts"
import { drive } from "./operating/Driver.ts"
import { Pulse } from "./operating/rules/Pulse.ts"
import { Usage } from "./usage/UsageReport.ts"
import { Deliveries } from "./webhooks/Deliveries.ts"
import { KeptEvents } from "./webhooks/KeptEvents.ts"
import { outboxLayer } from "./webhooks/Outbox.ts"
import { Routing } from "./webhooks/Routing.ts"
import { Resealing } from "./secrets/Resealing.ts"
import { SecretKeeping } from "./secrets/ports/SecretKeeping.ts"
import { Subscriptions } from "./webhooks/Subscriptions.ts"
import { WebhookExplainer } from "./webhooks/WebhookExplainer.ts"
import { WebhookTests } from "./webhooks/WebhookTests.ts"

interface EngineShape {
  /** By which name other processes know this one: where they go on with what it had claimed, their log names it. */
  readonly process: string
  /** Beats with each turn of the driver that has ended, however it has; nothing where no driver runs. */
  readonly pulse: Pulse
  /**
   * The carrier's reports come in here. `InvalidField` names what is wrong with one that will never be taken; any other failure means that it
   * was not stored: it should be sent again, and this process hands it in again by itself as long as it lives. A `recording_url` that is no absolute
   * http or https address of at most `recordingAddressCharacters` is an error in the log, and the rest of its report is taken.
   */
  readonly report: (report: CarrierReport) => Effect.Effect<ReportReceipt, PortError>
  /** A call arrives at one of an organization's numbers; the carrier's reports on it follow through `report`. Fails with `InvalidField` where it is malformed. */
  readonly arrive: (inbound: InboundCall) => Effect.Effect<Call, NotFound | StateConflict | PortError>
  /**
   * Renews what is being handled, claims everything that is due and starts handling it; handlers may park. Returns how many were renewed or
   * claimed.
   */
  readonly runDue: Effect.Effect<number, PortError>
  /** The next moment at which something is due, or null. */
  readonly nextDue: (options: { readonly housekeeping: boolean }) => Effect.Effect<number | null, PortError>
  /**
   * Sets every wake-up anew from the rows, also what is being handled; returns how many. It is for a store that lost its wake-ups, and for
   * the successor of a process that was the only one.
   */
  readonly rebuildWakeups: Effect.Effect<number, PortError>
  /** Finishes what a process that died left between two commits, and has every dispatcher look. It disturbs nobody. */
  readonly repair: Effect.Effect<void, PortError>
  /** Has live calls asked about soon of which nobody may have heard how they went on; one process of all does it. */
  readonly unheard: (why: Unheard) => Effect.Effect<void, PortError>
  /** The process says that it leaves, and goes on with everything; `drain` comes later. */
  readonly announce: Effect.Effect<void>
  /**
   * Leaves the work to other processes: claims nothing more and takes no more reports, lets what runs finish, has the host end the
   * requests that still wait, waits for dials under way, and gives the claims back. Live calls are left as they are. It is over after
   * `drainFinishMs` and `drainEndMs` (`CallLimits`), whatever hangs; until then the driver has to go on.
   */
  readonly drain: (endRequests: Effect.Effect<void>) => Effect.Effect<void>
}

/** The engine as its host drives it; customers' requests go to `Calls`, `Agents` and `Keys`. */
export class Engine extends Context.Service<Engine, EngineShape>()("@carillon/core/Engine") {
  /** The engine on its ports alone. */
  static readonly layerNoDeps = Layer.effect(
    Engine,
    Effect.gen(function* () {
      const progress = yield* CallProgress
      const wakeups = yield* Wakeups
      const claims = yield* Claims
      const gate = yield* Gate
      const activity = yield* Activity
      const clock = yield* DomainClock
      const recovery = yield* CampaignRecovery
      const retention = yield* Retention
      const parking = yield* Parking
      const meters = yield* CurrentMeters
      const times = yield* CurrentCallLimits
      const kept = yield* keptReports
      const handle = yield* makeHandler
      const rebuildWakeups = yield* makeRebuiltWakeups
      let isAnnounced = false
      meters?.watch(metrics.draining, () => (isAnnounced || claims.isLeaving() ? 1 : 0))
      const unknownReports = new NowAndThen(limits.unknownReportsMs)
      const pulse = new Pulse(yield* Clock.Clock)

      const leaving = Effect.suspend(() =>
        claims.isLeaving() ? Effect.fail(new DependencyUnavailable({ dependency: "call_storage" })) : Effect.void,
      )

      /** Nothing runs and nothing waits: no dial is without its outcome. */
      const still = Effect.gen(function* () {
        while (activity.open() > 0 || parking.size() > 0) yield* Effect.sleep(limits.driverMinPauseMs)
      })

      /** Nothing is kept any more that could not be stored. */
      const handedIn = Effect.gen(function* () {
        while (kept.size() > 0) yield* Effect.sleep(limits.driverMinPauseMs)
      })

      const report = Effect.fnUntraced(function* (told: CarrierReport): Effect.fn.Return<ReportReceipt, PortError> {
        yield* checkedReport(told)
        // Who is told that a report was not taken repeats it, and another process takes it.
        yield* leaving
        const receipt = yield* kept.take(yield* withoutWrongAddress(told, meters))
        const unknown = receipt === "unknown_execution" ? unknownReports.note(clock.now()) : null
        if (unknown !== null) {
          yield* Effect.logWarning("The carrier reports calls that nobody knows.").pipe(
            Effect.annotateLogs({ execution_id: E164.maskDigits(told.execution_id), reports: unknown }),
          )
        }
        return receipt
      })

      return Engine.of({
        process: claims.process,
        pulse,
        report: (told) =>
          timed(meters, report(told), (to, _seconds, exit) =>
            to.count(metrics.reports, [Exit.isSuccess(exit) ? exit.value : "refused"]),
          ),
        arrive: (inbound) => activity.track(Effect.andThen(checkedInbound(inbound), progress.arrive(inbound))),
        runDue: Effect.andThen(gate.sayAgain, Effect.tap(claims.run(handle), kept.handIn)),
        nextDue: (options) =>
          Effect.map(claims.next(options), (due) => {
            const next = kept.next()
            return next === null ? due : Math.min(due ?? Infinity, next)
          }),
        rebuildWakeups,
        unheard: (why) => lookForUnheard(wakeups, why, clock.now()),
        repair: activity.track(Effect.asVoid(Effect.andThen(recovery.repair, retention.look(wakeups.set)))),
        announce: Effect.sync(() => {
          isAnnounced = true
        }),
        drain: Effect.fnUntraced(function* (endRequests) {
          claims.leave()
          gate.leave()
          yield* Effect.timeoutOption(Effect.andThen(activity.quiescent, handedIn), times.drainFinishMs)
          const reports = yield* kept.giveUp
          if (reports > 0) {
            yield* Effect.ignore(lookForUnheard(wakeups, "gap", clock.now()))
            yield* Effect.annotateLogs(
              Effect.logError("Reports of the carrier are given up: this process ends, and could not store them."),
              { reports },
            )
          }
          const ended = Effect.all([endRequests, claims.giveBack], { concurrency: 2, discard: true })
          const whole = yield* Effect.timeoutOption(Effect.andThen(ended, still), times.drainEndMs)
          if (Option.isNone(whole)) yield* tellCutOff(activity.open(), parking.waiting())
        }),
      })
    }),
  )

  /**
   * The whole engine. It asks for the storage ports (`Store`, `CallStore`, `AgentStore`, `ExperimentStore`, `KeyStore`, `AccountStore`,
   * `NumberStore`, `ProviderStore`, `UsageStore`, `AuditStore`, `IdempotencyStore`, `SubscriptionStore`, `DeliveryStore`, `CampaignStore`,
   * `BatchStore`, `ContactStore`, `CalleeStore`, `TallyStore`, `LaneStore`, `KnowledgeStore`, `RetrievalIndex`, `UploadPlaces`, `Wakeups`), the counters (`SlotStore`, `RateStore`), the world outside
   * (`Telephony`, `Funds`, `Transliterator`, `WebhookTransport`) and the engine's own sources
   * (`DomainClock`, `Ids`, `Chance`, `KeyMinter`, `Parking`, `Activity`).
   */
  static readonly layer = hostIds.pipe(
    Layer.provideMerge(Engine.layerNoDeps),
    Layer.provideMerge(
      Layer.mergeAll(
        CallProgress.layer,
        Calls.layer,
        Campaigns.layer,
        Breakers.layer,
        CallOrders.layer,
        Batches.layer,
        CampaignRecovery.layer,
      ),
    ),
    Layer.provideMerge(WebhookTests.layer),
    Layer.provideMerge(Layer.mergeAll(Deliveries.layer, KeptEvents.layer, Subscriptions.layer, WebhookExplainer.layer)),
    Layer.provideMerge(Layer.mergeAll(Explainer.layer, Sampler.layer, Resealing.layer, Erasure.layer, Retention.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        Portable.layer,
        Suppressions.layer,
        HoursSettings.layer,
        CallCapsSettings.layer,
        Verification.layer,
        PlatformLines.layer,
      ),
    ),
    Layer.provideMerge(Dispatcher.layer),
    Layer.provideMerge(Dialler.layer),
    Layer.provideMerge(Dialling.layer),
    Layer.provideMerge(ContactCalls.layer),
    Layer.provideMerge(Layer.mergeAll(Lifecycle.layer, Intake.layer)),
    Layer.provideMerge(Layer.mergeAll(Reconciler.layer, Agents.layer, Keys.layer, Organizations.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        Experiments.layer,
        Numbers.layer,
        InboundAgents.layer,
        Providers.layer,
        Knowledge.layer,
        Wallets.layer,
        Withheld.layer,
      ),
    ),
    Layer.provideMerge(
      Layer.mergeAll(RateLimiter.layer, Audit.layer, AuditTrail.layer, Usage.layer, Idempotency.layer),
    ),
    Layer.provideMerge(Layer.mergeAll(Steps.layer, Pieces.layer)),
    Layer.provideMerge(handledErrands),
    Layer.provideMerge(
      Layer.mergeAll(
        Gate.layer,
        Requesters.layer,
        Callees.layer,
        AuditEntries.layer,
        SecretKeeping.layer,
        commitMeterLayer,
      ),
    ),
    Layer.provideMerge(outboxLayer),
    Layer.provideMerge(Layer.mergeAll(Routing.layer, Claims.layer)),
    Layer.provideMerge(Alarm.layer),
  )

  /** Drives the engine in real time until its scope closes. */
  static readonly driver = Layer.effectDiscard(Effect.flatMap(Engine, drive))
}
