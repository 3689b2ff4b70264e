// The run of the simulator that the examples of the API documents are taken from: every operation of the contract, every error, and
// every event.
import { type Route, type RouteName, routes } from "@carillon/api"
import type { Examples } from "@carillon/api/documents"
import { type EventType, type Json, limits } from "@carillon/core"
import { eventTypes } from "@carillon/core/domain"
import { Simulator } from "@carillon/simulator"
import { Effect } from "effect"

/** Where the requests are sent; no socket is opened. */
const origin = "http://carillon.test"

const isRecord = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A text of an answer, by its path. */
const textAt = (value: Json | undefined, ...path: ReadonlyArray<string | number>): string => {
  const found = path.reduce<Json | undefined>(
    (at, key) => (Array.isArray(at) ? at[Number(key)] : isRecord(at) ? at[key] : undefined),
    value,
  )
  if (typeof found !== "string") throw new Error(`No text at ${path.join(".")} of ${JSON.stringify(value)}`)
  return found
}

const parsed = (text: string): Json | undefined => {
  if (text === "") return undefined
  const json: Json = JSON.parse(text)
  return json
}

/** A file of a form. The document shows its text, or what stands for it. */
interface File {
  readonly field: "file" | "files"
  readonly name: string
  readonly text: string
}

interface Sending {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly json?: Json
  /** The fields of a form as the document shows them; on their way the structured ones are JSON. */
  readonly form?: Readonly<Record<string, Json>>
  readonly file?: File
  readonly key?: string
  /** Virtual time passes while the request waits for it. */
  readonly waits?: boolean
  /** Sends the form as a stream of unknown length. */
  readonly streams?: boolean
}

interface Answer {
  readonly status: number
  readonly body: Json | undefined
}

const formData = (form: Readonly<Record<string, Json>>, file: File): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(form)) {
    data.append(name, typeof value === "string" ? value : JSON.stringify(value))
  }
  data.append(file.field, new Blob([file.text]), file.name)
  return data
}

/** The body of a request with the headers that tell of it. */
const bodyOf = async ({ file, form, json, streams }: Sending) => {
  if (file !== undefined) {
    const encoded = new Response(formData(form ?? {}, file))
    const body = new Uint8Array(await encoded.arrayBuffer())
    const type = { "content-type": encoded.headers.get("content-type") ?? "" }
    return { body, headers: streams === true ? type : { ...type, "content-length": String(body.length) } }
  }
  if (json === undefined) return { headers: {} }
  return { body: JSON.stringify(json), headers: { "content-type": "application/json" } }
}

/** What the document shows of the body that was sent. */
const shownBody = ({ file, form, json }: Sending) => {
  if (file === undefined) return json === undefined ? {} : { "application/json": json }
  const shown = file.text.startsWith("%PDF") ? "%PDF-1.7 …" : file.text
  return { "multipart/form-data": { ...form, [file.field]: file.field === "files" ? [shown] : shown } }
}

type Draft = { request: Record<string, Json>; responses: Record<string, Record<string, Json>> }

/** Sends requests to a simulator and keeps what is to be shown of them. */
class Recorder {
  readonly simulator: Simulator
  readonly operations: Record<string, Draft> = {}

  constructor(simulator: Simulator) {
    this.simulator = simulator
  }

  async fetch(
    method: string,
    target: string,
    headers: Record<string, string>,
    body?: string | Uint8Array<ArrayBuffer>,
  ): Promise<Answer> {
    const request = new Request(origin + target, { method, headers, ...(body === undefined ? {} : { body }) })
    const response = await this.simulator.fetch(request)
    return { status: response.status, body: parsed(await response.text()) }
  }

  async control(method: string, path: string, json?: Json): Promise<Json | undefined> {
    const answer = await this.fetch(method, `/_sim${path}`, {}, json === undefined ? undefined : JSON.stringify(json))
    if (answer.status >= 300) throw new Error(`${method} /_sim${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** Sends a request of an operation. */
  async send(name: RouteName, sending: Sending = {}): Promise<Answer> {
    const route: Route | undefined = routes.find((candidate) => candidate.name === name)
    if (route === undefined) throw new Error(`There is no operation ${name}`)
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => sending.params?.[parameter] ?? "")
    const query = new URLSearchParams(sending.query).toString()
    const { body, headers } = await bodyOf(sending)
    const authorization = `Bearer ${sending.key ?? this.simulator.info.key}`
    const answer = this.fetch(
      route.method,
      query === "" ? path : `${path}?${query}`,
      { authorization, ...headers },
      body,
    )
    if (sending.waits === true) {
      await this.simulator.waiting()
      await this.simulator.advance({ by: "PT1M" })
    }
    return answer
  }

  /** Sends a request of an operation and keeps it, and its answer under a name. */
  async take(name: RouteName, as: string, status: number, sending: Sending = {}): Promise<Json | undefined> {
    const answer = await this.send(name, sending)
    if (answer.status !== status) {
      throw new Error(`${name} (${as}) was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
    }
    const draft = (this.operations[name] ??= { request: {}, responses: {} })
    if (status < 400) draft.request = { ...shownBody(sending), ...draft.request }
    if (answer.body !== undefined) {
      draft.responses[status] = { ...draft.responses[status], [as]: answer.body }
    }
    return answer.body
  }
}

/** A PDF that says one line. Readers mend the missing table. */
const pdf = (line: string): string => {
  const content = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ]
  const body = objects.map((object, nth) => `${nth + 1} 0 obj\n${object}\nendobj\n`).join("")
  return `%PDF-1.7\n${body}trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n`
}

/** How the calls of the run go that no magic number decides: the same few words every time. */
const conversation: Json = {
  rules: [
    {
      match: { to_number: "+12125550142" },
      outcome: {
        result: "completed",
        ring_ms: 4_000,
        talk_ms: 21_000,
        hangup_by: "customer",
        recording: true,
        sentiment: "positive",
        transcript: [
          { role: "agent", content: "Hello Ada, this is Acme about your renewal. Shall we renew it for a year?" },
          { role: "user", content: "Yes, please." },
          { role: "agent", content: "Done. Have a good day!" },
        ],
      },
    },
  ],
}

const person = "+12125550142"
const busy = "+999010000000001"
const longTalk = "+999500500000001"

interface Run {
  readonly take: Recorder["take"]
  readonly recorder: Recorder
  readonly agent_id: string
  /** A key that may manage keys. */
  readonly admin: string
}

const identity = async ({ admin, take }: Run) => {
  await take("identity.me", "me", 200)
  await take("identity.scopes", "scopes", 200)
  const minted = await take("keys.mint", "minted", 201, {
    key: admin,
    json: { name: "Reporting", scopes: ["calls:read", "agents:read"] },
  })
  await take("keys.list", "page", 200, { key: admin, query: { page_size: "2" } })
  const key_id = textAt(minted, "key_id")
  await take("keys.revoke", "revoked", 200, { key: admin, params: { key_id } })
}

const newAgent: Json = {
  display_name: "Renewals",
  summary: "Asks whether a contract is to be renewed.",
  greeting_message: "Hello {first_name}, this is Acme about your renewal.",
  prompts: { conversation: { system: "Ask whether the contract is to be renewed for a year." } },
  analytics: { custom: [{ name: "renewal", prompt: "Is it to be renewed?", required_keys: ["renewed"] }] },
  calling_guard: { enabled: true, timezone: "America/New_York", start: "09:00", end: "20:00", days: [0, 1, 2, 3, 4] },
}

const agents = async ({ take }: Run) => {
  const created = await take("agents.create", "created", 201, { json: newAgent })
  const agent_id = textAt(created, "agent_id")
  const params = { agent_id }
  await take("agents.list", "page", 200, { query: { search: "renew" } })
  await take("agents.get", "agent", 200, { params })
  await take("agents.update", "changed", 200, { params, json: { labels: ["renewals"], calling_guard: null } })
  await take("agents.replace", "replaced", 200, {
    params,
    json: { display_name: "Renewals", greeting_message: "Hello {first_name}, this is Acme about your renewal." },
  })
  const clone = await take("agents.clone", "copy", 201, { params, json: { display_name: "Renewals (slower)" } })
  await take("agents.deploy", "active", 200, { params })
  const variant_agent_id = textAt(clone, "agent_id")
  const main = { params: { agent_id } }
  const experiment = await take("experiments.create", "created", 201, {
    ...main,
    json: { variant_agent_id, version_name: "Slower", variable_tested: "cadence", variant_traffic_pct: 20 },
  })
  const version = { agent_id, version_id: textAt(experiment, "version_id") }
  await take("experiments.list", "page", 200, main)
  await take("experiments.get", "experiment", 200, { params: version })
  await take("experiments.update", "concluded", 200, {
    params: version,
    json: { status: "concluded", winner: "variant" },
  })
  await take("experiments.delete", "deleted", 200, { params: version })
  await take("agents.undeploy", "inactive", 200, { params })
  await take("agents.archive", "archived", 200, { params })
}

const numbers = async ({ agent_id, take }: Run) => {
  const number = await take("numbers.register", "registered", 201, {
    json: { phone_number: "+12125550199", label: "Renewals", country: "US" },
  })
  const params = { phone_number_id: textAt(number, "phone_number_id") }
  await take("numbers.list", "page", 200)
  await take("numbers.get", "number", 200, { params })
  await take("numbers.update", "changed", 200, { params, json: { label: "Renewals, east" } })
  const bound = await take("inboundAgents.bind", "bound", 201, { json: { agent_id, ...params } })
  await take("inboundAgents.list", "page", 200)
  const inbound_agent_id = textAt(bound, "inbound_agent_id")
  await take("inboundAgents.unbind", "unbound", 200, { params: { inbound_agent_id } })
  await take("numbers.release", "released", 200, { params })
  await take("suppressions.add", "added", 201, {
    json: { to_numbers: ["+12125550142"], reason: "opt_out", source: "front desk" },
  })
  await take("suppressions.add", "another", 201, { json: { to_numbers: ["+12125550143"] } })
  await take("suppressions.add", "uploaded", 201, {
    form: { source: "a public list", calling_code: "1" },
    file: { field: "file", name: "list.csv", text: "212,5550144\n212,5550145\n" },
  })
  await take("suppressions.list", "page", 200)
  await take("suppressions.check", "checked", 200, { json: { to_numbers: ["+12125550142", "+12125550143"] } })
  await take("suppressions.remove", "removed", 200, { json: { to_numbers: ["+12125550142", "+12125550143"] } })
  await take("suppressions.setRules", "set", 200, {
    json: {
      suppress_on: [
        { extracted: [{ field: "opt_out", equals: [true, "yes"] }], reason: "opt_out" },
        { hangup_reasons: ["invalid_destination"], suppress_for: "organization", days: 180 },
      ],
    },
  })
  await take("suppressions.rules", "rules", 200)
  await take("calleeHours.set", "set", 200, {
    json: {
      countries: {
        US: { preset: "US", holidays: ["US-federal", "2026-12-24"] },
        DE: {
          monday: [
            { start: "09:00", end: "12:30" },
            { start: "14:00", end: "18:00" },
          ],
        },
        FR: null,
      },
      elsewhere: { wednesday: [{ start: "10:00", end: "24:00" }] },
      unknown_timezone: "UTC",
    },
  })
  await take("calleeHours.get", "hours", 200)
  await take("calleeHours.check", "checked", 200, {
    json: { to_numbers: ["+12125550142", "+493012345678"], at: "2026-01-05T09:00:00Z" },
  })
  await take("calleeHours.presets", "presets", 200)
  await take("calleeHours.remove", "removed", 200)
  await take("callCaps.set", "set", 200, { json: { per_day: 3, per_week: 7, minimum_rest_seconds: 14_400 } })
  await take("callCaps.get", "caps", 200)
  await take("callCaps.remove", "removed", 200)
  await take("providers.add", "added", 201, {
    json: { provider_name: "speech", provider_value: "a-secret-of-the-provider" },
  })
  await take("providers.list", "page", 200)
  await take("providers.remove", "removed", 200, { params: { provider_name: "speech" } })
}

const knowledge = async ({ take }: Run) => {
  const file = { field: "files", name: "handbook.pdf", text: pdf("A contract is renewed for a year.") } as const
  await take("knowledge.create", "created", 201, {
    form: { collection: "handbook", description: "What we tell our customers" },
    file,
  })
  const params = { collection: "handbook" }
  const more = { ...file, name: "prices.pdf", text: pdf("A renewal costs 100 dollars.") }
  await take("knowledge.upload", "uploaded", 201, { params, form: {}, file: more })
  await take("knowledge.list", "page", 200)
  await take("knowledge.get", "base", 200, { params })
  const documents = await take("knowledge.documents", "page", 200, { params })
  await take("knowledge.query", "hits", 200, { params, json: { query: "What does a renewal cost?", top_k: 1 } })
  const document_id = textAt(documents, "data", 0, "document_id")
  await take("knowledge.removeDocument", "deleted", 200, { params: { ...params, document_id } })
  await take("knowledge.remove", "deleted", 200, { params })
}

const subscribe = async ({ agent_id, take }: Run) => {
  const subscription = await take("webhooks.create", "created", 201, {
    json: {
      callback_url: "https://crm.inbox.test/events",
      agent_id,
      secret: "whsec_of_the_crm",
      event_types: ["call_completed", "all_processing_completed"],
    },
  })
  const subscription_id = textAt(subscription, "subscription_id")
  await take("webhooks.list", "page", 200)
  await take("webhooks.get", "subscription", 200, { params: { subscription_id } })
  await take("webhooks.test", "delivered", 202, { json: { subscription_id } })
  await take("webhooks.update", "changed", 200, { params: { subscription_id }, json: { description: "The CRM" } })
  await take("webhooks.event_subscriptions", "changed", 200, {
    params: { agent_id },
    json: { event_types: [...eventTypes] },
  })
  return subscription_id
}

const calls = async ({ agent_id, recorder, take }: Run) => {
  const { simulator } = recorder
  const dialled = await take("calls.place", "dialled", 201, {
    json: { agent_id, to_number: person, variables: { first_name: "Ada" }, metadata: { ticket: "T-17" } },
  })
  const execution_id = textAt(dialled, "execution_id")
  const params = { execution_id }
  await simulator.advance({ until_idle: true })
  const inAWeek = new Date(simulator.glance().now + 7 * 86_400_000).toISOString()
  const scheduled = await take("calls.place", "scheduled", 202, {
    json: { agent_id, to_number: person, scheduled_at: inAWeek },
  })
  await take("calls.place", "unconfirmed", 202, { json: { agent_id, to_number: "+999200000000001" }, waits: true })
  const live = await take("calls.place", "dialled", 201, { json: { agent_id, to_number: longTalk } })
  await simulator.advance({ by_ms: 30_000 })
  await take("calls.list", "page", 200, { query: { status: "completed", page_size: "1" } })
  await take("calls.get", "call", 200, { params, query: { include_transcript: "true" } })
  await take("calls.transcript", "transcript", 200, { params })
  await take("calls.timing", "timing", 200, { params })
  await take("calls.recording", "recording", 200, { params })
  await take("calls.stop", "canceled", 200, { params: { execution_id: textAt(scheduled, "execution_id") } })
  await take("calls.stop", "stopped", 202, {
    params: { execution_id: textAt(live, "execution_id") },
    json: { reason: "The customer called back" },
  })
  await simulator.advance({ until_idle: true })
  await take("agents.executions", "page", 200, { params: { agent_id }, query: { page_size: "1" } })
  // 41: a fact is corrected afterwards; 42: nothing is recorded.
  await recorder.send("calls.place", { json: { agent_id, to_number: "+999410000000001" } })
  const mute = await recorder.send("calls.place", { json: { agent_id, to_number: "+999420000000001" } })
  await simulator.advance({ until_idle: true })
  await take("calls.stop", "Conflict", 409, { params })
  await take("calls.recording", "NotFound", 404, { params: { execution_id: textAt(mute.body, "execution_id") } })
}

const contactsFile = { field: "file", name: "contacts.csv", text: `to_number,first_name\n${busy},Grace\n` } as const

const batches = async ({ agent_id, recorder, take }: Run) => {
  const { simulator } = recorder
  const inAnHour = new Date(simulator.glance().now + 3_600_000).toISOString()
  const batch = await take("batches.create", "created", 201, {
    json: {
      agent_id,
      name: "Morning",
      contacts: [{ to_number: person, first_name: "Ada" }],
      scheduled_at: inAnHour,
    },
  })
  const params = { batch_id: textAt(batch, "batch_id") }
  const inTwoHours = new Date(simulator.glance().now + 7_200_000).toISOString()
  await take("batches.schedule", "scheduled", 200, { params, json: { scheduled_at: inTwoHours } })
  await take("batches.pause", "paused", 200, { params })
  await take("batches.resume", "resumed", 202, { params })
  await take("batches.stop", "stopped", 200, { params })
  const upload = await take("batches.upload", "created", 201, {
    form: { agent_id, name: "Evening" },
    file: contactsFile,
  })
  await simulator.advance({ until_idle: true })
  await take("batches.list", "page", 200)
  await take("batches.get", "batch", 200, { params: { batch_id: textAt(upload, "batch_id") } })
  await take("batches.executions", "page", 200, {
    params: { batch_id: textAt(upload, "batch_id") },
    query: { page_size: "1" },
  })
}

const campaigns = async ({ agent_id, recorder, take }: Run) => {
  const { simulator } = recorder
  const campaign = await take("campaigns.create", "created", 201, {
    json: {
      name: "Renewals",
      agent_id,
      contacts: [
        { to_number: person, first_name: "Ada" },
        { to_number: busy, first_name: "Grace" },
      ],
      timezone: "America/New_York",
      working_hours_enforced: true,
      working_hours: { monday: { start: "09:00", end: "17:00" }, tuesday: { start: "09:00", end: "17:00" } },
      retry_policy: { max_retries: 1, base_delay_minutes: 30 },
      default_call_variables: { company: "Acme" },
    },
  })
  const params = { campaign_id: textAt(campaign, "campaign_id") }
  await take("campaigns.explain", "explained", 200, { params })
  await take("campaigns.update", "changed", 200, { params, json: { working_hours_enforced: false } })
  await simulator.advance({ by_ms: 90_000 })
  await take("campaigns.pause", "paused", 200, { params })
  await take("campaigns.resume", "resumed", 200, { params })
  await take("campaigns.append", "added", 201, { params, json: { contacts: [{ to_number: "+999000100000007" }] } })
  await simulator.advance({ until_idle: true })
  await take("campaigns.list", "page", 200)
  await take("campaigns.get", "campaign", 200, { params })
  await take("campaigns.stats", "stats", 200, { params })
  await take("campaigns.batches", "page", 200, { params })
  await take("campaigns.contacts", "page", 200, { params })
  await take("campaigns.log", "page", 200, { params })
  await take("breakers.set", "set", 200, {
    params,
    json: { failed_percent: 60, voicemail_percent: 80, window_minutes: 60, resume_after_minutes: 30 },
  })
  await take("breakers.get", "breaker", 200, { params })
  await take("breakers.remove", "removed", 200, { params })
  await take("callOrders.set", "set", 200, { params, json: { priority_column: "priority", contacts: "last_come" } })
  await take("callOrders.get", "order", 200, { params })
  await take("callOrders.remove", "removed", 200, { params })
  const uploaded = await take("campaigns.create", "created from a file", 201, {
    form: { name: "Reminders", agent_id, retry_policy: { max_retries: 2 } },
    file: contactsFile,
  })
  const second = { campaign_id: textAt(uploaded, "campaign_id") }
  await take("campaigns.append", "added from a file", 201, { params: second, form: {}, file: contactsFile })
  await take("campaigns.cancel", "cancelled", 200, { params: second })
  await take("campaigns.revive", "revived", 200, { params: second })
  await simulator.advance({ until_idle: true })
  await take("campaigns.remove", "archived", 204, { params: second })
}

const afterwards = async ({ take }: Run, subscription_id: string) => {
  await take("usage.get", "usage", 200, { query: { group_by: "agent" } })
  const deliveries = await take("webhooks.deliveries", "page", 200, { query: { page_size: "1" } })
  const params = { delivery_id: textAt(deliveries, "data", 0, "delivery_id") }
  await take("webhooks.delivery", "delivery", 200, { params })
  await take("webhooks.redeliver", "accepted", 202, { params })
  await take("webhooks.delete", "deleted", 204, { params: { subscription_id } })
  const trail = await take("audit.list", "page", 200, { query: { page_size: "1" } })
  await take("audit.get", "record", 200, { params: { event_id: textAt(trail, "data", 0, "event_id") } })
  await take("audit.verify", "verified", 200)
}

/** A call that came to its end. */
const ended = async (recorder: Recorder, agent_id: string): Promise<string> => {
  const { body } = await recorder.send("calls.place", { json: { agent_id, to_number: busy } })
  await recorder.simulator.advance({ until_idle: true })
  return textAt(body, "execution_id")
}

/** What cannot be had of a world that is whole: a code path that throws. */
const defect = async (): Promise<Answer> => {
  const simulator = await Simulator.start({
    clock: "manual",
    logLevel: "None",
    decorate: (ports) => ({
      ...ports,
      calls: { ...ports.calls, find: () => Effect.die("This is for the example of an error.") },
    }),
  })
  try {
    return await new Recorder(simulator).send("calls.get", { params: { execution_id: "exec_1" } })
  } finally {
    await simulator.close()
  }
}

const errors = async ({ agent_id, recorder }: Run): Promise<Examples["errors"]> => {
  const keep = async (status: number, answer: Promise<Answer>): Promise<Json> => {
    const { body, status: answered } = await answer
    if (answered !== status || body === undefined) throw new Error(`${status}: ${answered} ${JSON.stringify(body)}`)
    return body
  }
  const send = (name: RouteName, sending?: Sending) => recorder.send(name, sending)
  const unknown = { params: { execution_id: "exec_of_nobody" } }
  const away = async (status: number, mode: string) => {
    await recorder.control("PUT", "/faults", { call_store: { mode } })
    const body = await keep(status, send("calls.get", unknown))
    await recorder.control("PUT", "/faults", { call_store: null })
    return body
  }
  const form = { collection: "notes" }
  const file = { field: "files", name: "notes.pdf", text: pdf("Notes") } as const
  const tooMuch = { display_name: "Long", greeting_message: "a".repeat(limits.bodyBytes) }
  const stopped = { params: { execution_id: await ended(recorder, agent_id) } }
  const tooOften = async (): Promise<Answer> => {
    const answer = await send("knowledge.create", { form, file })
    return answer.status === 429 ? answer : tooOften()
  }
  return {
    Malformed: await keep(400, send("calls.list", { query: { status: "engaged" } })),
    MissingParameter: await keep(400, send("calls.place", { json: { agent_id } })),
    ValidationFailed: await keep(422, send("calls.place", { json: { agent_id, to_number: "555-0100" } })),
    Unauthenticated: await keep(401, send("calls.list", { key: "gat_of_nobody" })),
    NotAnApiKey: await keep(401, send("calls.list", { key: "a-session-of-a-browser" })),
    Forbidden: await keep(403, send("calls.list", { query: { organization_id: "org_of_somebody_else" } })),
    NotFound: await keep(404, send("calls.get", unknown)),
    InsufficientCredits: await keep(402, send("calls.place", { json: { agent_id, to_number: "+999070000000001" } })),
    Conflict: await keep(409, send("calls.stop", stopped)),
    LengthRequired: await keep(411, send("knowledge.create", { form, file, streams: true })),
    UnsupportedMediaType: await keep(415, send("knowledge.create", { form, file: { ...file, text: "Only text" } })),
    PayloadTooLarge: await keep(413, send("agents.create", { json: tooMuch })),
    Unexpected: await keep(500, defect()),
    DependencyUnavailable: await away(503, "unreachable"),
    DependencyTimeout: await away(504, "timeout"),
    LimitExceeded: await keep(429, tooOften()),
  }
}

/** The first event of each type that came in. */
const events = async ({ recorder }: Run): Promise<Examples["events"]> => {
  const inbox = await recorder.control("GET", "/inbox/crm")
  const found = new Map<string, Json>()
  for (const request of isRecord(inbox) && Array.isArray(inbox["data"]) ? inbox["data"] : []) {
    const body = parsed(textAt(request, "body"))
    if (!isRecord(body) || body["test"] !== undefined) continue
    const type = textAt(body, "event_type")
    if (!found.has(type)) found.set(type, body)
  }
  const first = (type: EventType): Json => {
    const event = found.get(type)
    if (event === undefined) throw new Error(`No ${type} came in`)
    return event
  }
  return {
    all_processing_completed: first("all_processing_completed"),
    call_completed: first("call_completed"),
    call_corrected: first("call_corrected"),
    call_ringing: first("call_ringing"),
    call_started: first("call_started"),
    client_analysis_completed: first("client_analysis_completed"),
    platform_analysis_completed: first("platform_analysis_completed"),
    recording_completed: first("recording_completed"),
  }
}

/** Runs all of it. The same every time: time is virtual, and everything else comes from the seed. */
export const runExamples = async (): Promise<Examples> => {
  await using simulator = await Simulator.start({ clock: "manual", seed: "examples" })
  const recorder = new Recorder(simulator)
  await recorder.control("PUT", "/telephony/rules", conversation)
  const made = await recorder.control("POST", "/organizations", { name: "Acme", keys: [{ keys_write: true }] })
  const run: Run = {
    recorder,
    agent_id: simulator.info.agent_id,
    admin: textAt(made, "keys", 0, "key"),
    take: (...args) => recorder.take(...args),
  }
  await identity(run)
  await agents(run)
  await numbers(run)
  await knowledge(run)
  const subscription_id = await subscribe(run)
  await calls(run)
  await batches(run)
  await campaigns(run)
  const sent = await events(run)
  await afterwards(run, subscription_id)
  return { operations: recorder.operations, errors: await errors(run), events: sent }
}
