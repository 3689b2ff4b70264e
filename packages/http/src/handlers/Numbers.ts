import {
  type DeletedInboundAgent,
  type DeletedPhoneNumber,
  pageRequest,
  paginate,
  toWireInboundAgent,
  toWireNumber,
} from "@carillon/api"
import { InboundAgents, Numbers } from "@carillon/core"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { rowsOf } from "../PageText.ts"

/** The numbers of an organization. */
export const numberHandlers = Effect.gen(function* () {
  const numbers = yield* Numbers

  const handlers: HandlersOf<"numbers"> = {
    "numbers.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* numbers.page(caller.organization_id, request)
      return { status: 200, body: { data: rowsOf(items, toWireNumber), pagination: paginate(request, total) } }
    }),
    "numbers.register": ({ caller, payload }) =>
      Effect.map(numbers.register(caller, payload.phone_number, payload), (standing) => ({
        status: 201,
        body: toWireNumber(standing),
      })),
    "numbers.get": ({ caller, params }) =>
      Effect.map(numbers.find(caller.organization_id, params.phone_number_id), (standing) => ({
        status: 200,
        body: toWireNumber(standing),
      })),
    "numbers.update": ({ caller, params, payload }) =>
      Effect.map(numbers.change(caller, params.phone_number_id, payload), (standing) => ({
        status: 200,
        body: toWireNumber(standing),
      })),
    "numbers.release": ({ caller, params }) =>
      Effect.as(numbers.release(caller, params.phone_number_id), {
        status: 200,
        body: { phone_number_id: params.phone_number_id, deleted: true } satisfies DeletedPhoneNumber,
      }),
  }
  return handlers
})

/** Which agents answer which numbers. */
export const inboundAgentHandlers = Effect.gen(function* () {
  const inboundAgents = yield* InboundAgents

  const handlers: HandlersOf<"inboundAgents"> = {
    "inboundAgents.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* inboundAgents.page(caller.organization_id, request)
      return { status: 200, body: { data: rowsOf(items, toWireInboundAgent), pagination: paginate(request, total) } }
    }),
    "inboundAgents.bind": ({ caller, payload }) =>
      Effect.map(inboundAgents.bind(caller, payload), (binding) => ({
        status: 201,
        body: toWireInboundAgent(binding),
      })),
    "inboundAgents.unbind": ({ caller, params }) =>
      Effect.as(inboundAgents.unbind(caller, params.inbound_agent_id), {
        status: 200,
        body: { inbound_agent_id: params.inbound_agent_id, deleted: true } satisfies DeletedInboundAgent,
      }),
  }
  return handlers
})
