import { type DecodeFailure, decoder, type Route, type RouteName, routes } from "@carillon/api"
import type { Caller, EngineError } from "@carillon/core"
import { Effect, Result, type Schema } from "effect"
import type { Handlers, Reply, WriteName } from "./Handler.ts"
import { agentHandlers } from "./handlers/Agents.ts"
import { auditHandlers } from "./handlers/Audit.ts"
import { batchHandlers } from "./handlers/Batches.ts"
import { callHandlers } from "./handlers/Calls.ts"
import { campaignHandlers } from "./handlers/Campaigns.ts"
import { experimentHandlers } from "./handlers/Experiments.ts"
import { identityHandlers } from "./handlers/Identity.ts"
import { keyHandlers } from "./handlers/Keys.ts"
import { knowledgeHandlers } from "./handlers/Knowledge.ts"
import { webhookHandlers } from "./handlers/Webhooks.ts"
import { inboundAgentHandlers, numberHandlers } from "./handlers/Numbers.ts"
import { providerHandlers } from "./handlers/Providers.ts"
import { breakerHandlers } from "./handlers/Breakers.ts"
import { callOrderHandlers } from "./handlers/CallOrders.ts"
import { callCapsHandlers } from "./handlers/CallCaps.ts"
import { calleeHoursHandlers } from "./handlers/CalleeHours.ts"
import { suppressionHandlers } from "./handlers/Suppressions.ts"
import { usageHandlers } from "./handlers/Usage.ts"
import { type KeyedRoute, keyedRoutes } from "./KeyedRoutes.ts"

/** A route of the contract, compiled: its codecs and its handler. */
export interface Operation {
  readonly route: Route
  readonly method: string
  readonly pattern: string
  /** `POST /v2/calls/{execution_id}/stop`. */
  readonly label: string
  /** What the audit trail calls a failure of this write; null on a read, which is not audited. */
  readonly action: string | null
  readonly decodeQuery: Decode
  /** Null where the route takes no JSON. */
  readonly decodeJson: Decode | null
  /** Null where the route takes no form. */
  readonly decodeForm: Decode | null
  /** How it honours an `Idempotency-Key`; null where it takes none. */
  readonly keyed: KeyedRoute | null
  // A method, because only the pipeline pairs a handler with what the codecs of its own route have decoded.
  handle(incoming: Decoded): Effect.Effect<Reply, EngineError>
}

interface Decoded {
  readonly caller: Caller
  readonly params?: unknown
  readonly query?: unknown
  readonly payload?: unknown
}

/** A compiled codec. */
export type Decode = (input: unknown) => Result.Result<unknown, DecodeFailure>

/** The names that the engine gives its writes when they succeed. */
const actions: Partial<Readonly<Record<RouteName, string>>> = {
  "keys.mint": "api_key.create",
  "keys.revoke": "api_key.revoke",
  "agents.create": "agent.create",
  "agents.update": "agent.update",
  "agents.replace": "agent.replace",
  "agents.archive": "agent.archive",
  "agents.clone": "agent.clone",
  "agents.deploy": "agent.deploy",
  "agents.undeploy": "agent.undeploy",
  "experiments.create": "experiment.create",
  "experiments.update": "experiment.update",
  "experiments.delete": "experiment.delete",
  "calls.place": "call.create",
  "calls.stop": "call.stop",
  "webhooks.create": "webhook.create",
  "webhooks.update": "webhook.update",
  "webhooks.delete": "webhook.delete",
  "webhooks.event_subscriptions": "webhook.update",
  "webhooks.redeliver": "webhook.redeliver",
  "webhooks.test": "webhook.test",
  "campaigns.create": "campaign.create",
  "campaigns.update": "campaign.update",
  "campaigns.remove": "campaign.delete",
  "campaigns.pause": "campaign.pause",
  "campaigns.resume": "campaign.resume",
  "campaigns.cancel": "campaign.cancel",
  "campaigns.revive": "campaign.revive",
  "campaigns.append": "campaign.append",
  "batches.create": "batch.create",
  "batches.upload": "batch.create",
  "batches.schedule": "batch.schedule",
  "batches.stop": "batch.stop",
  "batches.pause": "batch.pause",
  "batches.resume": "batch.resume",
  "numbers.register": "phone_number.create",
  "numbers.update": "phone_number.update",
  "numbers.release": "phone_number.delete",
  "inboundAgents.bind": "inbound_agent.create",
  "inboundAgents.unbind": "inbound_agent.delete",
  "providers.add": "provider.create",
  "providers.remove": "provider.delete",
  "suppressions.add": "suppression.create",
  "suppressions.remove": "suppression.delete",
  "suppressions.setRules": "suppression.update",
  "calleeHours.set": "callee_hours.update",
  "calleeHours.remove": "callee_hours.delete",
  "breakers.set": "breaker.update",
  "breakers.remove": "breaker.delete",
  "callOrders.set": "call_order.update",
  "callOrders.remove": "call_order.delete",
  "callCaps.set": "call_caps.update",
  "callCaps.remove": "call_caps.delete",
  "knowledge.create": "knowledge_base.create",
  "knowledge.remove": "knowledge_base.delete",
  "knowledge.upload": "document.create",
  "knowledge.removeDocument": "document.delete",
} satisfies Readonly<Record<WriteName, string>>

const nothing: Decode = () => Result.succeed(undefined)

const compile = (schema: Schema.Top | undefined): Decode | null =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- No codec of the contract needs a service; its reflection does not say so.
  schema === undefined ? null : decoder(schema as Schema.Decoder<unknown>)

/** Every operation of the contract over the services of the engine; the codecs are compiled here, once. */
export const operations = Effect.gen(function* () {
  const handlers: Handlers = {
    ...(yield* identityHandlers),
    ...(yield* keyHandlers),
    ...(yield* agentHandlers),
    ...(yield* experimentHandlers),
    ...(yield* callHandlers),
    ...(yield* webhookHandlers),
    ...(yield* auditHandlers),
    ...(yield* campaignHandlers),
    ...(yield* batchHandlers),
    ...(yield* numberHandlers),
    ...(yield* inboundAgentHandlers),
    ...(yield* providerHandlers),
    ...(yield* suppressionHandlers),
    ...(yield* calleeHoursHandlers),
    ...(yield* breakerHandlers),
    ...(yield* callOrderHandlers),
    ...(yield* callCapsHandlers),
    ...(yield* usageHandlers),
    ...(yield* knowledgeHandlers),
  }
  const keyed = yield* keyedRoutes
  const keyedOf = ({ idempotent, name }: Route): KeyedRoute | null => {
    if (!idempotent) return null
    const found = keyed[name]
    if (found === undefined) throw new Error(`Nobody says what ${name} makes, so that it could be found again.`)
    return found
  }
  return routes.map((route): Operation => ({
    route,
    method: route.method,
    pattern: route.pattern,
    label: `${route.method} ${route.path}`,
    action: actions[route.name] ?? null,
    decodeQuery: compile(route.endpoint.query) ?? nothing,
    decodeJson: compile(route.endpoint.payload.get("application/json")?.schemas[0]),
    decodeForm: compile(route.endpoint.payload.get("multipart/form-data")?.schemas[0]),
    keyed: keyedOf(route),
    handle: handlers[route.name],
  }))
})
