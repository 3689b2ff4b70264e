import type { Case } from "../../run/Case.ts"
import { agentName, makeAgent, updateAgent } from "../../trial/Agents.ts"

const fields: Case = {
  id: "agents/create/fields",
  title: "Fields of an agent have types and bounds, and the first that is wrong is named",
  clauses: [
    "AGENT-FIELD-4",
    "AGENT-FIELD-5",
    "AGENT-FIELD-7",
    "AGENT-FIELD-8",
    "AGENT-FIELD-10",
    "AGENT-FIELD-11",
    "AGENT-FIELD-12",
    "AGENT-FIELD-15",
    "AGENT-FIELD-16",
    "AGENT-FIELD-21",
    "AGENT-FIELD-24",
    "AGENT-FIELD-25",
    "CONSTANT-4",
    "CONSTANT-5",
    "ERROR-2",
    "ERROR-3",
    "DECODE-P4",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const display_name = agentName(trial)
    const rows: ReadonlyArray<readonly [name: string, clause: string, field: string, value: unknown]> = [
      ["summary-2001", "CONSTANT-4", "summary", "x".repeat(2_001)],
      ["summary-number", "AGENT-FIELD-4", "summary", 5],
      ["greeting-20001", "CONSTANT-5", "greeting_message", "x".repeat(20_001)],
      ["greeting-array", "AGENT-FIELD-5", "greeting_message", []],
      ["status-lower-case", "AGENT-FIELD-7", "status", "active"],
      ["status-unknown", "AGENT-FIELD-7", "status", "PAUSED"],
      ["category-number", "AGENT-FIELD-8", "category", 5],
      ["labels-text", "AGENT-FIELD-10", "labels", "a"],
      ["labels-of-numbers", "AGENT-FIELD-10", "labels", ["a", 1]],
      ["prompts-text", "AGENT-FIELD-11", "prompts", "be kind"],
      ["prompts-null", "AGENT-FIELD-11", "prompts", null],
      ["prompt-number", "AGENT-FIELD-11", "prompts", { conversation: { system: 5 } }],
      ["variables-array", "AGENT-FIELD-12", "variables", []],
      ["analytics-text", "AGENT-FIELD-15", "analytics", { custom: "x" }],
      ["integrations-text", "AGENT-FIELD-16", "integrations", "x"],
      ["guard-text", "AGENT-FIELD-21", "calling_guard", "nights"],
      ["configuration-array", "AGENT-FIELD-24", "configuration", []],
      ["settings-text", "AGENT-FIELD-25", "settings", "x"],
    ]
    for (const [name, clause, field, value] of rows) {
      const answer = await client.post("/v2/agents", { display_name, [field]: value })
      check.refused(name, [clause, "ERROR-2"], answer, 1001)
      check.names(`${name}-named`, "ERROR-3", answer, field)
    }
    const two = await client.post("/v2/agents", { labels: 1, greeting_message: 1, summary: 1, display_name })
    check.names("first-in-schema-order", "DECODE-P4", two, "summary")
    const edges = await makeAgent(trial, client, { summary: "x".repeat(2_000), greeting_message: "y".repeat(20_000) })
    check.equal("summary-2000", "CONSTANT-4", edges.string("summary").length, 2_000, edges)
    check.equal("greeting-20000", "CONSTANT-5", edges.string("greeting_message").length, 20_000, edges)
  },
}

const whole: Case = {
  id: "agents/create/whole",
  title: "What an agent is given is what it reads back",
  clauses: [
    "AGENT-CREATE-6",
    "AGENT-FIELD-4",
    "AGENT-FIELD-5",
    "AGENT-FIELD-6",
    "AGENT-FIELD-8",
    "AGENT-FIELD-10",
    "AGENT-FIELD-11",
    "AGENT-FIELD-15",
    "AGENT-FIELD-24",
    "AGENT-FIELD-25",
    "AGENT-GUARD-1",
    "AGENT-GUARD-2",
    "AGENT-GUARD-3",
    "AGENT-GUARD-4",
    "AGENT-CONFIG-2",
    "AGENT-CONFIG-4",
    "AGENT-CONFIG-6",
    "AGENT-CONFIG-9",
    "AGENT-GET-2",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const body = {
      summary: "Books tables",
      greeting_message: "Hello {callee_name}, this is {place}.",
      category: "restaurants",
      labels: ["a", "b"],
      prompts: {
        conversation: { system: "Be brief." },
        summarization: { system: "Sum up." },
        extraction: { system: "Extract." },
      },
      analytics: { custom: [{ name: "booking", prompt: "Was a table booked?", required_keys: ["booked"] }] },
      calling_guard: { enabled: true, timezone: "Europe/Paris", start: "09:00", end: "18:00", days: [0, 1, 2, 3, 4] },
      settings: { agent_memory: true },
    }
    const configuration = {
      runtime: {
        speech_recognition: { provider: "custom", model: "small", language: "fr", endpointing: 250 },
        language_model: { provider: "custom", model: "m", config: { max_tokens: 200, temperature: 0.2 } },
      },
      session_policy: { session_ttl: 600, probe_interval_seconds: 7 },
      message_policy: { finale_message: "Goodbye." },
    }
    const made = await makeAgent(trial, client, { ...body, configuration })
    const read = await client.get(`/v2/agents/${made.string("agent_id")}`)
    check.equal("summary", "AGENT-FIELD-4", read.at("summary"), body.summary, read)
    check.equal(
      "greeting",
      ["AGENT-FIELD-5", "AGENT-FIELD-6"],
      read.at("greeting_message"),
      body.greeting_message,
      read,
    )
    check.equal("category", "AGENT-FIELD-8", read.at("category"), body.category, read)
    check.equal("labels", "AGENT-FIELD-10", read.at("labels"), body.labels, read)
    for (const prompt of ["conversation", "summarization", "extraction"] as const) {
      check.equal(
        `prompt-${prompt}`,
        ["AGENT-FIELD-11", "AGENT-GET-2"],
        read.at(`prompts.${prompt}.system`),
        body.prompts[prompt].system,
        read,
      )
    }
    check.equal("analytics", "AGENT-FIELD-15", read.at("analytics.custom"), body.analytics.custom, read)
    check.equal("guard-enabled", "AGENT-GUARD-1", read.at("calling_guard.enabled"), true, read)
    check.equal("guard-timezone", "AGENT-GUARD-2", read.at("calling_guard.timezone"), "Europe/Paris", read)
    check.equal("guard-start", "AGENT-GUARD-3", read.at("calling_guard.start"), "09:00", read)
    check.equal("guard-end", "AGENT-GUARD-3", read.at("calling_guard.end"), "18:00", read)
    check.equal("guard-days", "AGENT-GUARD-4", read.at("calling_guard.days"), [0, 1, 2, 3, 4], read)
    check.equal("memory", "AGENT-FIELD-25", read.at("settings.agent_memory"), true, read)
    const places: ReadonlyArray<readonly [name: string, clause: string, path: string, value: unknown]> = [
      ["recognition", "AGENT-CONFIG-2", "configuration.runtime.speech_recognition.endpointing", 250],
      ["model", "AGENT-CONFIG-4", "configuration.runtime.language_model.config.temperature", 0.2],
      ["session", "AGENT-CONFIG-6", "configuration.session_policy.session_ttl", 600],
      ["finale", "AGENT-CONFIG-9", "configuration.message_policy.finale_message", "Goodbye."],
    ]
    for (const [name, clause, path, value] of places)
      check.equal(name, [clause, "AGENT-FIELD-24"], read.at(path), value, read)

    const plain = await makeAgent(trial, client)
    const patched = await updateAgent(client, `/v2/agents/${plain.string("agent_id")}`, { ...body, configuration })
    for (const field of [
      "summary",
      "greeting_message",
      "labels",
      "prompts",
      "analytics",
      "calling_guard",
      "configuration",
      "conversation_config",
    ]) {
      check.equal(`patch-means-the-same-${field}`, "AGENT-CREATE-6", patched.at(field), made.at(field), patched)
    }
  },
}

const guards: Case = {
  id: "agents/create/calling-guard",
  title: "A calling window needs a known zone, a start before its end and days of the week",
  clauses: ["CALL-WINDOW-P3", "DECODE-P16", "DECODE-P3", "AGENT-GUARD-2", "AGENT-GUARD-6", "AGENT-GUARD-7"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const guard = { enabled: true, timezone: "UTC", start: "09:00", end: "18:00", days: [0] }
    const rows: ReadonlyArray<
      readonly [name: string, clause: string, code: number, change: Readonly<Record<string, unknown>>]
    > = [
      ["reversed", "CALL-WINDOW-P3", 1000, { start: "18:00", end: "09:00" }],
      ["empty", "CALL-WINDOW-P3", 1000, { start: "09:00", end: "09:00" }],
      ["unknown-zone", "DECODE-P16", 1000, { timezone: "Mars/Olympus" }],
      ["bare-offset", "DECODE-P16", 1000, { timezone: "+05:30" }],
      ["day-7", "DECODE-P16", 1000, { days: [7] }],
      ["day-minus-1", "DECODE-P16", 1000, { days: [-1] }],
      ["days-text", "DECODE-P3", 1001, { days: "all" }],
      ["enabled-text", "DECODE-P3", 1001, { enabled: "yes" }],
    ]
    for (const [name, clause, code, change] of rows) {
      const answer = await client.post("/v2/agents", {
        display_name: agentName(trial),
        calling_guard: { ...guard, ...change },
      })
      check.refused(name, clause, answer, code)
    }
    for (const timezone of ["GMT", "Japan", "EST5EDT"]) {
      const named = await makeAgent(trial, client, { calling_guard: { ...guard, timezone } })
      check.equal(`zone-${timezone}`, "AGENT-GUARD-2", named.at("calling_guard.timezone"), timezone, named)
    }
    const made = await makeAgent(trial, client, { calling_guard: guard })
    const path = `/v2/agents/${made.string("agent_id")}`
    const off = await updateAgent(client, path, { calling_guard: { enabled: false } })
    check.equal("removed", ["AGENT-GUARD-6", "AGENT-GUARD-7"], off.at("calling_guard"), null, off)
  },
}

export const fieldCases: ReadonlyArray<Case> = [fields, whole, guards]
