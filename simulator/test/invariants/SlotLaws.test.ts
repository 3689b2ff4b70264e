import type { SlotRequest, SlotStore } from "@carillon/core/ports"
import { MemorySlots } from "@carillon/core/memory"
import { SlotStore as Slots } from "@carillon/core/ports"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { Invariants } from "../../src/invariants/Invariants.ts"
import { slotLaws } from "../../src/invariants/SlotLaws.ts"

const memory = () =>
  Effect.runSync(Effect.provide(Effect.service(Slots), MemorySlots.layer(new MemorySlots.SlotTable())))

const watch = (decorate: (store: SlotStore["Service"]) => Partial<SlotStore["Service"]> = () => ({})) => {
  const store = memory()
  const invariants = new Invariants(() => 0)
  const laws = slotLaws(invariants, { ...store, ...decorate(store) }, { now: () => 0, lastOutage: () => -Infinity })
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runSync(effect)
  return { run, slots: laws.watched, laws, broken: () => invariants.violations.map(({ name }) => name) }
}

const request = (execution_id: string): SlotRequest => ({
  execution_id,
  organization_id: "org_1",
  levels: [
    { level: "platform", key: "platform", ceiling: 10 },
    { level: "organization", key: "org_1", ceiling: 10 },
  ],
  now: 0,
  reservedUntil: 20_000,
  waitUntil: null,
})

const fenceOf = (answer: { readonly _tag: string; readonly fence?: number }) => answer.fence ?? -1

test("S4: a sound store keeps its fences", () => {
  const { broken, laws, run, slots } = watch()
  const fence = fenceOf(run(slots.acquire(request("exec_1"))))
  run(slots.hold("exec_1", fence))
  run(slots.acquire(request("exec_1")))
  run(slots.release("exec_1", fence - 1, 0))
  expect(laws.held().get("org_1")).toBe(1)
  run(slots.release("exec_1", fence, 0))
  run(slots.release("exec_1", fence, 0))
  run(laws.count)
  expect(laws.held().get("org_1")).toBeUndefined()
  expect(broken()).toEqual([])
})

test("S4: a member that is given another fence", () => {
  let fence = 0
  const { broken, run, slots } = watch(() => ({
    acquire: () => Effect.sync(() => ({ _tag: "Acquired", fence: ++fence })),
    hold: () => Effect.succeed(true),
  }))
  run(slots.acquire(request("exec_1")))
  run(slots.hold("exec_1", 1))
  expect(broken()).toEqual([])
  run(slots.acquire(request("exec_1")))
  expect(broken()).toEqual(["S4"])
})

test("S4: a stale fence that frees the line", () => {
  let real = 0
  const { broken, run, slots } = watch((store) => ({ release: (id, _, now) => store.release(id, real, now) }))
  real = fenceOf(run(slots.acquire(request("exec_1"))))
  // It is asked to as soon as a line is held, whether or not the engine ever does so.
  run(slots.hold("exec_1", real))
  expect(broken()).toEqual(["S4"])
  run(slots.release("exec_1", real + 7, 0))
  expect(broken()).toEqual(["S4", "S4"])
})

test("S2: lines that are entered between two questions of the judge are no fault of the store, and it looks again", () => {
  let entering = true
  const { broken, laws, run, slots } = watch((store) => ({
    used: (levels) => {
      if (!entering) return Effect.map(store.used(levels), (used) => used.map((count) => count + 1))
      entering = false
      return Effect.andThen(store.acquire(request("exec_2")), store.used(levels))
    },
  }))
  run(laws.count)
  expect(broken()).toEqual([])
  run(slots.release("exec_0", 1, 0))
  expect(broken()).toContain("S2")
})

test("S2: a member that is missing at one of its levels is found without anybody asking", () => {
  const { broken, run, slots } = watch((store) => ({
    used: (levels) => Effect.map(store.used(levels), (used) => used.map((count, index) => (index === 0 ? count : 0))),
  }))
  for (let nth = 0; nth < 300; nth++) {
    const fence = fenceOf(run(slots.acquire(request("exec_1"))))
    if (nth % 2 === 1) run(slots.release("exec_1", fence, 0))
  }
  expect(broken()).toContain("S2")
})
