import { AllowedDestinations, type CarrierReport, Organizations, PlatformLines, Plans, Telephony } from "@carillon/core"
import { WebhookTransport } from "@carillon/core/ports"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { Postgres } from "@carillon/postgres"
import { Effect, Layer, Redacted } from "effect"
import type { Dials } from "./Dials.ts"

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
  readonly dispatch: (contacts: number) => Promise<Dispatched>
}

/** A campaign that was run to its end: what it took, and what each contact waited until the carrier was asked to dial it, in milliseconds. */
export interface Dispatched {
  readonly ms: number
  readonly waits: ReadonlyArray<number>
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

/** How an engine is started. */
interface EngineOptions {
  /** Where webhooks go. */
  readonly transport?: Layer.Layer<WebhookTransport>
  readonly dials?: Dials
  /** Whether it takes up what is due. */
  readonly takesWork?: boolean
}

/** The engine on a database, with a carrier that says at once how a call went. */
export const startEngine = async (
  url: string,
  { dials, takesWork = true, transport = nobody }: EngineOptions = {},
): Promise<Carillon> => {
  const carrier = Layer.succeed(Telephony, {
    dial: ({ campaign_id, execution_id, to_number }) =>
      Effect.sync(() => {
        dials?.note(campaign_id)
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
    takesWork,
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
  await carillon.run(Effect.flatMap(PlatformLines, (platform) => platform.change(lines)))
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

/** What the customer of a tenant has and does, in the order of its rows. */
const customer = (ask: Ask, campaignIds: Array<string>, dials: Dials | undefined) => {
  const dispatch = async (contacts: number, agent_id: string): Promise<Dispatched> => {
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
    const waits = dials?.of(id).map((at) => at - begun) ?? []
    return { ms: performance.now() - begun, waits }
  }
  return dispatch
}

/** How a tenant is opened. */
interface TenantOptions {
  /** Where the end of each call is told. */
  readonly callback_url?: string
  /** Those of the engine. */
  readonly dials?: Dials
}

/** Opens an organization that has some agents, and a campaign of each that is over. */
export const openTenant = async (
  carillon: Carillon,
  name: string,
  { callback_url, dials }: TenantOptions = {},
): Promise<Tenant> => {
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
  const dispatch = customer(ask, campaignIds, dials)
  for (let nth = 0; nth < agents; nth++) {
    const agent_id = field(await ask("POST", "/v2/agents", { display_name: `Agent ${nth}` }), "agent_id")
    await ask("PATCH", `/v2/agents/${agent_id}`, { status: "ACTIVE" })
    agentIds.push(agent_id)
    await dispatch(10, agent_id)
  }
  const { data } = Object(await ask("GET", "/v2/calls?page_size=50"))
  const executionIds = Array.from(data, (call) => field(call, "execution_id"))
  return {
    organization_id: organization.organization_id,
    key,
    agentIds,
    campaignIds,
    executionIds,
    ask,
    dispatch: (contacts) => dispatch(contacts, agentIds[0] ?? ""),
  }
}

/** The same tenant at another engine on the same rows. */
export const tenantAt = (carillon: Carillon, tenant: Tenant): Tenant => {
  const ask = asking(carillon, tenant.key)
  const dispatch = customer(ask, [], undefined)
  return { ...tenant, ask, dispatch: (contacts) => dispatch(contacts, tenant.agentIds[0] ?? "") }
}
