import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, idsOf, placeCall, readCall } from "../../../trial/Calls.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const placed: Case = {
  id: "calls/create/immediate/placed",
  title: "A dial that the carrier accepts answers 201, queued, and the call is there at once",
  clauses: [
    "CALL-CREATE-NOW-1",
    "CALL-CREATE-NOW-2",
    "CALL-CREATE-NOW-3",
    "ID-P4",
    "CALL-CREATE-NOW-4",
    "STATUS-MOVE-1",
    "STATUS-4",
    "CALL-CREATE-P11",
    "ERROR-STATUS-3",
    "CALL-FIELD-4",
    "CALL-FIELD-8",
    "CALL-FIELD-26",
    "CALL-GET-5",
    "CALL-LIST-3",
  ],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("completed", 2)
    const answer = await placeCall(trial, client, { agent_id, to_number })
    check.status("created", ["STATUS-MOVE-1", "ERROR-STATUS-3"], answer, 201)
    check.equal("queued", ["CALL-CREATE-NOW-2", "STATUS-MOVE-1"], answer.at("status"), "queued", answer)
    check.equal(
      "echo",
      "CALL-CREATE-NOW-4",
      [answer.at("agent_id"), answer.at("to_number")],
      [agent_id, to_number],
      answer,
    )
    const executionId = answer.string("execution_id")
    const read = await readCall(client, executionId)
    check.status("readable", "CALL-CREATE-NOW-1", read, 200)
    check.equal("reads-queued", "CALL-CREATE-P11", read.at("status"), "queued", read)
    check.equal("outbound", "CALL-FIELD-4", read.at("direction"), "outbound", read)
    check.equal("not-scheduled", "CALL-FIELD-26", read.at("scheduled_at"), null, read)
    check.equal("no-contact", "CALL-FIELD-8", read.at("contact_id"), null, read)
    const [leg] = await trial.telephony.legs({ execution_id: executionId })
    check.oneOf("call-sid", "ID-P4", answer.at("call_sid"), [null, leg?.leg_id], answer)
    const list = await client.get("/v2/calls")
    check.equal("listed", "CALL-LIST-3", idsOf(list), [executionId], list)
    const ended = await untilEnded(trial, client, executionId)
    check.equal("same-id-for-life", "CALL-GET-5", [ended.status, ended.at("execution_id")], [200, executionId], ended)
  },
}

const callerId: Case = {
  id: "calls/create/immediate/caller-id",
  title: "A registered number is shown; without one telephony chooses; any other is refused",
  clauses: ["CALL-CREATE-7", "CALL-CREATE-8", "CALL-CREATE-P9", "DECODE-P11", "CALL-CREATE-NOW-4"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check } = trial
    const registered = ["+15555557001", "+15555557002"]
    const { client } = await trial.organization({ phone_numbers: registered })
    const other = await trial.organization({ phone_numbers: ["+15555557003"] })
    const agent_id = await activeAgent(trial, client)
    const to = () => trial.numbers.magic("completed", 1)
    const chosen = await placeCall(trial, client, { agent_id, to_number: to(), from_number: registered[1] })
    check.status("registered", "CALL-CREATE-7", chosen, 201)
    check.equal(
      "registered-shown",
      ["CALL-CREATE-7", "CALL-CREATE-NOW-4"],
      chosen.at("from_number"),
      registered[1],
      chosen,
    )
    await trial.clock.advance(2_000)
    const legs = await trial.telephony.legs({ execution_id: chosen.string("execution_id") })
    check.equal("registered-dialled", "CALL-CREATE-7", legs[0]?.from_number, registered[1])
    const executionId = await dial(trial, client, agent_id, to())
    await trial.clock.advance(2_000)
    const left = await trial.telephony.legs({ execution_id: executionId })
    check.oneOf("left-to-telephony", "CALL-CREATE-8", left[0]?.from_number, registered)
    for (const from_number of ["+15555557999", other.phoneNumbers[0]]) {
      const answer = await client.post("/v2/calls", { agent_id, to_number: to(), from_number })
      check.refused("unregistered", ["CALL-CREATE-P9", "DECODE-P11"], answer, 1001)
      check.names("unregistered-named", ["CALL-CREATE-P9", "DECODE-P11"], answer, "from_number")
    }
  },
}

const agents: Case = {
  id: "calls/create/immediate/agent",
  title: "Only an active agent of the organization places calls",
  clauses: [
    "AGENT-STATUS-6",
    "CALL-CREATE-5",
    "CALL-CREATE-P7",
    "CALL-CREATE-P8",
    "CALL-CREATE-G1",
    "CALL-CREATE-18",
    "TENANCY-2",
    "TENANCY-P1",
    "ERROR-9",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const other = await trial.organization()
    const foreign = await activeAgent(trial, other.client)
    const to_number = trial.numbers.magic("completed", 1)
    const unknown = await client.post("/v2/calls", { agent_id: "agt_unknown", to_number })
    check.rejected("unknown", "CALL-CREATE-5", unknown)
    // Whether an id that this server can never have given is looked up is a reading.
    check.refused("unknown-chosen", "CALL-CREATE-P8", unknown, 1200)
    const theirs = await client.post("/v2/calls", { agent_id: foreign, to_number })
    check.refused("foreign", ["CALL-CREATE-5", "CALL-CREATE-18", "ERROR-9", "TENANCY-2"], theirs, 1200)
    const scheduled_at = new Date((await trial.now()) + 86_400_000).toISOString()
    const later = await client.post("/v2/calls", { agent_id: foreign, to_number, scheduled_at })
    check.refused("foreign-booked", ["CALL-CREATE-5", "TENANCY-2"], later, 1200)
    if (unknown.code === 1200) check.equal("foreign-like-unknown", "TENANCY-2", theirs.text, unknown.text, theirs)
    for (const status of ["DRAFT", "INACTIVE", "ARCHIVED"]) {
      const made = trial.made(await client.post("/v2/agents", { display_name: `Agent ${status}` }), 201)
      const agent_id = made.string("agent_id")
      if (status !== "DRAFT") trial.made(await client.patch(`/v2/agents/${agent_id}`, { status: "INACTIVE" }), 200)
      if (status === "ARCHIVED") trial.made(await client.patch(`/v2/agents/${agent_id}`, { status }), 200)
      const answer = await client.post("/v2/calls", { agent_id, to_number })
      check.rejected(`${status}-places-nothing`, "AGENT-STATUS-6", answer)
      check.refused(status, ["CALL-CREATE-P7"], answer, 1201)
      check.equal(
        `${status}-wording`,
        "CALL-CREATE-G1",
        answer.message,
        `This agent is not active (status=${status}).`,
        answer,
      )
    }
    const list = await client.get("/v2/calls")
    check.equal("nothing-placed", "AGENT-STATUS-6", list.items().length, 0, list)
  },
}

const variables: Case = {
  id: "calls/create/immediate/variables",
  title: "A call keeps its variables with the metadata merged over them",
  clauses: ["CALL-CREATE-10", "CALL-CREATE-11", "CALL-CREATE-P10", "CALL-FIELD-24"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const scheduled_at = new Date((await trial.now()) + 86_400_000).toISOString()
    const to_number = trial.numbers.magic("completed", 1)
    const place = async (body: Readonly<Record<string, unknown>>) => {
      const answer = trial.made(await client.post("/v2/calls", { agent_id, to_number, scheduled_at, ...body }), 202)
      const executionId = answer.string("execution_id")
      if (!trial.hasFixtures) trial.defer(() => client.post(`/v2/calls/${executionId}/stop`))
      return readCall(client, executionId)
    }
    const merged = await place({
      variables: { name: "Ada", city: "Paris", nested: { a: 1 } },
      metadata: { city: "Rome", order: 7, nested: { b: 2 } },
    })
    check.equal("metadata-added", ["CALL-CREATE-10", "CALL-FIELD-24"], merged.at("variables.order"), 7, merged)
    check.equal("variables-kept", "CALL-FIELD-24", merged.at("variables.name"), "Ada", merged)
    check.equal("metadata-wins", "CALL-CREATE-11", merged.at("variables.city"), "Rome", merged)
    check.equal(
      "whole",
      "CALL-CREATE-P10",
      merged.at("variables"),
      { name: "Ada", city: "Rome", nested: { b: 2 }, order: 7 },
      merged,
    )
    const none = await place({})
    check.equal("none", "CALL-FIELD-24", none.at("variables"), {}, none)
    const odd = {
      ключ: "значение",
      empty: "",
      zero: 0,
      no: false,
      nothing: null,
      list: [1, "a"],
      __proto: "x",
      "a.b": "dotted",
    }
    const kept = await place({ variables: odd })
    check.equal("kept-as-given", "CALL-FIELD-24", kept.at("variables"), odd, kept)
  },
}

const kept: Case = {
  id: "calls/create/immediate/keys",
  title: "Every variable is kept, whatever its name",
  clauses: ["CALL-CREATE-10", "CALL-FIELD-24"],
  requires: ["fixtures", "telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const named = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, `the ${name}`]))
    const variables = named(["__proto__", "constructor", "", "0", "a.b", "length"])
    const metadata = named(["hasOwnProperty", "é"])
    const to_number = trial.numbers.magic("completed", 1)
    const answer = await placeCall(trial, client, { agent_id, to_number, variables, metadata })
    const read = await readCall(client, answer.string("execution_id"))
    const entries = (object: object) => Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1))
    check.equal(
      "all-there",
      ["CALL-CREATE-10", "CALL-FIELD-24"],
      entries(Object(read.at("variables"))),
      entries({ ...variables, ...metadata }),
      read,
    )
  },
}

export const immediateCases: ReadonlyArray<Case> = [placed, callerId, agents, variables, kept]
