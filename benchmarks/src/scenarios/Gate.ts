import { MemorySlots } from "@carillon/core/memory"
import { Effect, Semaphore } from "effect"
import { type Contender, type Scenario, timed } from "../Harness.ts"
import { gateOnRedis } from "./GateOnRedis.ts"

const pairs = 200_000
const organizations = 10
const agentsPerOrganization = 5
const heldAtOnce = 100

const demands = Array.from({ length: organizations * agentsPerOrganization }, (_, index) => {
  const organization = `org_${index % organizations}`
  return {
    organization,
    levels: [
      { level: "platform", key: "platform", ceiling: 1000 },
      { level: "organization", key: organization, ceiling: 20 },
      { level: "agent", key: `agt_${index}`, ceiling: 20 },
      { level: "campaign", key: `cmp_${index}`, ceiling: 20 },
    ] as const,
  }
})

/** Acquires one after the other and gives each back a hundred acquires later, so that the sets are never empty. */
const ours: Contender = {
  name: "Carillon",
  round: () =>
    timed(() => {
      const table = new MemorySlots.SlotTable()
      const held: Array<readonly [string, number]> = []
      let refused = 0
      for (let i = 0; i < pairs; i++) {
        const demand = demands[i % demands.length]
        if (demand === undefined) continue
        const id = `exec_${i}`
        const answer = table.acquire({
          execution_id: id,
          organization_id: demand.organization,
          levels: demand.levels,
          now: i,
          reservedUntil: i + 20_000,
          waitUntil: null,
        })
        if (answer._tag === "Blocked") refused += 1
        else {
          table.hold(id, answer.fence)
          held.push([id, answer.fence])
        }
        if (held.length > heldAtOnce) {
          const [first, fence] = held[held.length - heldAtOnce - 1] ?? ["", 0]
          table.release(first, fence, i)
        }
      }
      return { operations: pairs, errors: refused }
    }),
}

/** What is lost without membership, fences and waiting: four counters, all or none. */
const counters: Contender = {
  name: "four plain counters (limit)",
  round: () =>
    timed(() => {
      const used = new Map<string, number>()
      const held: Array<(typeof demands)[number]> = []
      for (let i = 0; i < pairs; i++) {
        const demand = demands[i % demands.length]
        if (demand === undefined) continue
        if (demand.levels.every(({ ceiling, key }) => (used.get(key) ?? 0) < ceiling)) {
          for (const { key } of demand.levels) used.set(key, (used.get(key) ?? 0) + 1)
          held.push(demand)
        }
        const first = held[held.length - heldAtOnce - 1]
        if (first !== undefined) for (const { key } of first.levels) used.set(key, (used.get(key) ?? 0) - 1)
      }
      return { operations: pairs }
    }),
}

/** What a user of Effect would write: one semaphore for each level, taken one after the other. */
const semaphores: Contender = {
  name: "four effect semaphores",
  round: () =>
    timed(async () => {
      const count = pairs / 10
      const byKey = new Map<string, Semaphore.Semaphore>()
      const of = (key: string, ceiling: number) => {
        const known = byKey.get(key)
        if (known !== undefined) return known
        const fresh = Semaphore.makeUnsafe(ceiling)
        byKey.set(key, fresh)
        return fresh
      }
      const work = Effect.gen(function* () {
        for (let i = 0; i < count; i++) {
          const demand = demands[i % demands.length]
          if (demand === undefined) continue
          for (const { ceiling, key } of demand.levels) yield* of(key, ceiling).take(1)
          for (const { ceiling, key } of demand.levels) yield* of(key, ceiling).release(1)
        }
      })
      await Effect.runPromise(work)
      return { operations: count }
    }),
}

export const gate: Scenario = {
  name: "gate",
  question: "How many times a second is a line taken at four levels and given back, in memory and on Redis?",
  comparisons: async function* (scale) {
    yield {
      title: "acquire + hold + release at four levels",
      reference: "four effect semaphores",
      contenders: [ours, semaphores, counters],
    }
    yield* gateOnRedis(scale)
  },
}
