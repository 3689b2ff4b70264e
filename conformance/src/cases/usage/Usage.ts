import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial } from "../../trial/Calls.ts"

const bounds: Case = {
  id: "usage/bounds",
  title: "Usage covers this month by default, 32 days at most, and never runs backwards",
  clauses: ["USAGE-P1", "USAGE-P2", "USAGE-P3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const usage = (query: Readonly<Record<string, string>> = {}) => client.get("/v2/usage", query)
    const all = await usage()
    check.status("answered", "USAGE-P1", all, 200)
    check.holds("from", "USAGE-P1", /-01T00:00:00/.test(all.string("from_date")), "the first of the month", all)
    const [from_date, near, far] = ["2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z", "2026-02-02T00:00:01Z"]
    check.status("32-days", "USAGE-P3", await usage({ from_date, to_date: near }), 200)
    check.refused("longer", "USAGE-P3", await usage({ from_date, to_date: far }), 1000)
    check.refused("reversed", "USAGE-P3", await usage({ from_date: near, to_date: from_date }), 1000)
    check.refused("grouping", "USAGE-P2", await usage({ group_by: "hour" }), 1000)
    check.refused("no-offset", "USAGE-P1", await usage({ from_date: "2026-01-01T00:00:00" }), 1001)
  },
}

const sums: Case = {
  id: "usage/sums",
  title: "Usage adds up the calls, their time and their cost, by status and by agent",
  clauses: ["USAGE-P1", "USAGE-P2"],
  requires: ["telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const [first, second] = [await activeAgent(trial, client), await activeAgent(trial, client)]
    for (const [agentId, count] of [
      [first, 2],
      [second, 1],
    ] as const) {
      for (let n = 0; n < count; n++) await dial(trial, client, agentId, trial.numbers.magic("completed", 1))
    }
    await dial(trial, client, second, trial.numbers.magic("busy"))
    await trial.clock.advance(600_000)
    const list = await client.get("/v2/calls", { page_size: 100 })
    const sum = (field: string) =>
      list.items().reduce<number>((all, _row, n) => all + (list.number(`data.${n}.${field}`) || 0), 0)
    const usage = await client.get("/v2/usage", { group_by: "agent" })
    const near = (got: number, expected: number) => Math.abs(got - expected) < 0.001
    check.equal("calls", "USAGE-P2", usage.at("total_calls"), 4, usage)
    check.equal("connected", "USAGE-P2", usage.at("connected_calls"), 3, usage)
    check.equal("statuses", "USAGE-P2", usage.at("status_counts"), { busy: 1, completed: 3 }, usage)
    check.holds(
      "seconds",
      "USAGE-P2",
      near(usage.number("total_duration_seconds"), sum("duration_seconds")),
      "the sum of the calls",
      usage,
    )
    check.holds("cost", "USAGE-P2", near(usage.number("total_cost"), sum("cost.total")), "the sum of the calls", usage)
    check.equal("by-agent", "USAGE-P2", usage.items("buckets").length, 2, usage)
    const one = await client.get("/v2/usage", { agent_id: first })
    check.equal("of-one-agent", "USAGE-P1", one.at("total_calls"), 2, one)
  },
}

const ends: Case = {
  id: "usage/ends",
  title: "A range of usage counts the calls that are listed for it, both ends included, to the millisecond",
  clauses: ["USAGE-P1"],
  requires: ["telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    for (let n = 0; n < 3; n++) {
      await dial(trial, client, agentId, trial.numbers.magic("busy"))
      await trial.clock.advance(7_001)
    }
    const list = await client.get("/v2/calls")
    const created = list.items().map((_row, n) => Date.parse(list.string(`data.${n}.created_at`)))
    check.must(check.holds("times", "USAGE-P1", created.every(Number.isFinite), "times that can be read", list))
    const [last = 0, middle = 0, first = 0] = created
    for (const [name, from, to] of [
      ["all", first, last],
      ["one", middle, middle],
      ["after-the-first", first + 1, last],
      ["before-the-last", first, last - 1],
      ["between", first + 1, middle - 1],
    ] as const) {
      const range = { from_date: new Date(from).toISOString(), to_date: new Date(to).toISOString() }
      const usage = await client.get("/v2/usage", range)
      const listed = await client.get("/v2/calls", range)
      check.equal(name, "USAGE-P1", usage.at("total_calls"), listed.items().length, usage)
      const expected = created.filter((at) => at >= from && at <= to).length
      check.equal(`${name}-calls`, "USAGE-P1", usage.at("total_calls"), expected, usage)
    }
  },
}

/** What calls add up to. */
export const usageCases: ReadonlyArray<Case> = [bounds, sums, ends]
