import type { Case } from "../../run/Case.ts"
import { agentName, makeAgent, postAgent } from "../../trial/Agents.ts"

const nameOnly: Case = {
  id: "agents/create/name-only",
  title: "A name is enough for an agent: an empty draft at version 2",
  clauses: [
    "AGENT-CREATE-3",
    "AGENT-CREATE-4",
    "AGENT-CREATE-5",
    "AGENT-STATUS-2",
    "AGENT-STATUS-3",
    "AGENT-RESPONSE-1",
    "AGENT-RESPONSE-2",
    "AGENT-RESPONSE-3",
    "AGENT-GUARD-7",
    "AGENT-GET-2",
    "ERROR-STATUS-3",
    "ID-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId } = await trial.tenant()
    const display_name = agentName(trial)
    const made = await makeAgent(trial, client, { display_name })
    check.status("created", ["AGENT-CREATE-3", "ERROR-STATUS-3"], made, 201)
    check.equal("draft", ["AGENT-CREATE-4", "AGENT-STATUS-2"], made.at("status"), "DRAFT", made)
    check.equal("version", ["AGENT-CREATE-5", "AGENT-STATUS-3"], made.at("version"), 2, made)
    check.equal("name", "AGENT-CREATE-3", made.at("display_name"), display_name, made)
    check.equal("may-call-at-any-time", "AGENT-GUARD-7", made.at("calling_guard"), null, made)
    check.oneOf("organization", "AGENT-RESPONSE-2", made.at("org_id"), [organizationId, null], made)
    check.that("id-prefix", "ID-P1", made.string("agent_id").startsWith("agt_"), {
      expected: "agt_…",
      got: made.at("agent_id"),
      at: made,
    })
    const read = await client.get(`/v2/agents/${made.string("agent_id")}`)
    check.status("readable", "AGENT-RESPONSE-1", read, 200)
    check.equal("reads-the-same", "AGENT-GET-2", read.json, made.json, read)
  },
}

const names: Case = {
  id: "agents/create/names",
  title: "A display name has 1 to 100 characters of a small alphabet",
  clauses: [
    "AGENT-FIELD-1",
    "AGENT-FIELD-2",
    "AGENT-FIELD-3",
    "CONSTANT-3",
    "DECODE-P2",
    "DECODE-P3",
    "ERROR-2",
    "ERROR-3",
    "ERROR-5",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const missing = await client.post("/v2/agents", {})
    // Whether a field of the body is a parameter, and its absence no failed validation, is said of calls alone.
    check.oneOf("missing", "AGENT-FIELD-1", missing.code, [1001, 1002], missing)
    check.refused("missing-code", "DECODE-P2", missing, 1002)
    check.names("missing-named", "ERROR-5", missing, "display_name")
    const wrong: ReadonlyArray<readonly [name: string, clause: string, value: unknown]> = [
      ["null", "AGENT-FIELD-1", null],
      ["number", "AGENT-FIELD-1", 7],
      ["object", "AGENT-FIELD-1", {}],
      ["empty", "AGENT-FIELD-2", ""],
      ["101-characters", "CONSTANT-3", "a".repeat(101)],
      ["slash", "AGENT-FIELD-3", "a/b"],
      ["quote", "AGENT-FIELD-3", "a'b"],
      ["angle", "AGENT-FIELD-3", "<b>"],
      ["newline", "AGENT-FIELD-3", "a\nb"],
      ["tab", "AGENT-FIELD-3", "a\tb"],
      ["comma", "AGENT-FIELD-3", "a,b"],
      ["emoji", "AGENT-FIELD-3", "a😀"],
    ]
    for (const [name, clause, value] of wrong) {
      const answer = await client.post("/v2/agents", { display_name: value })
      check.refused(name, [clause, "ERROR-2"], answer, 1001)
      check.names(`${name}-named`, "ERROR-3", answer, "display_name")
    }
    const right: ReadonlyArray<readonly [name: string, clause: string, value: string]> = [
      ["one-character", "AGENT-FIELD-2", "a"],
      ["100-characters", "CONSTANT-3", "a".repeat(100)],
      ["whole-alphabet", "AGENT-FIELD-3", "Az 09 - _ . ( )"],
    ]
    for (const [name, clause, display_name] of right) {
      const made = await makeAgent(trial, client, { display_name })
      check.equal(name, clause, made.at("display_name"), display_name, made)
    }
  },
}

const statusOnCreate: Case = {
  id: "agents/create/status",
  title: "A status on create is a move of the same write, and the version is 2 all the same",
  clauses: ["AGENT-STATUS-P5", "AGENT-STATUS-P6"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    for (const status of ["DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED"]) {
      const made = await postAgent(trial, client, { display_name: agentName(trial), status })
      check.status(`${status}-taken`, "AGENT-STATUS-P5", made, 201)
      check.equal(`${status}`, "AGENT-STATUS-P5", made.at("status"), status, made)
      check.equal(`${status}-version`, "AGENT-STATUS-P6", made.at("version"), 2, made)
    }
    const none = await makeAgent(trial, client, { status: null })
    check.equal("null", "AGENT-STATUS-P5", none.at("status"), "DRAFT", none)
  },
}

export const createCases: ReadonlyArray<Case> = [nameOnly, names, statusOnCreate]
