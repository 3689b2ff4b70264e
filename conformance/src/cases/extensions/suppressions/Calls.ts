import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { contactsOf, lastDetails, release, rungAt, suppress } from "../../../trial/Callees.ts"
import { dial, placeCall, readCall } from "../../../trial/Calls.ts"
import { makeCampaign, move, readStats } from "../../../trial/Campaigns.ts"
import { hourMs, minuteMs } from "../../../trial/Duration.ts"
import { untilEnded, untilStatus } from "../../../trial/Progress.ts"

const requires = ["fixtures", "clock", "telephony", "magic", "extension:suppressions"] as const

const direct: Case = {
  id: "extensions/suppressions/direct",
  title: "A direct call to a suppressed number is refused, for all agents or for one, unless it is overridden",
  clauses: ["SUPPRESSION-E6", "SUPPRESSION-E8", "SUPPRESSION-E35", "SUPPRESSION-E41", "SUPPRESSION-E42"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({ keys: [{ keys_write: true }, { scopes: ["calls:write"] }] })
    const agents = [await activeAgent(trial, client), await activeAgent(trial, client)]
    const [all, one] = [trial.numbers.magic("completed", 1), trial.numbers.magic("completed", 1)]
    await suppress(trial, client, [all])
    await suppress(trial, client, [one], { agent_id: agents[0] })
    const call = (to_number: string, agent_id = agents[0], more = {}, by = client) =>
      placeCall(trial, by, { agent_id, to_number, ...more })
    check.refused("refused", "SUPPRESSION-E35", await call(all), 1201)
    check.refused("for-all", "SUPPRESSION-E8", await call(all, agents[1]), 1201)
    check.equal("nobody-rung", "SUPPRESSION-E35", (await rungAt(trial, all)).length, 0)
    check.refused("for-its-agent", "SUPPRESSION-E6", await call(one), 1201)
    check.status("not-for-others", "SUPPRESSION-E6", await call(one, agents[1]), 201)
    const anyway = { override_suppression: true }
    check.refused("needs-a-scope", "SUPPRESSION-E42", await call(all, agents[0], anyway, clients[1]), 1102)
    check.status("overridden", "SUPPRESSION-E41", await call(all, agents[0], anyway), 201)
    check.equal("rung", "SUPPRESSION-E41", (await rungAt(trial, all)).length, 1)
    const details = Object(await lastDetails(client, "call.create"))
    check.equal("in-the-trail", "SUPPRESSION-E42", details["override_suppression"], true)
  },
}

const contacts: Case = {
  id: "extensions/suppressions/contacts",
  title: "A suppressed contact is skipped when it would be dialled, counts as pending, and stays skipped",
  clauses: [
    "SUPPRESSION-E6",
    "SUPPRESSION-E8",
    "SUPPRESSION-E31",
    "SUPPRESSION-E34",
    "SUPPRESSION-E39",
    "SUPPRESSION-E40",
  ],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const number = () => trial.numbers.magic("completed", 1)
    const [all, its, others, free] = [number(), number(), number(), number()]
    const start_time = new Date((await trial.now()) + 10 * minuteMs).toISOString()
    const make = (to_numbers: ReadonlyArray<string>, name: string) =>
      makeCampaign(trial, client, agentId, {
        name,
        start_time,
        contacts: to_numbers.map((to_number) => ({ to_number })),
      })
    const made = await make([all, its, others, free], "One")
    const [id, batchId] = [made.string("campaign_id"), made.string("batch_id")]
    const other = (await make([number()], "Other")).string("campaign_id")
    await clock.advance(9 * minuteMs)
    await suppress(trial, client, [all])
    await suppress(trial, client, [its], { campaign_id: id })
    await suppress(trial, client, [others], { campaign_id: other })
    const asUploaded = await contactsOf(client, id)
    check.holds(
      "not-when-uploaded",
      "SUPPRESSION-E31",
      asUploaded.get(all)?.["status"] !== "skipped",
      "a contact that is not skipped before it would be dialled",
    )
    await clock.advance(10 * minuteMs)
    const stands = async (of: string) => {
      const each = (await contactsOf(client, id)).get(of)
      return [each?.["status"], each?.["skip_reason"], (await rungAt(trial, of)).length]
    }
    check.equal("skipped", ["SUPPRESSION-E31", "SUPPRESSION-E34"], await stands(all), ["skipped", "suppressed", 0])
    check.equal("of-its-campaign", "SUPPRESSION-E6", await stands(its), ["skipped", "suppressed", 0])
    check.equal("not-of-another", "SUPPRESSION-E6", (await rungAt(trial, others)).length, 1)
    check.equal("others-called", "SUPPRESSION-E8", (await rungAt(trial, free)).length, 1)
    const stats = await readStats(client, id)
    const pending = [stats.at("outcome_counts.pending"), stats.at("contact_counts.pending")]
    check.equal("pending", "SUPPRESSION-E39", pending, [2, 2], stats)
    const batch = await client.get(`/v2/batches/${batchId}`)
    check.equal("of-its-batch", "SUPPRESSION-E39", batch.at("skipped_contacts"), 2, batch)
    trial.made(await release(client, [all]), 200)
    const revived = await move(client, id, "revive")
    await clock.advance(30 * minuteMs)
    check.equal("stays-skipped", "SUPPRESSION-E40", await stands(all), ["skipped", "suppressed", 0], revived)
  },
}

const begun: Case = {
  id: "extensions/suppressions/begun",
  title: "A call that was begun goes on, and the retry and the follow-up after it are skipped",
  clauses: ["SUPPRESSION-E33", "SUPPRESSION-E34"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const spoken = trial.numbers.magic("completed", 6)
    const executionId = await dial(trial, client, agentId, spoken)
    await untilStatus(trial, client, executionId, ["in-progress"])
    await suppress(trial, client, [spoken])
    const ended = await untilEnded(trial, client, executionId)
    check.equal("goes-on", "SUPPRESSION-E33", ended.at("status"), "completed", ended)
    const [retried, followed] = [trial.numbers.magic("busy"), trial.numbers.magic("completed", 1)]
    const made = await makeCampaign(trial, client, agentId, {
      contacts: [{ to_number: retried }, { to_number: followed }],
      retry_policy: { max_retries: 2, base_delay_minutes: 5 },
      follow_up_policy: { enabled: true, max_attempts: 1, cooldown_minutes: 5, triggers: ["completed"] },
    })
    await clock.advance(3 * minuteMs)
    check.equal("dialled-once", "SUPPRESSION-E34", (await rungAt(trial, retried)).length, 1)
    await suppress(trial, client, [retried, followed])
    await clock.advance(hourMs)
    const rows = await contactsOf(client, made.string("campaign_id"))
    const stands = async (of: string) => [rows.get(of)?.["skip_reason"], (await rungAt(trial, of)).length]
    check.equal("no-retry", "SUPPRESSION-E34", await stands(retried), ["suppressed", 1])
    check.equal("no-follow-up", "SUPPRESSION-E34", await stands(followed), ["suppressed", 1])
  },
}

const booked: Case = {
  id: "extensions/suppressions/booked",
  title: "A call is not booked where its number will be suppressed by then, and ends as error where it is when due",
  clauses: ["SUPPRESSION-E37", "SUPPRESSION-E38"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const at = (ms: number, now: number) => new Date(now + ms).toISOString()
    const now = await trial.now()
    const scheduled_at = at(hourMs, now)
    const number = () => trial.numbers.magic("completed", 1)
    const [stands, ends, later] = [number(), number(), number()]
    const book = (to_number: string) => client.post("/v2/calls", { agent_id, to_number, scheduled_at })
    await suppress(trial, client, [stands])
    await suppress(trial, client, [ends], { expires_at: at(hourMs / 2, now) })
    check.refused("refused", "SUPPRESSION-E37", await book(stands), 1201)
    check.status("ended-by-then", "SUPPRESSION-E37", await book(ends), 202)
    const executionId = trial.made(await book(later), 202).string("execution_id")
    await suppress(trial, client, [later])
    await clock.advance(hourMs + minuteMs)
    const call = await readCall(client, executionId)
    check.equal("error-when-due", "SUPPRESSION-E38", call.at("status"), "error", call)
    check.equal("nobody-rung", "SUPPRESSION-E38", (await rungAt(trial, later)).length, 0)
    check.equal("the-other-is-rung", "SUPPRESSION-E37", (await rungAt(trial, ends)).length, 1)
  },
}

/** Cases of what becomes of calls to suppressed numbers. */
export const suppressedCallCases: ReadonlyArray<Case> = [direct, contacts, begun, booked]
