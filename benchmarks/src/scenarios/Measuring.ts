import { Agents, Organizations, Plans, Telephony } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Effect, Layer } from "effect"
import { type Contender, type Scenario, timed } from "../Harness.ts"

const unlimited = 1_000_000_000
const requestsPerRound = { POST: 1_000, GET: 4_000 }

const carrier = Layer.succeed(Telephony, {
  dial: () => Effect.succeed({ _tag: "Accepted", call_sid: null }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})

/** An engine in this process, without a socket: what is measured is then the largest part that it can be of a request. */
const engine = async (options: { readonly metrics: boolean; readonly tracing: boolean }) => {
  const tables = new MemoryTables()
  tables.commit({
    id: "setup",
    organization_id: "platform",
    expect: [],
    changes: [{ put: "platform", row: { platform_id: "platform", revision: 1, concurrency: unlimited } }],
    wakeups: [],
    events: [],
    audit: [],
  })
  const plans = Layer.succeed(Plans, {
    load: { "calls.create": unlimited, "executions.list": unlimited, default: unlimited },
  })
  const ports = Layer.mergeAll(
    MemoryStore.layer(tables),
    MemorySlots.layer(),
    MemoryRates.layer(),
    carrier,
    nodeWebhookTransport(),
  ).pipe(Layer.provideMerge(plans))
  const carillon = await Carillon.make({ ports, ...options })
  const { agentId, key } = await carillon.run(
    Effect.gen(function* () {
      const { key, organization, record } = yield* (yield* Organizations).open({
        name: "Load",
        plan: "load",
        wallet: { balance: unlimited, currency: "USD" },
        concurrency: { enforced: false },
      })
      const caller = { organization_id: organization.organization_id, key: record, request_id: "setup" }
      const { agent } = yield* (yield* Agents).create(caller, { display_name: "Load", status: "ACTIVE" })
      return { key, agentId: agent.agent_id }
    }),
  )
  const dial = new TextEncoder().encode(JSON.stringify({ agent_id: agentId, to_number: "+15555550150" }))
  const header = (name: string) =>
    name === "authorization" ? `Bearer ${key}` : name === "content-type" ? "application/json" : null
  const ask = (method: "POST" | "GET", target: string) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve) => {
      carillon.handle({ method, target, header, body: method === "POST" ? dial : null }, ({ body, status }) =>
        resolve({ status, text: body ?? "" }),
      )
    })
  return { carillon, ask }
}

const contender = async (
  name: string,
  work: "POST" | "GET",
  options: { readonly metrics: boolean; readonly tracing: boolean },
): Promise<Contender> => {
  const { ask, carillon } = await engine(options)
  const first = Object(JSON.parse((await ask("POST", "/v2/calls")).text)).execution_id
  const target = work === "POST" ? "/v2/calls" : `/v2/calls/${first}`
  const round = () =>
    timed(async () => {
      const operations = requestsPerRound[work]
      let errors = 0
      for (let nth = 0; nth < operations; nth++) if ((await ask(work, target)).status >= 300) errors += 1
      return { operations, errors }
    })
  return { name, round, close: carillon.close }
}

/** What it costs to be measured. */
export const measuring: Scenario = {
  name: "measuring",
  question: "What do metrics and spans cost, of a request that meets no socket and no database?",
  comparisons: async function* () {
    for (const work of ["POST", "GET"] as const) {
      yield {
        title: work === "POST" ? "POST /v2/calls" : "GET /v2/calls/{execution_id}",
        reference: "nothing measured",
        contenders: [
          await contender("nothing measured", work, { metrics: false, tracing: false }),
          await contender("metrics (as it is unless told otherwise)", work, { metrics: true, tracing: false }),
          await contender("metrics and spans", work, { metrics: true, tracing: true }),
        ],
      }
    }
  },
}
