import { type DecodeFailure, decoder, type Route, type RouteName, routes } from "@carillon/api"
import type { Caller, EngineError } from "@carillon/core"
import { Effect, Result, type Schema } from "effect"
import type { Handlers, Reply, WriteName } from "./Handler.ts"
import { agentHandlers } from "./handlers/Agents.ts"
import { callHandlers } from "./handlers/Calls.ts"
import { identityHandlers } from "./handlers/Identity.ts"
import { keyHandlers } from "./handlers/Keys.ts"
import { knowledgeHandlers } from "./handlers/Knowledge.ts"

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
  readonly decodePayload: Decode
  // A method, because only the pipeline pairs a handler with what the codecs of its own route have decoded.
  handle(incoming: Decoded): Effect.Effect<Reply, EngineError>
}

interface Decoded {
  readonly caller: Caller
  readonly params?: unknown
  readonly query?: unknown
  readonly payload?: unknown
}

type Decode = (input: unknown) => Result.Result<unknown, DecodeFailure>

/** The names that the engine gives its writes when they succeed. */
const actions: Partial<Readonly<Record<RouteName, string>>> = {
  "keys.mint": "api_key.create",
  "keys.revoke": "api_key.revoke",
  "agents.create": "agent.create",
  "agents.update": "agent.update",
  "calls.place": "call.create",
  "calls.stop": "call.stop",
  "knowledge.create": "knowledge_base.create",
  "knowledge.remove": "knowledge_base.delete",
  "knowledge.upload": "document.create",
  "knowledge.removeDocument": "document.delete",
} satisfies Readonly<Record<WriteName, string>>

const nothing: Decode = () => Result.succeed(undefined)

const compile = (schema: Schema.Top | undefined): Decode =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- No codec of the contract needs a service; its reflection does not say so.
  schema === undefined ? nothing : decoder(schema as Schema.Decoder<unknown>)

/** Every operation of the contract over the services of the engine; the codecs are compiled here, once. */
export const operations = Effect.gen(function* () {
  const handlers: Handlers = {
    ...(yield* identityHandlers),
    ...(yield* keyHandlers),
    ...(yield* agentHandlers),
    ...(yield* callHandlers),
    ...(yield* knowledgeHandlers),
  }
  return routes.map((route): Operation => ({
    route,
    method: route.method,
    pattern: route.pattern,
    label: `${route.method} ${route.path}`,
    action: actions[route.name] ?? null,
    decodeQuery: compile(route.endpoint.query),
    decodePayload: compile(
      (route.endpoint.payload.get("application/json") ?? route.endpoint.payload.get("multipart/form-data"))?.schemas[0],
    ),
    handle: handlers[route.name],
  }))
})
