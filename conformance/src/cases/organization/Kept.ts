import { isObject } from "../../http/Json.ts"
import type { Answer } from "../../http/Answer.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent, agentName, makeAgent, updateAgent } from "../../trial/Agents.ts"
import { dial } from "../../trial/Calls.ts"
import { makeBase, addFiles, pdf, uploadForm } from "../../trial/Documents.ts"
import { minuteMs, secondMs } from "../../trial/Duration.ts"
import { keyIdOf, mintedKeyIn } from "../../trial/KeyId.ts"

const apart: Case = {
  id: "organization/kept/apart",
  title: "What one organization has another never sees, whoever asked first, and errors look alike everywhere",
  clauses: ["AUTH-KEY-2", "ORG-4", "RATE-1", "SCOPE-7", "VERSION-2"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const [one, two] = [await trial.organization(), await trial.organization()]
    const agentId = await activeAgent(trial, one.client)
    await dial(trial, one.client, agentId, trial.numbers.magic("completed", 1))
    await trial.clock.advance(10 * minuteMs)
    await one.client.get("/v2/agents")
    const agents = await two.client.get("/v2/agents")
    check.equal("no-agents", "AUTH-KEY-2", agents.items().length, 0, agents)
    const used = await one.client.get("/v2/usage")
    const unused = await two.client.get("/v2/usage")
    check.holds("own-usage", "ORG-4", used.text !== unused.text, "the usage of the key's own organization", unused)
    for (let nth = 0; nth < 25; nth++) check.status("reads", "RATE-1", await two.client.get("/v2/calls"), 200)
    const invalid = await two.client.post("/v2/agents", { display_name: 5 })
    check.equal(
      "one-shape",
      "VERSION-2",
      [typeof invalid.at("error"), typeof invalid.at("message")],
      ["number", "string"],
      invalid,
    )
    const minted = await two.client.post("/v2/api-keys", { name: "Webhooks of ours", scopes: ["webhooks:write"] })
    trial.secret(mintedKeyIn(minted))
    check.status("webhooks-scope", "SCOPE-7", minted, 201)
  },
}

const answered: Case = {
  id: "agents/kept/answered",
  title: "What an update answers is what is kept, and a control means the same on create and update",
  clauses: ["AGENT-CREATE-6", "AGENT-FIELD-11", "AGENT-FIELD-24"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const prompts = { conversation: { system: "Talk." }, summarization: { system: "Sum up." } }
    const path = `/v2/agents/${(await makeAgent(trial, client, { prompts })).string("agent_id")}`
    const same = async (name: string, clause: string, member: string, patched: Answer) => {
      const read = await client.get(path)
      // What a PATCH answers is not shown; what it shows of an agent is the agent that is read.
      if (patched.at(member) !== undefined) check.equal(name, clause, patched.at(member), read.at(member), patched)
    }
    const talk = await client.patch(path, { prompts: { conversation: { system: "Talk more." } } })
    await same("prompts", "AGENT-FIELD-11", "prompts", talk)
    const bucket = { configuration: { call: { max_duration_seconds: 300 } } }
    await same("configuration", "AGENT-FIELD-24", "configuration", await client.patch(path, bucket))
    const calling_guard = { enabled: true, timezone: "UTC", start: "18:00", end: "09:00" }
    const patched = await updateAgent(client, path, { calling_guard })
    const created = await client.post("/v2/agents", { display_name: agentName(trial), calling_guard })
    check.equal("guard", "AGENT-CREATE-6", created.code, patched.code, created)
    if (patched.succeeded && created.succeeded) {
      check.equal("guard-kept", "AGENT-CREATE-6", created.at("calling_guard"), patched.at("calling_guard"), created)
    }
  },
}

const keys: Case = {
  id: "keys/kept/revoked",
  title: "A revoked key keeps its id and its place, and what a key inherits is written out",
  clauses: ["KEY-LIST-3", "KEY-MINT-7", "KEY-RECORD-2", "KEY-REVOKE-2"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const minted: Array<string> = []
    for (let nth = 0; nth < 3; nth++) {
      const [first] = minted
      if (nth === 2 && first !== undefined) trial.made(await client.delete(`/v2/api-keys/${await keyIdOf(first)}`), 200)
      // Longer than a key may be served from a cache.
      await trial.clock.advance(minuteMs + secondMs)
      if (nth === 2 && first !== undefined)
        check.refused("revoked", "KEY-REVOKE-2", await client.as(first).get("/v2/user/me"), 1100)
      const made = trial.made(await client.post("/v2/api-keys", { name: "A key of a kind" }), 201)
      minted.push(mintedKeyIn(made))
      trial.secret(mintedKeyIn(made))
      const granted = await client.as(mintedKeyIn(made)).get("/v2/scopes")
      const scopes = made.at("scopes")
      // Whether the answer lists the scopes is not shown.
      if (!Array.isArray(scopes)) continue
      const told = granted.items("key.granted").map(String).toSorted()
      check.equal("written-out", "KEY-MINT-7", scopes.map(String).toSorted(), told, made)
    }
    const idsOf = (list: Answer) =>
      list
        .items()
        .filter(isObject)
        .map(({ key_id }) => String(key_id))
    const before = idsOf(await client.get("/v2/api-keys"))
    trial.made(await client.delete(`/v2/api-keys/${before[1]}`), 200)
    const list = await client.get("/v2/api-keys")
    const after = idsOf(list)
    // Whether revoked keys are listed is not shown.
    if (after.length !== before.length) return
    check.equal("same-ids", "KEY-RECORD-2", after.toSorted(), before.toSorted(), list)
    check.equal("same-places", "KEY-LIST-3", after, before, list)
  },
}

/** More uploads than the ceiling of any bucket that a run exhausts. */
const maxUploads = 60

const uploads: Case = {
  id: "knowledge/kept/copies",
  title: "A file that is there is added once more, and too many uploads are refused as too many",
  clauses: ["KB-ADD-11", "RATE-9", "RATE-HEADERS-2"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const file = { name: "parking.pdf", bytes: pdf("Parking is free") }
    const { collection } = await makeBase(trial, client, file)
    for (const copy of ["second", "third"]) {
      const added = await addFiles(client, collection, file)
      check.status(`${copy}-taken`, "KB-ADD-11", added, 201)
      check.holds(`${copy}-indexed`, "KB-ADD-11", added.number("chunks_indexed") > 0, "chunks of the copy", added)
    }
    const list = await client.get(`/v2/knowledge-bases/${collection}/documents`)
    check.equal("each-listed", "KB-ADD-11", list.items().length, 3, list)
    for (let nth = 0; nth < maxUploads; nth++) {
      const answer = await client.send("POST", `/v2/knowledge-bases/${collection}/documents`, uploadForm({}, []))
      if (answer.integerHeader("x-ratelimit-limit") > maxUploads) return
      if (answer.status === 400 || answer.status === 422) continue
      check.refused("too-many", "RATE-9", answer, 1300)
      check.that("retry-after", "RATE-HEADERS-2", answer.integerHeader("retry-after") > 0, {
        expected: "retry-after: a second or more",
        got: answer.header("retry-after") ?? "no such header",
        at: answer,
      })
      return
    }
  },
}

/** What is kept, and kept apart. */
export const keptApartCases: ReadonlyArray<Case> = [apart, answered, keys, uploads]
