import type { Client } from "../../../http/Client.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { contactsOf, lastDetails, rungAt } from "../../../trial/Callees.ts"
import { placeCall, readCall, stopCall } from "../../../trial/Calls.ts"
import { type Body, callsOf, makeCampaign } from "../../../trial/Campaigns.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded, untilStatus } from "../../../trial/Progress.ts"
import type { Trial } from "../../../trial/Trial.ts"

const path = "/v2/call-caps"

const requires = ["fixtures", "clock", "telephony", "magic", "extension:call-caps"] as const

const setCaps = async (trial: Trial, client: Client, caps: Body) => trial.made(await client.put(path, caps), 200)

/** Calls by one agent, and how a call is asked for. */
const caller = async (trial: Trial, client: Client) => {
  const agent_id = await activeAgent(trial, client)
  const call = (to_number: string, more: Body = {}, by = client) =>
    placeCall(trial, by, { agent_id, to_number, ...more })
  /** Calls, and lets the call end. */
  const whole = async (to_number: string, more: Body = {}) => {
    const answer = trial.made(await call(to_number, more), 201)
    return untilEnded(trial, client, answer.string("execution_id"))
  }
  return { agent_id, call, whole }
}

const until = async (trial: Trial, moment: number): Promise<void> => {
  const now = await trial.now()
  if (moment > now) await trial.clock.advance(moment - now)
}

const kept: Case = {
  id: "extensions/call-caps/kept",
  title: "Caps are set, replaced whole, read and taken away",
  clauses: ["CAPS-E2", "CAPS-E4", "CAPS-E5", "CAPS-E8", "CAPS-E9", "CAPS-E10"],
  requires: ["fixtures", "extension:call-caps"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const of = (answer: { readonly at: (path: string) => unknown }) =>
      ["per_day", "per_week", "per_thirty_days", "minimum_rest_seconds"].map((name) => answer.at(name))
    check.status("none-at-first", "CAPS-E2", await client.get(path), 404)
    const asked = { per_day: 3, per_week: 7, per_thirty_days: null, minimum_rest_seconds: 14_400 }
    const set = await client.put(path, asked)
    check.equal("set", "CAPS-E4", [set.status, ...of(set)], [200, 3, 7, null, 14_400], set)
    const read = await client.get(path)
    check.equal("read", "CAPS-E10", [read.status, ...of(read)], [200, 3, 7, null, 14_400], read)
    const replaced = await client.put(path, { per_day: 30 })
    check.equal("replaced", ["CAPS-E9", "CAPS-E10"], of(replaced), [30, null, null, null], replaced)
    for (const per_day of [0, 31]) check.rejected("from-1-to-30", "CAPS-E5", await client.put(path, { per_day }))
    const month = 30 * 86_400
    check.status("thirty-days", "CAPS-E8", await client.put(path, { minimum_rest_seconds: month }), 200)
    check.rejected("no-longer", "CAPS-E8", await client.put(path, { minimum_rest_seconds: month + 1 }))
    const deleted = await client.delete(path)
    check.equal("deleted", "CAPS-E10", [deleted.status, deleted.at("deleted")], [200, true], deleted)
    check.status("gone", "CAPS-E10", await client.get(path), 404)
  },
}

const aDay: Case = {
  id: "extensions/call-caps/a-day",
  title: "A number is called so many times in any 24 hours, by whichever agent; a refused call leaves no record",
  clauses: ["CAPS-E1", "CAPS-E2", "CAPS-E3", "CAPS-E5", "CAPS-E11", "CAPS-E13", "CAPS-E15", "CAPS-E19", "CAPS-E21"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const { call, whole } = await caller(trial, client)
    const second = await activeAgent(trial, client)
    // Ten minutes before midnight.
    await until(trial, Math.ceil((await trial.now()) / dayMs) * dayMs + dayMs - 10 * minuteMs)
    const free = trial.numbers.magic("busy")
    for (let nth = 0; nth < 4; nth++) {
      const answer = await call(free)
      check.status("no-caps", "CAPS-E2", answer, 201)
      await untilEnded(trial, client, answer.string("execution_id"))
    }
    await until(trial, Math.ceil((await trial.now()) / dayMs) * dayMs + dayMs - 10 * minuteMs)
    await setCaps(trial, client, { per_day: 2 })
    const to = trial.numbers.magic("duplicateReports")
    const began = await trial.now()
    await whole(to)
    const again = await call(to)
    check.status("counts-once", "CAPS-E13", again, 201)
    await untilEnded(trial, client, again.string("execution_id"))
    check.refused("capped", ["CAPS-E1", "CAPS-E5", "CAPS-E19"], await call(to), 1201)
    check.refused("for-all-agents", "CAPS-E3", await call(to, { agent_id: second }), 1201)
    const list = await client.get("/v2/calls", { to_number: to })
    check.equal("no-record", ["CAPS-E15", "CAPS-E21"], list.items().length, 2, list)
    check.equal("nobody-rung", "CAPS-E19", (await rungAt(trial, to)).length, 2)
    check.status("others-are-called", "CAPS-E5", await call(trial.numbers.magic("busy")), 201)
    await until(trial, began + 30 * minuteMs)
    check.refused("no-date", "CAPS-E11", await call(to), 1201)
    await until(trial, began + dayMs - secondMs)
    check.refused("not-before", "CAPS-E11", await call(to), 1201)
    const [first] = await rungAt(trial, to)
    await until(trial, (first ?? began) + dayMs + secondMs)
    check.status("moves-with-the-clock", ["CAPS-E5", "CAPS-E11"], await call(to), 201)
  },
}

const stretches: Case = {
  id: "extensions/call-caps/stretches",
  title: "A week is 168 hours, thirty days 720, and a rest as long as it says",
  clauses: ["CAPS-E6", "CAPS-E7", "CAPS-E8", "CAPS-E9"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const { call, whole } = await caller(trial, client)
    const spans: ReadonlyArray<readonly [clause: string, caps: Body, ms: number]> = [
      ["CAPS-E8", { minimum_rest_seconds: 3_600, per_day: null }, hourMs],
      ["CAPS-E6", { per_week: 1 }, 168 * hourMs],
      ["CAPS-E7", { per_thirty_days: 1 }, 720 * hourMs],
    ]
    for (const [clause, caps, ms] of spans) {
      const to = trial.numbers.magic("busy")
      await setCaps(trial, client, caps)
      const began = await trial.now()
      await whole(to)
      const [rung] = await rungAt(trial, to)
      await until(trial, began + ms - secondMs)
      check.refused(`${Object.keys(caps)[0]}-before`, clause, await call(to), 1201)
      await until(trial, (rung ?? began) + ms + secondMs)
      check.status(`${Object.keys(caps)[0]}-after`, [clause, "CAPS-E9"], await call(to), 201)
    }
  },
}

const counts: Case = {
  id: "extensions/call-caps/counts",
  title: "Each call counts that was dialled since caps were set, however it ended",
  clauses: ["CAPS-E12", "CAPS-E13", "CAPS-E27"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const { call, whole } = await caller(trial, client)
    const before = trial.numbers.magic("busy")
    await whole(before)
    await setCaps(trial, client, { per_day: 1 })
    check.status("from-then-on", "CAPS-E12", await call(before), 201)
    for (const outcome of ["busy", "noAnswer", "failed", "completed"] as const) {
      const to = trial.numbers.magic(outcome, 1)
      await whole(to)
      check.refused(`${outcome}-counts`, "CAPS-E12", await call(to), 1201)
    }
    const hung = trial.numbers.magic("completed", 6)
    const executionId = trial.made(await call(hung), 201).string("execution_id")
    check.refused("counts-when-dialled", "CAPS-E13", await call(hung), 1201)
    await untilStatus(trial, client, executionId, ["in-progress"])
    await stopCall(client, executionId)
    await untilEnded(trial, client, executionId)
    check.refused("hung-up-counts", "CAPS-E12", await call(hung), 1201)
    await setCaps(trial, client, { per_day: 3 })
    const narrowed = trial.numbers.magic("busy")
    await whole(narrowed)
    await whole(narrowed)
    await setCaps(trial, client, { per_day: 2 })
    check.refused("narrowed", "CAPS-E27", await call(narrowed), 1201)
  },
}

const contacts: Case = {
  id: "extensions/call-caps/contacts",
  title: "A contact waits until the caps allow it, whichever campaign has called; others are called meanwhile",
  clauses: ["CAPS-E1", "CAPS-E18"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    await setCaps(trial, client, { per_day: 1 })
    const number = (outcome: "busy" | "completed") => trial.numbers.magic(outcome, 1)
    const [shared, other, retried, followed] = [
      number("completed"),
      number("completed"),
      number("busy"),
      number("completed"),
    ]
    const make = async (numbers: ReadonlyArray<string>, more: Body = {}) => {
      const contacts = numbers.map((to_number) => ({ to_number }))
      return (await makeCampaign(trial, client, agentId, { contacts, ...more })).string("campaign_id")
    }
    await make([shared])
    await make([retried, followed], {
      retry_policy: { max_retries: 1, base_delay_minutes: 5 },
      follow_up_policy: { enabled: true, max_attempts: 1, cooldown_minutes: 5, triggers: ["completed"] },
    })
    await clock.advance(5 * minuteMs)
    const id = await make([shared, other])
    await clock.advance(hourMs)
    const times = async () =>
      Promise.all([shared, other, retried, followed].map(async (each) => (await rungAt(trial, each)).length))
    const [ofShared, ofOther, ofRetried, ofFollowed] = await times()
    check.equal("two-campaigns", "CAPS-E1", ofShared, 1)
    check.equal("others-meanwhile", "CAPS-E18", ofOther, 1)
    check.equal("retry-and-follow-up", "CAPS-E1", [ofRetried, ofFollowed], [1, 1])
    const [first] = await rungAt(trial, shared)
    const contact = (await contactsOf(client, id)).get(shared)
    check.equal("nothing-used-up", "CAPS-E18", contact?.["attempts"], 0)
    const wait = Date.parse(String(contact?.["next_attempt_at"])) - ((first ?? 0) + dayMs)
    check.holds("until-when", "CAPS-E18", Math.abs(wait) <= minuteMs, "a day after the first call")
    const explained = await client.get(`/v2/campaigns/${id}/explain`)
    const reasons = explained.items("blocking").map((each) => [Object(each).reason, Object(each).contacts])
    check.equal("explained", "CAPS-E18", reasons, [["cooldown", 1]], explained)
    await clock.advance(dayMs)
    check.equal("called-then", "CAPS-E18", await times(), [2, 1, 2, 2])
  },
}

const widened: Case = {
  id: "extensions/call-caps/widened",
  title: "Caps that are taken away reach who waits for weeks within a day",
  clauses: ["CAPS-E26"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const { agent_id, whole } = await caller(trial, client)
    await setCaps(trial, client, { minimum_rest_seconds: 20 * 86_400 })
    const to_number = trial.numbers.magic("completed", 1)
    await whole(to_number)
    await makeCampaign(trial, client, agent_id, { contacts: [{ to_number }] })
    await clock.advance(3 * dayMs)
    check.equal("waits", "CAPS-E26", (await rungAt(trial, to_number)).length, 1)
    trial.made(await client.delete(path), 200)
    await clock.advance(dayMs + minuteMs)
    check.equal("within-a-day", "CAPS-E26", (await rungAt(trial, to_number)).length, 2)
  },
}

const booked: Case = {
  id: "extensions/call-caps/booked",
  title: "A call is booked whatever was called, and moved when it is due while a cap is met",
  clauses: ["CAPS-E1", "CAPS-E22", "CAPS-E23"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const { call, whole } = await caller(trial, client)
    await setCaps(trial, client, { per_day: 1 })
    const to = trial.numbers.magic("completed", 1)
    await whole(to)
    const [first = 0] = await rungAt(trial, to)
    const booking = await call(to, { scheduled_at: new Date((await trial.now()) + hourMs).toISOString() })
    check.status("booked", "CAPS-E22", booking, 202)
    await clock.advance(hourMs + minuteMs)
    const moved = await readCall(client, booking.string("execution_id"))
    check.equal("moved", ["CAPS-E1", "CAPS-E23"], moved.at("status"), "rescheduled", moved)
    const at = Date.parse(moved.string("scheduled_at"))
    const isAllowed = at >= first + dayMs - secondMs
    check.holds("when-allowed", "CAPS-E23", isAllowed, "a day after the first call", moved)
    await until(trial, at + minuteMs)
    check.equal("rung-then", "CAPS-E23", (await rungAt(trial, to)).length, 2)
  },
}

const taken: Case = {
  id: "extensions/call-caps/taken-back",
  title: "A contact's call that the carrier did not take is tried again, and does not count",
  clauses: ["CAPS-E16"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    await setCaps(trial, client, { per_day: 1 })
    const to_number = trial.numbers.plain()
    await trial.rules([
      { match: { to_number }, outcome: { result: "rejected" }, times: 1 },
      { match: { to_number }, outcome: { result: "completed", talk_ms: 10 * secondMs } },
    ])
    const made = await makeCampaign(trial, client, agentId, { contacts: [{ to_number }] })
    await clock.advance(3 * hourMs)
    const statuses = (await callsOf(client, made.string("campaign_id"))).map(({ status }) => status)
    check.equal("tried-again", "CAPS-E16", statuses, ["completed"])
  },
}

const arrives: Case = {
  id: "extensions/call-caps/arrives",
  title: "Calls that arrive are not looked at, and do not count",
  clauses: ["CAPS-E17", "CAPS-E24"],
  requires: [...requires, "inbound"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, organizationId, phoneNumbers } = await trial.organization()
    const { agent_id, call, whole } = await caller(trial, client)
    await setCaps(trial, client, { per_day: 1 })
    const arrive = async (from_number: string) => {
      const answer = await trial.control.send("POST", "/inbound", {
        organization_id: organizationId,
        from_number,
        to_number: phoneNumbers[0],
        agent_id,
        outcome: { result: "completed", talk_ms: 10 * secondMs },
      })
      await clock.advance(5 * minuteMs)
      return (await readCall(client, answer.string("execution_id"))).at("status")
    }
    const [capped, free] = [trial.numbers.magic("busy"), trial.numbers.magic("busy")]
    await whole(capped)
    check.equal("not-looked-at", "CAPS-E24", await arrive(capped), "completed")
    check.equal("arrives", "CAPS-E24", await arrive(free), "completed")
    check.status("does-not-count", "CAPS-E17", await call(free), 201)
  },
}

const overridden: Case = {
  id: "extensions/call-caps/overridden",
  title: "Who may write agents calls all the same, and the call counts",
  clauses: ["CAPS-E28", "CAPS-E29", "CAPS-E30"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({ keys: [{ keys_write: true }, { scopes: ["calls:write"] }] })
    const { call, whole } = await caller(trial, client)
    await setCaps(trial, client, { per_day: 1 })
    const to = trial.numbers.magic("busy")
    const anyway = { override_call_caps: true }
    await whole(to)
    check.refused("needs-a-scope", "CAPS-E29", await call(to, anyway, clients[1]), 1102)
    const answer = await call(to, anyway)
    check.status("overridden", "CAPS-E28", answer, 201)
    const details = Object(await lastDetails(client, "call.create"))
    check.equal("in-the-trail", "CAPS-E29", details["override_call_caps"], true)
    await untilEnded(trial, client, answer.string("execution_id"))
    await setCaps(trial, client, { per_day: 2 })
    check.refused("it-counts", "CAPS-E30", await call(to), 1201)
  },
}

/** Cases of caps on calls. */
export const callCapCases: ReadonlyArray<Case> = [
  kept,
  aDay,
  stretches,
  counts,
  contacts,
  widened,
  booked,
  taken,
  arrives,
  overridden,
]
