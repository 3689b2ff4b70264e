import { type ApiKey, type DialCommand, Engine, type JsonObject, Plans, Telephony } from "@carillon/core"
import { ApiKeyFormat, defaultSettings } from "@carillon/core/domain"
import { Activity, type Change, WebhookTransport } from "@carillon/core/ports"
import { MemoryRates, MemorySlots, MemoryStore, type MemoryTables } from "@carillon/core/memory"
import { TestWorld } from "@carillon/core/testing"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Dispatcher, edgeHandler } from "../src/Dispatcher.ts"
import type { EdgeHandler, EdgeRequest, EdgeResponse } from "../src/Edge.ts"

/** A world of one organization over memory, with a carrier that accepts everything and a clock that the test moves. */
export interface World {
  readonly tables: MemoryTables
  readonly clock: { now: number }
  readonly handle: EdgeHandler
  readonly runtime: ManagedRuntime.ManagedRuntime<Dispatcher | Engine | Activity, unknown>
  readonly write: (...changes: ReadonlyArray<Change>) => void
  readonly mint: (key: Partial<ApiKey>) => string
  readonly send: (request: Sent) => Promise<Answer>
  readonly close: () => Promise<void>
}

export interface Sent {
  readonly method?: string
  readonly target: string
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly bytes?: EdgeRequest["body"]
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string | null
  readonly json: JsonObject
}

export const organizationId = "org_1"
export const agentId = "agt_1"
export const start = Date.parse("2026-01-05T09:00:00Z")

export const keyRow = (text: string, key: Partial<ApiKey>): ApiKey => ({
  key_id: ApiKeyFormat.keyId(text),
  revision: 1,
  hash: ApiKeyFormat.hashKey(text),
  key_preview: ApiKeyFormat.keyPreview(text),
  organization_id: organizationId,
  developer: { id: "dev_1", name: "Ada", email: "ada@example.test" },
  plan: "standard",
  rate_limit_tier: "standard",
  token_type: "partner",
  status: "active",
  description: "test",
  scopes: ["*", "keys:write"],
  scopes_source: "explicit",
  keys_write_enabled: false,
  created_at: start,
  revoked_at: null,
  ...key,
})

/** The rows of the world before its first request. */
export const seed: ReadonlyArray<Change> = [
  { put: "platform", row: { platform_id: "platform", revision: 1, concurrency: 10_000 } },
  {
    put: "organization",
    row: {
      organization_id: organizationId,
      revision: 1,
      name: "Test",
      plan: "standard",
      rate_limit_tier: "standard",
      wallet: { balance: 1000, currency: "USD" },
      // Nobody hangs up in this world unless a test does, so the lines must not run out.
      concurrency: { organization: 10_000, per_agent: null, enforced: true },
      webhook_secret: null,
      created_at: start,
    },
  },
  {
    put: "agent",
    row: {
      ...defaultSettings,
      display_name: "Agent",
      agent_id: agentId,
      organization_id: organizationId,
      revision: 1,
      status: "ACTIVE",
      version: 2,
      created_at: start,
      updated_at: start,
    },
  },
]

/** Plans whose ceilings a test can reach: a few requests, or none at all. */
export const plans = {
  standard: {},
  small: { "calls.create": 3, "executions.list": 4, "knowledge.upload": 1, default: 5 },
  exhausted: { "calls.create": 0, "executions.list": 0, "knowledge.upload": 0, default: 0 },
}

/** The scripted carrier of the test world, as a port of its own. Nobody moves its clock: it reports nothing by itself. */
export const scripted = (script: (command: DialCommand) => TestWorld.Script): Layer.Layer<Telephony> =>
  Layer.sync(Telephony, () => new TestWorld.Carrier(() => start, script).telephony(null))

/** A carrier that takes every dial. */
export const accepting = scripted(() => ({}))

/** Endpoints that acknowledge everything. */
export const acknowledging = Layer.succeed(WebhookTransport, {
  send: () => Effect.succeed({ _tag: "Answered", http_status: 200 }),
})

export const memoryPorts = (tables: MemoryTables) =>
  Layer.mergeAll(MemoryStore.layer(tables), MemorySlots.layer(), MemoryRates.layer())

/** The text of a key that has not been used before. */
export const keyText = (nth: number): string =>
  ApiKeyFormat.formatKey(Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? nth >> 8 : nth)))

export const makeWorld = async (
  /** What the world has otherwise than usual. */
  replace: Layer.Layer<never> = Layer.empty,
  /** What stands between the engine and its ports. */
  interpose?: TestWorld.Interposition,
): Promise<World> => {
  const world = new TestWorld.World({
    // Nobody says anything by himself.
    script: () => ({}),
    rows: seed,
    ...(interpose === undefined ? {} : { interpose }),
  })
  const ground = Layer.mergeAll(world.ground(), Layer.succeed(Plans, plans), replace)
  const runtime = ManagedRuntime.make(
    Dispatcher.layer.pipe(Layer.provideMerge(Engine.layer), Layer.provideMerge(ground)),
  )
  const { dispatch } = await runtime.runPromise(Dispatcher)
  const handle = edgeHandler(runtime.runFork, dispatch)
  const write: World["write"] = (...changes) => world.write(...changes)
  let keys = 0
  const mint = (key: Partial<ApiKey>) => {
    const text = keyText(keys++)
    write({ put: "api_key", row: keyRow(text, key) })
    return text
  }
  const standing = mint({})
  return {
    tables: world.tables,
    clock: world,
    handle,
    runtime,
    write,
    mint,
    send: (sent) => send(handle, { key: standing, ...sent }),
    close: () => runtime.dispose(),
  }
}

export const toEdge = (sent: Sent): EdgeRequest => {
  const headers: Record<string, string> = {
    ...(sent.key === null || sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }),
    ...(sent.body === undefined ? {} : { "content-type": "application/json" }),
    ...sent.headers,
  }
  return {
    method: sent.method ?? "GET",
    target: sent.target,
    header: (name) => headers[name] ?? null,
    body: sent.body === undefined ? (sent.bytes ?? null) : new TextEncoder().encode(JSON.stringify(sent.body)),
  }
}

const toAnswer = ({ body, headers, status }: EdgeResponse): Answer => ({
  status,
  headers,
  text: body,
  json: body === null ? {} : JSON.parse(body),
})

export const send = (handle: EdgeHandler, sent: Sent): Promise<Answer> =>
  new Promise((resolve) => handle(toEdge(sent), (response) => resolve(toAnswer(response))))
