import { assert, describe, it } from "@effect/vitest"
import { callLimits, type CarrierReport, CurrentCallLimits, Engine, limits } from "@carillon/core"
import { Effect, Logger } from "effect"
import { away } from "../../src/testing/world/Interposed.ts"
import { numberOf, worldOf } from "../../src/testing/world/Plans.ts"

const end = {
  status: "completed",
  duration_seconds: 12,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_hangup",
  error: null,
} as const

const facts = { recording_url: null, cost: null, media: null }

/** A world in which rows can be neither read nor written while `isDown`. */
const openWorld = Effect.fnUntraced(function* (silent: "silentFromAnswer" | "silentFromRinging" = "silentFromAnswer") {
  const state = { isDown: false }
  const world = worldOf(
    { ceiling: 1, calls: [] },
    { interpose: (operation, effect) => (state.isDown && /^(store|calls)\./.test(operation) ? away : effect) },
  )
  yield* world.start()
  const { call } = yield* world.placed({ to_number: numberOf(silent) })
  const engine = world.service(Engine)
  const row = Effect.sync(() => {
    const found = world.tables.calls.get(call.execution_id)
    if (found === undefined) throw new Error("the call is gone")
    return found
  })
  const words = { execution_id: call.execution_id, call_sid: null }
  const refused = (told: CarrierReport) => Effect.flip(engine.report(told))
  return { engine, refused, row, state, words, world }
})

describe("a report that cannot be stored", () => {
  it.effect("is handed in again by the process, in its order, once the rows can be written", () =>
    Effect.gen(function* () {
      const { engine, refused, row, state, words, world } = yield* openWorld("silentFromRinging")
      yield* world.advance(2_000)
      assert.strictEqual((yield* row).status, "ringing")
      state.isDown = true
      // Whoever gave them hears that they were not taken, and gives the last one once more.
      yield* refused({ ...words, at: world.now, type: "answered" })
      yield* refused({ ...words, at: world.now, type: "final", end, facts })
      yield* refused({ ...words, at: world.now, type: "final", end, facts })
      assert.isNotNull(yield* engine.nextDue({ housekeeping: false }))
      world.now += limits.keptReportsRetryMaxMs
      yield* engine.runDue
      yield* world.settle()
      state.isDown = false
      assert.strictEqual((yield* row).status, "ringing")
      world.now += limits.keptReportsRetryMaxMs
      yield* engine.runDue
      yield* world.settle()
      const over = yield* row
      assert.strictEqual(over.status, "completed")
      assert.isNotNull(over.final_report_at)
      assert.isNotNull(over.answered_at)
      // In its order: nothing came too late to be told.
      assert.deepStrictEqual(over.refused_reports, [])
    }).pipe(Effect.scoped),
  )

  it.effect("comes before the next one of its call", () =>
    Effect.gen(function* () {
      const { engine, refused, row, state, words, world } = yield* openWorld("silentFromRinging")
      yield* world.advance(2_000)
      state.isDown = true
      yield* refused({ ...words, at: world.now, type: "answered" })
      state.isDown = false
      assert.strictEqual(yield* engine.report({ ...words, at: world.now, type: "final", end, facts }), "applied")
      const over = yield* row
      assert.isNotNull(over.answered_at)
      assert.deepStrictEqual(over.refused_reports, [])
    }).pipe(Effect.scoped),
  )

  it.live("is given up with the process, which says how many they were", () =>
    Effect.gen(function* () {
      const { engine, refused, state, words, world } = yield* openWorld()
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
      state.isDown = true
      yield* refused({ ...words, at: world.now, type: "final", end, facts })
      yield* Effect.provide(engine.drain(Effect.void), Logger.layer([logger]))
      assert.include(lines, "Error Reports of the carrier are given up: this process ends, and could not store them.")
    }).pipe(
      Effect.scoped,
      Effect.provideService(CurrentCallLimits, callLimits({ drainFinishMs: 0, drainEndMs: 1_000 })),
    ),
  )
})

describe("a live call that nobody has heard of", () => {
  it.effect("is asked about soon after nobody worked, and by one who looks only", () =>
    Effect.gen(function* () {
      const { engine, row, world } = yield* openWorld()
      yield* world.advance(60_000)
      const before = yield* row
      assert.strictEqual(before.status, "in-progress")
      assert.isAbove(before.due_at ?? 0, world.now + 500_000)
      yield* engine.unheard("gap")
      yield* world.advance(limits.unheardDelayMs + limits.unheardPaceMs)
      const asked = yield* row
      assert.strictEqual(asked.questions, before.questions + 1)
      assert.isAbove(asked.updated_at, before.updated_at)
      // The second one who looks, for the same time, asks nobody.
      yield* engine.unheard("gap")
      yield* world.advance(1_000)
      assert.strictEqual((yield* row).questions, asked.questions)
    }).pipe(Effect.scoped),
  )

  it.effect("is left alone for a minute where a process starts beside others", () =>
    Effect.gen(function* () {
      const { engine, row, world } = yield* openWorld()
      yield* world.advance(20_000)
      const { questions, updated_at } = yield* row
      yield* engine.unheard("start")
      yield* world.advance(updated_at + limits.unheardAgedMs - world.now - 1)
      assert.strictEqual((yield* row).questions, questions)
      yield* world.advance(1_001)
      assert.strictEqual((yield* row).questions, questions + 1)
      // Others that start meanwhile find that it was just asked about.
      yield* engine.unheard("start")
      yield* world.advance(30_000)
      assert.strictEqual((yield* row).questions, questions + 1)
    }).pipe(Effect.scoped),
  )
})
