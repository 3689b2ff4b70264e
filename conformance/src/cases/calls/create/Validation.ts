import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { bookCall } from "../../../trial/Calls.ts"
import { dayMs } from "../../../trial/Duration.ts"

const missing: Case = {
  id: "calls/create/validation/missing",
  title: "A call needs an agent and a number, and the first that is absent is named",
  clauses: [
    "CALL-CREATE-3",
    "CALL-CREATE-4",
    "CALL-CREATE-6",
    "CALL-CREATE-18",
    "ERROR-5",
    "MESSAGE-G4",
    "DECODE-P2",
    "DECODE-P4",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const nothing = await client.post("/v2/calls", {})
    check.refused("nothing", ["CALL-CREATE-4", "CALL-CREATE-18", "ERROR-5"], nothing, 1002)
    check.names("nothing-named", "ERROR-5", nothing, "agent_id")
    check.equal("wording", "MESSAGE-G4", nothing.message, "Missing required parameter 'agent_id'.", nothing)
    const numberless = await client.post("/v2/calls", { agent_id: "agt_x" })
    check.refused("no-number", ["CALL-CREATE-6", "CALL-CREATE-18", "ERROR-5"], numberless, 1002)
    check.names("no-number-named", "ERROR-5", numberless, "to_number")
    const agentless = await client.post("/v2/calls", { to_number: "+15555550100" })
    check.refused("no-agent", ["CALL-CREATE-4", "ERROR-5"], agentless, 1002)
    check.names("no-agent-named", "ERROR-5", agentless, "agent_id")
    const raw = "agent_id=agt_x&to_number=%2B15555550100"
    check.rejected("no-json", "CALL-CREATE-3", await client.send("POST", "/v2/calls", { raw }))

    // Of an absent and a wrong field, the one that stands first in the schema is told.
    const wrongThenAbsent = await client.post("/v2/calls", { agent_id: 5 })
    check.refused("wrong-before-absent", "DECODE-P4", wrongThenAbsent, 1001)
    check.names("wrong-before-absent-named", "DECODE-P4", wrongThenAbsent, "agent_id")
    const absentThenWrong = await client.post("/v2/calls", { to_number: "x", timeout_seconds: 1 })
    check.refused("absent-before-wrong", "DECODE-P4", absentThenWrong, 1002)
    check.names("absent-before-wrong-named", "DECODE-P4", absentThenWrong, "agent_id")
  },
}

/** Values that a field must refuse, with the clause that says so. */
const wrong: ReadonlyArray<readonly [name: string, clause: string, field: string, value: unknown]> = [
  ["agent-empty", "CALL-CREATE-4", "agent_id", ""],
  ["agent-null", "DECODE-P3", "agent_id", null],
  ["agent-number", "CALL-CREATE-4", "agent_id", 5],
  ["to-empty", "CALL-CREATE-6", "to_number", ""],
  ["to-null", "DECODE-P3", "to_number", null],
  ["to-number", "CALL-CREATE-6", "to_number", 15555550100],
  ["to-6-digits", "CONSTANT-12", "to_number", "+155555"],
  ["to-16-digits", "CONSTANT-12", "to_number", "+1555555010012345"],
  ["to-letters", "CALL-CREATE-6", "to_number", "+1555555O100"],
  ["to-blanks", "CALL-CREATE-6", "to_number", "+1 555 555 0100"],
  ["to-dashes", "CALL-CREATE-6", "to_number", "+1-555-555-0100"],
  ["to-without-plus", "DECODE-P14", "to_number", "15555550100"],
  ["to-two-pluses", "CALL-CREATE-6", "to_number", "++15555550100"],
  ["to-newline", "CALL-CREATE-6", "to_number", "+15555550100\n"],
  ["to-other-digits", "CALL-CREATE-6", "to_number", "+١٥٥٥٥٥٥٠١٠٠"],
  ["from-letters", "CALL-CREATE-7", "from_number", "anonymous"],
  ["from-6-digits", "CONSTANT-12", "from_number", "+155555"],
  ["from-number", "CALL-CREATE-7", "from_number", 5],
  ["variables-text", "DECODE-P3", "variables", "x"],
  ["variables-array", "DECODE-P3", "variables", ["x"]],
  ["variables-null", "DECODE-P3", "variables", null],
  ["metadata-text", "DECODE-P3", "metadata", "x"],
  ["metadata-null", "DECODE-P3", "metadata", null],
  ["scheduled-text", "CALL-CREATE-12", "scheduled_at", "tomorrow"],
  ["scheduled-number", "CALL-CREATE-12", "scheduled_at", 1_767_603_600],
  ["scheduled-impossible", "CALL-CREATE-12", "scheduled_at", "2026-02-30T09:00:00Z"],
  ["record-text", "DECODE-P3", "record", "yes"],
  ["record-null", "DECODE-P3", "record", null],
  ["timeout-4", "CALL-CREATE-16", "timeout_seconds", 4],
  ["timeout-121", "CALL-CREATE-16", "timeout_seconds", 121],
  ["timeout-0", "CONSTANT-8", "timeout_seconds", 0],
  ["timeout-fraction", "CALL-CREATE-16", "timeout_seconds", 30.5],
  ["timeout-text", "CALL-CREATE-16", "timeout_seconds", "30"],
]

/** Clauses of which the specification's own text refuses nothing. */
const readings: ReadonlySet<string> = new Set(["DECODE-P3", "DECODE-P14"])

const invalid: Case = {
  id: "calls/create/validation/invalid",
  title: "Every field of a call has its type and bounds; a wrong one is named and nothing is placed",
  clauses: [
    "CALL-CREATE-4",
    "CALL-CREATE-6",
    "CALL-CREATE-7",
    "CALL-CREATE-12",
    "CALL-CREATE-16",
    "CALL-CREATE-18",
    "CONSTANT-8",
    "CONSTANT-12",
    "DECODE-P3",
    "DECODE-P4",
    "DECODE-P14",
    "ERROR-2",
    "ERROR-3",
    "ERROR-4",
    "MESSAGE-G3",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const before = (await client.get("/v2/calls", { page_size: 1 })).number("pagination.total")
    const good = { agent_id, to_number: "+15555550100" }
    // What only a reading refuses, a server may take.
    let taken = 0
    for (const [name, clause, field, value] of wrong) {
      const answer = await client.post("/v2/calls", { ...good, [field]: value })
      const isReading = readings.has(clause)
      check.refused(name, isReading ? clause : [clause, "ERROR-2", "CALL-CREATE-18"], answer, 1001)
      check.names(`${name}-named`, isReading ? clause : ["ERROR-3", "ERROR-4"], answer, field)
      if (answer.succeeded) taken += 1
      const stripped = !/\b(body|payload)[.[]/.test(answer.message)
      check.that(`${name}-prefix-stripped`, "ERROR-4", stripped, {
        expected: "no prefix",
        got: answer.message,
        at: answer,
      })
    }
    // Whether a null is a wrong value or an absent one is not said.
    for (const [field, clause] of [
      ["agent_id", "CALL-CREATE-4"],
      ["to_number", "CALL-CREATE-6"],
    ] as const) {
      check.rejected(`${field}-null-refused`, clause, await client.post("/v2/calls", { ...good, [field]: null }))
    }
    const several = await client.post("/v2/calls", { ...good, timeout_seconds: 1, to_number: "x", record: 5 })
    check.names("first-in-schema-order", "DECODE-P4", several, "to_number")
    const told = await client.post("/v2/calls", { ...good, timeout_seconds: 4 })
    const form = /^Invalid value for 'timeout_seconds': .+\.$/.test(told.message)
    check.that("wording", "MESSAGE-G3", form, {
      expected: "Invalid value for 'timeout_seconds': <reason>.",
      got: told.message,
      at: told,
    })
    const after = await client.get("/v2/calls", { page_size: 1 })
    check.equal("nothing-placed", "CALL-CREATE-18", after.at("pagination.total"), before + taken, after)
  },
}

const bounds: Case = {
  id: "calls/create/validation/bounds",
  title: "Values at the bounds are accepted",
  clauses: [
    "CALL-CREATE-6",
    "CALL-CREATE-7",
    "CALL-CREATE-12",
    "CALL-CREATE-16",
    "CONSTANT-8",
    "CONSTANT-12",
    "TIME-2",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const moment = (await trial.now()) + 2 * dayMs
    const scheduled_at = new Date(moment).toISOString()
    const good = { agent_id, to_number: "+15555550100", scheduled_at }
    const local = new Date(moment + 5.5 * 3_600_000).toISOString().replace("Z", "+05:30")
    const west = new Date(moment - 8 * 3_600_000).toISOString().replace("Z", "-08:00")
    const rows: ReadonlyArray<readonly [name: string, clause: string, change: Readonly<Record<string, unknown>>]> = [
      ["7-digits", "CONSTANT-12", { to_number: "+1555555" }],
      ["15-digits", "CONSTANT-12", { to_number: "+155555501001234" }],
      ["timeout-5", "CALL-CREATE-16", { timeout_seconds: 5 }],
      ["timeout-120", "CONSTANT-8", { timeout_seconds: 120 }],
      ["from-null", "CALL-CREATE-7", { from_number: null }],
      ["offset-east", "TIME-2", { scheduled_at: local }],
      ["offset-west", "TIME-2", { scheduled_at: west }],
      ["without-milliseconds", "CALL-CREATE-12", { scheduled_at: `${scheduled_at.slice(0, 19)}Z` }],
    ]
    for (const [name, clause, change] of rows) {
      const answer = await bookCall(trial, client, { ...good, ...change })
      check.status(name, clause, answer, 202)
      if (name.startsWith("offset")) {
        check.equal(`${name}-same-moment`, "TIME-2", Date.parse(answer.string("scheduled_at")), moment, answer)
      }
    }
  },
}

export const validationCases: ReadonlyArray<Case> = [missing, invalid, bounds]
