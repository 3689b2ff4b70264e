import { assert, describe, it } from "@effect/vitest"
import { type CarrierReport, Engine, limits } from "@carillon/core"
import { Effect, Logger } from "effect"
import * as fc from "fast-check"
import { numberOf, worldOf } from "../../src/testing/world/Plans.ts"
import { law } from "../../src/testing/Law.ts"
import { NowAndThen } from "../../src/engine/rules/NowAndThen.ts"

const end = {
  status: "completed",
  duration_seconds: 12,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_hangup",
  error: null,
} as const

const facts = {
  recording_url: "https://recordings.example/1",
  cost: { total: 2, breakdown: { llm: 1, network: 0, platform: 0, synthesizer: 0, telephony: 1, transcriber: 0 } },
  media: {
    transcript: [{ role: "agent", content: "Hello.", start_ms: 0, end_ms: null }],
    setup: null,
    turns: [{ final_transcript_ms: 1, first_token_ms: null, last_token_ms: 2, first_audio_ms: 3, complete_ms: 4 }],
  },
} as const

const reportsOf = (execution_id: string): ReadonlyArray<CarrierReport> => {
  const head = { execution_id, at: 1, call_sid: null }
  return [
    { ...head, type: "ringing" },
    { ...head, type: "recovered", surviving_execution_id: "exec_other" },
    { ...head, type: "ended", end },
    { ...head, type: "final", end, facts },
    { ...head, type: "analysis", analysis: { summary: null, sentiment: "positive", extracted_data: { a: [1, {}] } } },
    { ...head, type: "corrected", end: { duration_seconds: 13 }, facts: { cost: facts.cost } },
  ]
}

/** Every path to a leaf of a value. */
const paths = (value: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? Object.keys(value).flatMap((key) => paths(Reflect.get(value, key)).map((rest) => [key, ...rest]))
    : [[]]

/** No field of any report may be this. */
const nothingTakes = Symbol("what no field takes")

/** The report with one leaf that is not what it says. */
const broken = (report: CarrierReport, path: ReadonlyArray<string>): CarrierReport => {
  const copy: CarrierReport = structuredClone(report)
  const holder = path.slice(0, -1).reduce<object>((at, key) => Reflect.get(at, key), copy)
  Reflect.set(holder, path.at(-1) ?? "", nothingTakes)
  return copy
}

const nameOf = (path: ReadonlyArray<string>): string =>
  path.reduce((name, key) => (/^\d+$/.test(key) ? `${name}[${key}]` : name === "" ? key : `${name}.${key}`), "")

const openWorld = Effect.fnUntraced(function* () {
  const world = worldOf({ ceiling: 1, calls: [] }, {})
  yield* world.start()
  const { call } = yield* world.placed({ to_number: numberOf("silentFromAnswer") })
  return { world, id: call.execution_id, report: world.service(Engine).report }
})

describe("a report as it comes in", () => {
  it.effect("is refused where any field of it is wrong, by that field's name, and changes nothing", () =>
    Effect.gen(function* () {
      const { id, report, world } = yield* openWorld()
      const faults = reportsOf(id).flatMap((told) => paths(told).map((path) => ({ told, path })))
      const before = world.commits.length
      yield* law(
        fc.constantFrom(...faults),
        ({ path, told }) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(report(broken(told, path)))
            assert.deepInclude(error, { _tag: "InvalidField" })
            const named = "field" in error ? error.field : ""
            // Our own words, never the schema library's.
            assert.match("reason" in error ? error.reason : "", /^(must be|is (required|not valid)$)/)
            // What is inside of extracted data is the customer's; a transcript may be one of two things.
            const held = nameOf(path).replace(/^(analysis\.extracted_data|facts\.media\.transcript).*/, "$1")
            assert.isTrue(named.startsWith(held), `${named} was named for ${held}`)
          }),
        { numRuns: 200 },
      )
      assert.strictEqual(world.commits.length, before)
    }),
  )

  it.effect("is refused where money or time is beyond any sum that could be told, and changes nothing", () =>
    Effect.gen(function* () {
      const { id, report, world } = yield* openWorld()
      const before = world.commits.length
      const head = { execution_id: id, at: 1, call_sid: null, type: "final" } as const
      for (const amount of [limits.reportedAmount + 1, 1e308, Number.MAX_VALUE]) {
        const { breakdown } = facts.cost
        const told: ReadonlyArray<readonly [field: string, report: CarrierReport]> = [
          ["end.duration_seconds", { ...head, end: { ...end, duration_seconds: amount }, facts }],
          ["facts.cost.total", { ...head, end, facts: { ...facts, cost: { total: amount, breakdown } } }],
          [
            "facts.cost.breakdown.llm",
            { ...head, end, facts: { ...facts, cost: { total: 2, breakdown: { ...breakdown, llm: amount } } } },
          ],
        ]
        for (const [field, wrong] of told) {
          assert.deepInclude(yield* Effect.flip(report(wrong)), { _tag: "InvalidField", field })
        }
      }
      assert.strictEqual(world.commits.length, before)
      const most = { ...end, duration_seconds: limits.reportedAmount }
      assert.strictEqual(yield* report({ ...head, end: most, facts }), "applied")
    }),
  )

  const noAddresses = [
    "javascript:alert(1)",
    "JavaScript:alert(1)//https://recordings.example/1",
    "data:audio/wav;base64,AAAA",
    "file:///var/recordings/1.wav",
    "s3://bucket/1.wav",
    "recordings/2026/1.wav",
    "//recordings.example/1",
    "https:recordings/1",
    " https://recordings.example/1",
    "https://recordings.example/1\r\nSet-Cookie: a=b",
    "https://",
    "",
    `https://recordings.example/${"a".repeat(limits.recordingAddressCharacters)}`,
  ]

  it.effect(
    "is taken without the address of a recording to which nobody can be sent, and that is an error in the log",
    () =>
      Effect.gen(function* () {
        for (const recording_url of noAddresses) {
          const { id, report, world } = yield* openWorld()
          const lines: Array<string> = []
          const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
          const head = { execution_id: id, at: 1, call_sid: null }
          const told = report({ ...head, type: "final", end, facts: { ...facts, recording_url } })
          assert.strictEqual(yield* Effect.provide(told, Logger.layer([logger])), "applied")
          const found = world.call(id)
          assert.deepInclude(found, {
            status: "completed",
            recording_url: null,
            duration_seconds: end.duration_seconds,
          })
          assert.lengthOf(
            lines.filter((line) => line.startsWith("Error The carrier's report has a mistake: facts.recording_url ")),
            1,
            recording_url,
          )
          // What the log tells of a mistake is its field, never its value.
          if (recording_url !== "") assert.notInclude(lines.join(), recording_url)
          const corrected = { ...head, type: "corrected", end: {} } as const
          assert.strictEqual(yield* report({ ...corrected, facts: { recording_url } }), "repeated")
          assert.strictEqual(yield* report({ ...corrected, facts: { recording_url: facts.recording_url } }), "applied")
          assert.strictEqual(world.call(id).recording_url, facts.recording_url)
          yield* report({ ...corrected, at: 2, facts: { recording_url } })
          assert.strictEqual(world.call(id).recording_url, facts.recording_url)
        }
      }),
  )

  it.effect("is applied, and then repeated; of an id that nobody knows it is neither", () =>
    Effect.gen(function* () {
      const { id, report, world } = yield* openWorld()
      for (const told of reportsOf(id)) {
        assert.strictEqual(yield* report(told), "applied", told.type)
        const before = world.commits.length
        assert.strictEqual(yield* report(told), "repeated", told.type)
        assert.strictEqual(world.commits.length, before)
      }
      for (const told of reportsOf("exec_nobody")) assert.strictEqual(yield* report(told), "unknown_execution")
    }),
  )

  it.effect("of an id that nobody knows is told once in a while, however many come", () =>
    Effect.gen(function* () {
      const { report } = yield* openWorld()
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
      const told = Effect.forEach([...Array(1_000).keys()], (nth) =>
        report({ execution_id: `exec_${nth}`, at: 1, call_sid: null, type: "ringing" }),
      )
      yield* Effect.provide(told, Logger.layer([logger]))
      assert.deepStrictEqual(lines, ["Warn The carrier reports calls that nobody knows."])
    }),
  )

  it("counts what it did not tell of", () => {
    const unknown = new NowAndThen(limits.unknownReportsMs)
    const notes = [0, 1, 2, limits.unknownReportsMs - 1, limits.unknownReportsMs, limits.unknownReportsMs + 1]
    assert.deepStrictEqual(
      notes.map((at) => unknown.note(at)),
      [1, null, null, null, 4, null],
    )
  })
})
