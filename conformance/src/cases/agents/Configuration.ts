import type { Case } from "../../run/Case.ts"
import { agentName, makeAgent, postAgent, updateAgent } from "../../trial/Agents.ts"

/** A value for every field that the specification names inside `configuration`, and the clause that names it. */
const places: ReadonlyArray<readonly [clause: string, path: string, value: unknown]> = [
  ["AGENT-CONFIG-1", "runtime.call_transport", { provider: "custom", audio_format: "wav" }],
  [
    "AGENT-CONFIG-2",
    "runtime.speech_recognition",
    {
      provider: "custom",
      model: "m",
      language: "en",
      stream: true,
      endpointing: 200,
      encoding: "linear16",
      sampling_rate: 16_000,
      task: "transcribe",
      keywords: "rye",
    },
  ],
  [
    "AGENT-CONFIG-3",
    "runtime.voice_synthesis",
    {
      provider: "custom",
      voice_id: "v1",
      voice_name: "Ann",
      speed: 1.1,
      speaking_rate: 1,
      audio_format: "wav",
      buffer_size: 200,
      stream: true,
      caching: false,
      model: "m",
    },
  ],
  [
    "AGENT-CONFIG-4",
    "runtime.language_model",
    { provider: "custom", model: "m", agent_type: "simple", config: { max_tokens: 100, temperature: 0.5 } },
  ],
  [
    "AGENT-CONFIG-5",
    "runtime.language_model.knowledge_base_config",
    { enabled: true, collections: ["a"], similarity_top_k: 5, max_results: 3, reranker_enabled: false },
  ],
  [
    "AGENT-CONFIG-6",
    "session_policy",
    {
      session_ttl: 600,
      close_after_reply: false,
      finale_interruptible: true,
      trusted_callers: ["+15555550100"],
      silence_close_after: 30,
      block_unlisted_callers: false,
      probe_interval_seconds: 5,
      probe_window_seconds: 20,
      probe_min_words: 2,
      probe_start_delay_seconds: 3,
    },
  ],
  [
    "AGENT-CONFIG-7",
    "stream_policy",
    { bargein_word_threshold: 2, emit_step_ms: 20, bargein_backoff_ms: 100, interrupt_on_speech_start: true },
  ],
  [
    "AGENT-CONFIG-8",
    "engagement_policy",
    {
      listener_cues_enabled: true,
      presence_probe_enabled: true,
      presence_probe_after_seconds: 8,
      presence_probe_message: "Hello?",
    },
  ],
  ["AGENT-CONFIG-9", "message_policy", { completion_probe_prompt: "Done?", finale_message: "Bye." }],
  ["AGENT-CONFIG-10", "compliance_policy", { pii_guard_enabled: true }],
  ["AGENT-CONFIG-11", "post_processing", [{ type: "summary", enabled: true }]],
  [
    "AGENT-CONFIG-12",
    "external_functions",
    [
      {
        name: "book",
        description: "Books a table",
        parameters: { type: "object", properties: { seats: { type: "integer" } } },
      },
    ],
  ],
]

const nested = (path: string, value: unknown): Readonly<Record<string, unknown>> => {
  const [head = "", ...rest] = path.split(".")
  return { [head]: rest.length === 0 ? value : nested(rest.join("."), value) }
}

const included = (part: unknown, whole: unknown): boolean => {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.length === whole.length && part.every((item, at) => included(item, whole[at]))
  if (typeof part !== "object" || part === null) return part === whole
  if (typeof whole !== "object" || whole === null) return false
  const members = new Map<string, unknown>(Object.entries(whole))
  return Object.entries(part).every(([name, value]) => included(value, members.get(name)))
}

const stored: Case = {
  id: "agents/configuration/stored",
  title: "Every part of the configuration reads back as it was written",
  clauses: ["AGENT-FIELD-24", ...places.map(([clause]) => clause)],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const path = `/v2/agents/${(await makeAgent(trial, client)).string("agent_id")}`
    for (const [clause, place, value] of places) {
      const answer = await client.patch(path, { configuration: nested(place, value) })
      check.status(`${place}-written`, ["AGENT-FIELD-24", clause], answer, 200)
      const got = (await client.get(path)).at(`configuration.${place}`)
      check.that(`${place}-read`, clause, included(value, got), { expected: value, got, at: answer })
    }
  },
}

const checked: Case = {
  id: "agents/configuration/checked",
  title: "Named fields of the configuration are type-checked, unknown ones are kept, and no enumeration is closed",
  clauses: ["AGENT-CONFIG-P1", "AGENT-CONFIG-P2", "AGENT-CONFIG-P3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const wrong: ReadonlyArray<readonly [path: string, value: unknown]> = [
      ["session_policy.session_ttl", "long"],
      ["session_policy.session_ttl", -1],
      ["session_policy.close_after_reply", "yes"],
      ["runtime.voice_synthesis.speed", "fast"],
      ["runtime.language_model.config.temperature", "warm"],
      ["message_policy.finale_message", 5],
      ["post_processing", "summary"],
    ]
    for (const [path, value] of wrong) {
      const answer = await client.post("/v2/agents", {
        display_name: agentName(trial),
        configuration: nested(path, value),
      })
      check.refused(`${path}-${JSON.stringify(value)}`, "AGENT-CONFIG-P1", answer, 1001)
    }
    const configuration = {
      session_policy: { something_new: [1, { a: true }] },
      new_policy: { x: "y" },
      runtime: { voice_synthesis: { provider: "never-heard-of" } },
    }
    const made = await postAgent(trial, client, { display_name: agentName(trial), configuration })
    check.status("unknown-taken", ["AGENT-CONFIG-P2", "AGENT-CONFIG-P3"], made, 201)
    check.equal(
      "unknown-kept",
      "AGENT-CONFIG-P2",
      made.at("configuration.session_policy.something_new"),
      [1, { a: true }],
      made,
    )
    check.equal("unknown-part-kept", "AGENT-CONFIG-P2", made.at("configuration.new_policy"), { x: "y" }, made)
    check.equal(
      "any-provider",
      "AGENT-CONFIG-P3",
      made.at("configuration.runtime.voice_synthesis.provider"),
      "never-heard-of",
      made,
    )
  },
}

const blocks: Case = {
  id: "agents/configuration/blocks",
  title: "Variables, integrations, follow-up and knowledge base of an agent read back",
  clauses: [
    "AGENT-FIELD-12",
    "AGENT-FIELD-13",
    "AGENT-FIELD-16",
    "AGENT-FIELD-17",
    "AGENT-FIELD-18",
    "AGENT-FIELD-20",
    "AGENT-FIELD-26",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const path = `/v2/agents/${(await makeAgent(trial, client)).string("agent_id")}`
    const write = (body: unknown) => updateAgent(client, path, body)
    const variables = await write({ variables: { custom: ["callee_name", "place"] } })
    check.equal("variables", "AGENT-FIELD-12", variables.at("variables.custom"), ["callee_name", "place"], variables)
    check.holds(
      "placeholders",
      "AGENT-FIELD-13",
      Array.isArray(variables.at("variables.placeholders")),
      "an array of placeholders",
      variables,
    )
    const hook = await write({
      integrations: { webhook: { url: "https://hooks.example.com/a" }, webcall: { enabled: true } },
    })
    check.equal("webhook", "AGENT-FIELD-16", hook.at("integrations.webhook.url"), "https://hooks.example.com/a", hook)
    check.equal("webcall", "AGENT-FIELD-17", hook.at("integrations.webcall.enabled"), true, hook)
    const mcp = await write({ integrations: { mcp: { servers: ["a"] } } })
    check.equal("mcp", "AGENT-FIELD-18", mcp.at("integrations.mcp.servers"), ["a"], mcp)
    const cut = await write({ integrations: { mcp: null } })
    check.that("mcp-disconnected", "AGENT-FIELD-18", (cut.at("integrations.mcp") ?? null) === null, {
      expected: "null",
      got: cut.at("integrations.mcp"),
      at: cut,
    })
    const detached = await write({ knowledge_base: null })
    check.equal("detached", "AGENT-FIELD-20", detached.at("knowledge_base"), null, detached)
    const follow = { follow_up_prompt: "Call back.", follow_up_extra_logic: { after: "noon" } }
    const followed = await write({ follow_up_config: follow })
    check.equal(
      "follow-up",
      "AGENT-FIELD-26",
      [followed.at("follow_up_config.follow_up_prompt"), followed.at("follow_up_config.follow_up_extra_logic")],
      ["Call back.", { after: "noon" }],
      followed,
    )
  },
}

const patched: Case = {
  id: "agents/configuration/patched",
  title: "The answer to a PATCH of one bucket shows every bucket as a read does",
  clauses: ["AGENT-FIELD-24"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const configuration = { message_policy: { finale_message: "Bye." }, stream_policy: { emit_step_ms: 20 } }
    const made = await makeAgent(trial, client, { configuration })
    const own = `/v2/agents/${made.string("agent_id")}`
    const answer = await client.patch(own, { configuration: { stream_policy: { emit_step_ms: 40 } } })
    trial.made(answer, 200)
    const read = await client.get(own)
    // What a PATCH answers is not shown; an agent that it shows is the agent that is read.
    check.equal("changed", "AGENT-FIELD-24", read.at("configuration.stream_policy.emit_step_ms"), 40, read)
    if (answer.at("configuration") === undefined) return
    check.equal("alike", "AGENT-FIELD-24", answer.at("configuration"), read.at("configuration"), answer)
  },
}

export const configurationCases: ReadonlyArray<Case> = [stored, checked, blocks, patched]
