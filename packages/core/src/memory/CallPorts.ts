import { Effect, Layer } from "effect"
import type { Call } from "../calls/rules/Call.ts"
import { CalleeStore } from "../callees/ports/CalleeStore.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import { UsageStore } from "../usage/ports/UsageStore.ts"
import { firstParts, usageOf } from "../usage/rules/UsageStretches.ts"
import type { MemoryTables } from "./MemoryTables.ts"
import { after, bounded } from "./RowPages.ts"

const executionIdOf = (call: Call): string => call.execution_id

/** The ports of calls, of whom they go to, and of what they use. */
export const callPorts = (tables: MemoryTables) => {
  const ofOrganization = (organizationId: string, executionId: string): Call | null => {
    const call = tables.calls.get(executionId)
    return call?.organization_id === organizationId ? call : null
  }
  return Layer.mergeAll(
    Layer.succeed(CallStore, {
      find: (organizationId, executionId) => Effect.sync(() => ofOrganization(organizationId, executionId)),
      locate: (executionId) => Effect.sync(() => tables.calls.get(executionId) ?? null),
      media: (organizationId, executionId) =>
        Effect.sync(() => {
          const media = tables.calls.media(executionId)
          return media?.organization_id === organizationId ? media : null
        }),
      page: (organizationId, filter, page) => bounded(() => tables.calls.page(organizationId, filter, page)),
      oldest: (organizationId, request) => Effect.sync(() => tables.calls.oldest(organizationId, request)),
      holding: (levels) => Effect.sync(() => levels.map(({ level, key }) => tables.calls.holding(level, key))),
      live: (keys) => Effect.sync(() => keys.map((key) => tables.calls.live(key))),
      onNumber: (laneId, number) => Effect.sync(() => tables.calls.onNumber(laneId, number) ?? null),
      watched: (campaignId, limit) => Effect.sync(() => tables.calls.watched.newest(campaignId, limit)),
      holders: (id, limit) => Effect.sync(() => tables.calls.holders(id, limit)),
      due: (id, limit) => Effect.sync(() => after(tables.calls.due(), executionIdOf, id, limit)),
      processing: (id, limit) => Effect.sync(() => after(tables.calls.processing(), executionIdOf, id, limit)),
    }),
    Layer.succeed(CalleeStore, {
      find: (organizationId, toNumber) => Effect.sync(() => tables.callees.find(organizationId, toNumber)),
      several: (organizationId, toNumbers) =>
        Effect.sync(() => toNumbers.flatMap((toNumber) => tables.callees.find(organizationId, toNumber) ?? [])),
      suppressed: (organizationId, page) => Effect.sync(() => tables.callees.suppressed(organizationId, page)),
      oldest: (organizationId, place, limit) => Effect.sync(() => tables.callees.oldest(organizationId, place, limit)),
      known: (organizationId, last, limit) => Effect.sync(() => tables.callees.known(organizationId, last, limit)),
      hours: (organizationId) => Effect.sync(() => tables.calleeHours.get(organizationId) ?? null),
    }),
    Layer.succeed(UsageStore, {
      parts: (organizationId, range, group) =>
        Effect.sync(() => firstParts(tables.usage.parts(organizationId, range, group), group)),
      cells: (organizationId, range) => Effect.sync(() => tables.usage.cells(organizationId, range)),
      edge: (organizationId, { agent_id, from, to }, group) =>
        Effect.sync(() => {
          const filter = { from_date: from, to_date: to - 1, ...(agent_id === null ? {} : { agent_id }) }
          const { items } = tables.calls.page(organizationId, filter, { page: 1, page_size: Infinity })
          return firstParts(usageOf(items, group), group)
        }),
    }),
  )
}
