import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { AgentCreate, AgentPatch } from "../src/Agents.ts"
import { DialRequest, StopRequest } from "../src/Calls.ts"
import { type DecodeFailure, decoder } from "../src/Decoding.ts"
import { MintRequest } from "../src/Keys.ts"

const dial = decoder(DialRequest)
const create = decoder(AgentCreate)
const patch = decoder(AgentPatch)
const stop = decoder(StopRequest)
const mint = decoder(MintRequest)

const failureOf = (result: Result.Result<unknown, DecodeFailure>): DecodeFailure => {
  assert.isTrue(Result.isFailure(result))
  return Result.isFailure(result) ? result.failure : { kind: "invalid", field: "", reason: "" }
}

const valueOf = <A>(result: Result.Result<A, DecodeFailure>): A => Result.getOrThrow(result)

/** What a field may hold, what it may not hold, and whether it may be left out: the specification's table of POST /v2/calls. */
const dialFields = [
  { name: "agent_id", required: true, good: ["agt_1"], bad: ["", null, 5, {}, ["agt_1"]] },
  {
    name: "to_number",
    required: true,
    good: ["+1234567", "+123456789012345", "+15555550100"],
    bad: ["", null, "15555550100", "+123456", "+1234567890123456", "+0123456789", "+1555 555 0100", 15555550100],
  },
  { name: "from_number", required: false, good: ["+15555550100", null], bad: ["", "5555", 7, []] },
  {
    name: "variables",
    required: false,
    good: [{}, { name: "Ann", deep: { list: [1, null, "x"] } }],
    bad: [null, [], "x", 1],
  },
  { name: "metadata", required: false, good: [{}, { a: true }], bad: [null, [], "x", 1] },
  {
    name: "scheduled_at",
    required: false,
    good: [null, "2026-01-05T09:00:00Z", "2026-01-05T14:30:00.250+05:30", "2026-01-05T01:00:00-08:00"],
    bad: ["2026-01-05T09:00:00", "2026-01-05", "2026-02-30T09:00:00Z", "tomorrow", "", 1767603600, {}],
  },
  { name: "record", required: false, good: [true, false], bad: [null, "true", 1, {}] },
  { name: "timeout_seconds", required: false, good: [5, 30, 120], bad: [4, 121, 30.5, "30", null, true] },
] as const

describe("decoding POST /v2/calls", () => {
  it("reports the first offending field in schema order, missing or invalid, whatever else is wrong", () => {
    const anyFields = fc.tuple(
      ...dialFields.map((field) =>
        fc.oneof(
          fc.constantFrom(...field.good).map((value) => ({ field, state: "good" as const, value: value as unknown })),
          fc.constantFrom(...field.bad).map((value) => ({ field, state: "bad" as const, value: value as unknown })),
          fc.constant({ field, state: "absent" as const, value: undefined }),
        ),
      ),
    )
    fc.assert(
      fc.property(anyFields, fc.dictionary(fc.string(), fc.jsonValue()), (fields, unknownFields) => {
        const known = new Set<string>(dialFields.map((field) => field.name))
        const body = Object.fromEntries([
          ...Object.entries(unknownFields).filter(([name]) => !known.has(name)),
          ...fields.filter(({ state }) => state !== "absent").map(({ field, value }) => [field.name, value]),
        ])
        const result = dial(body)
        const first = fields.find(({ field, state }) => state === "bad" || (state === "absent" && field.required))
        if (first === undefined) {
          const kept = fields.filter(({ state }) => state === "good").map(({ field, value }) => [field.name, value])
          assert.deepStrictEqual({ ...valueOf(result) }, Object.fromEntries(kept))
        } else {
          const failure = failureOf(result)
          assert.strictEqual(failure.field, first.field.name)
          assert.strictEqual(failure.kind, first.state === "bad" ? "invalid" : "missing")
        }
      }),
      { numRuns: 500 },
    )
  })

  it("gives reasons that people can act on and that never quote a number", () => {
    const body = { agent_id: "agt_1", to_number: "+15555550100" }
    const reasonFor = (fields: object): string => failureOf(dial({ ...body, ...fields })).reason
    assert.strictEqual(reasonFor({ agent_id: "" }), "must not be empty")
    assert.strictEqual(reasonFor({ agent_id: 7 }), "must be a string")
    assert.strictEqual(reasonFor({ to_number: "5551234567" }), "must be an E.164 number with 7 to 15 digits")
    assert.strictEqual(reasonFor({ from_number: 5551234567 }), "must be a string or null")
    assert.strictEqual(reasonFor({ variables: [] }), "must be an object")
    assert.strictEqual(reasonFor({ scheduled_at: "2026-01-05T09:00:00" }), "must be a timestamp with a UTC offset")
    assert.strictEqual(reasonFor({ record: "yes" }), "must be true or false")
    assert.strictEqual(reasonFor({ timeout_seconds: 4 }), "must be between 5 and 120")
    assert.strictEqual(reasonFor({ timeout_seconds: 30.5 }), "must be an integer")
    assert.strictEqual(reasonFor({ timeout_seconds: "30" }), "must be an integer")
  })

  it("keeps a variable named like a prototype as data", () => {
    const body: unknown = JSON.parse('{"agent_id":"a","to_number":"+15555550100","variables":{"__proto__":{"x":1}}}')
    const { variables } = valueOf(dial(body))
    assert.deepStrictEqual(Object.keys(variables ?? {}), ["__proto__"])
    assert.strictEqual(Object.getPrototypeOf(variables), Object.prototype)
  })
})

/** Bodies that are nearly right: known names with any JSON in them, several levels deep. */
const names = [
  "display_name",
  "summary",
  "status",
  "labels",
  "prompts",
  "conversation",
  "system",
  "variables",
  "custom",
  "analytics",
  "name",
  "integrations",
  "webhook",
  "calling_guard",
  "days",
  "conversation_config",
  "probe_min_words",
  "configuration",
  "runtime",
  "speech_recognition",
  "keywords",
  "session_policy",
  "auto_retry_plan",
  "post_processing",
  "multilingual",
  "languages",
  "5551234567",
] as const

const decoders: ReadonlyArray<(body: unknown) => Result.Result<unknown, DecodeFailure>> = [
  dial,
  create,
  patch,
  stop,
  mint,
]

const { nearlyRight } = fc.letrec<{ nearlyRight: unknown; value: unknown }>((tie) => ({
  nearlyRight: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 6, depthIdentifier: "body" }),
  value: fc.oneof(
    { depthIdentifier: "body", maxDepth: 4 },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.double(), fc.string()),
    tie("nearlyRight"),
    fc.array(tie("value"), { maxLength: 3, depthIdentifier: "body" }),
  ),
}))

describe("decoding any body", () => {
  it("never throws, names a field, and says no word of the library or of the value", () => {
    fc.assert(
      fc.property(nearlyRight, fc.constantFrom(...decoders), (body, decode) => {
        const result = decode(body)
        if (Result.isSuccess(result)) return
        const { field, reason } = result.failure
        assert.notStrictEqual(field, "")
        assert.match(reason, /^(must|may|is) /)
        assert.notMatch(reason, /Expected|got |undefined|schema|\.$/)
        assert.notMatch(field, /\d{7}/)
      }),
      { numRuns: 1000 },
    )
  })

  it("says that the whole is not an object with an empty field", () => {
    for (const body of [null, [], "x", 5, true, undefined]) {
      assert.deepStrictEqual(failureOf(dial(body)), { kind: "invalid", field: "", reason: "must be an object" })
    }
  })

  it("ignores unknown fields of a stop and a mint", () => {
    assert.deepStrictEqual({ ...valueOf(stop({ reason: null, x: 1 })) }, { reason: null })
    assert.deepStrictEqual({ ...valueOf(stop({})) }, {})
    assert.deepStrictEqual({ ...valueOf(mint({ name: "k", scopes: [], y: [] })) }, { name: "k", scopes: [] })
  })

  it("holds a mint to its table", () => {
    assert.deepStrictEqual(failureOf(mint({})), { kind: "missing", field: "name", reason: "is required" })
    assert.strictEqual(failureOf(mint({ name: "" })).field, "name")
    assert.strictEqual(failureOf(mint({ name: "k", scopes: null })).field, "scopes")
    assert.strictEqual(failureOf(mint({ name: "k", scopes: ["calls:read", 5] })).field, "scopes[1]")
    assert.strictEqual(failureOf(mint({ name: "k", grant_api_keys_write: "true" })).field, "grant_api_keys_write")
  })
})

describe("decoding agents", () => {
  it("takes a name alone, and a patch without one", () => {
    assert.deepStrictEqual({ ...valueOf(create({ display_name: "Ann" })) }, { display_name: "Ann" })
    assert.deepStrictEqual({ ...valueOf(patch({ status: "INACTIVE" })) }, { status: "INACTIVE" })
    assert.deepStrictEqual(failureOf(create({ summary: "x" })), {
      kind: "missing",
      field: "display_name",
      reason: "is required",
    })
  })

  it.each([
    ["a", true],
    ["x".repeat(100), true],
    ["x".repeat(101), false],
    ["", false],
    ["Sales (EU) v1.2_b - Ärzte", true],
    ["हिन्दी सहायक", true],
    ["😀".repeat(3), false],
    ["a/b", false],
    ["a\nb", false],
  ])("judges the name %j", (display_name, ok) => {
    assert.strictEqual(Result.isSuccess(create({ display_name })), ok)
    assert.strictEqual(Result.isSuccess(patch({ display_name })), ok)
  })

  it("counts characters as people do", () => {
    assert.isTrue(Result.isSuccess(patch({ summary: "😀".repeat(2000) })))
    assert.strictEqual(failureOf(patch({ summary: "x".repeat(2001) })).reason, "must have at most 2000 characters")
    assert.isTrue(Result.isSuccess(patch({ greeting_message: "x".repeat(20_000) })))
    assert.strictEqual(failureOf(patch({ greeting_message: "x".repeat(20_001) })).field, "greeting_message")
  })

  it.each([
    [{ status: "active" }, "status", "must be one of DRAFT, ACTIVE, INACTIVE, ARCHIVED"],
    [{ labels: ["a", 5] }, "labels[1]", "must be a string"],
    [{ prompts: null }, "prompts", "must be an object"],
    [{ prompts: { conversation: { system: 5 } } }, "prompts.conversation.system", "must be a string or null"],
    [{ analytics: { custom: [{ name: "a" }, {}] } }, "analytics.custom[1].name", "is required"],
    [{ integrations: { mcp: 5 } }, "integrations.mcp", "must be an object, an array or null"],
    [{ calling_guard: { days: [1, "2"] } }, "calling_guard.days[1]", "must be an integer"],
    [
      { conversation_config: { probe_min_words: -1 } },
      "conversation_config.probe_min_words",
      "must be a number of at least 0",
    ],
    [
      { configuration: { runtime: { voice_synthesis: { caching: "yes" } } } },
      "configuration.runtime.voice_synthesis.caching",
      "must be true, false or null",
    ],
    [
      { configuration: { external_functions: [{ parameters: [] }] } },
      "configuration.external_functions[0].parameters",
      "must be an object or null",
    ],
    [{ settings: { agent_memory: 1 } }, "settings.agent_memory", "must be true, false or null"],
    [{ multilingual: { languages: { hi: "x" } } }, "multilingual.languages.hi", "must be an object"],
  ])("names the place of what is wrong in %j", (fields, field, reason) => {
    assert.deepInclude(failureOf(patch(fields)), { field, reason })
    assert.deepInclude(failureOf(create({ display_name: "a", ...fields })), { field, reason })
  })

  it("leaves the rules of a calling window to the window", () => {
    const calling_guard = { enabled: true, timezone: "Nowhere", start: "25:99", end: "x", days: [9, -1] }
    assert.deepStrictEqual({ ...valueOf(patch({ calling_guard })).calling_guard }, calling_guard)
  })

  it("keeps unknown fields of a configuration and drops those around it", () => {
    const configuration = { runtime: { language_model: { top_p: 1, model: "m" }, x: [1] }, own_policy: { a: null } }
    const decoded = valueOf(patch({ configuration, unknown: 1, calling_guard: { enabled: false, colour: "red" } }))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(decoded)), { configuration, calling_guard: { enabled: false } })
  })

  it("takes null where null clears, and nowhere else", () => {
    const nullables = [
      "summary",
      "greeting_message",
      "status",
      "category",
      "labels",
      "integrations",
      "knowledge_base",
      "conversation_config",
      "multilingual",
    ]
    const fields = Object.keys(AgentPatch.fields)
    const accepts = (decode: typeof patch | typeof create) => (field: string) =>
      Result.isSuccess(decode({ display_name: "a", [field]: null }))
    assert.sameMembers(fields.filter(accepts(create)), nullables)
    assert.sameMembers(fields.filter(accepts(patch)), [...nullables, "calling_guard"])
  })
})
