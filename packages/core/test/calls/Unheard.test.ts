import { assert, describe, it } from "vitest"
import { questionPaceMs } from "../../src/calls/Unheard.ts"
import { soonerQuestion, type Unheard } from "../../src/calls/steps/AskSooner.ts"
import { limits } from "../../src/Limits.ts"
import { sampleCall } from "../../src/testing/Samples.ts"

const lostUntil = 1_000_000
const turn = lostUntil + 10_000
const late = lostUntil + 3_600_000

/** A live call that was last heard of before the gap. */
const silent = sampleCall("org_a", {
  due_at: late,
  final_report_at: null,
  slot: { member: "exec_a", fence: 1, levels: [] },
  updated_at: lostUntil - 5_000,
})

describe("a live call of whose end nobody may have heard", () => {
  const cases: ReadonlyArray<readonly [string, Unheard, Partial<typeof silent>, number | null]> = [
    ["is asked about in its turn after a gap", "gap", {}, turn],
    [
      "is asked about once it has been silent for long where a process starts",
      "start",
      {},
      silent.updated_at + limits.unheardAgedMs,
    ],
    ["is asked about in its turn where that is later", "start", { updated_at: 0 }, turn],
    ["is left alone where nothing is expected of it", "gap", { due_at: null }, null],
    ["is left alone where all has been said", "gap", { final_report_at: lostUntil }, null],
    ["is left alone where it has no line", "gap", { slot: null }, null],
    ["is left alone where it was heard of since", "gap", { updated_at: lostUntil }, null],
    ["is left alone where it is asked about soon anyway", "gap", { due_at: lostUntil + limits.unheardSpreadMs }, null],
    ["is asked about in its turn where the carrier was away, and told nothing since", "carrier", {}, turn],
    [
      "is asked about in its turn where it was asked about in vain while the carrier was away",
      "carrier",
      { questions: 3, updated_at: lostUntil, due_at: turn + 20_000 },
      turn,
    ],
    [
      "is asked about in its turn where nobody knows what became of its dial",
      "carrier",
      { dial: "unconfirmed", updated_at: lostUntil, due_at: turn + 20_000 },
      turn,
    ],
    ["is left alone where its question comes sooner", "carrier", { questions: 3, due_at: turn - 1 }, null],
    ["is left alone where the carrier has told of it since", "carrier", { updated_at: lostUntil }, null],
    [
      "is left alone after a gap where its question is near, though the last one was in vain",
      "gap",
      { questions: 3, updated_at: lostUntil - 1, due_at: turn + 20_000 },
      null,
    ],
    [
      "is never asked about later than it would have been",
      "start",
      { due_at: silent.updated_at + limits.unheardAgedMs },
      null,
    ],
  ]
  it.each(cases)("%s", (_, why, changes, expected) => {
    assert.strictEqual(soonerQuestion({ ...silent, ...changes }, why, lostUntil, turn), expected)
  })
})

it("asks about few calls at their pace, and about many within a time, but never all at once", () => {
  assert.strictEqual(questionPaceMs(0), limits.unheardPaceMs)
  assert.strictEqual(questionPaceMs(1), limits.unheardPaceMs)
  assert.strictEqual(questionPaceMs(1_000), limits.unheardSpreadMs / 1_000)
  assert.strictEqual(questionPaceMs(1_000_000), limits.unheardPaceMinMs)
})
