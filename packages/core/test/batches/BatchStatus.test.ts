import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  batchAfter,
  type BatchCascade,
  type BatchCommand,
  type BatchOccurrence,
  type BatchProgress,
  type BatchState,
  type BatchStatus,
  batchStatuses,
  cascadeToBatch,
  decideBatch,
  finishedBatchStatuses,
  isFinishedBatch,
  newBatch,
} from "../../src/batches/rules/BatchStatus.ts"

const fresh: BatchProgress = { waits: "created", exhausted: false, settled: false }
const waiting: BatchProgress = { waits: "scheduled", exhausted: false, settled: false }
const dialling: BatchProgress = { waits: null, exhausted: false, settled: false }
const exhausted: BatchProgress = { waits: null, exhausted: true, settled: false }
const settled: BatchProgress = { waits: null, exhausted: true, settled: true }

const at = (status: BatchStatus): BatchState => ({
  status,
  paused_by: status === "paused" ? "request" : null,
  cancelled_by: status === "cancelled" ? "request" : null,
})

const takenAlong = (status: BatchStatus): BatchState => ({
  status,
  paused_by: status === "paused" ? "campaign" : null,
  cancelled_by: status === "cancelled" ? "campaign" : null,
})

/** In the order created, scheduled, in_progress, dispatched, completed, paused, cancelled, expired, failed. */
const commands: ReadonlyArray<readonly [name: string, command: BatchCommand, answers: ReadonlyArray<string>]> = [
  [
    "schedule",
    { kind: "schedule" },
    [
      "scheduled",
      "scheduled",
      "already_started",
      "already_started",
      "finished",
      "paused",
      "finished",
      "finished",
      "finished",
    ],
  ],
  [
    "pause",
    { kind: "pause" },
    ["paused", "paused", "paused", "paused", "finished", "paused", "finished", "finished", "finished"],
  ],
  [
    "resume",
    { kind: "resume", progress: dialling },
    [
      "created",
      "scheduled",
      "in_progress",
      "dispatched",
      "finished",
      "in_progress",
      "finished",
      "finished",
      "finished",
    ],
  ],
  [
    "stop",
    { kind: "stop" },
    ["cancelled", "cancelled", "cancelled", "cancelled", "finished", "cancelled", "finished", "finished", "finished"],
  ],
]

describe("batch commands", () => {
  it.each(commands)("%s", (_name, command, answers) => {
    for (const [index, status] of batchStatuses.entries()) {
      const decision = decideBatch(at(status), command)
      assert.strictEqual(decision.ok ? decision.to.status : decision.reason, answers[index], status)
      if (!decision.ok) assert.strictEqual(decision.status, status)
    }
  })

  it("starts created, and stopped for itself stays so when its campaign comes back", () => {
    assert.deepEqual(newBatch, at("created"))
    const stopped = decideBatch(newBatch, { kind: "stop" })
    assert.deepEqual(stopped, { ok: true, to: at("cancelled") })
    if (stopped.ok) assert.deepEqual(cascadeToBatch(stopped.to, { kind: "reopen", progress: dialling }), stopped.to)
  })

  it("finishes in completed, cancelled, expired and failed", () => {
    assert.sameMembers([...finishedBatchStatuses], ["completed", "cancelled", "expired", "failed"])
    assert.deepEqual(batchStatuses.filter(isFinishedBatch), ["completed", "cancelled", "expired", "failed"])
  })

  it.each([
    [fresh, "created"],
    [waiting, "scheduled"],
    [dialling, "in_progress"],
    [exhausted, "dispatched"],
    [settled, "completed"],
    [{ waits: null, exhausted: false, settled: true }, "in_progress"],
  ] as const)("resumes into what its progress says: %j is %s", (progress, status) => {
    const decision = decideBatch(at("paused"), { kind: "resume", progress })
    assert.deepEqual(decision, { ok: true, to: { status, paused_by: null, cancelled_by: null } })
  })
})

const cascades: ReadonlyArray<readonly [name: string, cascade: BatchCascade, answers: ReadonlyArray<BatchStatus>]> = [
  [
    "pause",
    { kind: "pause" },
    ["paused", "paused", "paused", "paused", "completed", "paused", "cancelled", "expired", "failed"],
  ],
  [
    "resume",
    { kind: "resume", progress: dialling },
    ["created", "scheduled", "in_progress", "dispatched", "completed", "in_progress", "cancelled", "expired", "failed"],
  ],
  [
    "cancel",
    { kind: "cancel" },
    ["cancelled", "cancelled", "cancelled", "cancelled", "completed", "cancelled", "cancelled", "expired", "failed"],
  ],
  [
    "expire",
    { kind: "expire" },
    ["expired", "expired", "expired", "expired", "completed", "expired", "cancelled", "expired", "failed"],
  ],
  [
    "reopen",
    { kind: "reopen", progress: dialling },
    [
      "created",
      "scheduled",
      "in_progress",
      "dispatched",
      "completed",
      "paused",
      "in_progress",
      "in_progress",
      "failed",
    ],
  ],
]

describe("what a campaign does to its batches", () => {
  it.each(cascades)("%s, where the campaign itself stopped them", (_name, cascade, answers) => {
    for (const [index, status] of batchStatuses.entries()) {
      assert.strictEqual(cascadeToBatch(takenAlong(status), cascade).status, answers[index], status)
    }
  })

  it("undoes nothing that was asked of the batch itself", () => {
    for (const kind of ["resume", "reopen"] as const) {
      const cascade = { kind, progress: dialling }
      assert.deepEqual(cascadeToBatch(at("paused"), cascade), at("paused"))
      assert.deepEqual(cascadeToBatch(at("cancelled"), cascade), at("cancelled"))
    }
  })
})

describe("what befalls a batch", () => {
  it("follows its progress until it finishes, and stands still while paused", () => {
    for (const [progress, to] of [
      [fresh, "created"],
      [waiting, "scheduled"],
      [dialling, "in_progress"],
      [exhausted, "dispatched"],
      [settled, "completed"],
    ] as const) {
      for (const status of batchStatuses) {
        const after = batchAfter(at(status), { kind: "progress", progress })
        const isStill = status === "paused" || isFinishedBatch(status)
        assert.deepEqual(after, isStill ? at(status) : { ...at(status), status: to })
      }
    }
  })

  it("fails from every unfinished status", () => {
    for (const status of batchStatuses) {
      const after = batchAfter(at(status), { kind: "failure" })
      assert.strictEqual(after.status, isFinishedBatch(status) ? status : "failed")
    }
  })
})

describe("a batch's life", () => {
  const progress: fc.Arbitrary<BatchProgress> = fc.constantFrom(fresh, waiting, dialling, exhausted, settled)
  const requested: fc.Arbitrary<BatchCommand> = fc.oneof(
    fc.constantFrom<BatchCommand>({ kind: "schedule" }, { kind: "pause" }, { kind: "stop" }),
    fc.record({ kind: fc.constant("resume" as const), progress }),
  )
  const cascaded: fc.Arbitrary<BatchCascade> = fc.oneof(
    fc.constantFrom<BatchCascade>({ kind: "pause" }, { kind: "cancel" }, { kind: "expire" }),
    fc.record({ kind: fc.constantFrom("resume" as const, "reopen" as const), progress }),
  )
  const occurring: fc.Arbitrary<BatchOccurrence> = fc.oneof(
    fc.record({ kind: fc.constant("progress" as const), progress }),
    fc.constant<BatchOccurrence>({ kind: "failure" }),
  )
  type Step = (state: BatchState) => BatchState
  const byRequest = requested.map((command): Step => (state) => {
    const decision = decideBatch(state, command)
    return decision.ok ? decision.to : state
  })
  const byCampaign = cascaded.map(
    (cascade): Step =>
      (state) =>
        cascadeToBatch(state, cascade),
  )
  const byItself = occurring.map(
    (occurrence): Step =>
      (state) =>
        batchAfter(state, occurrence),
  )
  const life = (...steps: ReadonlyArray<fc.Arbitrary<Step>>): fc.Arbitrary<BatchState> =>
    fc.array(fc.oneof(...steps), { maxLength: 40 }).map((all) => all.reduce((state, step) => step(state), newBatch))
  const anyBatch = life(byRequest, byCampaign, byItself)

  it("knows who paused and who cancelled it", () => {
    fc.assert(
      fc.property(anyBatch, (state) => {
        if (state.status === "paused") assert.isNotNull(state.paused_by)
        if (!isFinishedBatch(state.status) && state.status !== "paused") assert.isNull(state.paused_by)
        assert.strictEqual(state.cancelled_by !== null, state.status === "cancelled")
      }),
    )
  })

  it("is not left by anything but its campaign once it has finished", () => {
    fc.assert(
      fc.property(anyBatch, fc.oneof(byRequest, byItself), (state, step) => {
        if (isFinishedBatch(state.status)) assert.deepEqual(step(state), state)
      }),
    )
  })

  it("repeats every cascade without harm", () => {
    fc.assert(
      fc.property(anyBatch, cascaded, (state, cascade) => {
        const once = cascadeToBatch(state, cascade)
        assert.deepEqual(cascadeToBatch(once, cascade), once)
      }),
    )
  })

  it("comes back from its campaign's pause, cancel or expiry as if it had never been away", () => {
    fc.assert(
      fc.property(life(byRequest, byItself), progress, (state, progressNow) => {
        const before = batchAfter(state, { kind: "progress", progress: progressNow })
        const paused = cascadeToBatch(before, { kind: "pause" })
        assert.deepEqual(cascadeToBatch(paused, { kind: "resume", progress: progressNow }), before)
        for (const kind of ["cancel", "expire"] as const) {
          const away = cascadeToBatch(before, { kind })
          if (before.status === "expired") continue
          assert.deepEqual(cascadeToBatch(away, { kind: "reopen", progress: progressNow }), before)
        }
      }),
      { numRuns: 300 },
    )
  })

  it("keeps a pause of its own through any pause, resume, expiry and reopening of its campaign", () => {
    const cascade: fc.Arbitrary<BatchCascade> = fc.oneof(
      fc.constant<BatchCascade>({ kind: "pause" }),
      fc.record({ kind: fc.constantFrom("resume" as const, "reopen" as const), progress }),
      fc.constantFrom<BatchCascade>({ kind: "expire" }, { kind: "cancel" }),
    )
    fc.assert(
      fc.property(fc.array(cascade), progress, (all, progressNow) => {
        const moved = all.reduce(cascadeToBatch, at("paused"))
        const back = cascadeToBatch(moved, { kind: "reopen", progress: progressNow })
        assert.deepEqual(back, at("paused"))
      }),
    )
  })
})
