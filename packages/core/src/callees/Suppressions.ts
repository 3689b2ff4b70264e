import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { Pieces } from "../engine/Pieces.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, InvalidField, type PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { jsonBytes } from "../Measure.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { type AddedCounts, addSuppressions, noneAdded, type SuppressionRequest } from "./steps/AddSuppressions.ts"
import type { Callee, SuppressionScope } from "./rules/Callee.ts"
import { knownCallees } from "./steps/CalleeReads.ts"
import { CalleeStore } from "./ports/CalleeStore.ts"
import { chunksOf } from "./rules/NumberChunks.ts"
import { removeSuppressions } from "./steps/RemoveSuppressions.ts"
import { knownScope } from "./steps/ScopeReads.ts"
import { setSuppressOn } from "./steps/SetSuppressOn.ts"
import type { SuppressOn } from "./rules/SuppressionRule.ts"
import { unknownCallee } from "./rules/Suppression.ts"

/** What became of the numbers of a request, each counted once. */
export interface SuppressionCounts {
  readonly added: number
  /** They had a suppression of this scope, which ends later now. */
  readonly replaced: number
  readonly unchanged: number
  /** They have suppressions of as many scopes as a number may have. */
  readonly refused: number
}

interface SuppressionsShape {
  /**
   * Suppresses numbers in E.164; a suppression that stands never ends earlier by it. It goes in commits of some hundreds each: one that fails leaves those before it, and may be sent again. Fails with
   * `NotFound` for an agent or campaign that is not there.
   */
  readonly add: (
    caller: Caller,
    toNumbers: ReadonlyArray<string>,
    request: SuppressionRequest,
  ) => Effect.Effect<SuppressionCounts, EngineError>
  /** Takes the suppressions of a scope from numbers, those that have ended, too; answers how many had one. */
  readonly remove: (
    caller: Caller,
    toNumbers: ReadonlyArray<string>,
    scope: SuppressionScope,
  ) => Effect.Effect<number, EngineError>
  /** What is known of the numbers, each once, in their order. Fails where that is more than an answer may carry. */
  readonly check: (
    organizationId: string,
    toNumbers: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<Callee>, PortError | InvalidField>
  /** Numbers with a suppression, whether it stands still or has ended, newest first. */
  readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<Callee>, PortError>
  /** At which ends of calls their numbers are suppressed. */
  readonly suppressOn: (organizationId: string) => Effect.Effect<ReadonlyArray<SuppressOn>, PortError>
  /** Says so anew. It holds for what carriers report from then on. Fails with `NotFound` for an agent or campaign that is not there. */
  readonly setSuppressOn: (
    caller: Caller,
    rules: ReadonlyArray<SuppressOn>,
  ) => Effect.Effect<ReadonlyArray<SuppressOn>, EngineError>
}

const sum = (one: AddedCounts, other: AddedCounts): AddedCounts => ({
  added: one.added + other.added,
  replaced: one.replaced + other.replaced,
  unchanged: one.unchanged + other.unchanged,
  full: one.full + other.full,
})

/** The numbers that an organization must not call, as its customers keep them (docs/guides/suppression.md). */
export class Suppressions extends Context.Service<Suppressions, SuppressionsShape>()(
  "@carillon/core/callees/Suppressions",
) {
  static readonly layer = Layer.effect(
    Suppressions,
    Effect.gen(function* () {
      const store = yield* CalleeStore
      const accounts = yield* AccountStore
      const steps = yield* Steps
      const clock = yield* DomainClock
      const pieces = yield* Pieces

      const existing = (organizationId: string, scope: SuppressionScope) =>
        steps.look(() => knownScope(organizationId, scope))

      /** Does something to numbers, some of which it takes at a time, until all were taken. */
      const each = Effect.fnUntraced(function* <Counts, E>(
        organizationId: string,
        toNumbers: ReadonlyArray<string>,
        some: (numbers: ReadonlyArray<string>) => Effect.Effect<{ readonly counts: Counts; readonly taken: number }, E>,
        count: (counts: Counts) => void,
      ) {
        for (const chunk of chunksOf(toNumbers)) {
          for (let left = chunk; left.length > 0;) {
            const { counts, taken } = yield* pieces.piece(organizationId, some(left))
            count(counts)
            left = left.slice(taken)
          }
          yield* nextTurn
        }
      })

      return Suppressions.of({
        add: Effect.fnUntraced(function* (caller, toNumbers, request) {
          if (request.expires_at !== null && request.expires_at <= clock.now()) {
            return yield* new InvalidField({ field: "expires_at", reason: "must be in the future" })
          }
          yield* existing(caller.organization_id, request)
          let counts = noneAdded
          yield* each(
            caller.organization_id,
            toNumbers,
            (to_numbers) => steps.take(addSuppressions, { caller, to_numbers, request }),
            (more) => {
              counts = sum(counts, more)
            },
          )
          const { full, ...others } = counts
          if (full > 0 && others.added + others.replaced + others.unchanged === 0) {
            const reason = "name only numbers that have as many suppressions for agents and campaigns as they may"
            return yield* new InvalidField({ field: "to_numbers", reason })
          }
          return { ...others, refused: full }
        }),
        remove: Effect.fnUntraced(function* (caller, toNumbers, scope) {
          yield* existing(caller.organization_id, scope)
          let removed = 0
          yield* each(
            caller.organization_id,
            toNumbers,
            (to_numbers) => steps.take(removeSuppressions, { caller, to_numbers, scope }),
            (more) => {
              removed += more
            },
          )
          return removed
        }),
        check: Effect.fnUntraced(function* (organizationId, toNumbers) {
          const checked: Array<Callee> = []
          let bytes = 0
          for (const chunk of chunksOf(toNumbers)) {
            const known = yield* pieces.piece(
              organizationId,
              steps.look(() => knownCallees(organizationId, chunk)),
            )
            for (const toNumber of chunk) {
              const callee = known.get(toNumber) ?? unknownCallee(organizationId, toNumber)
              bytes += callee.suppressions.length === 0 ? 0 : jsonBytes(callee.suppressions)
              checked.push(callee)
            }
            if (bytes > limits.suppressionCheckBytes) {
              const reason = `have suppressions of more than ${limits.suppressionCheckBytes / 1024 ** 2} MiB, so fewer must be asked for`
              return yield* new InvalidField({ field: "to_numbers", reason })
            }
            yield* nextTurn
          }
          return checked
        }),
        page: store.suppressed,
        suppressOn: (organizationId) =>
          Effect.map(accounts.organization(organizationId), (organization) => organization?.suppress_on ?? []),
        setSuppressOn: (caller, rules) => steps.take(setSuppressOn, { caller, rules }),
      })
    }),
  )
}
