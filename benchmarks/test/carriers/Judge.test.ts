import { describe, expect, it } from "vitest"
import { faultsOf, type Left } from "../../carriers/Judge.ts"
import type { Leg } from "../../carriers/Leg.ts"
import type { SeenCall } from "../../carriers/Reader.ts"

const [first, second] = ["+16462000000", "+16462000001"] as const

const leg = (execution_id: string, to: string, from: number, changes: Partial<Leg> = {}): Leg => ({
  execution_id,
  to,
  createdAt: from,
  endedAt: from + 2_000,
  wasReached: true,
  statuses: ["completed"],
  seconds: { least: 2, most: 2 },
  costs: [0.5],
  ...changes,
})

const busy = { wasReached: false, statuses: ["busy"], seconds: { least: 0, most: 0 }, costs: [0] } as const

const call = (
  execution_id: string,
  contact_id: string,
  to_number: string,
  changes: Partial<SeenCall> = {},
): SeenCall => ({
  execution_id,
  contact_id,
  to_number,
  status: "completed",
  is_terminal: true,
  retry_count: 0,
  duration_seconds: 2,
  cost: { total: 0.5 },
  created_at: "2026-01-05T09:00:00Z",
  completed_at: "2026-01-05T09:00:02Z",
  ...changes,
})

const unreached = { status: "busy", duration_seconds: 0, cost: { total: 0 } } as const

/** One who was reached at once, and one at the second attempt. */
const right: Left = {
  numbers: [first, second],
  maxRetries: 2,
  legs: [leg("a", first, 0), leg("b", second, 0, busy), leg("c", second, 5_000)],
  calls: [call("a", "one", first), call("b", "two", second, unreached), call("c", "two", second, { retry_count: 1 })],
  contacts: [
    { contact_id: "one", to_number: first, status: "completed", attempts: 1 },
    { contact_id: "two", to_number: second, status: "completed", attempts: 2 },
  ],
  stats: {
    total_contacts: 2,
    contacts_dialled: 2,
    outcome_counts: { completed: 2, failed: 0, in_flight: 0, pending: 0 },
    total_call_attempts: 3,
  },
  usage: { total_calls: 3, total_duration_seconds: 4, total_cost: 1, status_counts: { completed: 2, busy: 1 } },
  paid: 1,
  lines: 0,
}

const [a, b, c] = right.legs
const [callA, callB, callC] = right.calls
const [one, two] = right.contacts
if (!a || !b || !c || !callA || !callB || !callC || !one || !two) throw new Error("They are all there.")

const wrongs: ReadonlyArray<readonly [what: string, left: Partial<Left>]> = [
  ["a call was dialled twice", { legs: [a, b, c, { ...a, createdAt: 9_000, endedAt: 9_500 }] }],
  ["a leg belongs to no call", { legs: [a, b, c, leg("d", "+16462000009", 0)] }],
  ["a leg goes on", { legs: [{ ...a, endedAt: null }, b, c] }],
  ["somebody was rung while they talked", { legs: [a, b, { ...c, createdAt: 1_000 }] }],
  [
    "somebody was rung again who had been reached",
    { legs: [a, { ...b, ...busy, wasReached: true }, c], calls: [callA, { ...callB, status: "completed" }, callC] },
  ],
  ["a call has not ended", { calls: [{ ...callA, is_terminal: false }, callB, callC] }],
  ["a call is not what its leg was", { calls: [callA, { ...callB, status: "failed" }, callC] }],
  ["a call was longer than its leg", { calls: [{ ...callA, duration_seconds: 3 }, callB, callC] }],
  ["a call cost more than its leg", { calls: [{ ...callA, cost: { total: 0.6 } }, callB, callC] }],
  ["a contact was lost", { contacts: [one] }],
  ["a contact is there twice", { contacts: [one, one, two] }],
  ["a contact waits for ever", { contacts: [one, { ...two, status: "in_progress" }] }],
  ["an attempt was not counted", { contacts: [one, { ...two, attempts: 1 }] }],
  ["a line is in use", { lines: 1 }],
  ["the wallet paid twice", { paid: 1.5 }],
  ["the stats forgot an attempt", { stats: { ...right.stats, total_call_attempts: 2 } }],
  ["the usage forgot a second", { usage: { ...right.usage, total_duration_seconds: 3 } }],
]

describe("the judge of a campaign at a carrier", () => {
  it("finds nothing where nothing is wrong", () => {
    expect(faultsOf(right)).toEqual([])
  })

  it.each(wrongs)("sees that %s", (_, changes) => {
    expect(faultsOf({ ...right, ...changes })).not.toEqual([])
  })
})
