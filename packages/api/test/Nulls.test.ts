import { assert, describe, it } from "vitest"
import { document, nullable, nullIn, reached, schemas } from "./NullPlaces.ts"

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
  "AgentAnalytics.custom[].prompt": "a list comes back as it was written",
  "AgentAnalytics.custom[].required_keys": "a list comes back as it was written",
  "AgentConfiguration.post_processing[].type": "a list comes back as it was written",
  "AgentConfiguration.post_processing[].enabled": "a list comes back as it was written",
  "AgentConfiguration.external_functions[].name": "a list comes back as it was written",
  "AgentConfiguration.external_functions[].description": "a list comes back as it was written",
  "AgentConfiguration.external_functions[].parameters": "a list comes back as it was written",
  "Multilingual.enabled": "the block comes back as it was written",
  "Multilingual.active_language": "the block comes back as it was written",
  "Multilingual.languages": "the block comes back as it was written",
  "Multilingual.languages{}.agent_name": "the block comes back as it was written",
  "Breaker.window_minutes": "the last calls count however long ago they ended",
  "Breaker.failed_percent": "however many may fail",
  "Breaker.voicemail_percent": "voicemail boxes may answer however many",
  "Breaker.resume_after_minutes": "the campaign goes on once somebody resumes it",
  "CallOrder.priority_column": "contacts have no priority",
  "BreakerTrip.resume_at": "the same",
  "CallCaps.per_day": "one number may be called as often as one likes in a day",
  "CallCaps.per_week": "the same in a week",
  "CallCaps.minimum_rest_seconds": "no time must lie between two calls to one number",
  "CalleeHours.elsewhere": "callees elsewhere may be called at any time",
  "CalleeHours.unknown_timezone": "numbers of which nothing is known may be anywhere",
  "CalleeHours.timezone_column": "no call variable names a zone",
  "CheckedCalleeHours.opens_at": "the hours never open",
  "CheckedCalleeHours.closes_at": "no hours bind the number",
  "CalleeZone.country": "a zone of no country",
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

const componentsOf = (media: ReadonlyArray<{ readonly schema: unknown }>) =>
  new Set(media.flatMap(({ schema }) => [...reached(schema)]))

describe("the answers that the document describes", () => {
  const answered = componentsOf(answers)

  it("have no null that never comes", () => {
    const places = [...answered].flatMap((name) => nullable(schemas[name], name))
    assert.isAbove(places.length, 100)
    const seen = new Set(shown)
    const open = places.filter((place) => !seen.has(place))
    assert.sameMembers([...new Set(open)], Object.keys(otherwise))
  })

  it("share no null with what is written: a write may clear with it what an answer then leaves out", () => {
    const shared = [...componentsOf(requests)].filter((name) => answered.has(name))
    assert.sameMembers(shared, ["WorkingHours", "WorkingDay"])
    assert.isEmpty(shared.flatMap((name) => nullable(schemas[name], name)))
  })
})
