import { type Json, limits } from "@carillon/core"
import { type AgentBody, conversationConfig, defaultSettings } from "@carillon/core/domain"
import { mergePatch, writeSettings } from "../../src/agents/rules/AgentSettings.ts"
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(null, 0, 1, "a", true),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "constructor"), tie("value"), { maxKeys: 3 }),
  ),
})).value

const entriesOf = (value: Json | undefined): ReadonlyArray<readonly [string, Json]> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : []

const written = (current: typeof defaultSettings, body: AgentBody) =>
  Result.getOrThrow(writeSettings(current, body, [])).settings

describe("mergePatch", () => {
  it("does what RFC 7396 says of its examples", () => {
    const examples: ReadonlyArray<readonly [Json, Json, Json]> = [
      [{ a: "b" }, { a: "c" }, { a: "c" }],
      [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
      [{ a: "b" }, { a: null }, {}],
      [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
      [{ a: ["b"] }, { a: "c" }, { a: "c" }],
      [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
      [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
      [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
      [
        ["a", "b"],
        ["c", "d"],
        ["c", "d"],
      ],
      [{ a: "b" }, ["c"], ["c"]],
      [{ a: "foo" }, null, null],
      [{ a: "foo" }, "bar", "bar"],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: "b", c: null }, { a: "b" }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ]
    for (const [target, patch, result] of examples) expect(mergePatch(target, patch)).toEqual(result)
  })

  it("sets, removes and keeps key by key, whatever the keys are called, and changes nothing the second time", () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const merged = mergePatch(target, patch)
        expect(mergePatch(merged, patch)).toEqual(merged)
        if (entriesOf(patch).length === 0) return
        const after = new Map(entriesOf(merged))
        const asked = new Map(entriesOf(patch))
        for (const [key, value] of entriesOf(target)) if (!asked.has(key)) expect(after.get(key)).toEqual(value)
        for (const [key, value] of asked) {
          if (value === null) expect(after.has(key)).toBe(false)
          else expect(after.get(key)).toEqual(mergePatch(new Map(entriesOf(target)).get(key), value))
        }
      }),
    )
  })
})

describe("writeSettings", () => {
  it("leaves what a body leaves out, and clears what it sets to null", () => {
    const full = written(defaultSettings, {
      display_name: "Ada",
      summary: "s",
      greeting_message: "g",
      category: "c",
      labels: ["l"],
      prompts: { conversation: { system: "p" } },
      knowledge_base: "kb",
      integrations: { webhook: { url: "https://example.com" }, mcp: { server: "x" } },
      multilingual: { enabled: true },
    })
    expect(written(full, { settings: {} })).toEqual(full)
    const cleared = written(full, {
      summary: null,
      greeting_message: null,
      category: null,
      labels: null,
      prompts: null,
      knowledge_base: null,
      integrations: { mcp: null },
      multilingual: null,
    })
    expect(cleared).toEqual({
      ...defaultSettings,
      display_name: "Ada",
      integrations: { webhook: { url: "https://example.com" } },
    })
  })

  it("replaces the languages whole and merges everything else", () => {
    const first = written(defaultSettings, {
      multilingual: { enabled: true, languages: { es: { voice_id: "1" }, en: { voice_id: "2" } } },
      configuration: { session_policy: { session_ttl: 60, probe_min_words: 2 } },
    })
    const second = written(first, {
      multilingual: { enabled: false, languages: { fr: { voice_id: "3" } } },
      configuration: { session_policy: { probe_min_words: 3 }, compliance_policy: { pii_guard_enabled: true } },
    })
    expect(second.multilingual).toEqual({ enabled: false, languages: { fr: { voice_id: "3" } } })
    expect(second.configuration).toEqual({
      session_policy: { session_ttl: 60, probe_min_words: 3 },
      compliance_policy: { pii_guard_enabled: true },
    })
  })

  it("writes a flat control into its policy bucket, shows it from there, and lets the bucket win", () => {
    const flat = written(defaultSettings, {
      conversation_config: { finale_message: "Bye.", probe_min_words: 3, block_unlisted_callers: true },
    })
    expect(flat.configuration).toEqual({
      message_policy: { finale_message: "Bye." },
      session_policy: { probe_min_words: 3, block_unlisted_callers: true },
    })
    expect(conversationConfig(flat.configuration)).toEqual({
      finale_message: "Bye.",
      probe_min_words: 3,
      block_unlisted_callers: true,
    })
    const both = written(flat, {
      conversation_config: { probe_min_words: 4, finale_message: null },
      configuration: { session_policy: { probe_min_words: 5 } },
    })
    expect(conversationConfig(both.configuration)).toEqual({ probe_min_words: 5, block_unlisted_callers: true })
    expect(written(both, { conversation_config: null })).toEqual(both)
  })

  it("names the part of a calling window that is missing or wrong", () => {
    const guard = { enabled: true, timezone: "UTC", start: "09:00", end: "18:00" }
    const refusalOf = (calling_guard: Json) =>
      Result.getOrThrow(Result.flip(writeSettings(defaultSettings, { calling_guard }, [])))
    for (const field of ["timezone", "start", "end"] as const) {
      const { [field]: _, ...rest } = guard
      expect(refusalOf(rest)).toMatchObject({ _tag: "MissingField", field: `calling_guard.${field}` })
    }
    expect(refusalOf({ ...guard, timezone: "Atlantis" })).toMatchObject({ _tag: "Malformed" })
    expect(refusalOf({ ...guard, end: "09:00" })).toMatchObject({ _tag: "Malformed" })
    expect(refusalOf({ ...guard, days: [7] })).toMatchObject({ _tag: "Malformed" })
  })
})

describe("the size of an agent", () => {
  const key = fc.constantFrom("a", "b", "c", "d", "e", "f")
  const text = fc.nat(limits.agentBytes / 2).map((length) => '…"x'.repeat(length / 4))
  const patch = fc.record(
    {
      settings: fc.dictionary(key, fc.oneof(text, fc.constant(null)), { maxKeys: 3 }),
      prompts: fc.dictionary(key, fc.oneof(text, fc.constant(null)), { maxKeys: 3 }),
      greeting_message: text,
    },
    { requiredKeys: [] },
  )
  const bytesOf = (value: object) => new TextEncoder().encode(JSON.stringify(value)).length

  it("is bounded however many patches it is written by; refused is the patch that is too much, by a field that it sent", () => {
    fc.assert(
      fc.property(fc.array(patch, { maxLength: 12 }), (patches) => {
        let settings = defaultSettings
        for (const body of patches) {
          const result = writeSettings(settings, body, [])
          if (Result.isSuccess(result)) {
            settings = result.success.settings
            expect(bytesOf(settings)).toBeLessThanOrEqual(limits.agentBytes)
          } else {
            expect(result.failure._tag).toBe("InvalidField")
            expect(Object.keys(body)).toContain(result.failure._tag === "InvalidField" ? result.failure.field : null)
          }
        }
      }),
      { numRuns: 20 },
    )
  })

  it("keeps nobody from making an agent smaller that was larger before there was a bound", () => {
    const before = { ...defaultSettings, settings: { a: "x".repeat(limits.agentBytes), b: "y".repeat(1000) } }
    expect(Result.isSuccess(writeSettings(before, { settings: { b: null } }, []))).toBe(true)
    expect(Result.isFailure(writeSettings(before, { settings: { b: "z".repeat(1001) } }, []))).toBe(true)
  })

  it("counts the analysis for itself, because every call carries it", () => {
    const custom = [{ name: "reason", prompt: "x".repeat(limits.analyticsBytes), required_keys: [] }]
    expect(Result.getOrThrow(Result.flip(writeSettings(defaultSettings, { analytics: { custom } }, [])))).toMatchObject(
      {
        _tag: "InvalidField",
        field: "analytics",
      },
    )
  })
})
