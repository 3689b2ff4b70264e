import { Context, Effect, Layer } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { timed } from "../metrics/ports/Measured.ts"
import { outcomeOf } from "../engine/rules/Ended.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { compare, type Comparison, type MostUsed, type SilentLines } from "./Comparison.ts"
import { Gate } from "./Gate.ts"
import type { SlotLevel } from "./rules/SlotLevels.ts"
import { SlotStore } from "./ports/SlotStore.ts"

interface ReconcilerShape {
  /** One comparison of memberships with rows; sets the next tick while there is anything to compare. */
  readonly tick: Effect.Effect<void, PortError>
  /** A tick because a line could not be given back; one that fails is made again soon. */
  readonly afterLoss: Effect.Effect<void, PortError>
  /** At each level, who has the most lines by a tick of this process; nothing where another process ticks. */
  readonly most: () => ReadonlyMap<SlotLevel, MostUsed>
  /** Lines of silent calls by the same tick; null where another process ticks. */
  readonly silent: () => SilentLines | null
}

/**
 * Repairs what slots and rows disagree on: a call that holds a line and has no membership gets one, a membership whose call holds no line
 * goes, and one without any row goes once it has been seen twice under the same fence.
 */
export class Reconciler extends Context.Service<Reconciler, ReconcilerShape>()("@carillon/core/limits/Reconciler") {
  static readonly layer = Layer.effect(
    Reconciler,
    Effect.gen(function* () {
      const slots = yield* SlotStore
      const calls = yield* CallStore
      const gate = yield* Gate
      const clock = yield* DomainClock

      const meters = yield* CurrentMeters
      let seen: (Pick<Comparison, "most" | "silent"> & { readonly at: number }) | null = null

      let suspects: ReadonlyMap<string, number> = new Map()

      const ticked = Effect.gen(function* () {
        yield* gate.resend
        const { isEmpty, missing, most, silent, stale, strays } = yield* compare(slots, calls, clock.now())
        seen = { at: clock.now(), most, silent }
        gate.granted(yield* slots.lapse(clock.now()))
        const known = strays.filter(({ execution_id, fence }) => suspects.get(execution_id) === fence)
        meters?.count(metrics.reconcilerFindings, ["missing"], missing)
        meters?.count(metrics.reconcilerFindings, ["stale"], stale.length)
        meters?.count(metrics.reconcilerFindings, ["stray"], known.length)
        for (const { execution_id, fence, organization_id } of [...stale, ...known]) {
          yield* gate.release(organization_id, execution_id, fence)
        }
        suspects = new Map(strays.map(({ execution_id, fence }) => [execution_id, fence]))
        yield* gate.reconciled(!isEmpty)
      })

      const tick = timed(meters, ticked, (to, _seconds, exit) =>
        to.count(metrics.reconcilerTicks, [outcomeOf(exit) === "ok" ? "done" : "failed"]),
      )

      const known = () => (seen === null || clock.now() > seen.at + 2 * limits.reconcileMs ? null : seen)

      return Reconciler.of({
        tick,
        afterLoss: Effect.catch(tick, () => gate.lost),
        most: () => known()?.most ?? new Map(),
        silent: () => known()?.silent ?? null,
      })
    }),
  )
}
