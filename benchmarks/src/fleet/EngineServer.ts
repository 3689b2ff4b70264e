import { Agents, AllowedDestinations, Organizations, Plans } from "@carillon/core"
import { Store } from "@carillon/core/ports"
import { Carillon } from "@carillon/http"
import { closeServer, nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { RedisConnection, RedisRates, RedisSlots } from "@carillon/redis"
import { Effect, Layer, Redacted } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { parseArgs } from "node:util"
import { carrierLine } from "./CarrierLine.ts"
import { announce, tell } from "./Process.ts"
import type { EngineSettings, Report, ToEngine } from "./Protocol.ts"

/** One of several engine processes on one PostgreSQL and one Redis: `/v2`, and `/carrier` for the carrier's reports. */
const { values } = parseArgs({ options: { settings: { type: "string", default: "" } } })
const settings: EngineSettings = JSON.parse(values.settings)

const unlimited = 1_000_000_000
const plans = Layer.succeed(Plans, {
  load: { "calls.create": unlimited, "executions.list": unlimited, default: unlimited },
})
const counters = Layer.mergeAll(RedisSlots.layer, RedisRates.layer).pipe(
  Layer.provide(RedisConnection.layer({ url: settings.redis })),
)
const storage = Postgres.layer({ url: Redacted.make(settings.postgres) })

const carillon = await Carillon.make({
  ports: Layer.mergeAll(counters, carrierLine(settings.carrier, settings.name), nodeWebhookTransport(), plans).pipe(
    Layer.provideMerge(storage),
    // The endpoint of this fleet is on this machine.
    Layer.provideMerge(Layer.succeed(AllowedDestinations, ["127.0.0.0/8"])),
  ),
})

const takeReport = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const report: Report = JSON.parse(Buffer.concat(chunks).toString())
  const status = await carillon.report(report).then(
    () => 204,
    () => 503,
  )
  response.writeHead(status).end()
}

const listener = nodeListener(carillon.handle)
const server = createServer((request, response) => {
  if (request.url === "/carrier") takeReport(request, response).catch(() => response.destroy())
  else listener(request, response)
})
server.keepAliveTimeout = 60_000

const open = ({ platform, tenants }: ToEngine) =>
  Effect.gen(function* () {
    const store = yield* Store
    const row = { platform_id: "platform" as const, revision: 1, concurrency: platform }
    yield* store.commit({
      id: "fleet",
      organization_id: "platform",
      expect: [],
      changes: [{ put: "platform", row }],
      wakeups: [],
      events: [],
      audit: [],
    })
    const organizations = yield* Organizations
    const agents = yield* Agents
    return yield* Effect.forEach(tenants, ({ agents: count, lines, name, numbers, perAgent }) =>
      Effect.gen(function* () {
        const { key, organization, record } = yield* organizations.open({
          name,
          plan: "load",
          wallet: { balance: unlimited, currency: "USD" },
          concurrency: { organization: lines, per_agent: perAgent, enforced: true },
          phone_numbers: numbers,
        })
        const { organization_id } = organization
        const caller = { organization_id, key: record, request_id: "fleet" }
        const made = yield* Effect.forEach(Array.from({ length: count }), (_, nth) =>
          agents.create(caller, { display_name: `${name} ${nth}`, status: "ACTIVE" }),
        )
        return { organization_id, key, agents: made.map(({ agent }) => agent.agent_id) }
      }),
    )
  })

process.on("message", (message: ToEngine) => {
  carillon.run(open(message)).then(
    (tenants) => tell({ type: "opened", tenants }),
    (error: unknown) => tell({ type: "failed", message: String(error) }),
  )
})

process.once("SIGTERM", () => {
  void closeServer(server, carillon.close).then(() => process.exit(0))
})

announce(server)
