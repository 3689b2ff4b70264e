import { Effect } from "effect"
import { Activity } from "../engine/Activity.ts"
import { Alarm } from "../engine/Alarm.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { NowAndThen } from "../engine/rules/NowAndThen.ts"
import type { CarrierReport, ReportReceipt } from "../telephony/rules/Leg.ts"
import { CallProgress } from "./CallProgress.ts"
import { ReportShelf } from "./rules/ReportShelf.ts"

interface KeptReports {
  /** Stores a report, and before it what is kept of its call. One that cannot be stored is kept, and whoever gave it hears that it was not taken. */
  readonly take: (report: CarrierReport) => Effect.Effect<ReportReceipt, PortError>
  /** Starts to hand in what is kept, where its time has come. */
  readonly handIn: Effect.Effect<void>
  /** When it is time to do so; null where nothing is kept. */
  readonly next: () => number | null
  readonly size: () => number
  /** Gives up what is left, because the process ends; returns how many they were. */
  readonly giveUp: Effect.Effect<number>
}

/**
 * The carrier's reports in the process that was given them, while they cannot be stored: a vendor that is told so tries again for some seconds, and an
 * outage of the store may last longer. A report that comes twice changes nothing, so whoever gave it may go on trying.
 */
export const keptReports: Effect.Effect<KeptReports, never, Activity | Alarm | CallProgress | DomainClock> = Effect.gen(
  function* () {
    const progress = yield* CallProgress
    const activity = yield* Activity
    const alarm = yield* Alarm
    const clock = yield* DomainClock
    const meters = yield* CurrentMeters
    const shelf = new ReportShelf()
    const told = new NowAndThen(limits.keptReportsToldMs)
    let dueAt = Infinity
    let failures = 0
    let isHandingIn = false
    let handed = 0
    meters?.watch(metrics.reportsKept, () => shelf.size())

    const later = () => {
      dueAt = clock.now() + Math.min(limits.keptReportsRetryMs * 2 ** failures, limits.keptReportsRetryMaxMs)
      alarm.ring(dueAt)
    }

    const keep = (report: CarrierReport) =>
      Effect.suspend(() => {
        const given = shelf.keep(report)
        if (dueAt === Infinity && !isHandingIn) later()
        if (given === 0) return Effect.void
        meters?.count(metrics.reportsGivenUp, [], given)
        const reports = told.note(clock.now())
        if (reports === null) return Effect.void
        return Effect.annotateLogs(
          Effect.logError("Reports of the carrier are given up: too many came that could not be stored."),
          { reports },
        )
      })

    /** What is kept of a call, in its order. */
    const ofCall = (executionId: string) =>
      Effect.forEach(
        shelf.of(executionId),
        (report) =>
          Effect.tap(progress.report(report), () =>
            Effect.sync(() => {
              shelf.drop(report)
              handed += 1
            }),
          ),
        { discard: true },
      )

    const take = (report: CarrierReport) =>
      activity
        .track(Effect.andThen(ofCall(report.execution_id), progress.report(report)))
        .pipe(Effect.tapError(() => keep(report)))

    /** All that is kept by now, until one cannot be stored. */
    const round = Effect.gen(function* () {
      handed = 0
      let left = false
      yield* Effect.forEach(
        shelf.calls(),
        (executionId) =>
          Effect.suspend(() => (left ? Effect.void : ofCall(executionId))).pipe(
            Effect.catch(() =>
              Effect.sync(() => {
                left = true
                shelf.putBack(executionId)
              }),
            ),
          ),
        { concurrency: limits.keptReportsTogether, discard: true },
      )
      failures = handed > 0 ? 0 : failures + 1
      const more = shelf.size()
      if (handed > 0) {
        yield* Effect.annotateLogs(
          Effect.logInfo(`Reports of the carrier that could not be stored before were handed in: ${handed}.`),
          { left: more },
        )
      }
    })

    const handIn = Effect.suspend(() => {
      if (isHandingIn || clock.now() < dueAt) return Effect.void
      isHandingIn = true
      dueAt = Infinity
      const over = Effect.sync(() => {
        isHandingIn = false
        if (shelf.size() > 0) later()
        else failures = 0
      })
      return Effect.asVoid(activity.fork(Effect.ensuring(round, over)))
    })

    return {
      take,
      handIn,
      next: () => (dueAt === Infinity ? null : dueAt),
      size: () => shelf.size(),
      giveUp: Effect.sync(() => {
        const given = shelf.clear()
        dueAt = Infinity
        if (given > 0) meters?.count(metrics.reportsGivenUp, [], given)
        return given
      }),
    }
  },
)
