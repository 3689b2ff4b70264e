import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { agentName, makeAgent, updateAgent } from "../../trial/Agents.ts"
import type { Trial } from "../../trial/Trial.ts"

type Row = readonly [clauses: string | ReadonlyArray<string>, path: string, value: unknown]

/** Everything that an agent may be given, with a second value for an update. */
const given: ReadonlyArray<
  readonly [clauses: string | ReadonlyArray<string>, path: string, first: unknown, second: unknown]
> = [
  ["AGENT-FIELD-4", "summary", "Books tables", "x".repeat(2_000)],
  [
    ["AGENT-FIELD-5", "AGENT-FIELD-6", "CONSTANT-5"],
    "greeting_message",
    "Hello {name}",
    `Hi {callee} ${"y".repeat(19_988)}`,
  ],
  ["AGENT-FIELD-8", "category", "restaurants", "hotels"],
  ["AGENT-FIELD-10", "labels", ["a", "b"], ["c"]],
  ["AGENT-FIELD-11", "prompts.conversation.system", "Be brief.", "Be kind."],
  ["AGENT-FIELD-11", "prompts.summarization.system", "Sum up.", "Shorter."],
  ["AGENT-FIELD-11", "prompts.extraction.system", "Extract.", "All."],
  ["AGENT-FIELD-12", "variables.custom", ["place", "day"], ["hour"]],
  ["AGENT-FIELD-14", "variables._original_format", "braces", "percent"],
  ["AGENT-FIELD-15", "analytics.custom", [{ name: "n", prompt: "p", required_keys: ["k", "l"] }], []],
  ["AGENT-FIELD-16", "integrations.webhook.url", "https://hooks.example.com/a", "https://hooks.example.com/b"],
  ["AGENT-FIELD-17", "integrations.webcall.enabled", true, false],
  ["AGENT-FIELD-18", "integrations.mcp", { servers: ["one"] }, null],
  ["AGENT-FIELD-25", "settings.agent_memory", true, false],
  ["AGENT-FIELD-26", "follow_up_config.follow_up_prompt", "Call back.", "Again."],
  ["AGENT-FIELD-26", "follow_up_config.follow_up_extra_logic", { a: 1 }, { a: 2 }],
  [["AGENT-FIELD-21", "AGENT-GUARD-1"], "calling_guard.enabled", true, true],
  [["AGENT-FIELD-21", "AGENT-GUARD-2"], "calling_guard.timezone", "Europe/Paris", "Asia/Tokyo"],
  [["AGENT-FIELD-21", "AGENT-GUARD-3"], "calling_guard.start", "09:00", "08:30"],
  [["AGENT-FIELD-21", "AGENT-GUARD-3"], "calling_guard.end", "18:00", "23:59"],
  [["AGENT-FIELD-21", "AGENT-GUARD-4"], "calling_guard.days", [0, 1, 2], [5, 6]],
  [["AGENT-CONFIG-1", "AGENT-FIELD-24"], "configuration.runtime.call_transport.provider", "custom", "other"],
  ["AGENT-CONFIG-1", "configuration.runtime.call_transport.audio_format", "wav", "mp3"],
  ["AGENT-CONFIG-2", "configuration.runtime.speech_recognition.endpointing", 250, 300],
  ["AGENT-CONFIG-2", "configuration.runtime.speech_recognition.keywords", "table", "room"],
  ["AGENT-CONFIG-3", "configuration.runtime.voice_synthesis.voice_id", "v1", "v2"],
  ["AGENT-CONFIG-3", "configuration.runtime.voice_synthesis.speaking_rate", 1, 2],
  ["AGENT-CONFIG-4", "configuration.runtime.language_model.agent_type", "simple", "graph"],
  ["AGENT-CONFIG-4", "configuration.runtime.language_model.config.max_tokens", 200, 300],
  ["AGENT-CONFIG-5", "configuration.runtime.language_model.knowledge_base_config.collections", ["a"], ["b"]],
  ["AGENT-CONFIG-5", "configuration.runtime.language_model.knowledge_base_config.reranker_enabled", true, false],
  ["AGENT-CONFIG-6", "configuration.session_policy.trusted_callers", ["+15555550100"], []],
  ["AGENT-CONFIG-6", "configuration.session_policy.entry_quota", 3, 4],
  ["AGENT-CONFIG-7", "configuration.stream_policy.bargein_word_threshold", 2, 3],
  ["AGENT-CONFIG-7", "configuration.stream_policy.emit_step_ms", 20, 30],
  ["AGENT-CONFIG-8", "configuration.engagement_policy.noise_guard_level", 2, 3],
  ["AGENT-CONFIG-8", "configuration.engagement_policy.cadence_padding", 1, 2],
  ["AGENT-CONFIG-9", "configuration.message_policy.completion_probe_prompt", "Are we done?", "Done?"],
  ["AGENT-CONFIG-10", "configuration.compliance_policy.pii_guard_enabled", true, false],
  ["AGENT-CONFIG-11", "configuration.post_processing", [{ type: "summary", enabled: false }], []],
  [
    "AGENT-CONFIG-12",
    "configuration.external_functions",
    [{ name: "book", description: "d", parameters: { type: "object", properties: { day: { type: "string" } } } }],
    [],
  ],
]

const clausesOf = (rows: ReadonlyArray<readonly [string | ReadonlyArray<string>, ...ReadonlyArray<unknown>]>) => [
  ...new Set(rows.flatMap(([clauses]) => clauses)),
]

/** A body with a value at a dotted path. */
const bodyOf = (path: string, value: unknown): Readonly<Record<string, unknown>> => {
  const [name = "", ...rest] = path.split(".")
  return { [name]: rest.length === 0 ? value : bodyOf(rest.join("."), value) }
}

const merged = (one: unknown, other: unknown): unknown => {
  if (!isObject(one) || !isObject(other)) return other
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name in other ? (name in one ? merged(one[name], other[name]) : other[name]) : one[name],
    ]),
  )
}

const whole = (rows: ReadonlyArray<readonly [path: string, value: unknown]>): Readonly<Record<string, unknown>> => {
  const all = rows.reduce<unknown>((body, [path, value]) => merged(body, bodyOf(path, value)), {})
  return isObject(all) ? all : {}
}

const holds = (trial: Trial, where: string, answer: Answer, rows: ReadonlyArray<Row>): void => {
  for (const [clauses, path, value] of rows) {
    // What was cleared may be null or left out.
    const got = answer.at(path)
    trial.check.equal(
      `${where}-${path}`.replaceAll("_", "-"),
      clauses,
      value === null ? (got ?? null) : got,
      value,
      answer,
    )
  }
}

const sentWhole: ReadonlySet<string> = new Set(["calling_guard", "prompts"])

const stored: Case = {
  id: "agents/stored/kept",
  title:
    "Everything that an agent is given, at first or later, is kept, and nothing that an update does not name is lost",
  clauses: [...clausesOf(given), "AGENT-CREATE-6", "AGENT-GET-2", "AGENT-RESPONSE-4", "AGENT-UPDATE-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const first = whole(given.map(([, path, value]) => [path, value]))
    const made = await client.post("/v2/agents", { display_name: agentName(trial), ...first })
    check.status("made", "AGENT-CREATE-6", made, 201)
    const path = `/v2/agents/${made.string("agent_id")}`
    trial.defer(() => client.delete(path))
    const firsts = given.map(([clauses, at, value]): Row => [clauses, at, value])
    holds(trial, "made", made, firsts)
    holds(trial, "read", await client.get(path), firsts)
    // One at a time: what the others hold must stay.
    const now = new Map(given.map(([, at, value]) => [at, value]))
    let version = made.number("version")
    for (const [clauses, at, , second] of given) {
      now.set(at, second)
      // Whether part of a window, or of the prompts, is an update of them is not shown, so they are sent whole.
      const [group = ""] = at.split(".")
      const parts = [...now].filter(([other]) => other.startsWith(`${group}.`))
      const body = sentWhole.has(group) ? whole(parts) : bodyOf(at, second)
      const patched = await updateAgent(client, path, body)
      check.status("patched", "AGENT-UPDATE-2", patched, 200)
      check.equal("version", "AGENT-RESPONSE-4", patched.at("version"), (version += 1), patched)
      const got = patched.at(at)
      check.equal(`patched-${at}`.replaceAll("_", "-"), clauses, second === null ? (got ?? null) : got, second, patched)
    }
    const rows = given.map(([clauses, at]): Row => [clauses, at, now.get(at)])
    const read = await client.get(path)
    holds(trial, "then", read, rows)
    const isThere = read.at("prompts.conversation.system") === "Be kind."
    check.holds("prompts", "AGENT-GET-2", isThere, "the prompts on a single read", read)
    const clone = await client.post(`${path}/clone`, {})
    trial.defer(() => client.delete(`/v2/agents/${clone.string("agent_id")}`))
    const refused = await client.patch(path, { summary: 5 })
    const after = await client.get(path)
    check.equal("refused-leaves", "AGENT-RESPONSE-4", after.at("version"), version, refused)
  },
}

const flat: ReadonlyArray<readonly [control: string, bucket: string, first: unknown, second: unknown]> = [
  ["finale_message", "message_policy", "Goodbye.", "Bye."],
  ["presence_probe_message", "engagement_policy", "Are you there?", "Hello?"],
  ["probe_interval_seconds", "session_policy", 7, 8],
  ["probe_window_seconds", "session_policy", 9, 10],
  ["probe_min_words", "session_policy", 2, 3],
  ["block_unlisted_callers", "session_policy", true, false],
]

const controls: Case = {
  id: "agents/stored/controls",
  title: "A control is the same in conversation_config and in its bucket, on create and on update",
  clauses: ["AGENT-CONTROLS-1", "AGENT-CREATE-6", "AGENT-FIELD-22", "AGENT-FIELD-23"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const make = (body: object) => client.post("/v2/agents", { display_name: agentName(trial), ...body })
    const config = Object.fromEntries(flat.map(([control, , value]) => [control, value]))
    const made = await make({ conversation_config: config })
    trial.defer(() => client.delete(`/v2/agents/${made.string("agent_id")}`))
    const path = `/v2/agents/${made.string("agent_id")}`
    for (const answer of [made, await client.get(path)]) {
      for (const [control, bucket, first] of flat) {
        const name = control.replaceAll("_", "-")
        check.equal(
          name,
          ["AGENT-CONTROLS-1", "AGENT-FIELD-22"],
          answer.at(`conversation_config.${control}`),
          first,
          answer,
        )
        const clauses = ["AGENT-FIELD-23", "AGENT-CREATE-6"]
        check.equal(`${name}-bucket`, clauses, answer.at(`configuration.${bucket}.${control}`), first, answer)
      }
    }
    for (const [control, bucket, , second] of flat) {
      const patched = await updateAgent(client, path, { configuration: { [bucket]: { [control]: second } } })
      const name = control.replaceAll("_", "-")
      check.equal(`${name}-flat`, "AGENT-FIELD-23", patched.at(`conversation_config.${control}`), second, patched)
    }
    for (const [control, bucket, first] of flat) {
      const patched = await updateAgent(client, path, { conversation_config: { [control]: first } })
      const name = control.replaceAll("_", "-")
      check.equal(`${name}-back`, "AGENT-FIELD-23", patched.at(`configuration.${bucket}.${control}`), first, patched)
    }
    const nothing = await make({ conversation_config: null })
    trial.defer(() => client.delete(`/v2/agents/${nothing.string("agent_id")}`))
    check.status("null", "AGENT-FIELD-22", nothing, 201)
  },
}

/** Both sides of every bound of an agent. */
const edges: ReadonlyArray<
  readonly [name: string, clauses: ReadonlyArray<string>, body: Readonly<Record<string, unknown>>, status: number]
> = [
  ["name-100", ["AGENT-FIELD-2", "CONSTANT-3"], { display_name: "n".repeat(100) }, 200],
  ["name-101", ["AGENT-FIELD-2", "CONSTANT-3"], { display_name: "n".repeat(101) }, 422],
  ["name-empty", ["AGENT-FIELD-2", "CONSTANT-3"], { display_name: "" }, 422],
  ["name-letters", ["AGENT-FIELD-3"], { display_name: "Abc 09 - _ . ( )" }, 200],
  ["name-slash", ["AGENT-FIELD-3"], { display_name: "a/b" }, 422],
  ["name-colon", ["AGENT-FIELD-3"], { display_name: "a:b" }, 422],
  ["name-null", ["AGENT-FIELD-1"], { display_name: null }, 422],
  ["summary-2000", ["AGENT-FIELD-4", "CONSTANT-4"], { summary: "s".repeat(2_000) }, 200],
  ["summary-2001", ["AGENT-FIELD-4", "CONSTANT-4"], { summary: "s".repeat(2_001) }, 422],
  ["summary-null", ["AGENT-FIELD-4"], { summary: null }, 200],
  ["greeting-20000", ["AGENT-FIELD-5", "CONSTANT-5"], { greeting_message: "g".repeat(20_000) }, 200],
  ["greeting-20001", ["AGENT-FIELD-5", "CONSTANT-5"], { greeting_message: "g".repeat(20_001) }, 422],
  ["greeting-null", ["AGENT-FIELD-5"], { greeting_message: null }, 200],
  ["greeting-braces", ["AGENT-FIELD-6"], { greeting_message: "Hello {name}" }, 200],
  ["category-null", ["AGENT-FIELD-8"], { category: null }, 200],
  ["labels-empty", ["AGENT-FIELD-10"], { labels: [] }, 200],
  [
    "enabled-text",
    ["AGENT-GUARD-1"],
    { calling_guard: { enabled: "true", timezone: "UTC", start: "09:00", end: "18:00" } },
    422,
  ],
  [
    "days-names",
    ["AGENT-GUARD-4"],
    { calling_guard: { enabled: true, timezone: "UTC", start: "09:00", end: "18:00", days: ["monday"] } },
    422,
  ],
  ["config-null", ["AGENT-FIELD-22"], { conversation_config: null, summary: "x" }, 200],
  ["status-lower", ["AGENT-FIELD-7"], { status: "inactive" }, 422],
]

const bounds: Case = {
  id: "agents/stored/bounds",
  title: "The last permitted value is taken and the first forbidden one refused, on create, PATCH and PUT",
  clauses: [
    ...new Set(edges.flatMap(([, clauses]) => clauses)),
    "AGENT-GUARD-2",
    "AGENT-GUARD-3",
    "AGENT-GUARD-6",
    "AGENT-GUARD-7",
    "AGENT-CREATE-3",
    "AGENT-CREATE-4",
    "AGENT-CREATE-5",
    "AGENT-STATUS-2",
    "AGENT-STATUS-3",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const display_name = agentName(trial)
    const make = async (body: object) => {
      const made = await client.post("/v2/agents", { display_name, ...body })
      const id = made.string("agent_id")
      if (id !== "") trial.defer(() => client.delete(`/v2/agents/${id}`))
      return made
    }
    const path = `/v2/agents/${(await make({})).string("agent_id")}`
    const answered = (name: string, clauses: ReadonlyArray<string>, answer: Answer, status: number) => {
      const wrong = status === 422 ? [422, 400] : [status]
      check.oneOf(name, clauses, answer.status, clauses.includes("AGENT-FIELD-1") ? wrong : [status], answer)
    }
    for (const [name, clauses, body, status] of edges) {
      answered(`${name}-create`, clauses, await make(body), status === 200 ? 201 : status)
      answered(`${name}-patch`, clauses, await client.patch(path, body), status)
      answered(`${name}-put`, clauses, await client.put(path, { display_name, ...body }), status)
    }
    const nameless = await client.put(path, { summary: "x" })
    check.rejected("put-without-a-name", "AGENT-FIELD-1", nameless)
    await guards(trial, path, client, make)
    const alone = await make({})
    check.equal("alone", ["AGENT-CREATE-3", "AGENT-CREATE-4", "AGENT-STATUS-2"], alone.at("status"), "DRAFT", alone)
    check.equal("alone-version", ["AGENT-CREATE-5", "AGENT-STATUS-3"], alone.at("version"), 2, alone)
    for (const body of [{ greeting_message: "Hello" }, { labels: ["a"] }, { summary: "x", category: "c" }]) {
      const more = await make(body)
      check.equal("with-more", ["AGENT-CREATE-4", "AGENT-STATUS-2"], more.at("status"), "DRAFT", more)
      const read = await client.get(`/v2/agents/${more.string("agent_id")}`)
      check.equal("read-version", ["AGENT-CREATE-5", "AGENT-STATUS-3"], read.at("version"), 2, read)
    }
  },
}

const guards = async (
  { check }: Trial,
  path: string,
  client: Client,
  make: (body: object) => Promise<Answer>,
): Promise<void> => {
  const guard = { enabled: true, timezone: "UTC", start: "09:00", end: "18:00", days: [0] }
  for (const [name, clause, change] of [
    ["zone", "AGENT-GUARD-2", { timezone: "Mars/Olympus" }],
    ["end-25", "AGENT-GUARD-3", { end: "25:00" }],
    ["start-60", "AGENT-GUARD-3", { start: "09:60" }],
    ["start-9", "AGENT-GUARD-3", { start: "9:00" }],
  ] as const) {
    const calling_guard = { ...guard, ...change }
    check.rejected(`guard-${name}`, clause, await make({ calling_guard }))
    check.rejected(`guard-${name}-patch`, clause, await client.patch(path, { calling_guard }))
  }
  const set = await updateAgent(client, path, { calling_guard: guard })
  check.equal(
    "guard-set",
    "AGENT-GUARD-3",
    [set.at("calling_guard.start"), set.at("calling_guard.end")],
    ["09:00", "18:00"],
  )
  const off = await updateAgent(client, path, { calling_guard: { enabled: false } })
  check.equal("guard-off", ["AGENT-GUARD-6", "AGENT-GUARD-7"], off.at("calling_guard"), null, off)
  const read = await client.get(path)
  check.equal("guard-gone", ["AGENT-GUARD-6", "AGENT-GUARD-7"], read.at("calling_guard"), null, read)
  const never = await make({ calling_guard: { enabled: false } })
  check.equal("guard-never", ["AGENT-GUARD-6", "AGENT-GUARD-7"], never.at("calling_guard"), null, never)
}

const languages: Case = {
  id: "agents/stored/languages",
  title: "A multilingual block replaces the one before, and null returns to one language",
  clauses: ["AGENT-FIELD-27", "AGENT-FIELD-28", "AGENT-FIELD-29", "AGENT-RESPONSE-5", "AGENT-RESPONSE-6"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const path = `/v2/agents/${(await makeAgent(trial, client)).string("agent_id")}`
    const language = (agent_name: string) => ({ agent_name, voice_id: "v1" })
    const both = { enabled: true, active_language: "en", languages: { en: language("Ann"), fr: language("Anne") } }
    const set = await updateAgent(client, path, { multilingual: both })
    check.equal("names", "AGENT-FIELD-27", set.at("multilingual.languages.fr.agent_name"), "Anne", set)
    check.equal("active", "AGENT-FIELD-27", set.at("multilingual.active_language"), "en", set)
    const alone = { enabled: true, languages: { fr: language("Zoé") } }
    const one = await updateAgent(client, path, { multilingual: alone })
    check.equal("replaced", "AGENT-FIELD-28", Object.keys(Object(one.at("multilingual.languages"))), ["fr"], one)
    check.holds("no-rest", "AGENT-FIELD-28", one.at("multilingual.active_language") !== "en", "nothing of before", one)
    const silent = { fr: language("Zoé"), de: { agent_name: "Anna" } }
    const some = await client.patch(path, { multilingual: { enabled: true, languages: silent } })
    const read = await client.get(path)
    const kept = Object.keys(Object(read.at("multilingual.languages")))
    const dropped = some.items("dropped_languages")
    // Which languages cannot be saved is the server's; those are named, and not stored.
    const isTold = kept.every((code) => !dropped.includes(code)) && kept.length + dropped.length === 2
    check.holds("dropped", ["AGENT-RESPONSE-5", "AGENT-RESPONSE-6"], isTold, "each language stored or named", some)
    const said = some.at("multilingual.languages")
    if (said !== undefined) check.equal("stored", "AGENT-RESPONSE-6", Object.keys(Object(said)), kept, some)
    const none = await updateAgent(client, path, { multilingual: null })
    check.equal("none", "AGENT-FIELD-29", none.at("multilingual") ?? null, null, none)
    check.equal("none-read", "AGENT-FIELD-29", (await client.get(path)).at("multilingual") ?? null, null, none)
  },
}

/** What agents keep. */
export const storedCases: ReadonlyArray<Case> = [stored, controls, bounds, languages]
