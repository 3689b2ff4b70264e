// What someone would write against the types that openapi-typescript generates. It stands for every kind of operation: bodies, free-form
// objects, paths, queries, answers, events. `npm run check:openapi` compiles it, by TypeScript 5 and by the project's own.
import type { components, operations, paths, webhooks } from "./schema.ts"

type Json<Operation, Status extends number> = Operation extends {
  responses: { [S in Status]: { content: { "application/json": infer Body } } }
}
  ? Body
  : never

type Body<Operation> = Operation extends { requestBody?: { content: { "application/json": infer B } } } ? B : never

type Query<Operation> = Operation extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never

export const dial: Body<operations["calls.place"]> = {
  agent_id: "agt_1",
  to_number: "+15555550100",
  variables: { first_name: "Ada", visits: 3, address: { city: "Turin" } },
  metadata: { ticket: "T-1" },
}
// @ts-expect-error -- to_number is required.
export const incomplete: Body<operations["calls.place"]> = { agent_id: "agt_1" }
// @ts-expect-error -- a field that is left out is left out, and not undefined.
export const undefinedIs: Body<operations["calls.place"]> = {
  agent_id: "a",
  to_number: "+15555550100",
  record: undefined,
}
// @ts-expect-error -- a name that is no field is a slip.
export const misspelt: Body<operations["calls.place"]> = { agent_id: "a", to_number: "+15555550100", variabels: {} }
export const stop: Body<operations["calls.stop"]> = { reason: null }

export const campaign: Body<operations["campaigns.create"]> = {
  name: "Renewals",
  agent_id: "agt_1",
  contacts: [{ to_number: "+15555550100", first_name: "Ada" }, { phone_number: "+15555550101" }],
  default_call_variables: { company: "Acme" },
  default_call_context: { source: ["crm", 7] },
  metadata: { cost_centre: 12 },
}

export const patch: Body<operations["agents.update"]> = {
  summary: null,
  configuration: { session_policy: { session_ttl: 5, of_ours: true } },
  integrations: { mcp: [{ server: "https://tools.example" }] },
}

export const calls: Query<operations["calls.list"]> = {
  page: 1,
  include_transcript: true,
  status: ["busy", "voicemail"],
  direction: "outbound",
}
// @ts-expect-error -- no call has this status.
export const unknownStatus: Query<operations["calls.list"]> = { status: ["engaged"] }
// @ts-expect-error -- nor any campaign this one.
export const unknownCampaigns: Query<operations["campaigns.list"]> = { status: "busy" }

export const path: paths["/v2/agents/{agent_id}/versions/{version_id}"]["get"]["parameters"]["path"] = {
  agent_id: "agt_1",
  version_id: "ver_1",
}

// Nothing that is always there has to be asked for.
type Call = Json<operations["calls.get"], 200>
export const read = ({ created_at, execution_id, status, to_number }: Call): string =>
  [execution_id, status.toUpperCase(), to_number.slice(1), new Date(created_at).toISOString()].join(" ")
export const asked = ({ extracted_data, variables }: Call): unknown => extracted_data?.["answer"] ?? variables["answer"]
export const configured = ({ custom_analytics }: Call): number => (custom_analytics ?? []).length
export const scheduled = (answer: Json<operations["calls.place"], 202>): string =>
  "scheduled_at" in answer ? answer.scheduled_at : answer.dispatch
export const refused = (error: components["schemas"]["NotFound"]): 1200 => error.error
export const names = (page: Json<operations["agents.list"], 200>): ReadonlyArray<string> =>
  page.data.map((agent) => agent.display_name)

// A control that was cleared is left out of the answer, and what was read can be sent back.
type Agent = Json<operations["agents.get"], 200>
export const voice = ({ configuration }: Agent): string | undefined => configuration.runtime?.voice_synthesis?.voice_id
export const voices = ({ multilingual }: Agent): ReadonlyArray<string> =>
  Object.values(multilingual?.languages ?? {}).map((language) => language.voice_id)
export const sentBack = (agent: Agent): Body<operations["agents.replace"]> => agent

/** Any event, told apart by its type. */
type Event = webhooks[keyof webhooks]["post"]["requestBody"]["content"]["application/json"]
export const received = (event: Event): string => {
  if (event.event_type === "call_corrected") return event.correction.fields.join()
  return `${event.call_id} ${event.custom_args_values["first_name"]} ${event.transcript?.[0]?.content}`
}
export const eventTypes: ReadonlyArray<Event["event_type"]> = ["all_processing_completed", "call_ringing"]
// @ts-expect-error -- no event has this type.
export const unknownEvent: Event["event_type"] = "call_ended"

/** Every operation answers with JSON, or with nothing. */
export type Answers = { readonly [Name in keyof operations]: operations[Name]["responses"] }
