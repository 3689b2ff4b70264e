import { namesOf } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { makeAgent, updateAgent } from "../../trial/Agents.ts"

const patch: Case = {
  id: "agents/update/patch",
  title: "A patch changes what it names and counts one version",
  clauses: [
    "AGENT-UPDATE-2",
    "AGENT-UPDATE-P1",
    "AGENT-UPDATE-P2",
    "AGENT-UPDATE-P4",
    "AGENT-UPDATE-P5",
    "AGENT-RESPONSE-4",
    "AGENT-FIELD-10",
    "ERROR-2",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const made = await makeAgent(trial, client, {
      summary: "before",
      category: "one",
      labels: ["a", "b"],
      prompts: { conversation: { system: "c" }, extraction: { system: "e" } },
      configuration: { session_policy: { session_ttl: 60, probe_min_words: 3 } },
    })
    const path = `/v2/agents/${made.string("agent_id")}`
    const answered = await client.patch(path, { summary: "after" })
    check.status("answered", "AGENT-UPDATE-2", answered, 200)
    const first = await client.get(path)
    check.equal("changed", "AGENT-UPDATE-2", first.at("summary"), "after", first)
    check.equal("rest-untouched", "AGENT-UPDATE-P1", first.at("category"), "one", first)
    check.equal("version-3", ["AGENT-RESPONSE-4"], first.at("version"), 3, first)
    check.equal("answers-the-agent", "AGENT-UPDATE-P4", answered.json, first.json, answered)

    const cleared = await updateAgent(client, path, { summary: null, category: null })
    check.equal(
      "null-clears",
      "AGENT-UPDATE-P1",
      [cleared.at("summary"), cleared.at("category")],
      [null, null],
      cleared,
    )
    check.equal("version-4", "AGENT-RESPONSE-4", cleared.at("version"), 4, cleared)
    const merged = await updateAgent(client, path, {
      prompts: { extraction: { system: "f" } },
      configuration: { session_policy: { session_ttl: 90 } },
    })
    check.equal("objects-merge", "AGENT-UPDATE-P1", merged.at("prompts.conversation.system"), "c", merged)
    check.equal(
      "objects-merge-deep",
      "AGENT-UPDATE-P1",
      merged.at("configuration.session_policy.probe_min_words"),
      3,
      merged,
    )
    check.equal(
      "objects-merge-changed",
      "AGENT-UPDATE-P1",
      merged.at("configuration.session_policy.session_ttl"),
      90,
      merged,
    )
    const labels = await updateAgent(client, path, { labels: ["c"] })
    check.equal("arrays-are-replaced", ["AGENT-UPDATE-P2", "AGENT-FIELD-10"], labels.at("labels"), ["c"], labels)

    const analysis = (name: string) => ({ analytics: { custom: [{ name, prompt: "What?", required_keys: [name] }] } })
    trial.made(await client.patch(path, analysis("mood")), 200)
    const analysed = await updateAgent(client, path, analysis("pace"))
    const names = analysed.items("analytics.custom").map((_one, nth) => analysed.at(`analytics.custom.${nth}.name`))
    check.equal("inner-arrays-are-replaced", "AGENT-UPDATE-P2", names, ["pace"], analysed)

    check.refused("empty", "AGENT-UPDATE-P5", await client.patch(path, {}), 1000)
    const version = (await client.get(path)).number("version")
    const wrong = await client.patch(path, { summary: 5, labels: ["d"] })
    check.refused("wrong", "ERROR-2", wrong, 1001)
    const after = await client.get(path)
    check.equal(
      "refused-changes-nothing",
      "AGENT-RESPONSE-4",
      [after.at("version"), after.at("labels")],
      [version, ["c"]],
      after,
    )
  },
}

const languages: Case = {
  id: "agents/update/languages",
  title: "The languages of an agent are replaced whole; one that cannot be saved is dropped and named",
  clauses: [
    "AGENT-FIELD-27",
    "AGENT-FIELD-28",
    "AGENT-FIELD-29",
    "AGENT-RESPONSE-5",
    "AGENT-RESPONSE-6",
    "AGENT-RESPONSE-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const path = `/v2/agents/${(await makeAgent(trial, client)).string("agent_id")}`
    const language = (agent_name: string) => ({ agent_name, voice_id: "v1" })
    const two = { enabled: true, active_language: "en", languages: { en: language("Ann"), fr: language("Anne") } }
    const first = await updateAgent(client, path, { multilingual: two })
    check.equal("stored", "AGENT-FIELD-27", first.at("multilingual.languages.fr.agent_name"), "Anne", first)
    const one = { enabled: true, active_language: "de", languages: { de: language("Anna") } }
    const second = await updateAgent(client, path, { multilingual: one })
    check.equal("replaced", "AGENT-FIELD-28", namesOf(second.at("multilingual.languages")), ["de"], second)
    const voiceless = { ...one, languages: { de: language("Anna"), it: { agent_name: "Anna" } } }
    const third = await client.patch(path, { multilingual: voiceless })
    check.equal("dropped", "AGENT-RESPONSE-P1", third.at("dropped_languages"), ["it"], third)
    const read = await client.get(path)
    check.equal("not-stored", "AGENT-RESPONSE-P1", read.at("multilingual.languages.it"), undefined, read)
    const none = await updateAgent(client, path, { multilingual: null })
    check.equal("one-language-again", "AGENT-FIELD-29", none.at("multilingual"), null, none)
  },
}

const controls: Case = {
  id: "agents/update/controls",
  title: "A control written flat is the control in its bucket",
  clauses: [
    "AGENT-FIELD-22",
    "AGENT-FIELD-23",
    "AGENT-CONTROLS-1",
    "AGENT-CONTROLS-P1",
    "AGENT-CONTROLS-P2",
    "AGENT-CONTROLS-P3",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const path = `/v2/agents/${(await makeAgent(trial, client)).string("agent_id")}`
    const homes: ReadonlyArray<readonly [control: string, bucket: string, flat: unknown, nested: unknown]> = [
      ["finale_message", "message_policy", "Bye.", "So long."],
      ["presence_probe_message", "engagement_policy", "Hello?", "Still there?"],
      ["probe_interval_seconds", "session_policy", 7, 8],
      ["probe_window_seconds", "session_policy", 17, 18],
      ["probe_min_words", "session_policy", 2, 3],
      ["block_unlisted_callers", "session_policy", true, false],
    ]
    for (const [control, bucket, flat, nested] of homes) {
      const down = await updateAgent(client, path, { conversation_config: { [control]: flat } })
      check.equal(
        `${control}-to-bucket`,
        ["AGENT-FIELD-23", "AGENT-CONTROLS-1"],
        down.at(`configuration.${bucket}.${control}`),
        flat,
        down,
      )
      const up = await updateAgent(client, path, { configuration: { [bucket]: { [control]: nested } } })
      check.equal(
        `${control}-to-flat`,
        ["AGENT-FIELD-22", "AGENT-FIELD-23"],
        up.at(`conversation_config.${control}`),
        nested,
        up,
      )
    }
    const remaining = {
      completion_probe: true,
      probe_start_delay_seconds: 4,
      presence_probe_enabled: true,
      presence_probe_after_seconds: 9,
    }
    const rest = await updateAgent(client, path, { conversation_config: remaining })
    for (const [control, value] of Object.entries(remaining))
      check.equal(`${control}-flat`, "AGENT-CONTROLS-P1", rest.at(`conversation_config.${control}`), value, rest)
    const before = await client.get(path)
    const none = await updateAgent(client, path, { conversation_config: null, summary: "x" })
    check.equal(
      "null-is-no-change",
      "AGENT-CONTROLS-P2",
      none.at("conversation_config"),
      before.at("conversation_config"),
      none,
    )
    const both = {
      conversation_config: { probe_min_words: 5 },
      configuration: { session_policy: { probe_min_words: 6 } },
    }
    const won = await updateAgent(client, path, both)
    check.equal("bucket-wins", "AGENT-CONTROLS-P3", won.at("conversation_config.probe_min_words"), 6, won)
  },
}

const put: Case = {
  id: "agents/update/put",
  title: "A replacement brings everything that it does not name back to its default",
  clauses: ["AGENT-UPDATE-1", "AGENT-UPDATE-P3", "AGENT-UPDATE-P4", "AGENT-RESPONSE-4"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const made = await makeAgent(trial, client, {
      summary: "before",
      labels: ["a"],
      prompts: { conversation: { system: "c" } },
    })
    const path = `/v2/agents/${made.string("agent_id")}`
    const answer = await updateAgent(client, path, { display_name: "Replaced", category: "new" }, "put")
    check.status("answered", "AGENT-UPDATE-1", answer, 200)
    check.equal(
      "named",
      "AGENT-UPDATE-P3",
      [answer.at("display_name"), answer.at("category")],
      ["Replaced", "new"],
      answer,
    )
    check.equal("unnamed", "AGENT-UPDATE-P3", answer.at("summary"), null, answer)
    check.equal("unnamed-prompts", "AGENT-UPDATE-P3", answer.at("prompts.conversation.system") ?? null, null, answer)
    check.equal("version", ["AGENT-UPDATE-P4", "AGENT-RESPONSE-4"], answer.at("version"), 3, answer)
    check.refused("name-needed", "AGENT-UPDATE-P3", await client.put(path, { summary: "x" }), 1002)
  },
}

export const updateCases: ReadonlyArray<Case> = [patch, languages, controls, put]
