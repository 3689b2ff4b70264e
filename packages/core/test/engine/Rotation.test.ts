import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Rotation } from "../../src/engine/rules/Rotation.ts"

interface One {
  readonly party: string
  readonly nth: number
}

/**
 * The rotation as one would write it down: everybody who waits in one list, and for each party when it had its last turn. The next is the party
 * that waits the longest since its last turn, or since it came when that was later.
 */
class Model {
  waiting: ReadonlyArray<One> = []
  holder: One | null = null
  readonly resting = new Set<string>()
  #since = new Map<string, number>()
  #now = 0

  enter(one: One): void {
    this.#now += 1
    const { party } = one
    if (this.holder === null && !this.resting.has(party)) {
      this.holder = one
      return
    }
    if (this.waiting.every((other) => other.party !== party)) this.#since.set(party, this.#now)
    this.waiting = [...this.waiting, one]
  }

  leave(one: One): One | null {
    this.#now += 1
    if (this.holder !== one) {
      this.waiting = this.waiting.filter((other) => other !== one)
      return null
    }
    this.#since.set(one.party, this.#now)
    return this.#begin()
  }

  wake(party: string): One | null {
    this.resting.delete(party)
    return this.holder === null ? this.#begin() : null
  }

  #begin(): One | null {
    const since = ({ party }: One) => this.#since.get(party) ?? 0
    const awake = this.waiting.filter(({ party }) => !this.resting.has(party))
    const [next = null] = awake.sort((a, b) => since(a) - since(b) || a.nth - b.nth)
    this.holder = next
    this.waiting = this.waiting.filter((other) => other !== next)
    return next
  }
}

const parties = ["a", "b", "c", "d"]

const commands = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("enter"), party: fc.constantFrom(...parties) }) },
    // Whoever has the turn gives it back.
    { weight: 2, arbitrary: fc.record({ do: fc.constant("leave"), party: fc.constant("") }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("rest", "wake"), party: fc.constantFrom(...parties) }) },
    // Whoever waits gives up: the so manieth of all.
    { weight: 1, arbitrary: fc.record({ do: fc.constant("give up"), party: fc.constantFrom(...parties) }) },
  ),
  { maxLength: 120 },
)

describe("a rotation", () => {
  it("goes round by party, each in order, whoever gives up meanwhile, and keeps nothing of who is gone", () => {
    fc.assert(
      fc.property(commands, (script) => {
        const [rotation, model] = [new Rotation<One>(), new Model()]
        for (const [nth, { do: what, party }] of script.entries()) {
          if (what === "enter") {
            const one = { party, nth }
            rotation.enter(party, one)
            model.enter(one)
          } else if (what === "rest") {
            rotation.rest(party)
            model.resting.add(party)
          } else if (what === "wake") {
            expect(rotation.wake(party)).toBe(model.wake(party))
          } else {
            const one = what === "leave" ? model.holder : model.waiting.find((other) => other.party === party)
            if (one === null || one === undefined) continue
            expect(rotation.leave(one.party, one)).toBe(model.leave(one))
          }
          expect(rotation.holder).toBe(model.holder)
          expect(rotation.parties).toBe(new Set(model.waiting.map((other) => other.party)).size)
        }
        for (const party of parties) expect(rotation.wake(party)).toBe(model.wake(party))
        while (model.holder !== null) {
          const { holder } = model
          expect(rotation.leave(holder.party, holder)).toBe(model.leave(holder))
        }
        expect(rotation.holder).toBe(null)
        expect(rotation.parties).toBe(0)
      }),
    )
  })

  it("lets one turn of each other party at most come between two turns of a party that waits", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...parties), fc.boolean()), { maxLength: 120 }), (script) => {
        const rotation = new Rotation<One>()
        let waiting: ReadonlyArray<One> = []
        /** For each party that waits, whose turns were over since it began to wait, or since its own last. */
        const over = new Map<string, Array<string>>()
        for (const [nth, [party, isOver]] of script.entries()) {
          const { holder } = rotation
          if (isOver && holder !== null) {
            for (const turns of over.values()) turns.push(holder.party)
            const next = rotation.leave(holder.party, holder)
            if (next === null) continue
            const before = over.get(next.party) ?? []
            expect(new Set(before).size).toBe(before.length)
            waiting = waiting.filter((one) => one !== next)
            if (waiting.some((one) => one.party === next.party)) over.set(next.party, [])
            else over.delete(next.party)
          } else {
            const one = { party, nth }
            rotation.enter(party, one)
            if (holder === null) continue
            waiting = [...waiting, one]
            if (!over.has(party)) over.set(party, [])
          }
        }
      }),
    )
  })
})
