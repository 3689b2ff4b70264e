import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { minuteMs } from "../../trial/Duration.ts"
import { freshInbox } from "../../trial/Webhooks.ts"

const eventTypes = [
  "all_processing_completed",
  "call_completed",
  "call_corrected",
  "call_ringing",
  "call_started",
  "client_analysis_completed",
  "platform_analysis_completed",
  "recording_completed",
]

const types: Case = {
  id: "webhooks/types/each",
  title: "Every type of event can be subscribed to, and is sent by a test",
  clauses: ["EVENT-TYPE-1"],
  requires: ["fixtures", "inbox", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    for (const event_type of eventTypes) {
      const inbox = freshInbox(trial)
      const made = await client.post("/v2/webhooks", { callback_url: inbox.url, agent_id, event_types: [event_type] })
      // With which status it is made is not shown.
      check.holds(`${event_type}-subscribed`, "EVENT-TYPE-1", made.succeeded, "a subscription", made)
      const answer = await trial.settle(client.post("/v2/webhooks/test", { callback_url: inbox.url, event_type }))
      const [one] = await inbox.received()
      check.equal(`${event_type}-sent`, "EVENT-TYPE-1", one?.payload["event_type"], event_type, answer)
    }
  },
}

const inbound: Case = {
  id: "webhooks/types/inbound",
  title: "The payload of a call that came in says so",
  clauses: ["PAYLOAD-12"],
  requires: ["fixtures", "inbox", "clock", "magic", "inbound"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId, phoneNumbers } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    trial.done(await client.post("/v2/webhooks", { callback_url: inbox.url, agent_id: agentId }))
    await trial.control.ask("POST", "/inbound", {
      organization_id: organizationId,
      from_number: trial.numbers.plain(),
      to_number: phoneNumbers[0],
      agent_id: agentId,
      outcome: { result: "completed", talk_ms: 2_000 },
    })
    await trial.clock.advance(20 * minuteMs)
    // That events are sent of calls that come in is not said.
    for (const { payload } of await inbox.received()) {
      check.equal("call-type", "PAYLOAD-12", payload["call_type"], "inbound")
    }
  },
}

/** Types of events, and of calls. */
export const typeCases: ReadonlyArray<Case> = [types, inbound]
