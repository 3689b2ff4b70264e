import type { Case } from "../../run/Case.ts"
import { activeAgent, agentName, makeAgent, moveAgent, updateAgent } from "../../trial/Agents.ts"
import { dial, readCall } from "../../trial/Calls.ts"
import { dayMs } from "../../trial/Duration.ts"
import { makeBase, png } from "../../trial/Documents.ts"
import { keyIdOf } from "../../trial/KeyId.ts"

const kept: Case = {
  id: "experiments/kept",
  title: "An experiment keeps what it is given, is the same on a list, and is refused beyond its bounds",
  clauses: [
    "CONSTANT-21",
    "EXPERIMENT-ERROR-2",
    "EXPERIMENT-ERROR-3",
    "EXPERIMENT-ERROR-4",
    "EXPERIMENT-FIELD-1",
    "EXPERIMENT-FIELD-2",
    "EXPERIMENT-FIELD-3",
    "EXPERIMENT-FIELD-4",
    "EXPERIMENT-FIELD-5",
    "EXPERIMENT-FIELD-9",
    "EXPERIMENT-FIELD-10",
    "EXPERIMENT-FIELD-11",
    "EXPERIMENT-FIELD-13",
    "EXPERIMENT-GET-3",
    "EXPERIMENT-GET-4",
    "EXPERIMENT-STATUS-1",
    "EXPERIMENT-STATUS-2",
    "PAGE-1",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const control = (await makeAgent(trial, client)).string("agent_id")
    const challenger = (await makeAgent(trial, client)).string("agent_id")
    const path = `/v2/agents/${control}/versions`
    const body = {
      variant_agent_id: challenger,
      version_name: "Warm voice",
      description: "Warmer",
      variable_tested: "voice",
      variant_traffic_pct: 25,
      start_date: "2026-01-01T00:00:00.000Z",
      end_date: "2026-02-01T00:00:00.000Z",
    }
    const made = await client.post(path, body)
    const own = `${path}/${made.string("version_id")}`
    const clauses = {
      version_id: "EXPERIMENT-FIELD-1",
      main_agent_id: "EXPERIMENT-FIELD-1",
      variant_agent_id: "EXPERIMENT-FIELD-2",
      version_name: "EXPERIMENT-FIELD-3",
      description: "EXPERIMENT-FIELD-3",
      variable_tested: "EXPERIMENT-FIELD-4",
      variant_traffic_pct: "EXPERIMENT-FIELD-5",
      status: "EXPERIMENT-FIELD-9",
      winner: "EXPERIMENT-FIELD-10",
      start_date: "EXPERIMENT-FIELD-11",
      end_date: "EXPERIMENT-FIELD-11",
      created_by: "EXPERIMENT-FIELD-13",
      created_at: "EXPERIMENT-FIELD-13",
      updated_at: "EXPERIMENT-FIELD-13",
    }
    const expected = new Map<string, unknown>(Object.entries(body))
    const alike = async (name: string) => {
      const read = await client.get(own)
      const list = await client.get(path)
      check.holds("pages", "PAGE-1", list.at("pagination.page") === 1, "data and pagination", list)
      for (const [field, clause] of Object.entries(clauses)) {
        const is = `${name}-${field.replaceAll("_", "-")}`
        check.that(`${is}-there`, clause, read.at(field) !== undefined, {
          expected: `${field}, or null`,
          got: read.text,
          at: read,
        })
        if (list.items().length === 1)
          check.equal(`${is}-listed`, clause, list.at(`data.0.${field}`), read.at(field), list)
        if (!expected.has(field)) continue
        const [got, wanted] = [read.at(field), expected.get(field)]
        const isDate = field.endsWith("_date")
        check.equal(
          is,
          clause,
          isDate ? Date.parse(String(got)) : got,
          isDate ? Date.parse(String(wanted)) : wanted,
          read,
        )
      }
      return read
    }
    check.equal(
      "control",
      ["EXPERIMENT-GET-4", "EXPERIMENT-FIELD-1"],
      (await alike("made")).at("main_agent_id"),
      control,
    )
    check.refused(
      "not-the-challenger's",
      "EXPERIMENT-GET-3",
      await client.get(`/v2/agents/${challenger}/versions/${made.string("version_id")}`),
      1200,
    )
    const bounds = ["CONSTANT-21", "EXPERIMENT-FIELD-5"]
    for (const variant_traffic_pct of [100, 0, 0.5]) {
      const patched = await client.patch(own, { variant_traffic_pct })
      check.equal("share", bounds, patched.at("variant_traffic_pct"), variant_traffic_pct, patched)
      for (const field of ["created_by", "created_at", "updated_at"]) {
        const isThere = patched.at(field) !== undefined
        check.holds(`patched-with-${field.replaceAll("_", "-")}`, "EXPERIMENT-FIELD-13", isThere, field, patched)
      }
      const more = await client.post(path, { ...body, version_name: "Other", variant_traffic_pct })
      check.equal("share-made", bounds, more.at("variant_traffic_pct"), variant_traffic_pct, more)
      await client.delete(`${path}/${more.string("version_id")}`)
    }
    for (const variant_traffic_pct of [101, -1]) {
      check.rejected("no-share", bounds, await client.patch(own, { variant_traffic_pct }))
      check.rejected("no-share-made", bounds, await client.post(path, { ...body, variant_traffic_pct }))
    }
    expected.set("variant_traffic_pct", 0.5)
    for (const [field, value] of [
      ["variable_tested", "script"],
      ["description", null],
      ["version_name", "Colder"],
    ] as const) {
      const changed = await client.patch(own, { [field]: value })
      // A field may be null, and an explicit null is an error: which of the two holds here is not said.
      if (value !== null || changed.status === 200) expected.set(field, value)
    }
    await alike("patched")
    check.refused("null", "EXPERIMENT-ERROR-3", await client.patch(own, { version_name: null }), 1000)
    check.refused("nothing", "EXPERIMENT-ERROR-2", await client.patch(own, {}), 1000)
    const missing = await client.post(path, { ...body, variant_agent_id: "agt_none" })
    check.refused("no-challenger", "EXPERIMENT-ERROR-4", missing, 1000)
    for (const status of ["active", "paused"]) {
      const moved = await client.patch(own, { status })
      check.equal(`moved-${status}`, ["EXPERIMENT-FIELD-9", "EXPERIMENT-STATUS-1"], moved.at("status"), status, moved)
      expected.set("status", status)
      expected.set("winner", null)
      const read = await alike(status)
      check.equal(`no-winner-${status}`, "EXPERIMENT-STATUS-2", read.at("winner"), null, read)
    }
    // The moves are not shown: where a paused one cannot be concluded, an active one can.
    const ended = await client.patch(own, { status: "concluded", winner: "variant" })
    if (ended.status !== 200) {
      await client.patch(own, { status: "active" })
      await client.patch(own, { status: "concluded", winner: "variant" })
    }
    expected.set("status", "concluded")
    expected.set("winner", "variant")
    const over = await alike("concluded")
    check.equal("over", "EXPERIMENT-STATUS-1", over.at("status"), "concluded", over)
  },
}

const dated: Case = {
  id: "experiments/dated",
  title: "The dates of an experiment gate nothing: a share of a hundred routes before the start and after the end",
  clauses: ["EXPERIMENT-FIELD-7", "EXPERIMENT-FIELD-8", "EXPERIMENT-FIELD-12", "EXPERIMENT-ASSIGN-P4"],
  requires: ["fixtures", "telephony", "magic", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const challenger = await activeAgent(trial, client)
    const now = await trial.now()
    for (const [name, from, to] of [
      ["before", 10 * dayMs, 20 * dayMs],
      ["after", -20 * dayMs, -10 * dayMs],
    ] as const) {
      const control = await activeAgent(trial, client)
      const path = `/v2/agents/${control}/versions`
      const dates = { start_date: new Date(now + from).toISOString(), end_date: new Date(now + to).toISOString() }
      const share = { variant_agent_id: challenger, version_name: "V", variant_traffic_pct: 100, status: "active" }
      const made = await client.post(path, { ...share, ...dates })
      const routed = async () => {
        const id = await dial(trial, client, control, trial.numbers.magic("completed", 1))
        return (await readCall(client, id)).at("agent_id")
      }
      const first = await routed()
      const own = `${path}/${made.string("version_id")}`
      await client.patch(own, { variant_traffic_pct: 0 })
      check.equal(`${name}-none`, "EXPERIMENT-FIELD-7", await routed(), control)
      await client.patch(own, { variant_traffic_pct: 100 })
      const last = await routed()
      // Whether a call shows the challenger that ran it is a reading: where none does, nothing is said of who ran.
      const isShown = first === challenger || last === challenger
      const told = (...clauses: ReadonlyArray<string>) => [...(isShown ? clauses : []), "EXPERIMENT-ASSIGN-P4"]
      check.equal(name, told("EXPERIMENT-FIELD-12", "EXPERIMENT-FIELD-8"), first, challenger, made)
      check.equal(`${name}-again`, told("EXPERIMENT-FIELD-8"), last, challenger)
    }
  },
}

const listed: Case = {
  id: "agents/list/whole",
  title:
    "A row of a list has the keys of a single read, filters and pages go together, and statuses are those of the agents",
  clauses: [
    "AGENT-CLONE-1",
    "AGENT-DELETE-1",
    "AGENT-FIELD-7",
    "AGENT-FIELD-13",
    "AGENT-FIELD-19",
    "AGENT-FIELD-20",
    "AGENT-GET-2",
    "AGENT-LIST-1",
    "AGENT-LIST-2",
    "AGENT-LIST-5",
    "AGENT-LIST-7",
    "AGENT-LIST-10",
    "AGENT-LIST-11",
    "AGENT-RESPONSE-1",
    "AGENT-RESPONSE-3",
    "AGENT-STATUS-1",
    "AGENT-STATUS-6",
    "CALL-CREATE-P7",
    "AGENT-STATUS-7",
    "AGENT-UPDATE-1",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const { collection } = await makeBase(trial, client, { name: "a.png", bytes: png() })
    const body = {
      knowledge_base: collection,
      greeting_message: "Hello {name}",
      prompts: { conversation: { system: "Kind." } },
    }
    const ids: Array<string> = []
    for (const [n, category] of ["north", "south", "north", "north"].entries()) {
      const made = await makeAgent(trial, client, { ...body, display_name: `${n}${agentName(trial)}`, category })
      ids.push(made.string("agent_id"))
      await trial.clock.advance(1_000)
    }
    const [first = "", second = "", third = ""] = ids
    trial.made(await moveAgent(client, second, "ACTIVE"), 200)
    trial.made(await moveAgent(client, third, "INACTIVE"), 200)
    const statuses = new Map([
      [first, "DRAFT"],
      [second, "ACTIVE"],
      [third, "INACTIVE"],
    ])
    const list = await client.get("/v2/agents")
    const rows = list.items().map((_row, n) => ({ id: list.string(`data.${n}.agent_id`), at: n }))
    for (const { at, id } of rows) {
      const read = await client.get(`/v2/agents/${id}`)
      const keys = (value: unknown) => Object.keys(Object(value)).sort((a, b) => (a < b ? -1 : 1))
      check.equal("keys", "AGENT-LIST-1", keys(list.at(`data.${at}`)), keys(read.json), read)
      check.equal("no-base", "AGENT-LIST-2", list.at(`data.${at}.knowledge_base`), null, list)
      check.equal("no-prompts", "AGENT-LIST-2", keys(list.at(`data.${at}.prompts`)), [], list)
      const status = statuses.get(id) ?? "DRAFT"
      const named = ["AGENT-FIELD-7", "AGENT-STATUS-1"]
      check.equal("status", named, [list.at(`data.${at}.status`), read.at("status")], [status, status], list)
      check.equal("base", ["AGENT-GET-2", "AGENT-FIELD-19"], read.at("knowledge_base"), collection, read)
      check.holds("placeholders", "AGENT-FIELD-13", Array.isArray(read.at("variables.placeholders")), "an array", read)
    }
    const found: Array<unknown> = []
    for (let page = 1; page <= 5; page++) {
      const some = await client.get("/v2/agents", { category: "north", search: "Conformance", page, page_size: 2 })
      found.push(...some.items().map((_row, n) => some.at(`data.${n}.agent_id`)))
      if (some.at("pagination.has_more") !== true) break
    }
    const north = ids.filter((id) => id !== second).toReversed()
    check.equal("filtered", ["AGENT-LIST-7", "AGENT-LIST-11", "AGENT-LIST-10"], found, north)
    check.rejected(
      "unknown-status",
      ["AGENT-LIST-5", "AGENT-STATUS-1"],
      await client.get("/v2/agents", { status: "PAUSED" }),
    )
    const named = await client.get("/v2/agents", { sort_by: "name" })
    const names = named.items().map((_row, n) => named.string(`data.${n}.agent_id`))
    check.equal("names-downwards", "AGENT-LIST-10", names, ids.toReversed(), named)
    const put = await client.put(`/v2/agents/${second}`, { display_name: "Other" })
    check.refused("put-active", "AGENT-STATUS-7", put, 1201)
    const scheduled_at = new Date((await trial.now()) + dayMs).toISOString()
    const call = { agent_id: third, to_number: trial.numbers.magic("completed", 1), scheduled_at }
    const inactive = await client.post("/v2/calls", call)
    check.rejected("inactive-books", "AGENT-STATUS-6", inactive)
    check.refused("inactive-books-chosen", "CALL-CREATE-P7", inactive, 1201)
    const clone = await client.post(`/v2/agents/${first}/clone`, {})
    check.status("cloned", "AGENT-CLONE-1", clone, 201)
    check.holds("own-id", "AGENT-RESPONSE-1", clone.string("agent_id") !== first, "an id of its own", clone)
    // What a clone answers is not shown; an id that it tells is the clone's.
    if (clone.string("agent_id") !== "") {
      const copy = await client.get(`/v2/agents/${clone.string("agent_id")}`)
      check.status("copy-read", "AGENT-RESPONSE-1", copy, 200)
    }
    const before = await client.get(`/v2/agents/${first}`)
    await trial.clock.advance(5_000)
    const patched = await updateAgent(client, `/v2/agents/${first}`, { knowledge_base: null })
    check.equal("detached", "AGENT-FIELD-20", patched.at("knowledge_base"), null, patched)
    const isLater =
      Date.parse(patched.string("timestamps.updated_at")) > Date.parse(before.string("timestamps.updated_at"))
    check.holds("updated", "AGENT-RESPONSE-3", isLater, "a later updated_at", patched)
    const made = before.at("timestamps.created_at")
    check.equal("created", "AGENT-RESPONSE-3", patched.at("timestamps.created_at"), made, patched)
    const replaced = { display_name: "Replaced", knowledge_base: collection }
    const again = await updateAgent(client, `/v2/agents/${first}`, replaced, "put")
    check.equal("replaced", ["AGENT-UPDATE-1", "AGENT-FIELD-19"], again.at("knowledge_base"), collection, again)
    const none = await updateAgent(client, `/v2/agents/${first}`, { ...replaced, knowledge_base: null }, "put")
    check.equal("replaced-by-none", "AGENT-FIELD-20", none.at("knowledge_base"), null, none)
    const gone = await client.delete(`/v2/agents/${first}`)
    const isBody = gone.status === 200 && typeof gone.json === "object" && gone.json !== null
    check.holds("deleted", "AGENT-DELETE-1", isBody, "200 with a result", gone)
  },
}

const bound: Case = {
  id: "identity/of-the-key",
  title: "Whatever is asked, a key is answered for itself and its own organization",
  clauses: [
    "AUTH-HEADER-3",
    "AUTH-KEY-1",
    "AUTH-KEY-2",
    "ME-1",
    "ME-2",
    "ME-3",
    "ME-4",
    "ME-ROUTE-1",
    "ORG-3",
    "ORG-4",
    "SCOPES-5",
    "SCOPES-9",
    "SCOPES-ROUTE-3",
    "TENANCY-1",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const tenants = [await trial.organization(), await trial.organization()]
    for (const { client, organizationId } of tenants) {
      for (const query of [{}, { organization_id: organizationId }]) {
        const me = await client.get("/v2/user/me", query)
        const own = ["AUTH-KEY-2", "ME-1", "ORG-3", "ORG-4", "TENANCY-1"]
        check.equal("organization", own, me.at("organization_id"), organizationId, me)
        check.equal("key", "ME-2", me.at("developer.key_id"), await keyIdOf(client.key ?? ""), me)
        check.equal("plan", "ME-3", typeof me.at("plan"), "string", me)
        check.equal("tier", "ME-4", typeof me.at("rate_limit_tier"), "string", me)
        const scopes = await client.get("/v2/scopes", query)
        check.equal("scopes-of", "SCOPES-5", scopes.at("key.organization_id"), organizationId, scopes)
        check.holds("scopes", "SCOPES-ROUTE-3", scopes.items("scopes").length > 0, "scopes", scopes)
        check.equal("note", "SCOPES-9", typeof scopes.at("note"), "string", scopes)
      }
      const before = await client.get("/v2/user/me")
      const after = await client.get("/v2/user/me")
      const [more, less] = [before.integerHeader("x-ratelimit-remaining"), after.integerHeader("x-ratelimit-remaining")]
      check.holds("counted", "ME-ROUTE-1", less < more || less > more + 1, "one request fewer", after)
      const key = client.key ?? ""
      for (const other of [
        key.toUpperCase(),
        key.replace("gat_", "GAT_"),
        key.replace("gat_", ""),
        key.replace("gat_", "pat_"),
      ]) {
        const answer = await client.as(other).get("/v2/agents")
        check.refused("another-prefix", ["AUTH-HEADER-3", "AUTH-KEY-1"], answer, 1101)
      }
      check.refused("scopes-need-a-key", "AUTH-KEY-1", await trial.anonymous.get("/v2/scopes"), 1100)
    }
  },
}

/** What experiments, agents and identities keep. */
export const keptExperimentCases: ReadonlyArray<Case> = [kept, dated, listed, bound]
