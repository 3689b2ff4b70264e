import type { Case } from "../../../run/Case.ts"
import { activeAgent, everyDay } from "../../../trial/Agents.ts"
import { contactsOf, lastDetails, rungAt } from "../../../trial/Callees.ts"
import { dial, placeCall, readCall } from "../../../trial/Calls.ts"
import { makeCampaign } from "../../../trial/Campaigns.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../../trial/Duration.ts"
import { everywhere, laterOpening, never, setHours } from "../../../trial/Openings.ts"
import { untilEnded, untilStatus } from "../../../trial/Progress.ts"
import type { Trial } from "../../../trial/Trial.ts"

const requires = ["fixtures", "clock", "telephony", "magic", "extension:callee-hours"] as const

const until = async (trial: Trial, moment: number): Promise<void> => {
  const now = await trial.now()
  if (moment > now) await trial.clock.advance(moment - now)
}

/** Calls that are moved are spread over an opening: so many lie by chance in one half of it only once in a thousand runs. */
const spread = 10

const direct: Case = {
  id: "extensions/callee-hours/direct",
  title:
    "A call outside the hours is moved into the next opening that the agent's window has too, unless it is overridden",
  clauses: ["HOURS-E3", "HOURS-E30", "HOURS-E32", "HOURS-E39", "HOURS-E40"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({ keys: [{ keys_write: true }, { scopes: ["calls:write"] }] })
    const now = await trial.now()
    const { around, hours, opensAt } = laterOpening(now)
    const guard = { enabled: true, timezone: "UTC", ...around, days: everyDay }
    const agent_id = await activeAgent(trial, client)
    const guarded = await activeAgent(trial, client, { calling_guard: guard })
    await setHours(trial, client, hours)
    const number = () => trial.numbers.magic("completed", 1)
    const call = (to_number: string, more = {}, by = client) => placeCall(trial, by, { agent_id, to_number, ...more })
    // First of all: the window alone would move these calls, and no dial has met the hours yet.
    for (let nth = 0; nth < spread; nth++) {
      const both = await call(number(), { agent_id: guarded })
      const bothAt = Date.parse(both.string("scheduled_at"))
      const isInBoth = bothAt >= opensAt && bothAt < opensAt + hourMs
      check.holds("all-are-open", "HOURS-E3", isInBoth, "in the hour that both have", both)
    }
    const to = number()
    const moved = await call(to)
    check.equal("moved", "HOURS-E30", [moved.status, moved.at("deferred_by_calling_guard")], [202, true], moved)
    const at = Date.parse(moved.string("scheduled_at"))
    check.holds("into-the-opening", "HOURS-E30", at >= opensAt && at < opensAt + 2 * hourMs, "inside", moved)
    const booking = await call(number(), { scheduled_at: new Date(now + 5 * minuteMs).toISOString() })
    const bookedAt = Date.parse(booking.string("scheduled_at"))
    const isMoved = booking.at("deferred_by_calling_guard") === true && bookedAt >= opensAt
    check.holds("booking-moved", "HOURS-E30", isMoved, "moved into the opening", booking)
    const anyway = { override_callee_hours: true }
    check.refused("needs-a-scope", "HOURS-E40", await call(number(), anyway, clients[1]), 1102)
    const late = number()
    check.status("overridden", "HOURS-E39", await call(late, anyway), 201)
    check.equal("rung-anyway", "HOURS-E39", (await rungAt(trial, late)).length, 1)
    const details = Object(await lastDetails(client, "call.create"))
    check.equal("in-the-trail", "HOURS-E40", details["override_callee_hours"], true)
    await until(trial, opensAt + 2 * hourMs)
    check.equal("rung-when-told", "HOURS-E30", await rungAt(trial, to), [at])
    await setHours(trial, client, never)
    check.refused("never", "HOURS-E32", await call(number()), 1201)
  },
}

const nearest: Case = {
  id: "extensions/callee-hours/nearest",
  title: "The nearest scope stands, and one that is not enabled sets its calls free",
  clauses: ["HOURS-E2", "HOURS-E4", "HOURS-E6", "HOURS-E13", "HOURS-E15"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const [closed, free, plain] = [
      await activeAgent(trial, client),
      await activeAgent(trial, client),
      await activeAgent(trial, client),
    ]
    const number = () => trial.numbers.magic("completed", 1)
    const call = (agent_id: string) => placeCall(trial, client, { agent_id, to_number: number() })
    check.status("none-at-first", "HOURS-E2", await call(closed), 201)
    await setHours(trial, client, never, { agent_id: closed })
    check.refused("of-the-agent", ["HOURS-E4", "HOURS-E15"], await call(closed), 1201)
    check.status("not-of-others", "HOURS-E4", await call(plain), 201)
    await setHours(trial, client, never)
    await setHours(trial, client, { enabled: false }, { agent_id: free })
    check.refused("of-all", "HOURS-E15", await call(plain), 1201)
    check.status("set-free", ["HOURS-E13", "HOURS-E15"], await call(free), 201)
    const to_number = number()
    const start_time = new Date((await trial.now()) + 10 * minuteMs).toISOString()
    const made = await makeCampaign(trial, client, closed, { contacts: [{ to_number }], start_time })
    await setHours(trial, client, everywhere(null), { campaign_id: made.string("campaign_id") })
    await clock.advance(11 * minuteMs)
    check.equal("of-the-campaign", ["HOURS-E6", "HOURS-E15"], (await rungAt(trial, to_number)).length, 1)
  },
}

const due: Case = {
  id: "extensions/callee-hours/due",
  title: "A booked call that comes due outside the hours is moved, and ends as error where they never open",
  clauses: ["HOURS-E31", "HOURS-E34"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const now = await trial.now()
    const { hours, opensAt } = laterOpening(now)
    const book = async (ms: number) => {
      const to_number = trial.numbers.magic("completed", 1)
      const body = { agent_id, to_number, scheduled_at: new Date(now + ms).toISOString() }
      const executionId = trial.made(await client.post("/v2/calls", body), 202).string("execution_id")
      return { executionId, to_number }
    }
    const first = await book(10 * minuteMs)
    const second = await book(20 * minuteMs)
    await setHours(trial, client, hours)
    await clock.advance(11 * minuteMs)
    const moved = await readCall(client, first.executionId)
    check.equal("moved", "HOURS-E31", moved.at("status"), "rescheduled", moved)
    const at = Date.parse(moved.string("scheduled_at"))
    check.holds("into-the-opening", "HOURS-E31", at >= opensAt && at < opensAt + 2 * hourMs, "inside", moved)
    check.equal("nobody-rung", "HOURS-E31", await rungAt(trial, first.to_number), [])
    await setHours(trial, client, never)
    await clock.advance(10 * minuteMs)
    const ended = await readCall(client, second.executionId)
    check.equal("never-is-error", "HOURS-E34", ended.at("status"), "error", ended)
    check.equal("never-rung", "HOURS-E34", await rungAt(trial, second.to_number), [])
  },
}

const contacts: Case = {
  id: "extensions/callee-hours/contacts",
  title: "Contacts wait for their own hours, and are called at once when these are changed",
  clauses: ["HOURS-E12", "HOURS-E20", "HOURS-E29", "HOURS-E37", "HOURS-E41"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const { hours, openZone, opensAt } = laterOpening(await trial.now())
    await setHours(trial, client, hours)
    const waits = trial.numbers.magic("completed", 1)
    const open = Array.from({ length: 12 }, () => trial.numbers.magic("completed", 1))
    const made = await makeCampaign(trial, client, agentId, {
      contacts: [{ to_number: waits }, ...open.map((to_number) => ({ to_number, timezone: openZone }))],
    })
    const id = made.string("campaign_id")
    await clock.advance(10 * minuteMs)
    const rung = await Promise.all(open.map(async (number) => (await rungAt(trial, number)).length))
    check.equal(
      "its-own-zone",
      ["HOURS-E12", "HOURS-E20"],
      rung,
      open.map(() => 1),
    )
    const contact = (await contactsOf(client, id)).get(waits)
    check.equal("waits", "HOURS-E29", [contact?.["attempts"], (await rungAt(trial, waits)).length], [0, 0])
    check.equal("next-attempt", "HOURS-E29", Date.parse(String(contact?.["next_attempt_at"])), opensAt)
    const explained = await client.get(`/v2/campaigns/${id}/explain`)
    const blocking = explained.items("blocking").map((each) => Object(each))
    const held = blocking.find(({ reason }) => reason === "callee_hours")
    check.equal("explained", "HOURS-E29", [held?.contacts, Date.parse(held?.until)], [1, opensAt], explained)
    const isLate =
      explained.at("estimated_finish_at") === null || Date.parse(explained.string("estimated_finish_at")) >= opensAt
    check.holds("no-finish-before", "HOURS-E41", isLate, `none before ${new Date(opensAt).toISOString()}`, explained)
    const changedAt = await trial.now()
    await setHours(trial, client, everywhere(null))
    await clock.advance(minuteMs)
    const [at] = await rungAt(trial, waits)
    const isSoon = at !== undefined && at >= changedAt && at < changedAt + 10 * secondMs
    check.holds("changed-at-once", "HOURS-E37", isSoon, "rung within ten seconds")
  },
}

const later: Case = {
  id: "extensions/callee-hours/later-calls",
  title: "Retries and follow-ups wait for the hours; what stands in a list for a zone and is none counts as none",
  clauses: ["HOURS-E23", "HOURS-E29"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const { hours, opensAt } = laterOpening(await trial.now())
    const number = (outcome: "busy" | "completed") => trial.numbers.magic(outcome, 1)
    const [retried, followed, blue] = [number("busy"), number("completed"), number("completed")]
    await makeCampaign(trial, client, agentId, {
      contacts: [{ to_number: retried }, { to_number: followed }],
      retry_policy: { max_retries: 1, base_delay_minutes: 10 },
      follow_up_policy: { enabled: true, max_attempts: 1, cooldown_minutes: 10, triggers: ["completed"] },
    })
    await makeCampaign(trial, client, agentId, {
      contacts: [{ to_number: blue, timezone: "blue" }],
      start_time: new Date((await trial.now()) + 10 * minuteMs).toISOString(),
    })
    await clock.advance(5 * minuteMs)
    await setHours(trial, client, hours)
    await until(trial, opensAt - 1)
    const counts = async () =>
      Promise.all([retried, followed, blue].map(async (each) => (await rungAt(trial, each)).length))
    check.equal("wait", "HOURS-E29", await counts(), [1, 1, 0])
    await until(trial, opensAt + 20 * minuteMs)
    const [again, then, first] = await counts()
    check.equal("called-when-open", "HOURS-E29", [again, then], [2, 2])
    check.equal("no-zone-is-none", "HOURS-E23", first, 1)
  },
}

const shut: Case = {
  id: "extensions/callee-hours/never",
  title: "A contact whose hours never open waits for other ones, and its campaign has no estimate",
  clauses: ["HOURS-E35", "HOURS-E42"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    await setHours(trial, client, never)
    const to_number = trial.numbers.magic("completed", 1)
    const made = await makeCampaign(trial, client, agentId, { contacts: [{ to_number }] })
    await clock.advance(2 * dayMs)
    check.equal("waits", "HOURS-E35", await rungAt(trial, to_number), [])
    const explained = await client.get(`/v2/campaigns/${made.string("campaign_id")}/explain`)
    const told = [explained.at("estimated_finish_at"), explained.at("no_estimate_reason")]
    check.equal("no-estimate", "HOURS-E42", told, [null, "callee_hours"], explained)
    trial.made(await client.delete("/v2/callee-hours"), 200)
    await clock.advance(minuteMs)
    check.equal("called-then", "HOURS-E35", (await rungAt(trial, to_number)).length, 1)
  },
}

const begun: Case = {
  id: "extensions/callee-hours/begun",
  title: "A call that was begun goes on when its hours close",
  clauses: ["HOURS-E38"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await dial(trial, client, agentId, trial.numbers.magic("completed", 6))
    await untilStatus(trial, client, executionId, ["in-progress"])
    await setHours(trial, client, never)
    const ended = await untilEnded(trial, client, executionId)
    check.equal("goes-on", "HOURS-E38", ended.at("status"), "completed", ended)
  },
}

const arrives: Case = {
  id: "extensions/callee-hours/arrives",
  title: "A call that arrives is not looked at",
  clauses: ["HOURS-E36"],
  requires: [...requires, "inbound"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, organizationId, phoneNumbers } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    await setHours(trial, client, never)
    const answer = await trial.control.send("POST", "/inbound", {
      organization_id: organizationId,
      from_number: trial.numbers.plain(),
      to_number: phoneNumbers[0],
      agent_id,
      outcome: { result: "completed", talk_ms: 10 * secondMs },
    })
    check.status("arrives", "HOURS-E36", answer, 201)
    await clock.advance(5 * minuteMs)
    const call = await readCall(client, answer.string("execution_id"))
    check.equal("answered", "HOURS-E36", call.at("status"), "completed", call)
  },
}

/** Cases of what becomes of calls outside callee hours. */
export const hoursCallCases: ReadonlyArray<Case> = [direct, nearest, due, contacts, later, shut, begun, arrives]
