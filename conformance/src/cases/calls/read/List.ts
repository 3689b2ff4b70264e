import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, idsOf, readCall, schedule, stopCall } from "../../../trial/Calls.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const pages: Case = {
  id: "calls/read/list/pages",
  title: "Calls are listed newest first, each once, whatever the size of the pages",
  clauses: ["CALL-LIST-3", "CALL-LIST-P1", "CALL-GET-9", "PAGE-1", "PAGE-4", "PAGE-5", "PAGE-6", "ID-P3"],
  requires: ["fixtures", "clock"],
  realTimeMs: 6_000,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const made: Array<string> = []
    for (let nth = 0; nth < 7; nth++) {
      made.push(await schedule(trial, client, agentId, dayMs - nth * hourMs))
      // Two of them at the same instant: then the order of commit decides.
      if (nth !== 3) await clock.advance(secondMs)
    }
    const newestFirst = [...made].reverse()
    const whole = await client.get("/v2/calls")
    check.equal("newest-first", ["CALL-LIST-P1", "ID-P3"], idsOf(whole), newestFirst, whole)
    check.equal("same-set", "CALL-LIST-3", [...idsOf(whole)].sort(), [...made].sort(), whole)
    check.equal("total", "PAGE-4", whole.at("pagination.total"), 7, whole)
    for (const size of [1, 2, 3, 7, 100]) {
      const seen: Array<string> = []
      let page = 1
      for (; page < 10; page++) {
        const answer = await client.get("/v2/calls", { page, page_size: size })
        seen.push(...idsOf(answer))
        if (answer.at("pagination.has_more") !== true) break
      }
      check.equal(`pages-of-${size}-make-the-set`, ["CALL-GET-9", "PAGE-6"], [...seen].sort(), [...made].sort())
      check.equal(`pages-of-${size}-number`, "PAGE-5", page, Math.ceil(7 / size))
    }
    const beyond = await client.get("/v2/calls", { page: 9_999, page_size: 100 })
    check.equal(
      "beyond-the-end",
      ["PAGE-1", "PAGE-6"],
      [beyond.status, beyond.items().length, beyond.at("pagination.has_more")],
      [200, 0, false],
      beyond,
    )
  },
}

const filters: Case = {
  id: "calls/read/list/filters",
  title: "Calls are chosen by status, direction, time of creation, agent and number",
  clauses: ["CALL-LIST-P1"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, phoneNumbers } = await trial.organization()
    const one = await activeAgent(trial, client)
    const two = await activeAgent(trial, client)
    const busyNumber = trial.numbers.magic("busy")
    const busy = await dial(trial, client, one, busyNumber, { from_number: phoneNumbers[0] })
    await untilEnded(trial, client, busy)
    await clock.advance(minuteMs)
    const middle = new Date(await clock.now()).toISOString()
    await clock.advance(minuteMs)
    const booked = await schedule(trial, client, two, dayMs)
    const gone = await schedule(trial, client, one, dayMs)
    trial.made(await stopCall(client, gone), 200)

    const rows: ReadonlyArray<
      readonly [name: string, query: Readonly<Record<string, string>>, expected: ReadonlyArray<string>]
    > = [
      ["status", { status: "busy" }, [busy]],
      ["two-statuses", { status: "busy,scheduled" }, [busy, booked]],
      ["canceled", { status: "canceled" }, [gone]],
      ["no-such", { status: "completed" }, []],
      ["outbound", { direction: "outbound" }, [busy, booked, gone]],
      ["inbound", { direction: "inbound" }, []],
      ["from-date", { from_date: middle }, [booked, gone]],
      ["to-date", { to_date: middle }, [busy]],
      ["between", { from_date: middle, to_date: middle }, []],
      ["agent", { agent_id: two }, [booked]],
      ["unknown-agent", { agent_id: "agt_unknown" }, []],
      ["to-number", { to_number: busyNumber }, [busy]],
      ["from-number", { from_number: phoneNumbers[0] ?? "", status: "busy" }, [busy]],
      ["other-number", { from_number: "+15555559999" }, []],
      ["batch", { batch_id: "bat_unknown" }, []],
      ["campaign", { campaign_id: "cmp_unknown" }, []],
      ["parent", { parent_execution_id: busy }, []],
      ["two-filters", { agent_id: one, status: "canceled" }, [gone]],
    ]
    for (const [name, query, expected] of rows) {
      const answer = await client.get("/v2/calls", query)
      check.equal(name, "CALL-LIST-P1", [...idsOf(answer)].sort(), [...expected].sort(), answer)
      check.equal(`${name}-total`, "CALL-LIST-P1", answer.at("pagination.total"), expected.length, answer)
    }
  },
}

const rows: Case = {
  id: "calls/read/list/rows",
  title: "A row of the list is the call as it reads alone",
  clauses: ["CALL-LIST-3", "CALL-LIST-4"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const executionId = await schedule(trial, client, agentId, 20 * dayMs)
    if (!trial.hasFixtures) trial.defer(() => stopCall(client, executionId))
    const list = await client.get("/v2/calls", { page_size: 100 })
    const row = list
      .items()
      .filter(isObject)
      .find(({ execution_id }) => execution_id === executionId)
    check.holds("there", "CALL-LIST-4", row !== undefined, "the call", list)
    const one = await readCall(client, executionId)
    check.equal("same", "CALL-LIST-3", row, one.json, list)
  },
}

export const callListCases: ReadonlyArray<Case> = [pages, filters, rows]
