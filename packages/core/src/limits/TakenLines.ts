import { Effect } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import type { CeilingsOf } from "./Ceilings.ts"
import { figuresOf } from "./rules/ConcurrencyFigures.ts"
import { effectiveMax } from "./rules/SlotLevels.ts"
import { SlotStore } from "./ports/SlotStore.ts"

/** Says how many of an organization's lines are taken: by the slot store, or by the count of committed calls where it is not to be trusted. */
export const makeTakenLines = (ceilingsOf: CeilingsOf, isTrusted: () => boolean) =>
  Effect.gen(function* () {
    const slots = yield* SlotStore
    const calls = yield* CallStore

    const taken = (organizationId: string) => {
      const key = [{ level: "organization" as const, key: organizationId }]
      const committed = calls.holding(key.map((level) => ({ ...level, ceiling: null })))
      return (isTrusted() ? Effect.catch(slots.used(key), () => committed) : committed).pipe(
        Effect.map(([used = 0]) => used),
      )
    }

    return {
      lines: Effect.fnUntraced(function* (organizationId: string) {
        const ceilings = yield* ceilingsOf(organizationId)
        const limit = ceilings.enforced ? effectiveMax(ceilings) : ceilings.platform
        return { limit, used: yield* taken(organizationId) }
      }),
      figures: Effect.fnUntraced(function* (organizationId: string) {
        const ceilings = yield* ceilingsOf(organizationId)
        return figuresOf(ceilings, yield* taken(organizationId))
      }),
    }
  })
