import { Context, Effect, Layer } from "effect"
import { type EngineError, NotFound, type PortError } from "../Errors.ts"
import type { Recalled } from "../idempotency/rules/Recalled.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { currencyOf, usualCurrency } from "../organizations/Currency.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { Call, CallMedia } from "./rules/Call.ts"
import type { PlaceReply, StopReply } from "./rules/CallReplies.ts"
import { type CallFilter, CallStore } from "./ports/CallStore.ts"
import type { PlaceCall } from "./rules/PlaceCall.ts"
import { makePlacing } from "./Placing.ts"
import { makePlacingChecks } from "./PlacingChecks.ts"
import { recalledCall } from "./rules/RecalledCall.ts"
import { makeStopping } from "./Stopping.ts"
import { listed, surviving } from "./steps/Surviving.ts"

interface CallsShape {
  /** Places a call now or books it (specification, "POST /v2/calls"). */
  readonly place: (caller: Caller, request: PlaceCall) => Effect.Effect<PlaceReply, EngineError>
  /** How a call was taken that a request with an `Idempotency-Key` may have placed before its process was gone. */
  readonly recall: (caller: Caller, executionId: string) => Effect.Effect<Recalled<PlaceReply>, PortError>
  /** One call; an id that was folded answers with the surviving record. */
  readonly find: (organizationId: string, executionId: string) => Effect.Effect<Call, EngineError>
  readonly media: (organizationId: string, executionId: string) => Effect.Effect<CallMedia | null, EngineError>
  readonly page: (organizationId: string, filter: CallFilter, page: PageRequest) => Effect.Effect<Page<Call>, PortError>
  /** In which currency it is told that some of these calls have cost nothing yet. Asks once for all of them, and not where each has a cost. */
  readonly currency: (organizationId: string, calls: ReadonlyArray<Pick<Call, "cost">>) => Effect.Effect<string>
  /** The calls of one agent, which must exist in the organization. */
  readonly executionsOf: (
    organizationId: string,
    agentId: string,
    filter: CallFilter,
    page: PageRequest,
  ) => Effect.Effect<Page<Call>, EngineError>
  /** Cancels a booked call or hangs up a live one (specification, "POST /v2/calls/{execution_id}/stop"). */
  readonly stop: (caller: Caller, executionId: string, reason: string | null) => Effect.Effect<StopReply, EngineError>
}

/** Calls as customers place, read and stop them. What the carrier and the clock do to a call is in `CallProgress.ts`. */
export class Calls extends Context.Service<Calls, CallsShape>()("@carillon/core/calls/Calls") {
  static readonly layer = Layer.effect(
    Calls,
    Effect.gen(function* () {
      const store = yield* CallStore
      const accounts = yield* AccountStore
      const checks = yield* makePlacingChecks

      const callOf = Effect.fnUntraced(function* (organizationId: string, executionId: string) {
        const call = yield* surviving((id) => store.find(organizationId, id), executionId)
        return call ?? (yield* new NotFound({ message: "Call not found." }))
      })

      return Calls.of({
        place: yield* makePlacing(checks),
        recall: Effect.fnUntraced(function* ({ onRecorded, organization_id }, executionId) {
          const recalled = recalledCall(yield* surviving((id) => store.find(organization_id, id), executionId))
          // Its record says how it failed.
          if (recalled._tag === "Refused") onRecorded?.()
          return recalled
        }),
        find: callOf,
        media: (organizationId, executionId) =>
          Effect.flatMap(callOf(organizationId, executionId), (call) => store.media(organizationId, call.execution_id)),
        page: (organizationId, filter, page) => listed(store, organizationId, filter, page),
        currency: (organizationId, told) =>
          told.every(({ cost }) => cost !== null)
            ? Effect.succeed(usualCurrency)
            : currencyOf(accounts.organization(organizationId)),
        executionsOf: (organizationId, agentId, filter, page) =>
          Effect.flatMap(checks.agentOf(organizationId, agentId), () =>
            listed(store, organizationId, { ...filter, agent_id: agentId }, page),
          ),
        stop: yield* makeStopping,
      })
    }),
  )
}
