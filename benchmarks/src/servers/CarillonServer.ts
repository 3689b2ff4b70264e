import { Agents, Organizations, Plans, Telephony } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeServer } from "@carillon/http/node"
import { Effect, Layer } from "effect"
import { announce } from "./Served.ts"

/** The whole path with limits out of the way: key, organization, limiter, scope, decode, slots, store, dial, encode. */
const unlimited = 1_000_000_000

const carrier = Layer.succeed(Telephony, {
  dial: () => Effect.succeed({ _tag: "Accepted", call_sid: null }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})

const tables = new MemoryTables()
// Dials of this carrier never end, and the platform's ceiling holds even where an organization's is not enforced.
tables.commit({
  id: "setup",
  organization_id: "platform",
  expect: [],
  changes: [{ put: "platform", row: { platform_id: "platform", revision: 1, concurrency: unlimited } }],
  wakeups: [],
  events: [],
  audit: [],
})

const carillon = await Carillon.make({
  ports: Layer.mergeAll(MemoryStore.layer(tables), MemorySlots.layer(), MemoryRates.layer(), carrier).pipe(
    Layer.provideMerge(
      Layer.succeed(Plans, { load: { "calls.create": unlimited, "executions.list": unlimited, default: unlimited } }),
    ),
  ),
})

const { key, agentId } = await carillon.run(
  Effect.gen(function* () {
    const organizations = yield* Organizations
    const { key, organization, record } = yield* organizations.open({
      name: "Load",
      plan: "load",
      wallet: { balance: unlimited, currency: "USD" },
      concurrency: { enforced: false },
    })
    const agents = yield* Agents
    const caller = { organization_id: organization.organization_id, key: record, request_id: "setup" }
    const { agent } = yield* agents.create(caller, { display_name: "Load", status: "ACTIVE" })
    return { key, agentId: agent.agent_id }
  }),
)

const server = nodeServer(carillon.handle)
const dial = JSON.stringify({ agent_id: agentId, to_number: "+15555550150" })
const first = await new Promise<string>((resolve) => {
  carillon.handle(
    {
      method: "POST",
      target: "/v2/calls",
      header: (name) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })[name] ?? null,
      body: new TextEncoder().encode(dial),
    },
    ({ body }) => resolve(String(JSON.parse(body ?? "{}").execution_id)),
  )
})
announce(server, { key, dial, read: `/v2/calls/${first}` })
