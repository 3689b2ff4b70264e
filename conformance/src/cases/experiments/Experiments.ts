import type { Case } from "../../run/Case.ts"
import { activeAgent, makeAgent } from "../../trial/Agents.ts"
import { dial, placeCall, readCall } from "../../trial/Calls.ts"

const fields: Case = {
  id: "experiments/fields",
  title: "An experiment is made for a control agent and read back there, and nowhere else",
  clauses: [
    "EXPERIMENT-ROUTES-P1",
    "EXPERIMENT-ROUTES-P2",
    "EXPERIMENT-GET-3",
    "EXPERIMENT-GET-4",
    "EXPERIMENT-GET-5",
    "EXPERIMENT-FIELD-1",
    "EXPERIMENT-FIELD-2",
    "EXPERIMENT-FIELD-3",
    "EXPERIMENT-FIELD-4",
    "EXPERIMENT-FIELD-5",
    "EXPERIMENT-FIELD-9",
    "EXPERIMENT-FIELD-10",
    "EXPERIMENT-FIELD-11",
    "EXPERIMENT-FIELD-13",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const control = (await makeAgent(trial, client)).string("agent_id")
    const challenger = (await makeAgent(trial, client)).string("agent_id")
    const path = `/v2/agents/${control}/versions`
    const made = await client.post(path, { variant_agent_id: challenger, version_name: "Warm voice" })
    check.status("created", "EXPERIMENT-ROUTES-P2", made, 201)
    const id = made.string("version_id")
    check.equal("control", ["EXPERIMENT-FIELD-1", "EXPERIMENT-GET-3"], made.at("main_agent_id"), control, made)
    check.equal("challenger", "EXPERIMENT-FIELD-2", made.at("variant_agent_id"), challenger, made)
    check.equal("name", "EXPERIMENT-FIELD-3", made.at("version_name"), "Warm voice", made)
    check.equal("no-variable", "EXPERIMENT-FIELD-4", made.at("variable_tested"), null, made)
    check.equal("no-share", "EXPERIMENT-ROUTES-P2", made.at("variant_traffic_pct"), 0, made)
    check.equal("draft", "EXPERIMENT-ROUTES-P2", made.at("status"), "draft", made)
    check.equal("no-winner", "EXPERIMENT-FIELD-10", made.at("winner"), null, made)
    check.equal("no-dates", "EXPERIMENT-FIELD-11", [made.at("start_date"), made.at("end_date")], [null, null], made)
    check.holds("maker", "EXPERIMENT-FIELD-13", made.string("created_by") !== "", "who made it", made)
    const read = await client.get(`${path}/${id}`)
    check.status("read", "EXPERIMENT-GET-4", read, 200)
    check.equal("reads-the-same", "EXPERIMENT-GET-4", read.json, made.json, read)
    const elsewhere = await client.get(`/v2/agents/${challenger}/versions/${id}`)
    check.refused("under-another-control", "EXPERIMENT-GET-5", elsewhere, 1200)
    const list = await client.get(path, { status: "draft" })
    check.equal("listed", "EXPERIMENT-ROUTES-P1", list.items().length, 1, list)
    check.equal("filtered", "EXPERIMENT-ROUTES-P1", (await client.get(path, { status: "active" })).items().length, 0)
  },
}

const moves: Case = {
  id: "experiments/moves",
  title: "An experiment goes from draft to active and paused, and ends concluded with a winner",
  clauses: [
    "EXPERIMENT-STATUS-P1",
    "EXPERIMENT-STATUS-P2",
    "EXPERIMENT-STATUS-P3",
    "EXPERIMENT-STATUS-P4",
    "EXPERIMENT-STATUS-P5",
    "EXPERIMENT-STATUS-P6",
    "EXPERIMENT-STATUS-P7",
    "EXPERIMENT-ROUTES-P3",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const control = (await makeAgent(trial, client)).string("agent_id")
    const challenger = (await makeAgent(trial, client)).string("agent_id")
    const path = `/v2/agents/${control}/versions`
    const make = async (body: object = {}) =>
      client.post(path, { variant_agent_id: challenger, version_name: "V", ...body })
    const id = trial.made(await make(), 201).string("version_id")
    const patch = (body: object) => client.patch(`${path}/${id}`, body)
    check.refused("draft-to-paused", "EXPERIMENT-STATUS-P1", await patch({ status: "paused" }), 1201)
    check.refused("concluding-without-winner", "EXPERIMENT-STATUS-P7", await patch({ status: "concluded" }), 1002)
    check.refused("winner-alone", "EXPERIMENT-STATUS-P5", await patch({ winner: "variant" }), 1000)
    check.equal("active", "EXPERIMENT-STATUS-P1", (await patch({ status: "active" })).at("status"), "active")
    check.refused("second-active", "EXPERIMENT-STATUS-P6", await make({ status: "active" }), 1201)
    check.refused("running", "EXPERIMENT-ROUTES-P3", await client.delete(`${path}/${id}`), 1201)
    check.equal("paused", "EXPERIMENT-STATUS-P2", (await patch({ status: "paused" })).at("status"), "paused")
    check.equal("active-again", "EXPERIMENT-STATUS-P2", (await patch({ status: "active" })).at("status"), "active")
    const concluded = await patch({ status: "concluded", winner: "variant" })
    check.equal(
      "concluded",
      "EXPERIMENT-STATUS-P3",
      [concluded.at("status"), concluded.at("winner")],
      ["concluded", "variant"],
      concluded,
    )
    check.refused("final", "EXPERIMENT-STATUS-P4", await patch({ variant_traffic_pct: 5 }), 1201)
    const deleted = await client.delete(`${path}/${id}`)
    check.equal(
      "deleted",
      "EXPERIMENT-ROUTES-P3",
      [deleted.status, deleted.at("version_id"), deleted.at("deleted")],
      [200, id, true],
      deleted,
    )
    check.refused("gone", "EXPERIMENT-ROUTES-P3", await client.get(`${path}/${id}`), 1200)
    const conclude = async (clause: string, ...before: ReadonlyArray<string>) => {
      const other = `${path}/${trial.made(await make(), 201).string("version_id")}`
      for (const status of before) await client.patch(other, { status })
      const answer = await client.patch(other, { status: "concluded", winner: "control" })
      check.equal(`${["draft", ...before].join("-")}-concluded`, clause, answer.at("status"), "concluded", answer)
    }
    await conclude("EXPERIMENT-STATUS-P1")
    await conclude("EXPERIMENT-STATUS-P3", "active", "paused")
  },
}

const errors: Case = {
  id: "experiments/errors",
  title: "Unknown statuses, empty patches, explicit nulls and challengers that are not there are malformed",
  clauses: [
    "EXPERIMENT-ERROR-1",
    "EXPERIMENT-ERROR-2",
    "EXPERIMENT-ERROR-3",
    "EXPERIMENT-ERROR-4",
    "EXPERIMENT-ERROR-P1",
    "EXPERIMENT-FIELD-5",
    "EXPERIMENT-ROUTES-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const control = (await makeAgent(trial, client)).string("agent_id")
    const challenger = (await makeAgent(trial, client)).string("agent_id")
    const path = `/v2/agents/${control}/versions`
    const body = { variant_agent_id: challenger, version_name: "V" }
    const id = trial.made(await client.post(path, body), 201).string("version_id")
    const patch = (changes: object) => client.patch(`${path}/${id}`, changes)
    // That the list is filtered by status is a reading; where it is, an unknown one is an error.
    const isFiltered = (await client.get(path, { status: "active" })).items().length === 0
    const unknown = await client.get(path, { status: "running" })
    check.refused("unknown-status-in-query", isFiltered ? "EXPERIMENT-ERROR-1" : "EXPERIMENT-ROUTES-P1", unknown, 1000)
    check.refused("unknown-status", "EXPERIMENT-ERROR-1", await patch({ status: "running" }), 1000)
    check.refused("empty", "EXPERIMENT-ERROR-2", await patch({}), 1000)
    for (const field of ["version_name", "variant_agent_id", "variant_traffic_pct", "status"]) {
      check.refused(`null-${field}`, "EXPERIMENT-ERROR-3", await patch({ [field]: null }), 1000)
    }
    for (const field of ["description", "variable_tested", "start_date", "end_date"]) {
      check.status(`nullable-${field}`, "EXPERIMENT-ERROR-P1", await patch({ [field]: null }), 200)
    }
    check.refused("challenger", "EXPERIMENT-ERROR-4", await patch({ variant_agent_id: "agt_unknown" }), 1000)
    for (const pct of [-1, 100.5]) {
      check.refused(`share-${pct}`, "EXPERIMENT-FIELD-5", await patch({ variant_traffic_pct: pct }), 1001)
    }
  },
}

const routing: Case = {
  id: "experiments/routing",
  title: "A share of the calls goes to the challenger, and each number always to the same side",
  clauses: [
    "EXPERIMENT-FIELD-6",
    "EXPERIMENT-FIELD-7",
    "EXPERIMENT-FIELD-8",
    "EXPERIMENT-FIELD-12",
    "EXPERIMENT-ASSIGN-P1",
    "EXPERIMENT-ASSIGN-P3",
    "EXPERIMENT-ASSIGN-P4",
  ],
  requires: ["telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ concurrency: { organization: 100 } })
    const control = await activeAgent(trial, client)
    const challenger = await activeAgent(trial, client)
    const path = `/v2/agents/${control}/versions`
    const made = trial.made(
      await client.post(path, {
        variant_agent_id: challenger,
        version_name: "V",
        status: "active",
        variant_traffic_pct: 0,
        end_date: "2001-01-01T00:00:00Z",
      }),
      201,
    )
    const share = (variant_traffic_pct: number) =>
      client.patch(`${path}/${made.string("version_id")}`, { variant_traffic_pct })
    const agentOf = async (number: string) =>
      (await readCall(client, await dial(trial, client, control, number))).string("agent_id")
    const numbers = Array.from({ length: 12 }, () => trial.numbers.magic("completed", 1))
    const sides = async () => {
      const found: Array<string> = []
      for (const number of numbers) found.push(await agentOf(number))
      return found
    }
    const none = await sides()
    check.holds(
      "none",
      "EXPERIMENT-FIELD-7",
      none.every((side) => side === control),
      "every call with the control",
    )
    await share(50)
    const half = await sides()
    const again = await sides()
    await share(100)
    const all = await sides()
    // Whether a call shows the challenger that ran it is a reading: where none does, nothing is said of who ran.
    const isShown = [...half, ...all].includes(challenger)
    const told = (...clauses: ReadonlyArray<string>) => [...(isShown ? clauses : []), "EXPERIMENT-ASSIGN-P4"]
    const variants = half.filter((side) => side === challenger).length
    check.holds(
      "some",
      told("EXPERIMENT-FIELD-6", "EXPERIMENT-FIELD-12"),
      variants > 0 && variants < 12,
      "both sides called",
    )
    check.equal("sticky", "EXPERIMENT-ASSIGN-P1", again, half)
    check.holds(
      "all",
      told("EXPERIMENT-FIELD-8"),
      all.every((side) => side === challenger),
      "every call with the challenger",
    )
    await client.patch(`/v2/agents/${challenger}`, { status: "INACTIVE" })
    const to_number = numbers[0] ?? ""
    const placed = await placeCall(trial, client, { agent_id: control, to_number })
    const kept = await readCall(client, placed.string("execution_id"))
    check.equal("not-active", "EXPERIMENT-ASSIGN-P3", [placed.status, kept.at("agent_id")], [201, control], placed)
  },
}

/** A/B experiments of a control agent. */
export const experimentCases: ReadonlyArray<Case> = [fields, moves, errors, routing]
