import type { Answer } from "../../../http/Answer.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent, everyDay, moveAgent } from "../../../trial/Agents.ts"
import { dial, readCall, schedule } from "../../../trial/Calls.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const dialled: Case = {
  id: "calls/lifecycle/due/dialled",
  title: "A booked call is dialled when it is due, not before, and keeps its id",
  clauses: ["CALL-CREATE-LATER-2", "STATUS-5", "CALL-GET-4", "CALL-GET-5", "STATUS-MOVE-P3", "STATUS-MOVE-6"],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 10 * minuteMs)
    await clock.advance(10 * minuteMs - 1)
    const before = await readCall(client, executionId)
    check.equal("not-before", ["CALL-CREATE-LATER-2", "STATUS-5"], before.at("status"), "scheduled", before)
    const early = await trial.telephony.legs({ execution_id: executionId })
    check.equal("nobody-rung-before", "CALL-CREATE-LATER-2", early.length, 0)
    await clock.advance(5 * secondMs)
    const due = await readCall(client, executionId)
    check.that("dialled-when-due", ["CALL-CREATE-LATER-2", "STATUS-MOVE-P3"], due.at("status") !== "scheduled", {
      expected: "dialled",
      got: due.at("status"),
      at: due,
    })
    const ended = await untilEnded(trial, client, executionId)
    check.equal(
      "same-id",
      ["CALL-GET-5", "STATUS-MOVE-6"],
      [ended.at("execution_id"), ended.at("status")],
      [executionId, "completed"],
      ended,
    )
    const legs = await trial.telephony.legs({ execution_id: executionId })
    check.equal("one-leg", "CALL-CREATE-LATER-2", legs.length, 1)
  },
}

const inactive: Case = {
  id: "calls/lifecycle/due/agent-not-active",
  title: "A booked call whose agent is no longer active ends as error, and nobody is rung",
  clauses: ["CALL-DUE-P3", "AGENT-STATUS-6"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 10 * minuteMs)
    trial.made(await moveAgent(client, agentId, "INACTIVE"), 200)
    await clock.advance(11 * minuteMs)
    const ended = await readCall(client, executionId)
    check.equal("error", "CALL-DUE-P3", ended.at("status"), "error", ended)
    const legs = await trial.telephony.legs({ execution_id: executionId })
    check.equal("nobody-rung", "AGENT-STATUS-6", legs.length, 0)
  },
}

/** A daily window of an hour in UTC that opens in more than an hour, late in the evening tomorrow, and when it does. */
const laterWindow = (now: number) => {
  const midnight = Math.floor(now / dayMs) * dayMs
  const hour = Math.floor((now - midnight) / hourMs)
  const opening = hour < 21 ? hour + 2 : 1
  const text = (hours: number) => `${String(hours).padStart(2, "0")}:00`
  const guard = { enabled: true, timezone: "UTC", start: text(opening), end: text(opening + 1), days: everyDay }
  return { guard, opensAt: midnight + opening * hourMs + (hour < 21 ? 0 : dayMs) }
}

const edited: Case = {
  id: "calls/lifecycle/due/window-edited",
  title: "A booked call that comes due outside the calling window as it is by then is moved into the next one",
  // The specification moves a call when it is placed; that a window given later binds a booked call is our reading.
  clauses: ["STATUS-MOVE-P3"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 10 * minuteMs)
    const { guard, opensAt } = laterWindow(await trial.now())
    trial.made(await moveAgent(client, agentId, "INACTIVE"), 200)
    trial.made(await client.patch(`/v2/agents/${agentId}`, { calling_guard: guard }), 200)
    trial.made(await moveAgent(client, agentId, "ACTIVE"), 200)
    await clock.advance(11 * minuteMs)
    const moved = await readCall(client, executionId)
    check.equal("moved", "STATUS-MOVE-P3", moved.at("status"), "rescheduled", moved)
    const at = Date.parse(moved.string("scheduled_at"))
    const isInside = at >= opensAt && at < opensAt + hourMs - 5 * minuteMs
    check.holds("into-the-next-window", "STATUS-MOVE-P3", isInside, "inside", moved)
    const early = await trial.telephony.legs({ execution_id: executionId })
    check.equal("nobody-rung-outside", "STATUS-MOVE-P3", early.length, 0)
    await clock.advance(opensAt + hourMs - (await trial.now()))
    const rung = (await trial.telephony.legs({ execution_id: executionId })).map((leg) =>
      Date.parse(String(leg.placed_at)),
    )
    check.equal("rung-when-told", "STATUS-MOVE-P3", rung, [at])
  },
}

const routed: Case = {
  id: "calls/lifecycle/due/routed",
  title:
    "An experiment routes a booked call as it is when the call is due, and the window of the agent asked for binds",
  clauses: [
    "EXPERIMENT-FIELD-7",
    "EXPERIMENT-FIELD-8",
    "EXPERIMENT-ASSIGN-P3",
    "EXPERIMENT-ASSIGN-P4",
    "CALL-WINDOW-1",
    "CALL-WINDOW-8",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const control = await activeAgent(trial, client)
    const challenger = await activeAgent(trial, client)
    const path = `/v2/agents/${control}/versions`
    const made = trial.made(
      await client.post(path, {
        variant_agent_id: challenger,
        version_name: "V",
        status: "active",
        variant_traffic_pct: 100,
      }),
      201,
    )
    const madeBy = async (change: () => Promise<Answer | void>) => {
      const executionId = await schedule(trial, client, control, 10 * minuteMs)
      await change()
      return { agent: (await untilEnded(trial, client, executionId)).at("agent_id"), executionId }
    }
    const share = (variant_traffic_pct: number) =>
      client.patch(`${path}/${made.string("version_id")}`, { variant_traffic_pct })
    // Whether a call shows the challenger that ran it is a reading; a dial without a booking tells.
    const dialled = await readCall(client, await dial(trial, client, control, trial.numbers.magic("completed", 1)))
    const isShown = dialled.at("agent_id") === challenger
    const told = [...(isShown ? ["EXPERIMENT-FIELD-8"] : []), "EXPERIMENT-ASSIGN-P4"]
    check.equal("promoted", told, (await madeBy(async () => {})).agent, challenger)
    check.equal("paused", "EXPERIMENT-FIELD-7", (await madeBy(() => share(0))).agent, control)
    await share(100)
    const left = await madeBy(async () => {
      await moveAgent(client, challenger, "INACTIVE")
      await client.delete(`/v2/agents/${challenger}`)
    })
    check.equal("challenger-gone", "EXPERIMENT-ASSIGN-P3", left.agent, control)
    const another = await activeAgent(trial, client)
    trial.made(await client.patch(`${path}/${made.string("version_id")}`, { variant_agent_id: another }), 200)
    trial.made(await moveAgent(client, control, "INACTIVE"), 200)
    const { guard } = laterWindow(await trial.now())
    trial.made(await client.patch(`/v2/agents/${control}`, { calling_guard: guard }), 200)
    trial.made(await moveAgent(client, control, "ACTIVE"), 200)
    const answer = await client.post("/v2/calls", {
      agent_id: control,
      to_number: trial.numbers.magic("completed", 1),
    })
    check.status("window-binds-the-challenger", ["CALL-WINDOW-1", "CALL-WINDOW-8"], answer, 202)
    await clock.advance(minuteMs)
    const legs = await trial.telephony.legs({ execution_id: answer.string("execution_id") })
    check.equal("nobody-rung", "CALL-WINDOW-8", legs.length, 0)
  },
}

export const dueCases: ReadonlyArray<Case> = [dialled, inactive, edited, routed]
