import {
  AllowedDestinations,
  type CarrierReport,
  Organizations,
  Plans,
  Steps,
  Telephony,
  WebhookTransport,
} from "@carillon/core"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { Postgres } from "@carillon/postgres"
import { Effect, Layer, Redacted } from "effect"

const unlimited = 1_000_000_000
const lines = 500
const agents = 4
const pollMs = 20

/** What was said in a call. */
const transcript = Array.from({ length: 10 }, (_, nth) => ({
  role: nth % 2 === 0 ? "agent" : "user",
  content: `This is sentence ${nth} of what they say to each other, and it is about as long as one.`,
  start_ms: nth * 3_000,
  end_ms: nth * 3_000 + 2_500,
}))

/** Every tenth call is not answered. */
const final = (execution_id: string, toNumber: string): CarrierReport => {
  const isAnswered = !toNumber.endsWith("9")
  return {
    execution_id,
    at: Date.now(),
    call_sid: null,
    type: "final",
    end: {
      status: isAnswered ? "completed" : "no-answer",
      duration_seconds: isAnswered ? 30 : 0,
      answered_by_voicemail: null,
      hangup_by: null,
      hangup_reason: null,
      error: null,
    },
    facts: {
      recording_url: isAnswered ? `https://recordings.example.com/${execution_id}.wav` : null,
      cost: null,
      media: isAnswered ? { transcript, setup: null, turns: null } : null,
    },
  }
}

/** A request of a tenant, without a socket. */
export type Ask = (method: "GET" | "POST" | "PATCH", target: string, body?: object) => Promise<unknown>

/** An organization as its customer sees it. */
export interface Tenant {
  readonly organization_id: string
  readonly key: string
  readonly agentIds: ReadonlyArray<string>
  readonly campaignIds: ReadonlyArray<string>
  /** Its first calls; each agent has its share of them. */
  readonly executionIds: ReadonlyArray<string>
  readonly ask: Ask
  /** Runs a campaign to its end; what it took, in milliseconds. */
  readonly dispatch: (contacts: number) => Promise<number>
}

const field = (value: unknown, name: string): string => String(Object(value)[name])

/** Numbers whose last digit goes round. */
const numbered = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    to_number: `+1646${String(5_550_000 + nth).padStart(7, "0")}`,
    variables: { name: `Customer ${nth}`, appointment: "on Tuesday at ten" },
  }))

/** Where nobody listens. */
const nobody = Layer.succeed(WebhookTransport, { send: () => Effect.die("nobody listens") })

/** The engine on a database, with a carrier that says at once how a call went. */
export const startEngine = async (
  url: string,
  transport: Layer.Layer<WebhookTransport> = nobody,
): Promise<Carillon> => {
  const carrier = Layer.succeed(Telephony, {
    dial: ({ execution_id, to_number }) =>
      Effect.sync(() => {
        setImmediate(() => void carillon.report(final(execution_id, to_number)))
        return { _tag: "Accepted", call_sid: null } as const
      }),
    hangup: () => Effect.succeed("Sent"),
    find: () => Effect.succeed({ _tag: "NoAnswer" }),
  })
  const plans = Layer.succeed(Plans, {
    load: { "calls.create": unlimited, "executions.list": unlimited, default: unlimited },
  })
  const carillon: Carillon = await Carillon.make({
    ports: Layer.mergeAll(
      Postgres.layer({ url: Redacted.make(url) }),
      MemorySlots.layer(),
      MemoryRates.layer(),
      carrier,
      transport,
    ).pipe(
      Layer.provideMerge(plans),
      // Who listens is on this machine.
      Layer.provideMerge(Layer.succeed(AllowedDestinations, ["127.0.0.0/8"])),
    ),
  })
  const platform = { platform_id: "platform", revision: 1, concurrency: lines } as const
  await carillon.run(
    Effect.flatMap(Steps, (steps) =>
      steps.commit({ organization_id: "platform", changes: [{ put: "platform", row: platform }] }),
    ),
  )
  return carillon
}

const asking =
  (carillon: Carillon, key: string): Ask =>
  (method, target, body) =>
    new Promise((resolve, reject) => {
      const header = (name: string) =>
        name === "authorization" ? `Bearer ${key}` : name === "content-type" && body ? "application/json" : null
      const bytes = body === undefined ? null : new TextEncoder().encode(JSON.stringify(body))
      carillon.handle({ method, target, header, body: bytes }, (answer) => {
        if (answer.status >= 300) reject(new Error(`${method} ${target}: ${answer.status} ${answer.body}`))
        else resolve(JSON.parse(answer.body ?? "null"))
      })
    })

/** Opens an organization that has some agents, and a campaign of each that is over. The end of each call is told where somebody listens. */
export const openTenant = async (carillon: Carillon, name: string, callback_url?: string): Promise<Tenant> => {
  const { key, organization } = await carillon.run(
    Effect.flatMap(Organizations, (organizations) =>
      organizations.open({
        name,
        plan: "load",
        wallet: { balance: unlimited, currency: "USD" },
        concurrency: { enforced: false },
      }),
    ),
  )
  const ask = asking(carillon, key)
  if (callback_url !== undefined) await ask("POST", "/v2/webhooks", { callback_url, event_types: ["call_completed"] })
  const agentIds: Array<string> = []
  const campaignIds: Array<string> = []
  const dispatch = async (contacts: number, agent_id = agentIds[0]): Promise<number> => {
    const begun = performance.now()
    const campaign = await ask("POST", "/v2/campaigns", {
      name: "Of a size",
      agent_id,
      retry_policy: { max_retries: 0 },
      contacts: numbered(contacts),
    })
    const id = field(campaign, "campaign_id")
    campaignIds.push(id)
    while (field(await ask("GET", `/v2/campaigns/${id}`), "status") !== "completed") {
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
    return performance.now() - begun
  }
  for (let nth = 0; nth < agents; nth++) {
    const agent_id = field(await ask("POST", "/v2/agents", { display_name: `Agent ${nth}` }), "agent_id")
    await ask("PATCH", `/v2/agents/${agent_id}`, { status: "ACTIVE" })
    agentIds.push(agent_id)
    await dispatch(10, agent_id)
  }
  const { data } = Object(await ask("GET", "/v2/calls?page_size=50"))
  const executionIds = Array.from(data, (call) => field(call, "execution_id"))
  return { organization_id: organization.organization_id, key, agentIds, campaignIds, executionIds, ask, dispatch }
}
