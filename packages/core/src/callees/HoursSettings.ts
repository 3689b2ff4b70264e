import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, InvalidField, NotFound, type PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import type { SuppressionScope } from "./rules/Callee.ts"
import { callableFrom, zoneHoursOf } from "./rules/CalleeHours.ts"
import { Callees } from "./Callees.ts"
import { entryFor, type HoursEntry, isOfScope } from "./rules/HoursRow.ts"
import { countryOfZone, zonePrefixOf, zonesOfNumber } from "./rules/NumberZones.ts"
import { knownScope, scopeFault } from "./steps/ScopeReads.ts"
import { type HoursRequest, noSuchHours, removeHours, setHours } from "./steps/SetHours.ts"

/** How a number stands to the hours of a scope. Times are epoch milliseconds. */
export interface CheckedHours {
  readonly to_number: string
  /** The zones in which it may be, and the country of each; none where nothing is known of the number. */
  readonly zones: ReadonlyArray<{ readonly timezone: string; readonly country: string | null }>
  readonly is_open: boolean
  /** From when on it may be called, and until when, in the next opening or the one that there is; null: none is in sight, or it has no end. */
  readonly opens_at: number | null
  readonly closes_at: number | null
}

interface HoursSettingsShape {
  /** The callee hours of a scope. Fails with `NotFound` where it has none of its own, and with `InvalidField` where it is of an agent and a campaign. */
  readonly find: (
    organizationId: string,
    scope: SuppressionScope,
  ) => Effect.Effect<HoursEntry, NotFound | InvalidField | PortError>
  /** Replaces them. A contact that waits is looked at by the new ones at once. */
  readonly set: (
    caller: Caller,
    scope: SuppressionScope,
    request: HoursRequest,
  ) => Effect.Effect<HoursEntry, EngineError>
  /** Takes them away; those of a wider scope stand then. Fails with `NotFound` where there are none. */
  readonly remove: (caller: Caller, scope: SuppressionScope) => Effect.Effect<void, EngineError>
  /**
   * How numbers stand to the hours that bind calls of a scope at a moment, its own or those of the nearest wider one, each once, in their order; null: now.
   * Where none bind them they may be called at any time. Fails with `NotFound` where its agent or campaign is unknown, and with `InvalidField` where
   * the moment is further away than `calleeHoursCheckDays`.
   */
  readonly check: (
    organizationId: string,
    scope: SuppressionScope,
    toNumbers: ReadonlyArray<string>,
    at: number | null,
  ) => Effect.Effect<ReadonlyArray<CheckedHours>, NotFound | InvalidField | PortError>
}

const furthestMs = limits.calleeHoursCheckDays * 86_400_000

const tooFar = new InvalidField({
  field: "at",
  reason: `must be at most ${limits.calleeHoursCheckDays} days from now`,
})

/** How a number stands to hours, or to none; all of its prefix stand alike. */
const checked = (entry: HoursEntry | null, to_number: string, at: number): CheckedHours => {
  const zones = (zonesOfNumber(to_number) ?? []).map((timezone) => ({ timezone, country: countryOfZone(timezone) }))
  const binding = entry === null ? [] : zoneHoursOf({ to_number, timezone: null }, entry.hours)
  if (binding.length === 0) return { to_number, zones, is_open: true, opens_at: at, closes_at: null }
  const opening = callableFrom(binding, at)
  return {
    to_number,
    zones,
    is_open: opening !== null && opening.opens <= at,
    opens_at: opening?.opens ?? null,
    closes_at: opening?.closes ?? null,
  }
}

/** When the callees of an organization may be called, as its customers keep it (docs/guides/callee-hours.md). */
export class HoursSettings extends Context.Service<HoursSettings, HoursSettingsShape>()(
  "@carillon/core/callees/HoursSettings",
) {
  static readonly layer = Layer.effect(
    HoursSettings,
    Effect.gen(function* () {
      const callees = yield* Callees
      const steps = yield* Steps
      const clock = yield* DomainClock

      return HoursSettings.of({
        find: Effect.fnUntraced(function* (organizationId, scope) {
          const fault = scopeFault(scope)
          if (fault !== null) return yield* fault
          const { setting } = yield* callees.sureHours(organizationId)
          return setting?.entries.find((each) => isOfScope(each, scope)) ?? (yield* noSuchHours)
        }),
        set: (caller, scope, request) => steps.take(setHours, { caller, scope, request }),
        remove: Effect.fnUntraced(function* (caller, scope) {
          if (!(yield* steps.take(removeHours, { caller, scope }))) return yield* noSuchHours
        }),
        check: Effect.fnUntraced(function* (organizationId, scope, toNumbers, at) {
          const now = clock.now()
          const moment = at ?? now
          if (Math.abs(moment - now) > furthestMs) return yield* tooFar
          const agent_id = yield* steps.look(() => knownScope(organizationId, scope))
          const { setting } = yield* callees.sureHours(organizationId, moment)
          const entry = entryFor(setting, { agent_id, campaign_id: scope.campaign_id })
          const byPrefix = new Map<string | null, CheckedHours>()
          const found: Array<CheckedHours> = []
          for (const to_number of new Set(toNumbers)) {
            const prefix = zonePrefixOf(to_number)
            const known = byPrefix.get(prefix)
            if (known === undefined) yield* nextTurn
            const alike = known ?? checked(entry, to_number, moment)
            byPrefix.set(prefix, alike)
            found.push({ ...alike, to_number })
          }
          return found
        }),
      })
    }),
  )
}
