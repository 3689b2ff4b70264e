import type { Case } from "../../run/Case.ts"
import { agentName } from "../../trial/Agents.ts"

const pages: Case = {
  id: "decoding/query/pages",
  title: "page and page_size have bounds and defaults",
  clauses: ["PAGE-2", "PAGE-3", "PAGE-7", "PAGE-8", "CONSTANT-1", "CONSTANT-2", "ERROR-2", "ERROR-3", "ERROR-4"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    for (const path of ["/v2/api-keys", "/v2/agents", "/v2/calls"]) {
      const plain = await client.get(path)
      check.equal(`default-page${path}`, ["PAGE-2", "PAGE-7", "CONSTANT-2"], plain.at("pagination.page"), 1, plain)
      check.equal(
        `default-size${path}`,
        ["PAGE-3", "PAGE-8", "CONSTANT-1"],
        plain.at("pagination.page_size"),
        20,
        plain,
      )
      for (const [page, page_size] of [
        ["1", "1"],
        ["10000", "100"],
      ] as const) {
        const answer = await client.get(path, { page, page_size })
        check.status(
          `bounds-${page}-${page_size}${path}`,
          ["PAGE-7", "PAGE-8", "CONSTANT-1", "CONSTANT-2"],
          answer,
          200,
        )
      }
      for (const value of ["0", "-1", "10001", "x", "1.5", ""]) {
        const answer = await client.get(path, { page: value })
        check.refused(`page-${value === "" ? "empty" : value}${path}`, ["PAGE-7", "ERROR-2"], answer, 1001)
        check.names(`page-${value === "" ? "empty" : value}-named${path}`, ["ERROR-3", "ERROR-4"], answer, "page")
      }
      for (const value of ["0", "-1", "101", "x", "1.5"]) {
        const answer = await client.get(path, { page_size: value })
        check.refused(`size-${value}${path}`, ["PAGE-8", "ERROR-2"], answer, 1001)
        check.names(`size-${value}-named${path}`, ["ERROR-3", "ERROR-4"], answer, "page_size")
      }
    }
  },
}

const enumerations: Case = {
  id: "decoding/query/enumerations",
  title: "A word that an enumeration of the query does not know is 1000 with 400",
  clauses: ["DECODE-P8", "MESSAGE-G1", "MESSAGE-G2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const status = await client.get("/v2/calls", { status: "sleeping" })
    check.refused("call-status", "DECODE-P8", status, 1000)
    const told = "Unknown status 'sleeping'. Valid values are: "
    check.that("call-status-wording", "MESSAGE-G1", status.message.startsWith(told), {
      expected: told,
      got: status.message,
      at: status,
    })
    check.refused("one-of-two", "DECODE-P8", await client.get("/v2/calls", { status: "completed,sleeping" }), 1000)
    check.refused("other-case", "DECODE-P8", await client.get("/v2/calls", { status: "COMPLETED" }), 1000)
    check.refused("other-spelling", "DECODE-P8", await client.get("/v2/calls", { status: "cancelled" }), 1000)
    const direction = await client.get("/v2/calls", { direction: "sideways" })
    check.refused("direction", "DECODE-P8", direction, 1000)
    const expected = "Invalid value for 'direction': 'sideways'. Valid values are inbound and outbound."
    check.equal("direction-wording", "MESSAGE-G2", direction.message, expected, direction)
    check.refused("agent-status", "DECODE-P8", await client.get("/v2/agents", { status: "draft" }), 1000)
    check.refused("sort-by", "DECODE-P8", await client.get("/v2/agents", { sort_by: "colour" }), 1000)
    check.refused("sort-order", "DECODE-P8", await client.get("/v2/agents", { sort_order: "up" }), 1000)
  },
}

const values: Case = {
  id: "decoding/query/values",
  title: "Booleans and moments of the query are checked; a moment needs an offset",
  clauses: ["DECODE-P7", "DECODE-P9", "TIME-2", "ERROR-3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    for (const value of ["yes", "2", "TRUEISH"]) {
      const answer = await client.get("/v2/calls", { include_transcript: value })
      check.refused(`boolean-${value}`, "DECODE-P7", answer, 1001)
      check.names(`boolean-${value}-named`, "DECODE-P7", answer, "include_transcript")
    }
    // The specification names these parameters for the calls of an agent; for all calls they are a reading.
    const agent = trial.made(await client.post("/v2/agents", { display_name: agentName(trial) }), 201)
    const ofAgent = `/v2/agents/${agent.string("agent_id")}/executions`
    for (const name of ["from_date", "to_date"]) {
      for (const value of ["2026-01-05T09:00:00", "2026-01-05", "yesterday", "2026-13-05T09:00:00Z"]) {
        const answer = await client.get("/v2/calls", { [name]: value })
        check.refused(`${name}-${value}`, ["DECODE-P9", "DECODE-P7"], answer, 1001)
        check.names(`${name}-${value}-named`, "DECODE-P7", answer, name)
      }
      for (const value of ["2026-01-05T09:00:00", "2026-01-05", "yesterday"]) {
        check.rejected(`${name}-${value}-rejected`, "TIME-2", await client.get(ofAgent, { [name]: value }))
      }
      for (const value of ["2026-01-05T09:00:00Z", "2026-01-05T09:00:00+05:30", "2026-01-05T09:00:00.123-08:00"]) {
        check.status(`${name}-${value}`, "TIME-2", await client.get(ofAgent, { [name]: value }), 200)
        check.status(`${name}-${value}-of-all`, "DECODE-P9", await client.get("/v2/calls", { [name]: value }), 200)
      }
    }
  },
}

export const queryCases: ReadonlyArray<Case> = [pages, enumerations, values]
