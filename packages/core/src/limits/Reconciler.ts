import { Context, Effect, Layer } from "effect"
import type { Call } from "../calls/Call.ts"
import { CallStore } from "../calls/CallStore.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { Gate } from "./Gate.ts"
import { everyHolder, restoreLine } from "./Holders.ts"
import { type SlotMember, SlotStore } from "./SlotStore.ts"

interface ReconcilerShape {
  /** One comparison of memberships with rows; sets the next tick while there is anything to compare. */
  readonly tick: Effect.Effect<void, PortError>
}

/** Whether the row of a call says by itself that its line was stale at the tick before, whoever made that. */
const wasOver = (call: Call | null, now: number): boolean =>
  call !== null && call.final_report_at !== null && call.final_report_at <= now - limits.reconcileMs

/**
 * Repairs what slots and rows disagree on. Rows are the truth: a call that holds a line and has no membership gets one, over a
 * ceiling if need be; a held membership without such a call goes once it has been seen stale twice under the same fence, or where its row
 * tells what another process saw.
 */
export class Reconciler extends Context.Service<Reconciler, ReconcilerShape>()("@carillon/core/limits/Reconciler") {
  static readonly layer = Layer.effect(
    Reconciler,
    Effect.gen(function* () {
      const slots = yield* SlotStore
      const calls = yield* CallStore
      const gate = yield* Gate
      const clock = yield* DomainClock
      let suspects: ReadonlyMap<string, number> = new Map()

      const everyMember = Effect.fnUntraced(function* () {
        const members = new Map<string, SlotMember>()
        for (let after: string | null = null; ;) {
          const page: ReadonlyArray<SlotMember> = yield* slots.members(after, limits.reconcilePage)
          for (const member of page) members.set(member.execution_id, member)
          if (page.length < limits.reconcilePage) return members
          after = page.at(-1)?.execution_id ?? null
        }
      })

      const tick = Effect.gen(function* () {
        const members = yield* everyMember()
        const holders = yield* everyHolder(calls)
        for (const [member, call] of holders) {
          // A reservation does not do: it would lapse under the call.
          if (members.get(member)?.state !== "held") yield* restoreLine(slots, member, call)
        }
        gate.granted(yield* slots.lapse(clock.now()))
        const stale = new Map<string, number>()
        for (const member of members.values()) {
          if (member.state === "reserved" || holders.has(member.execution_id)) continue
          const isKnown = suspects.get(member.execution_id) === member.fence
          if (isKnown || wasOver(yield* calls.locate(member.execution_id), clock.now())) {
            yield* gate.release(member.organization_id, member.execution_id, member.fence)
          } else stale.set(member.execution_id, member.fence)
        }
        suspects = stale
        yield* gate.reconciled(members.size > 0 || holders.size > 0)
      })

      return Reconciler.of({ tick })
    }),
  )
}
