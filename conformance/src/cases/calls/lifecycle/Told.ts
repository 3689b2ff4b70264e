import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent, everyDay } from "../../../trial/Agents.ts"
import { dial, placeCall, readCall, schedule, stopCall } from "../../../trial/Calls.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../../trial/Duration.ts"
import { hold, refusedDial } from "../../concurrency/Gate.ts"

const placed: Case = {
  id: "calls/lifecycle/told/placed",
  title: "A call that was placed or booked is told as it is by every read, from its first moment to long after its end",
  clauses: [
    "CALL-CREATE-7",
    "CALL-CREATE-12",
    "CALL-CREATE-NOW-5",
    "CALL-GET-4",
    "CALL-GET-5",
    "STATUS-MOVE-1",
    "STATUS-MOVE-7",
    "VERSION-7",
  ],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, phoneNumbers } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("completed", 1)
    const body = { agent_id, to_number, scheduled_at: null, variables: { seat: "window" } }
    const answer = await placeCall(trial, client, body)
    check.status("null-time", "CALL-CREATE-12", answer, 201)
    check.equal("queued", "STATUS-MOVE-1", [answer.status, answer.at("status")], [201, "queued"], answer)
    const created = answer.at("created_at") ?? null
    if (created !== null) {
      const read = await readCall(client, answer.string("execution_id"))
      check.equal("created", "CALL-CREATE-NOW-5", created, read.at("created_at"), read)
    }
    const digits = (phoneNumbers[0] ?? "").slice(1)
    const wrong = await client.post("/v2/calls", { agent_id, to_number, from_number: digits })
    check.refused("own-number-without-plus", "CALL-CREATE-7", wrong, 1001)
    const booked = await schedule(trial, client, agent_id, dayMs)
    const read = await readCall(client, booked)
    check.equal("booked", "CALL-GET-4", [read.status, read.at("status")], [200, "scheduled"], read)
    check.equal("provider", "VERSION-7", read.at("provider"), "custom", read)
    const list = await client.get(`/v2/agents/${agent_id}/executions`)
    check.holds("listed", "STATUS-MOVE-7", list.text.includes(booked), "the booking among the agent's calls", list)
    for (const outcome of ["busy", "noAnswer", "failed", "callDisconnected"] as const) {
      const id = await dial(trial, client, agent_id, trial.numbers.magic(outcome, 1))
      await clock.advance(10 * minuteMs)
      const ended = await readCall(client, id)
      check.equal(outcome, "CALL-GET-5", [ended.status, ended.at("execution_id")], [200, id], ended)
    }
  },
}

const stopped: Case = {
  id: "calls/lifecycle/told/stopped",
  title: "A call that talks is hung up and stays stopped; a booking that was stopped rings nobody",
  clauses: ["CALL-STOP-4", "CALL-STOP-7", "CALL-STOP-10", "STATUS-MOVE-12", "STATUS-MOVE-13"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const id = await dial(trial, client, agentId, trial.numbers.magic("holdsLine", 30))
    await clock.advance(minuteMs)
    const answer = await stopCall(client, id)
    check.equal("stop", "STATUS-MOVE-13", [answer.status, answer.at("status")], [202, "stopped"], answer)
    await clock.advance(minuteMs)
    const live = await trial.telephony.legs({ agent_id: agentId, live: "true" })
    check.equal("hung-up", "CALL-STOP-7", live.length, 0)
    const ended = await readCall(client, id)
    check.equal("confirmed", "CALL-STOP-10", ended.at("status"), "stopped", ended)
    const to_number = trial.numbers.magic("completed", 1)
    const booked = await schedule(trial, client, agentId, hourMs, { to_number })
    await stopCall(client, booked)
    await clock.advance(2 * hourMs)
    check.equal("nobody-rung", "STATUS-MOVE-12", (await trial.telephony.legs({ to_number })).length, 0)
    // Two hours of the day that lie ten hours away from now.
    const hour = (new Date(await clock.now()).getUTCHours() + 10) % 22
    const text = (value: number) => `${String(value).padStart(2, "0")}:00`
    const calling_guard = { enabled: true, timezone: "UTC", start: text(hour), end: text(hour + 2), days: everyDay }
    const guarded = await activeAgent(trial, client, { calling_guard })
    const deferred = await placeCall(trial, client, { agent_id: guarded, to_number: trial.numbers.magic("completed") })
    check.status("deferred", "CALL-STOP-4", await stopCall(client, deferred.string("execution_id")), 200)
  },
}

const lines: Case = {
  id: "calls/lifecycle/told/lines",
  title: "Bookings take no line, ended calls give theirs back, and a refused dial keeps none",
  clauses: ["LIMITS-1", "SLOT-2", "SLOT-3", "SLOT-4", "SLOT-6", "STATUS-6"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agent_id = await activeAgent(trial, client)
    const place = (more: object = {}) =>
      placeCall(trial, client, { agent_id, to_number: trial.numbers.magic("completed", 1), ...more })
    const scheduled_at = new Date((await clock.now()) + 20 * dayMs).toISOString()
    for (let nth = 0; nth < 8; nth++) check.status("booked", "SLOT-3", await place({ scheduled_at }), 202)
    for (let nth = 0; nth < 30; nth++) {
      check.status("given-back", "SLOT-2", await place(), 201)
      await clock.advance(2 * minuteMs)
    }
    const [held] = await hold(trial, client, agent_id, 1)
    const other = await activeAgent(trial, client)
    const refused = await refusedDial(trial, client, other)
    check.refused("lines-of-all-agents", ["LIMITS-1", "SLOT-6"], refused, 1300)
    await stopCall(client, held ?? "")
    await clock.advance(2 * minuteMs)
    check.status("nothing-kept", "SLOT-4", await place(), 201)
    await clock.advance(2 * minuteMs)

    const moved = await schedule(trial, client, agent_id, 10 * minuteMs)
    const due = (await readCall(client, moved)).string("scheduled_at")
    await clock.advance(9 * minuteMs)
    await hold(trial, client, agent_id, 1)
    await clock.advance(minuteMs + 30 * secondMs)
    const call = await readCall(client, moved)
    // Whether a booking without a line is moved is open; one that was moved says so, on lists too.
    if (Date.parse(call.string("scheduled_at")) <= Date.parse(due)) return
    check.equal("rescheduled", "STATUS-6", call.at("status"), "rescheduled", call)
    const list = await client.get("/v2/calls", { page_size: 100 })
    const row = list
      .items()
      .filter(isObject)
      .find(({ execution_id }) => execution_id === moved)
    check.equal("listed", "STATUS-6", row?.["status"], call.at("status"), list)
  },
}

/** What is told of calls that are placed, stopped and moved. */
export const toldCases: ReadonlyArray<Case> = [placed, stopped, lines]
