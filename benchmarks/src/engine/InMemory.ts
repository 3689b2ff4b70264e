import { Agents, type LegAnalysis, type LegEnd, type LegFacts, Organizations, Plans, Telephony } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Effect, Layer } from "effect"

const unlimited = 1_000_000_000

/** Calls that are ended at a time. */
const together = 64

/** Records of the audit trail that are kept where calls are forgotten. */
const auditKept = 1_000

const completed: LegEnd = {
  status: "completed",
  duration_seconds: 30,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_hangup",
  error: null,
}

/** What the carrier tells of a leg that has ended. */
export interface Ending {
  readonly facts: LegFacts
  readonly analysis: LegAnalysis
}

const nothingSaid = (): Ending => ({
  facts: { recording_url: null, cost: null, media: null },
  analysis: { summary: null, sentiment: null, extracted_data: null },
})

export interface InMemoryOptions {
  readonly metrics?: boolean
  readonly tracing?: boolean
  /** What is told of each leg; nothing was said unless given. */
  readonly ending?: () => Ending
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** The whole path with limits out of the way: key, organization, limiter, scope, decode, slots, store, dial, encode. */
export interface InMemory {
  readonly carillon: Carillon
  readonly key: string
  readonly agentId: string
  /** The body that places a call. */
  readonly dial: string
  readonly ask: (method: "GET" | "POST", target: string, body?: string | Uint8Array) => Promise<Answer>
  /** The carrier reports of all legs that have not ended that they have; how many ended wrongly. Nobody is asked about them any more. */
  readonly endCalls: () => Promise<number>
  /** Forgets all calls that have ended but the first: a map of requests does not grow for ever, either. */
  readonly forgetCalls: () => void
}

const startCarillon = async (dialled: Array<string>, { metrics = true, tracing = false }: InMemoryOptions) => {
  const carrier = Layer.succeed(Telephony, {
    dial: ({ execution_id }) =>
      Effect.sync(() => {
        dialled.push(execution_id)
        return { _tag: "Accepted", call_sid: null } as const
      }),
    hangup: () => Effect.succeed("Sent"),
    find: () => Effect.succeed({ _tag: "NoAnswer" }),
  })
  const tables = new MemoryTables()
  // The platform's ceiling holds even where an organization's is not enforced.
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
  return { carillon: await Carillon.make({ ports, metrics, tracing }), tables }
}

const customer = Effect.gen(function* () {
  const { key, organization, record } = yield* (yield* Organizations).open({
    name: "Load",
    plan: "load",
    wallet: { balance: unlimited, currency: "USD" },
    concurrency: { enforced: false },
  })
  const { organization_id } = organization
  const caller = { organization_id, key: record, request_id: "setup" }
  const { agent } = yield* (yield* Agents).create(caller, { display_name: "Load", status: "ACTIVE" })
  return { key, organization_id, agent_id: agent.agent_id }
})

/** Opens an engine in this process, with a customer of it. */
export const openInMemory = async (options: InMemoryOptions = {}): Promise<InMemory> => {
  const { ending = nothingSaid } = options
  const dialled: Array<string> = []
  const ended: Array<string> = []
  const { carillon, tables } = await startCarillon(dialled, options)
  const { agent_id, key, organization_id } = await carillon.run(customer)
  const headers = new Map([
    ["authorization", `Bearer ${key}`],
    ["content-type", "application/json"],
  ])
  const end = async (execution_id: string): Promise<number> => {
    const report = { execution_id, call_sid: null } as const
    const { analysis, facts } = ending()
    const final = await carillon.report({ ...report, at: Date.now(), type: "final", end: completed, facts })
    const analysed = await carillon.report({ ...report, at: Date.now(), type: "analysis", analysis })
    return final === "applied" && analysed === "applied" ? 0 : 1
  }
  return {
    carillon,
    key,
    agentId: agent_id,
    dial: JSON.stringify({ agent_id, to_number: "+15555550150" }),
    ask: (method, target, body) =>
      new Promise((resolve) => {
        const bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? null)
        const header = (name: string) => headers.get(name) ?? null
        carillon.handle({ method, target, header, body: bytes }, ({ body: text, status }) =>
          resolve({ status, text: text ?? "" }),
        )
      }),
    endCalls: async () => {
      let errors = 0
      while (dialled.length > 0) {
        const some = dialled.splice(0, together)
        for (const wrong of await Promise.all(some.map(end))) errors += wrong
        for (const id of some) ended.push(id)
      }
      return errors
    },
    forgetCalls: () => {
      for (const id of ended.splice(1)) tables.calls.erase(id)
      tables.audit.keep(organization_id, auditKept)
    },
  }
}
