import { Context, Effect, Layer } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import { counted } from "../Counted.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { InvalidField, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { installation, platformDefaults } from "../organizations/steps/Installation.ts"
import type { DiallingHold, Platform } from "../organizations/rules/Organization.ts"
import { changePlatformCeiling } from "./steps/ChangePlatformCeiling.ts"
import { silentLines, type SilentLines } from "./Comparison.ts"
import { everyHolder } from "./Holders.ts"

/** The lines of the whole installation, and who has them. */
export interface PlatformStanding {
  /** How many calls may be live at a time, of all organizations together. */
  readonly ceiling: number
  /** How many are, by the rows. */
  readonly in_use: number
  /** Of them, those of which nobody has heard for `limits.silentLineMs` or longer. */
  readonly silent: SilentLines
  /** Null while dialling goes on. */
  readonly hold: DiallingHold | null
  /** The organizations that have the most of them, at most `limits.platformTenantsShown`. */
  readonly organizations: ReadonlyArray<{ readonly organization_id: string; readonly lines: number }>
}

interface PlatformLinesShape {
  /** Reads every call that holds a line. */
  readonly show: Effect.Effect<PlatformStanding, PortError>
  /** Sets how many calls may be live at a time, within a minute in every process. Those that are live go on where it is lowered. */
  readonly change: (ceiling: number) => Effect.Effect<Platform, InvalidField | PortError>
}

/** How many calls may be live in the whole installation: for its operator, who knows what the carriers carry. `/v2` has no route for it. */
export class PlatformLines extends Context.Service<PlatformLines, PlatformLinesShape>()(
  "@carillon/core/limits/PlatformLines",
) {
  static readonly layer = Layer.effect(
    PlatformLines,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const calls = yield* CallStore
      const clock = yield* DomainClock
      const steps = yield* Steps
      return PlatformLines.of({
        show: Effect.gen(function* () {
          const { concurrency, hold = null } = (yield* accounts.platform) ?? platformDefaults
          const holders = [...(yield* everyHolder(calls)).values()]
          const lines = new Map<string, number>()
          for (const { organization_id } of holders) lines.set(organization_id, (lines.get(organization_id) ?? 0) + 1)
          const most = [...lines].toSorted(([, a], [, b]) => b - a).slice(0, limits.platformTenantsShown)
          return {
            ceiling: concurrency,
            in_use: holders.length,
            silent: silentLines(holders, clock.now()),
            hold,
            organizations: most.map(([organization_id, count]) => ({ organization_id, lines: count })),
          }
        }),
        change: Effect.fnUntraced(function* (ceiling) {
          if (!Number.isInteger(ceiling) || ceiling < 1 || ceiling > limits.platformLines) {
            const reason = `must be a whole number from 1 to ${counted(limits.platformLines)}`
            return yield* new InvalidField({ field: "ceiling", reason })
          }
          return yield* steps.take(changePlatformCeiling, { ...installation, ceiling })
        }),
      })
    }),
  )
}
