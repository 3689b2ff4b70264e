import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { makeAgent, moveAgent } from "../../trial/Agents.ts"

const namesIn = (answer: Answer): ReadonlyArray<unknown> =>
  answer
    .items()
    .filter(isObject)
    .map(({ display_name }) => display_name)

const sorted = (values: ReadonlyArray<unknown>): ReadonlyArray<string> => values.map(String).sort()

/** All rows, page by page until nothing follows; a page may be short. */
const everyName = async (
  client: Client,
  query: Readonly<Record<string, string | number>>,
): Promise<ReadonlyArray<unknown>> => {
  const names: Array<unknown> = []
  for (let page = 1; page <= 100; page++) {
    const answer = await client.get("/v2/agents", { ...query, page })
    names.push(...namesIn(answer))
    if (answer.at("pagination.has_more") !== true) break
  }
  return names
}

const filters: Case = {
  id: "agents/list/filters",
  title: "Agents are chosen by status, category and part of the name; archived ones only by name of the status",
  clauses: [
    "AGENT-LIST-5",
    "AGENT-LIST-6",
    "AGENT-LIST-7",
    "AGENT-LIST-8",
    "AGENT-LIST-11",
    "AGENT-LIST-P3",
    "AGENT-LIST-13",
    "AGENT-LIST-P1",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const make = async (display_name: string, category: string | null, ...moves: ReadonlyArray<string>) => {
      const agentId = (await makeAgent(trial, client, { display_name, category })).string("agent_id")
      for (const status of moves) trial.made(await moveAgent(client, agentId, status), 200)
    }
    await make("Alpha one", "north")
    await make("Alpha two", "south", "ACTIVE")
    await make("Beta one", "north", "ACTIVE", "INACTIVE")
    await make("Beta two", null, "INACTIVE", "ARCHIVED")

    const named = async (
      id: string,
      clause: string,
      query: Readonly<Record<string, string>>,
      expected: ReadonlyArray<string>,
    ) => check.equal(id, clause, sorted(await everyName(client, query)), sorted(expected))
    await named("archived-left-out", "AGENT-LIST-6", {}, ["Alpha one", "Alpha two", "Beta one"])
    await named("draft", "AGENT-LIST-5", { status: "DRAFT" }, ["Alpha one"])
    await named("active", "AGENT-LIST-5", { status: "ACTIVE" }, ["Alpha two"])
    await named("inactive", "AGENT-LIST-5", { status: "INACTIVE" }, ["Beta one"])
    await named("archived", "AGENT-LIST-6", { status: "ARCHIVED" }, ["Beta two"])
    await named("category", "AGENT-LIST-7", { category: "north" }, ["Alpha one", "Beta one"])
    await named("search", "AGENT-LIST-8", { search: "Alpha" }, ["Alpha one", "Alpha two"])
    await named("search-within", "AGENT-LIST-8", { search: "ta on" }, ["Beta one"])
    await named("search-in-any-case", "AGENT-LIST-P1", { search: "aLPHA" }, ["Alpha one", "Alpha two"])
    await named("search-literally", "AGENT-LIST-8", { search: "%" }, [])
    await named("search-dot-literally", "AGENT-LIST-8", { search: "Alph." }, [])
    await named("both", "AGENT-LIST-7", { category: "north", search: "Beta" }, ["Beta one"])
    const paged = await client.get("/v2/agents", { page: 2, page_size: 2 })
    const seen = [paged.items().length, paged.at("pagination.total")]
    check.equal("second-page", "AGENT-LIST-P3", seen, [1, 3], paged)
    check.equal("iterated", "AGENT-LIST-13", sorted(await everyName(client, { page_size: 2 })), [
      "Alpha one",
      "Alpha two",
      "Beta one",
    ])
  },
}

const order: Case = {
  id: "agents/list/order",
  title: "Agents are sorted by creation, change, name or status, newest first unless told",
  clauses: ["AGENT-LIST-9", "AGENT-LIST-10", "AGENT-LIST-P2"],
  requires: ["fixtures", "clock"],
  realTimeMs: 4_000,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const made = new Map<string, string>()
    for (const name of ["b", "c", "a"]) {
      made.set(name, (await makeAgent(trial, client, { display_name: name })).string("agent_id"))
      await clock.advance(1_000)
    }
    trial.made(await client.patch(`/v2/agents/${made.get("b")}`, { summary: "changed last" }), 200)
    await clock.advance(1_000)
    trial.made(await moveAgent(client, made.get("c") ?? "", "ACTIVE"), 200)

    const rows: ReadonlyArray<
      readonly [id: string, clause: string, query: Readonly<Record<string, string>>, expected: ReadonlyArray<string>]
    > = [
      ["default", "AGENT-LIST-P2", {}, ["a", "c", "b"]],
      ["created-at", "AGENT-LIST-9", { sort_by: "created_at" }, ["a", "c", "b"]],
      ["created-at-ascending", "AGENT-LIST-10", { sort_by: "created_at", sort_order: "asc" }, ["b", "c", "a"]],
      ["order-alone", "AGENT-LIST-10", { sort_order: "asc" }, ["b", "c", "a"]],
      ["updated-at", "AGENT-LIST-9", { sort_by: "updated_at" }, ["c", "b", "a"]],
      ["updated-at-ascending", "AGENT-LIST-10", { sort_by: "updated_at", sort_order: "asc" }, ["a", "b", "c"]],
      ["name", "AGENT-LIST-9", { sort_by: "name" }, ["c", "b", "a"]],
      ["name-ascending", "AGENT-LIST-10", { sort_by: "name", sort_order: "asc" }, ["a", "b", "c"]],
    ]
    for (const [id, clause, query, expected] of rows) {
      const answer = await client.get("/v2/agents", query)
      check.equal(id, clause, namesIn(answer), expected, answer)
    }
    const byStatus = await client.get("/v2/agents", { sort_by: "status", sort_order: "asc" })
    check.equal("status-ascending", "AGENT-LIST-9", namesIn(byStatus)[0], "c", byStatus)
  },
}

export const agentListCases: ReadonlyArray<Case> = [filters, order]
