import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial, readCall } from "../../trial/Calls.ts"
import { callsOf, makeCampaign } from "../../trial/Campaigns.ts"
import { dayMs } from "../../trial/Duration.ts"
import { deliveredByMs, freshInbox, subscribe } from "../../trial/Webhooks.ts"

const contact: Case = {
  id: "webhooks/payload/contact",
  title:
    "Payloads of a campaign's attempts on a contact tell attempt, retry and follow-up apart, on the campaign's clock",
  clauses: [
    "PAYLOAD-8",
    "PAYLOAD-10",
    "PAYLOAD-12",
    "PAYLOAD-13",
    "PAYLOAD-16",
    "PAYLOAD-17",
    "PAYLOAD-18",
    "PAYLOAD-29",
    "PAYLOAD-30",
    "PAYLOAD-31",
    "PAYLOAD-32",
    "PAYLOAD-P1",
    "PAYLOAD-P4",
  ],
  requires: ["fixtures", "inbox", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, { agent_id: agentId })
    const campaign = await makeCampaign(trial, client, agentId, {
      timezone: "Asia/Kolkata",
      contacts: [{ to_number: trial.numbers.magic("busy") }],
      retry_policy: { max_retries: 1 },
      follow_up_policy: { enabled: true, cooldown_minutes: 60 },
    })
    await trial.clock.advance(dayMs)
    const payloads = (await inbox.received()).map(({ payload }) => payload)
    const calls = await callsOf(client, campaign.string("campaign_id"))
    const ids = calls.map((call) => call["execution_id"])
    const of = (field: string) => payloads.map((payload) => payload[field])
    check.equal("calls", "PAYLOAD-13", of("call_id"), ids)
    check.equal("sources", "PAYLOAD-13", of("calling_source"), ["campaign", "retry", "follow-up"])
    check.equal("types", "PAYLOAD-12", of("call_type"), ["outbound", "outbound", "outbound"])
    const shared: ReadonlyArray<readonly [string, string, string]> = [
      ["status", "PAYLOAD-10", "status"],
      ["agent_id", "PAYLOAD-8", "agent_id"],
      ["bulk_list_id", "PAYLOAD-16", "batch_id"],
      ["created_at", "PAYLOAD-18", "created_at"],
      ["retry_count", "PAYLOAD-29", "retry_count"],
      ["parent_call_id", "PAYLOAD-31", "parent_execution_id"],
    ]
    for (const [field, clause, own] of shared) {
      check.equal(
        field,
        clause,
        of(field),
        calls.map((call) => call[own]),
      )
    }
    const placed = of("called_on").map(String)
    check.equal(
      "zone",
      "PAYLOAD-P4",
      placed.map((text) => text.slice(-6)),
      ids.map(() => "+05:30"),
    )
    check.equal(
      "placed",
      "PAYLOAD-17",
      of("called_on").map((moment) => typeof moment),
      ids.map(() => "string"),
    )
    const { display_name } = Object((await client.get(`/v2/agents/${agentId}`)).json)
    check.equal(
      "agent_name",
      "PAYLOAD-8",
      of("agent_name"),
      ids.map(() => display_name),
    )
    // How the time is written is not shown; in Kolkata the minutes of an hour are not those of UTC.
    check.equal(
      "minutes",
      "PAYLOAD-17",
      placed.map((text) => Number(/\d:(\d\d)/.exec(text)?.[1])),
      calls.map((call) => (new Date(String(call["created_at"])).getUTCMinutes() + 30) % 60),
    )
    const whole = JSON.stringify(payloads.at(-1)?.["attempts"] ?? [])
    const places = ids.map((id) => whole.indexOf(String(id)))
    const isSorted = places.every((place, nth) => nth === 0 || place >= (places[nth - 1] ?? 0))
    if (!places.includes(-1)) check.holds("oldest-first", "PAYLOAD-30", isSorted, "the oldest attempt first")
    const told = payloads.map(({ attempts }) => (Array.isArray(attempts) ? attempts.length : attempts))
    check.equal("every-attempt", "PAYLOAD-30", told, [1, 2, 3])
    check.equal(
      "instant",
      "PAYLOAD-P4",
      placed.map((text) => Date.parse(text)),
      calls.map((call) => Date.parse(String(call["created_at"]))),
    )
    check.equal("chain", "PAYLOAD-32", payloads.at(-1)?.["retry_chain"], ids)
    const last = payloads.at(-1)?.["attempts"]
    check.equal(
      "attempts",
      "PAYLOAD-P1",
      last,
      calls.map(({ completed_at, created_at, execution_id, retry_count, status }) => ({
        execution_id,
        status,
        retry_count,
        created_at,
        completed_at,
      })),
    )
  },
}

const experiment: Case = {
  id: "webhooks/payload/experiment",
  title: "Payloads name the experiment that routed the call, and whether the challenger ran",
  clauses: ["PAYLOAD-40", "PAYLOAD-41", "EXPERIMENT-FIELD-8", "EXPERIMENT-ASSIGN-P2", "EXPERIMENT-ASSIGN-P4"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const control = await activeAgent(trial, client)
    const challenger = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, {})
    const tell = async () => {
      const id = await dial(trial, client, control, trial.numbers.magic("busy"))
      await trial.clock.advance(deliveredByMs)
      const payload = (await inbox.received()).at(-1)?.payload ?? {}
      const call = await readCall(client, id)
      check.equal("call", "PAYLOAD-40", payload["call_id"], id, call)
      check.equal("agent", "EXPERIMENT-ASSIGN-P4", payload["agent_id"], call.at("agent_id"), call)
      return [payload["agent_id"], payload["ab_version_id"], payload["ab_is_variant"]]
    }
    check.equal("outside", ["PAYLOAD-40", "PAYLOAD-41"], await tell(), [control, null, null])
    const path = `/v2/agents/${control}/versions`
    const body = { variant_agent_id: challenger, version_name: "V", status: "active", variant_traffic_pct: 0 }
    const versionId = trial.made(await client.post(path, body), 201).string("version_id")
    check.equal("control", "EXPERIMENT-ASSIGN-P2", await tell(), [control, versionId, false])
    trial.made(await client.patch(`${path}/${versionId}`, { variant_traffic_pct: 100 }), 200)
    const [agent, version, isVariant] = await tell()
    check.equal("version", "PAYLOAD-40", version, versionId)
    check.equal("variant", ["PAYLOAD-41", "EXPERIMENT-FIELD-8"], isVariant, true)
    check.equal("challenger", "EXPERIMENT-ASSIGN-P4", agent, challenger)
  },
}

/** Cases of what a payload says of where its call came from. */
export const originCases: ReadonlyArray<Case> = [contact, experiment]
