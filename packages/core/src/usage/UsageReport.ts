import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { DependencyUnavailable, type EngineError, InvalidField, Malformed } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { noUsage, sumUsage, type UsageFigures } from "./rules/Usage.ts"
import { UsageStore } from "./ports/UsageStore.ts"
import type { UsageGroup, UsagePart } from "./rules/UsageParts.ts"
import { minuteAround, type Stretch, stretchesOf, sumParts } from "./rules/UsageStretches.ts"

/** What is asked of usage; dates are epoch milliseconds. */
export interface UsageQuery {
  readonly from_date?: number
  readonly to_date?: number
  readonly agent_id?: string
  readonly group_by?: UsageGroup
}

/** Usage of a range: of the calls that `GET /v2/calls` lists for it, both ends included. */
export interface UsageReport {
  readonly from_date: number
  readonly to_date: number
  readonly currency: string
  readonly total: UsageFigures
  /** Empty unless a grouping was asked for. */
  readonly parts: ReadonlyArray<UsagePart>
}

/** The first moment of the month in UTC. */
const monthStart = (now: number): number => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const tooManyGroups = (group: UsageGroup): InvalidField =>
  new InvalidField({
    field: "group_by",
    reason: `more than ${limits.usageGroups} ${group}s had calls between these dates, so a shorter time or one agent_id must be asked for`,
  })

/** Usage as customers read it (decisions.md, "Other resources"): calls count by when they were created. */
export class Usage extends Context.Service<
  Usage,
  { readonly report: (organizationId: string, query: UsageQuery) => Effect.Effect<UsageReport, EngineError> }
>()("@carillon/core/usage/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function* () {
      const store = yield* UsageStore
      const accounts = yield* AccountStore
      const clock = yield* DomainClock

      /**
       * What an edge of a range holds: by its calls, while all of them are there, and else the whole minute, by the tally. Whether they are is
       * asked after they were read: who takes some away says so in the same commit.
       */
      const edge = Effect.fnUntraced(function* (
        organizationId: string,
        stretch: Stretch,
        agent_id: string | null,
        group: UsageGroup,
      ) {
        const exact = yield* store.edge(organizationId, { ...stretch, agent_id }, group)
        const purged = (yield* accounts.purge(organizationId))?.calls_before ?? null
        const minute = minuteAround(stretch)
        if (purged === null || purged <= minute.from) return exact
        return yield* store.parts(organizationId, { ...minute, agent_id }, group)
      })

      return Usage.of({
        report: Effect.fnUntraced(function* (organizationId, query) {
          const now = clock.now()
          const to = query.to_date ?? Math.max(now, query.from_date ?? now)
          const from = query.from_date ?? Math.min(monthStart(now), to)
          if (from > to) return yield* new Malformed({ message: "The from_date is after the to_date." })
          if (to - from > limits.usageRangeMs) {
            return yield* new Malformed({
              message: `The dates are more than ${limits.usageRangeMs / 86_400_000} days apart.`,
            })
          }
          const organization = yield* accounts.organization(organizationId)
          if (organization === null) return yield* new DependencyUnavailable({ dependency: "account_service" })
          const agent_id = query.agent_id ?? null
          const group = query.group_by ?? "day"
          // `to_date` is the last moment and not the first one after.
          const { edges, whole } = stretchesOf(from, to + 1)
          const read = [
            ...whole.map((stretch) => store.parts(organizationId, { ...stretch, agent_id }, group)),
            ...edges.map((stretch) => edge(organizationId, stretch, agent_id, group)),
          ]
          // One after the other: a report has one connection.
          const parts = sumParts((yield* Effect.all(read)).flat())
          if (group !== "day" && parts.length > limits.usageGroups) return yield* tooManyGroups(group)
          return {
            from_date: from,
            to_date: to,
            currency: organization.wallet.currency,
            total: parts.reduce((sum, { figures }) => sumUsage(sum, figures), noUsage),
            parts: query.group_by === undefined ? [] : parts,
          }
        }),
      })
    }),
  )
}
