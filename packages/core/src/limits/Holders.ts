import { Effect } from "effect"
import type { Call } from "../calls/rules/Call.ts"
import type { CallStore } from "../calls/ports/CallStore.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { SlotStore } from "./ports/SlotStore.ts"

/** The fence of a line that was admitted by count, without the slot store. */
export const countedFence = 0

/** Every committed call that holds a line, by the id under which the line is registered. */
export const everyHolder = (calls: CallStore["Service"]): Effect.Effect<ReadonlyMap<string, Call>, PortError> =>
  Effect.gen(function* () {
    const holders = new Map<string, Call>()
    for (let after: string | null = null; ;) {
      const page: ReadonlyArray<Call> = yield* calls.holders(after, limits.reconcilePage)
      for (const call of page) holders.set(call.slot?.member ?? call.execution_id, call)
      if (page.length < limits.reconcilePage) return holders
      after = page.at(-1)?.execution_id ?? null
    }
  })

/** Enters the membership that a call's row proves. */
export const restoreLine = (
  slots: Pick<SlotStore["Service"], "restore">,
  member: string,
  call: Call,
): Effect.Effect<void, PortError> =>
  call.slot === null
    ? Effect.void
    : slots.restore({
        execution_id: member,
        organization_id: call.organization_id,
        levels: call.slot.levels,
        fence: call.slot.fence ?? countedFence,
      })
