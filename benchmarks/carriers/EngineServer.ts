import { createServer } from "node:http"
import { parseArgs } from "node:util"
import { Agents, Plans } from "@carillon/core"
import { Carillon } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import { Effect, Layer, Redacted } from "effect"
import { adapterOf } from "./Adapters.ts"
import type { EngineSettings, FromEngine, ToEngine } from "./Protocol.ts"

/** An engine with its adapter, in a process that may be killed: `/v2`, and the carrier's callbacks beside it. */
const { values } = parseArgs({ options: { settings: { type: "string", default: "" } } })
const settings: EngineSettings = JSON.parse(values.settings)
const adapter = adapterOf(settings)

const unlimited = 1_000_000_000
const plans = Layer.succeed(Plans, {
  soak: { "calls.create": unlimited, "executions.list": unlimited, default: unlimited },
})

const carillon = await Carillon.make({
  ports: Layer.mergeAll(PostgresSlots.layer, PostgresRates.layer, adapter.carrier, nodeWebhookTransport(), plans).pipe(
    Layer.provideMerge(Postgres.layerNoDeps),
    Layer.provide(Postgres.layerClient({ url: Redacted.make(settings.postgres) })),
  ),
  // Calls of a second: who says nothing is asked soon. LiveKit knows nothing of a leg that is over, and its worker reports for half a minute.
  limits: {
    ringGraceMs: 1_000,
    answeredSilenceMs: settings.carrier.carrier === "livekit" ? 40_000 : 5_000,
    carrierAnswerMs: 10_000,
  },
})

const tell = (word: FromEngine): void => void process.send?.(word)

const open = async ({ balance, lines }: Extract<ToEngine, { readonly type: "open" }>): Promise<FromEngine> => {
  const { key, organization, record } = await carillon.organizations.open({
    name: "Soak",
    plan: "soak",
    wallet: { balance, currency: "USD" },
    concurrency: { organization: lines, per_agent: null, enforced: true },
  })
  const { organization_id } = organization
  const { agent } = await carillon.run(
    Effect.flatMap(Agents, (agents) =>
      agents.create(
        { organization_id, key: record, request_id: "soak" },
        { display_name: "Reminder", status: "ACTIVE" },
      ),
    ),
  )
  return { type: "opened", organization_id, key, agent_id: agent.agent_id }
}

const show = async (organizationId: string): Promise<FromEngine> => {
  const { lines, organization } = await carillon.organizations.show(organizationId)
  return { type: "shown", lines: lines.current, balance: organization.wallet.balance }
}

const answerTo = async (word: ToEngine): Promise<FromEngine> => {
  switch (word.type) {
    case "open":
      return open(word)
    case "show":
      return show(word.organization_id)
    case "settle":
      return { type: "settled", count: await carillon.run(adapter.settle(word.organization_id, word.from)) }
  }
}

const api = nodeListener(carillon.handle)
const callbacks = adapter.callbacks(carillon.report)
const server = createServer((request, response) => callbacks(request, response, () => api(request, response)))

process.on("message", (word: ToEngine) => {
  answerTo(word).then(tell, (error: unknown) => tell({ type: "failed", message: String(error) }))
})
process.on("disconnect", () => process.exit(0))
server.listen(settings.port, "127.0.0.1", () => tell({ type: "listening" }))
