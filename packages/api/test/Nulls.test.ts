import { assert, describe, it } from "vitest"
import { openApiDocument } from "../src/OpenApi.ts"

const document = openApiDocument()
const { schemas } = document.components
const components = "#/components/schemas/"

type Member = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Member =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const listed = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const choicesOf = (schema: Member) => ["anyOf", "oneOf", "allOf"].flatMap((word) => listed(schema[word]))

const nameOf = ({ $ref }: Member) => (typeof $ref === "string" ? $ref.replace(components, "") : undefined)

/** What a schema is made of, each with the place of its values. */
const partsOf = (schema: Member, at: string): ReadonlyArray<readonly [unknown, string]> => [
  ...choicesOf(schema).map((choice) => [choice, at] as const),
  ...Object.entries(isObject(schema["properties"]) ? schema["properties"] : {}).map(
    ([name, field]) => [field, `${at}.${name}`] as const,
  ),
  [schema["items"], `${at}[]`],
  [schema["additionalProperties"], `${at}{}`],
]

/** The places of a component that may be null. Other components that it refers to have places of their own. */
const nullable = (schema: unknown, at: string): ReadonlyArray<string> => {
  if (!isObject(schema)) return []
  const here = choicesOf(schema).some((choice) => isObject(choice) && choice["type"] === "null") ? [at] : []
  return [...here, ...partsOf(schema, at).flatMap(([part, place]) => nullable(part, place))]
}

/** The names of the components that a schema leads to. */
const reached = (schema: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (!isObject(schema)) return found
  const name = nameOf(schema)
  if (name !== undefined && !found.has(name)) reached(schemas[name], found.add(name))
  for (const [part] of partsOf(schema, "")) reached(part, found)
  return found
}

/** The places at which a value is null. */
const nullIn = (schema: unknown, value: unknown, at: string): ReadonlyArray<string> => {
  if (!isObject(schema)) return []
  const name = nameOf(schema)
  if (name !== undefined) return nullIn(schemas[name], value, name)
  if (value === null) return [at]
  const choices = choicesOf(schema).flatMap((choice) => nullIn(choice, value, at))
  if (Array.isArray(value)) return [...choices, ...value.flatMap((item) => nullIn(schema["items"], item, `${at}[]`))]
  if (!isObject(value)) return choices
  const fields = isObject(schema["properties"]) ? schema["properties"] : {}
  return [...choices, ...Object.entries(value).flatMap(([key, member]) => nullIn(fields[key], member, `${at}.${key}`))]
}

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const requests = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
const answers = [
  ...operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content }) => Object.values(content ?? {})),
  ),
  ...Object.values(document.webhooks).map(({ post }) => post.requestBody.content["application/json"]),
]

const shown = answers.flatMap(({ examples = {}, schema }) =>
  Object.values(examples).flatMap((example) => {
    const value =
      "value" in example ? example.value : document.components.examples[example.$ref.split("/").pop() ?? ""]?.value
    return nullIn(schema, value, "inline")
  }),
)

/** Nulls that no example shows, and when each comes. */
const otherwise: Readonly<Record<string, string>> = {
  "Agent.greeting_message": "an agent that greets with nothing",
  "Call.duration_seconds": "never answered",
  "Call.hangup_reason": "no reason was told",
  "Call.custom_analytics": "nothing was analysed",
  "Call.completed_at": "not over",
  "Experiment.variable_tested": "not said",
  "DialedCall.call_sid": "the carrier has not named it",
  "DialedCall.from_number": "telephony chooses the number",
  "CanceledCall.scheduled_at": "the specification says so",
  "CallTiming.setup": "not measured",
  "SetupTiming.stream_connect_ms": "this part was not measured",
  "SetupTiming.transcriber_connect_ms": "this part was not measured",
  "SetupTiming.language_model_connect_ms": "this part was not measured",
  "SetupTiming.synthesizer_connect_ms": "this part was not measured",
  "SetupTiming.time_to_first_audio_ms": "this part was not measured",
  "TurnTiming.heard.final_transcript_ms": "this part was not measured",
  "TurnTiming.thought.first_token_ms": "this part was not measured",
  "TurnTiming.thought.last_token_ms": "this part was not measured",
  "TurnTiming.spoke.first_audio_ms": "this part was not measured",
  "TurnTiming.spoke.complete_ms": "this part was not measured",
  "TurnTiming.round_trip_ms": "a part was not measured",
  "TimingSummary.round_trip": "measured in no turn",
  "TimingSummary.heard": "measured in no turn",
  "TimingSummary.thought": "measured in no turn",
  "TimingSummary.spoke": "measured in no turn",
  "Batch.name": "not named",
  "Contact.campaign_id": "its batch is dialled for itself",
  "Contact.last_execution_id": "not dialled yet",
  "Contact.last_status": "no call is over",
  "CampaignExplanation.blocking[].until": "until somebody acts",
  "CampaignExplanation.inactive_agents[].status": "no such agent any more",
  "CampaignExplanation.waiting_for_number[].waits_since": "a row that was written before this was kept",
  "CampaignExplanation.waiting_for_number[].execution_id": "the number is free, and another contact has the turn",
  "CampaignExplanation.no_estimate_reason": "there is an estimate",
  "Subscription.agent_id": "the organization's default",
  "EndpointFailure.http_status": "no answer came",
  "WebhookTestResult.http_status": "no answer came",
  "DeliveryAttempt.http_status": "no answer came",
  "Delivery.subscription_id": "the URL on the agent itself",
  "AuditEvent.actor.key_id": "the system acts",
  "AuditEvent.resource.id": "a test of a URL without a subscription",
  "AuditEvent.http_status": "nothing was answered",
  "AuditEvent.request_id": "no request led to it",
  "AuditVerification.first_event_id": "an empty trail",
  "AuditVerification.last_event_id": "an empty trail",
  "UsageBucket.key": "calls without a campaign",
  "KnowledgeBase.description": "not described",
  "EventPayload.call_sid": "Events.test.ts holds these",
  "EventPayload.agent_id": "Events.test.ts holds these",
  "EventPayload.agent_name": "Events.test.ts holds these",
  "EventPayload.calling_source": "Events.test.ts holds these",
  "EventPayload.from_number": "Events.test.ts holds these",
  "EventPayload.called_on": "Events.test.ts holds these",
  "EventPayload.platform_analysis.summary": "nothing was analysed",
  "EventPayload.platform_analysis.sentiment": "nothing was analysed",
}

describe("the answers that the document describes", () => {
  it("have no null that never comes", () => {
    const written = new Set(requests.flatMap(({ schema }) => [...reached(schema)]))
    const answered = new Set(answers.flatMap(({ schema }) => [...reached(schema)]))
    // What a client may write as null, as to clear it, has one schema for both ways.
    const places = [...answered].filter((name) => !written.has(name)).flatMap((name) => nullable(schemas[name], name))
    assert.isAbove(places.length, 80)
    const seen = new Set(shown)
    const open = places.filter((place) => !seen.has(place))
    assert.sameMembers([...new Set(open)], Object.keys(otherwise))
  })
})
