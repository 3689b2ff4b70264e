import { Clock, Context, Effect, Exit, Layer, Schedule } from "effect"
import { Agents } from "./agents/Agents.ts"
import { Audit } from "./audit/Audit.ts"
import { AuditEntries } from "./audit/AuditEntries.ts"
import { AuditTrail } from "./audit/AuditTrail.ts"
import { Callees } from "./callees/Callees.ts"
import { CallCapsSettings } from "./callees/CallCapsSettings.ts"
import { HoursSettings } from "./callees/HoursSettings.ts"
import { Suppressions } from "./callees/Suppressions.ts"
import { CurrentCallLimits } from "./CallLimits.ts"
import type { Call } from "./calls/Call.ts"
import { Batches } from "./batches/Batches.ts"
import { CallProgress } from "./calls/CallProgress.ts"
import { Calls } from "./calls/Calls.ts"
import { CallStore } from "./calls/CallStore.ts"
import type { InboundCall } from "./calls/InboundCall.ts"
import { Dialler } from "./calls/Dialler.ts"
import { keptReports } from "./calls/KeptReports.ts"
import { lookForUnheard, type Unheard, unheardCalls, unheardOf } from "./calls/Unheard.ts"
import { CampaignRecovery } from "./campaigns/CampaignRecovery.ts"
import { Campaigns } from "./campaigns/Campaigns.ts"
import { Lifecycle } from "./campaigns/Lifecycle.ts"
import { ContactCalls } from "./contacts/ContactCalls.ts"
import { Dispatcher } from "./dispatch/Dispatcher.ts"
import { Explainer } from "./dispatch/Explainer.ts"
import { Activity } from "./engine/Activity.ts"
import { Alarm } from "./engine/Alarm.ts"
import { Claims, type Handler } from "./engine/Claims.ts"
import { DomainClock } from "./engine/DomainClock.ts"
import { Parking } from "./engine/Parking.ts"
import { Steps } from "./engine/Steps.ts"
import { type WakeupKind, Wakeups } from "./engine/Wakeups.ts"
import { DependencyUnavailable, type NotFound, type PortError, type StateConflict } from "./Errors.ts"
import { Pieces } from "./engine/Pieces.ts"
import { Intake } from "./intake/Intake.ts"
import { Erasure } from "./erasure/Erasure.ts"
import { Verification } from "./verification/Verification.ts"
import { Experiments } from "./experiments/Experiments.ts"
import { expiredKeysWakeup, Idempotency } from "./idempotency/Idempotency.ts"
import { InboundAgents } from "./inbound/InboundAgents.ts"
import { Keys } from "./keys/Keys.ts"
import { Knowledge } from "./knowledge/Knowledge.ts"
import { Gate } from "./limits/Gate.ts"
import { PlatformLines } from "./limits/PlatformLines.ts"
import { RateLimiter } from "./limits/RateLimiter.ts"
import { Reconciler } from "./limits/Reconciler.ts"
import { hostIds } from "./HostIds.ts"
import { limits } from "./Limits.ts"
import { metrics } from "./metrics/Catalogue.ts"
import { timed } from "./metrics/Measured.ts"
import { CurrentMeters } from "./metrics/Meters.ts"
import { Sampler } from "./metrics/Sampler.ts"
import { watchMachineClock } from "./operating/MachineClock.ts"
import { CurrentOutages, storeIsAway } from "./operating/Outages.ts"
import { Numbers } from "./numbers/Numbers.ts"
import { Organizations } from "./organizations/Organizations.ts"
import { Withheld } from "./operating/Withheld.ts"
import { Wallets } from "./organizations/Wallets.ts"
import * as E164 from "./phone/E164.ts"
import { Portable } from "./portable/Portable.ts"
import { Providers } from "./providers/Providers.ts"
import { purgedBy } from "./retention/PurgeWakeup.ts"
import { Retention } from "./retention/Retention.ts"
import { Dialling } from "./telephony/Dialling.ts"
import { checkedInbound, checkedReport } from "./telephony/CarrierWords.ts"
import type { CarrierReport, ReportReceipt } from "./telephony/Telephony.ts"
import { NowAndThen } from "./operating/NowAndThen.ts"
import { outlasting } from "./operating/Outlasting.ts"
import { Pulse } from "./operating/Pulse.ts"
import { Usage } from "./usage/UsageReport.ts"
import { Deliveries } from "./webhooks/Deliveries.ts"
import { DeliveryStore } from "./webhooks/DeliveryStore.ts"
import { KeptEvents } from "./webhooks/KeptEvents.ts"
import { Outbox } from "./webhooks/Outbox.ts"
import { Routing } from "./webhooks/Routing.ts"
import { Resealing } from "./secrets/Resealing.ts"
import { SecretKeeping } from "./secrets/SecretKeeping.ts"
import { Subscriptions } from "./webhooks/Subscriptions.ts"
import { WebhookExplainer } from "./webhooks/WebhookExplainer.ts"
import { WebhookTests } from "./webhooks/WebhookTests.ts"

/** What a process that starts has to look for: what nobody heard where nobody was there, or nobody can say; else what one that died took along. */
const unheardAtStart = (wakeups: Wakeups["Service"], now: number): Effect.Effect<Unheard> =>
  Effect.match(wakeups.backlog(now, limits.sampledBacklog), {
    onFailure: () => "gap",
    onSuccess: (found) => {
      const looked = found.filter(({ kind }) => kind === "slots" || kind === "call")
      return looked.some(({ oldest }) => oldest <= now - limits.unheardGapMs) ? "gap" : "start"
    },
  })

const executionId = (call: Call): string => call.execution_id

interface EngineShape {
  /** By which name other processes know this one: where they go on with what it had claimed, their log names it. */
  readonly process: string
  /** Beats with each turn of the driver that has ended, however it has; nothing where no driver runs. */
  readonly pulse: Pulse
  /**
   * The carrier's reports come in here. `InvalidField` names what is wrong with one that will never be taken; any other failure means that it
   * was not stored: it should be sent again, and this process hands it in again by itself as long as it lives.
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
      const reconciler = yield* Reconciler
      const wakeups = yield* Wakeups
      const claims = yield* Claims
      const gate = yield* Gate
      const calls = yield* CallStore
      const ledger = yield* DeliveryStore
      const deliveries = yield* Deliveries
      const activity = yield* Activity
      const clock = yield* DomainClock
      const dispatcher = yield* Dispatcher
      const lifecycle = yield* Lifecycle
      const recovery = yield* CampaignRecovery
      const intake = yield* Intake
      const idempotency = yield* Idempotency
      const retention = yield* Retention
      const parking = yield* Parking
      const meters = yield* CurrentMeters
      const times = yield* CurrentCallLimits
      const kept = yield* keptReports
      const askUnheard = yield* unheardCalls
      let isAnnounced = false
      meters?.watch(metrics.draining, () => (isAnnounced || claims.isLeaving() ? 1 : 0))
      const unknownReports = new NowAndThen(limits.unknownReportsMs)
      const pulse = new Pulse(yield* Clock.Clock)

      /** Handles what is due; answers when to look at the subject again where nothing else will say so. */
      const handle: Handler = (claim, isOurs) => {
        switch (claim.kind) {
          case "call":
            return progress.wake(claim.subject)
          case "processing":
            return progress.conclude(claim.subject)
          case "event":
            return Effect.as(deliveries.route(claim.subject), null)
          case "delivery":
            return deliveries.wake(claim.subject)
          case "campaign":
            return lifecycle.wake(claim.subject)
          case "dispatch":
            return dispatcher.run(claim.subject, isOurs)
          case "slots": {
            const why = unheardOf(claim)
            if (why !== null) return Effect.as(askUnheard(claim, why), null)
            return claim.subject === "platform"
              ? Effect.andThen(reconciler.tick, recovery.lookOn)
              : Effect.as(reconciler.afterLoss, null)
          }
          case "ledger": {
            const organizationId = purgedBy(claim.subject)
            if (organizationId !== null) return retention.sweep(organizationId)
            return Effect.as(Effect.andThen(deliveries.sweep, idempotency.sweep), null)
          }
          case "intake":
            return Effect.as(intake.sweep(claim.subject), null)
        }
      }

      /** Sets the wake-ups of all rows of one kind anew, a page at a time. */
      const rebuild = Effect.fnUntraced(function* <A extends { readonly organization_id: string }>(
        read: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<A>, PortError>,
        kind: WakeupKind,
        idOf: (row: A) => string,
        dueOf: (row: A) => number | null,
      ) {
        let count = 0
        for (let after: string | null = null; ;) {
          const page: ReadonlyArray<A> = yield* read(after, limits.reconcilePage)
          for (const row of page) {
            const at = dueOf(row)
            if (at === null) continue
            yield* wakeups.setAnew({ kind, subject: idOf(row), at, organization_id: row.organization_id })
            count += 1
          }
          const last = page.at(-1)
          if (last === undefined || page.length < limits.reconcilePage) return count
          after = idOf(last)
        }
      })

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
        const receipt = yield* kept.take(told)
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
        rebuildWakeups: Effect.gen(function* () {
          const now = clock.now()
          const counts = [
            yield* rebuild(calls.due, "call", executionId, ({ due_at }) => due_at),
            yield* rebuild(calls.processing, "processing", executionId, ({ processing }) => processing.due_at),
            yield* rebuild(
              ledger.waiting,
              "event",
              ({ event_id }) => event_id,
              ({ raised_at }) => raised_at,
            ),
            yield* rebuild(
              ledger.due,
              "delivery",
              ({ delivery_id }) => delivery_id,
              ({ due_at }) => due_at,
            ),
            yield* recovery.rebuild,
            yield* retention.look(wakeups.setAnew),
          ]
          yield* wakeups.setAnew({ kind: "slots", subject: "platform", at: now })
          yield* wakeups.setAnew({ kind: "ledger", subject: "platform", at: now })
          yield* wakeups.setAnew(expiredKeysWakeup(now + limits.idempotencyMs))
          return counts.reduce((sum, count) => sum + count, 3)
        }),
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
          yield* Effect.timeoutOption(Effect.andThen(ended, still), times.drainEndMs)
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
      Layer.mergeAll(CallProgress.layer, Calls.layer, Campaigns.layer, Batches.layer, CampaignRecovery.layer),
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
    Layer.provideMerge(Layer.mergeAll(Reconciler.layer, Agents.layer, Keys.layer, Organizations.layer, Callees.layer)),
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
      Layer.mergeAll(Gate.layer, RateLimiter.layer, Audit.layer, AuditTrail.layer, Usage.layer, Idempotency.layer),
    ),
    Layer.provideMerge(Layer.mergeAll(Steps.layer, Pieces.layer)),
    Layer.provideMerge(Layer.mergeAll(AuditEntries.layer, SecretKeeping.layer)),
    Layer.provideMerge(Outbox.layer),
    Layer.provideMerge(Routing.layer),
    Layer.provideMerge(Claims.layer),
    Layer.provideMerge(Alarm.layer),
  )

  /** Drives the engine in real time until its scope closes: pauses until something is due, or a step of this process says that it is. */
  static readonly driver = Layer.effectDiscard(
    Effect.gen(function* () {
      const engine = yield* Engine
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
      yield* Effect.forkScoped(
        outlasting("What watches the clock of the machine", watchMachineClock, limits.clockLookMs),
      )
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
    }),
  )
}
