import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  callStatuses,
  callTransitions,
  type CallStatus,
  canMove,
  failureStatuses,
  inFlightStatuses,
  isRetryTrigger,
  isTerminal,
  move,
  parseStatusFilter,
  statusFilterValues,
  terminalStatuses,
} from "../../src/calls/rules/CallStatus.ts"

const anyStatus = fc.constantFrom(...callStatuses)

// The phases as the specification's table writes them.
const phases: Readonly<Record<CallStatus, "in-flight" | "terminal" | "terminal, failure">> = {
  queued: "in-flight",
  scheduled: "in-flight",
  rescheduled: "in-flight",
  initiated: "in-flight",
  ringing: "in-flight",
  "in-progress": "in-flight",
  completed: "terminal",
  failed: "terminal, failure",
  busy: "terminal, failure",
  "no-answer": "terminal, failure",
  canceled: "terminal",
  stopped: "terminal",
  "balance-low": "terminal",
  error: "terminal, failure",
  "call-disconnected": "terminal, failure",
}

// The moves as the decisions write them, word by word.
const decided: ReadonlyArray<readonly [from: CallStatus, words: string]> = [
  ["scheduled", "queued, rescheduled, canceled, balance-low, error"],
  ["rescheduled", "queued, rescheduled, canceled, balance-low, error"],
  ["queued", "initiated, ringing, in-progress, any terminal"],
  ["initiated", "ringing, in-progress, any terminal but canceled"],
  ["ringing", "in-progress, any terminal but canceled"],
  ["in-progress", "completed, failed, no-answer, stopped, error, call-disconnected, balance-low"],
]

const isDecided = (from: CallStatus, to: CallStatus): boolean => {
  const words = decided.find(([status]) => status === from)?.[1].split(", ") ?? []
  if (words.includes(to)) return true
  const isEnd = phases[to] !== "in-flight"
  return isEnd && (words.includes("any terminal") || (words.includes("any terminal but canceled") && to !== "canceled"))
}

describe("statuses", () => {
  it("are the fifteen of the specification, six in flight and nine terminal", () => {
    assert.deepEqual([...callStatuses], Object.keys(phases))
    assert.deepEqual([...inFlightStatuses], callStatuses.slice(0, 6))
    assert.deepEqual([...terminalStatuses], callStatuses.slice(6))
    for (const status of callStatuses) assert.strictEqual(isTerminal(status), phases[status] !== "in-flight", status)
  })

  it("retry exactly the failures", () => {
    const failures = callStatuses.filter((status) => phases[status] === "terminal, failure")
    assert.sameMembers([...failureStatuses], failures)
    assert.sameMembers(callStatuses.filter(isRetryTrigger), failures)
    for (const status of callStatuses) assert.strictEqual(isRetryTrigger(status), failures.includes(status), status)
  })
})

describe("moves", () => {
  it("are those of the decisions, for all 225 pairs", () => {
    for (const from of callStatuses) {
      for (const to of callStatuses) {
        assert.strictEqual(canMove(from, to), isDecided(from, to), `${from} to ${to}`)
        const moved = move(from, to)
        assert.strictEqual(moved.ok, isDecided(from, to))
        assert.strictEqual(moved.to, to)
        if (!moved.ok) assert.strictEqual(moved.reason, isTerminal(from) ? "terminal" : "not_a_move")
        if (!moved.ok) assert.strictEqual(moved.from, from)
      }
    }
  })

  it("name no status twice", () => {
    for (const targets of Object.values(callTransitions)) assert.strictEqual(new Set(targets).size, targets.length)
  })

  it("reach every status from the two first ones", () => {
    const reached = new Set<CallStatus>(["queued", "scheduled"])
    for (const status of reached) for (const to of callTransitions[status]) reached.add(to)
    assert.strictEqual(reached.size, callStatuses.length)
  })

  it("never lead out of a terminal status, whatever is reported and in whatever order", () => {
    fc.assert(
      fc.property(anyStatus, fc.array(anyStatus, { maxLength: 40 }), (first, reports) => {
        let status = first
        let ended: CallStatus | null = null
        for (const report of reports) {
          const moved = move(status, report)
          if (moved.ok) status = moved.to
          if (ended !== null) assert.strictEqual(status, ended)
          if (isTerminal(status)) ended = status
        }
      }),
    )
  })
})

describe("status filter", () => {
  const spellings = ["voicemail", "voice-mail", "voice_mail"]
  const padding = fc.constantFrom("", " ", "  ")
  const listed = fc.array(fc.tuple(padding, fc.constantFrom(...callStatuses, ...spellings), padding), { minLength: 1 })
  const unknownValue = fc
    .string({ unit: fc.constantFrom("a", "Q", "-", "_", "e", "d", " ") })
    .map((text) => text.trim())
    .filter((text) => !Object.keys(phases).includes(text) && !spellings.includes(text))

  it("reads any list of statuses and pseudo-statuses", () => {
    fc.assert(
      fc.property(listed, (items) => {
        const values = items.map(([, value]) => value)
        const result = parseStatusFilter(items.map((item) => item.join("")).join(","))
        assert.isTrue(result.ok)
        if (!result.ok) return
        assert.deepEqual(
          [...result.filter.statuses],
          [...new Set(values)].filter((value) => !spellings.includes(value)),
        )
        assert.strictEqual(
          result.filter.voicemail,
          values.some((value) => spellings.includes(value)),
        )
      }),
    )
  })

  it("names the first value that it does not know", () => {
    fc.assert(
      fc.property(listed, unknownValue, fc.array(unknownValue), (before, unknown, after) => {
        const text = [...before.map((item) => item.join("")), unknown, ...after].join(",")
        assert.deepEqual(parseStatusFilter(text), { ok: false, unknown })
      }),
    )
  })

  it.each([
    ["", ""],
    ["completed,", ""],
    ["Completed", "Completed"],
    ["cancelled", "cancelled"],
    ["in_progress", "in_progress"],
    ["completed;failed", "completed;failed"],
    ["constructor", "constructor"],
  ])("refuses %j", (text, unknown) => {
    assert.deepEqual(parseStatusFilter(text), { ok: false, unknown })
  })

  it("lists its values in the specification's order, the pseudo-status last", () => {
    assert.deepEqual([...statusFilterValues], [...Object.keys(phases), "voicemail"])
    for (const value of statusFilterValues) assert.isTrue(parseStatusFilter(value).ok)
  })
})
