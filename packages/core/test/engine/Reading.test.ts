import { NotFound } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { batchesOf, type Guard, holdersOf } from "../../src/engine/rules/Guards.ts"
import {
  all,
  ask,
  byKey,
  each,
  glance,
  list,
  raisedTo,
  type Reading,
  refuse,
  row,
  seen,
  set,
  sets,
  sum,
} from "../../src/engine/steps/Reading.ts"
import type { Question, SetDescription } from "../../src/engine/steps/SetDescription.ts"
import { limits } from "../../src/Limits.ts"
import { numberHolders } from "../../src/numbers/steps/NumberSets.ts"
import { sampleAgent, sampleKey, samplePhoneNumber, sampleProvider } from "../../src/testing/Samples.ts"
import { readOn, sourcesOn } from "../StepInPieces.ts"

const own = "org_one"
const agent = { ...sampleAgent(own, { agent_id: "agt_one" }), revision: 3 }
const number = samplePhoneNumber(own, "+15555550101")
const provider = { ...sampleProvider(own), provider_name: "voice", revision: 2 }
const sources = sourcesOn(
  { put: "agent", row: agent },
  { put: "phone_number", row: number },
  { put: "provider", row: provider },
  { put: "tally", subject: "bat_one", add: { "status:1": 4 } },
  { put: "guard", guard: holdersOf(number.phone_number) },
)

const holders: SetDescription<string, ReadonlyArray<string>> = {
  members: "organizations that have a number",
  guard: holdersOf,
  read: ({ numbers }, phoneNumber) => Effect.map(numbers.holders([phoneNumber]), (lists) => lists.flat()),
}

const answered = <View, Refusal>(reading: Reading<View, Refusal>) => Result.getOrThrow(readOn(sources, reading))
const refusalOf = <View, Refusal>(reading: Reading<View, Refusal>) =>
  Result.getOrThrow(Result.flip(readOn(sources, reading)))

const notFound = new NotFound({ message: "There is none." })

describe("a row", () => {
  it("is expected as it was read, and so is its absence", () => {
    assert.deepStrictEqual(answered(row("agent", "agt_one")), {
      view: agent,
      expected: [{ kind: "agent", id: "agt_one", revision: 3 }],
    })
    assert.deepStrictEqual(answered(row("agent", "agt_two")), {
      view: null,
      expected: [{ kind: "agent", id: "agt_two", revision: 0 }],
    })
  })

  it("of another organization is none, and nothing is expected of it", () => {
    assert.deepStrictEqual(answered(row("agent", "agt_one", { of: own })).view, agent)
    assert.deepStrictEqual(answered(row("agent", "agt_one", { of: "org_two" })), { view: null, expected: [] })
  })

  it("is found by its second key; that there is none is not expected of any row", () => {
    assert.deepStrictEqual(answered(byKey("provider", own, "voice")), {
      view: provider,
      expected: [{ kind: "provider", id: provider.provider_id, revision: 2 }],
    })
    for (const reading of [byKey("provider", own, "text"), byKey("provider", "org_two", "voice")]) {
      assert.deepStrictEqual(answered(reading), { view: null, expected: [] })
    }
  })
})

describe("what a query finds", () => {
  it("is read with the rest of its round, and nothing is expected of it", () => {
    const reading = all(row("agent", "agt_one"), glance("earlier", "A test.", list(holders, number.phone_number)))
    assert.deepStrictEqual(answered(reading), {
      view: [agent, [own]],
      expected: [{ kind: "agent", id: "agt_one", revision: 3 }],
    })
  })
})

describe("a set", () => {
  it("is read after the version of its guard, which is expected", () => {
    const asked: Array<string> = []
    const { numbers, store } = sources
    const watched = {
      ...sources,
      store: { ...store, versions: (guards: ReadonlyArray<Guard>) => (asked.push("guard"), store.versions(guards)) },
      numbers: { ...numbers, holders: (texts: ReadonlyArray<string>) => (asked.push("set"), numbers.holders(texts)) },
    }
    const { expected, view } = Result.getOrThrow(readOn(watched, set(holders, number.phone_number)))
    assert.deepStrictEqual(view, [own])
    assert.deepStrictEqual(expected, [{ guard: holdersOf(number.phone_number), version: 1 }])
    assert.deepStrictEqual(asked, ["guard", "set"])
  })

  it("is one of several that are read at once, each with its own guard", () => {
    const asked: Array<ReadonlyArray<string>> = []
    const { numbers } = sources
    const watched = {
      ...sources,
      numbers: { ...numbers, holders: (texts: ReadonlyArray<string>) => (asked.push(texts), numbers.holders(texts)) },
    }
    const keys = [number.phone_number, "+1"]
    const { expected, view } = Result.getOrThrow(readOn(watched, sets(numberHolders, keys)))
    assert.deepStrictEqual(view, [[own], []])
    assert.deepStrictEqual(expected, [
      { guard: holdersOf(number.phone_number), version: 1 },
      { guard: holdersOf("+1"), version: 0 },
    ])
    assert.deepStrictEqual(asked, [keys])
  })

  it("that is read in two rounds is expected as its guard stood before the first", () => {
    let version = 0
    const raising = { ...sources.store, versions: () => Effect.succeed([version++]) }
    function* twice() {
      yield* set(holders, "+1")
      return yield* set(holders, "+1")
    }
    const { expected } = Result.getOrThrow(readOn({ ...sources, store: raising }, twice()))
    assert.deepStrictEqual(expected, [{ guard: holdersOf("+1"), version: 0 }])
  })

  it("is counted by what is counted of it, where that is enough", () => {
    const { expected, view } = answered(sum("bat_one", batchesOf("cmp_one")))
    assert.deepStrictEqual(view, { "status:1": 4 })
    assert.deepStrictEqual(expected, [{ guard: batchesOf("cmp_one"), version: 0 }])
    assert.deepStrictEqual(answered(sum("bat_one", null)).expected, [])
  })
})

const length: Question<string, number> = { about: "how long a text is", ask: (_, text) => Effect.succeed(text.length) }

describe("what was read before", () => {
  const expectations = [
    { kind: "agent", id: "agt_one", revision: 2 },
    { free: { lane_id: "cmp_one", to_number: number.phone_number } },
  ] as const

  it("is expected as whoever has read it says", () => {
    assert.deepStrictEqual(answered(seen(expectations, "Its agent.")), { view: undefined, expected: [...expectations] })
  })

  it("is a version of a guard, too, which is not asked for", () => {
    const guard = holdersOf(number.phone_number)
    assert.deepStrictEqual(answered(raisedTo(guard, 7, "Nobody else.")).expected, [{ guard, version: 7 }])
  })
})

describe("what may be old", () => {
  it("is not expected, whatever it is", () => {
    const readings = [
      glance("grows", "It stays.", row("agent", "agt_one")),
      glance("grows", "It stays.", byKey("provider", own, "voice")),
      glance("earlier", "It was.", set(holders, number.phone_number)),
      glance("again", "It is.", all(row("agent", "agt_one"), set(holders, "+1"))),
      ask(length, "four"),
    ]
    for (const reading of readings) assert.deepStrictEqual(answered<unknown, never>(reading).expected, [])
    assert.strictEqual(answered(ask(length, "four")).view, 4)
  })

  it("is refused as it would be otherwise", () => {
    assert.strictEqual(refusalOf(glance("grows", "It stays.", refuse(notFound))), notFound)
  })
})

describe("reading side by side", () => {
  /** How often the store was asked for rows, and for how many each time. */
  const rounds = <View, Refusal>(reading: Reading<View, Refusal>) => {
    const asked: Array<number> = []
    const store = {
      ...sources.store,
      rows: (all: Parameters<typeof sources.store.rows>[0]) => (asked.push(all.length), sources.store.rows(all)),
    }
    return [readOn({ ...sources, store }, reading), asked] as const
  }

  function* twoRounds() {
    const found = yield* row("agent", "agt_one")
    return yield* row("agent", `${found?.agent_id}_more`)
  }

  it("asks for all at once what each asks for next", () => {
    const [result, asked] = rounds(all(twoRounds(), row("phone_number", number.phone_number_id)))
    assert.deepStrictEqual(Result.getOrThrow(result).view, [null, number])
    assert.deepStrictEqual(asked, [2, 1])
    const [nothing, never] = rounds(each([]))
    assert.deepStrictEqual(Result.getOrThrow(nothing).view, [])
    assert.deepStrictEqual(never, [])
  })

  it("answers each what it would answer by itself, in the order in which they stand", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3)), (depths) => {
        function* deep(depth: number): Reading<ReadonlyArray<boolean>> {
          const found = yield* row("agent", depth === 1 ? "agt_one" : "agt_two")
          return depth === 0 ? [found !== null] : [found !== null, ...(yield* deep(depth - 1))]
        }
        const several = depths.map((depth) => deep(Math.min(depth, limits.stepRounds - 1)))
        const alone = depths.map((depth) => answered(deep(Math.min(depth, limits.stepRounds - 1))).view)
        assert.deepStrictEqual(answered(each(several)).view, alone)
      }),
    )
  })

  it("is refused by the first that refuses, and asks for nothing more", () => {
    function* missing(id: string, error: NotFound) {
      return (yield* row("agent", id)) ?? (yield* refuse(error))
    }
    const other = new NotFound({ message: "Nor another." })
    assert.strictEqual(refusalOf(all(missing("agt_two", notFound), missing("agt_three", other))), notFound)
    assert.strictEqual(refusalOf(all(missing("agt_one", notFound), missing("agt_three", other))), other)
    const [, asked] = rounds(all(missing("agt_two", notFound), twoRounds()))
    assert.deepStrictEqual(asked, [2])
  })
})

describe("a step", () => {
  it("reads in so many rounds, and so many rows, at most", () => {
    function* endless(count: number): Reading<null> {
      for (let nth = 0; nth < count; nth++) yield* row("agent", `agt_${nth}`)
      return null
    }
    assert.isNull(answered(endless(limits.stepRounds)).view)
    assert.throws(() => answered(endless(limits.stepRounds + 1)), /rounds at most/)
    const rows = (count: number) => each(Array.from({ length: count }, (_, nth) => row("agent", `agt_${nth}`)))
    assert.lengthOf(answered(rows(limits.stepRows)).view, limits.stepRows)
    assert.throws(() => answered(rows(limits.stepRows + 1)), /rows at most/)
    const many: SetDescription<number, ReadonlyArray<number>> = {
      members: "numbers",
      guard: () => holdersOf("+1"),
      read: (_, count) => Effect.succeed(Array.from({ length: count }, (_, nth) => nth)),
    }
    assert.throws(() => answered(set(many, limits.stepRows + 1)), /rows at most/)
  })

  it("rests once on what it has read twice, and on both where it has changed in between", () => {
    function* twice() {
      return [yield* row("api_key", "key_one"), yield* row("api_key", "key_one")]
    }
    const stored = sourcesOn({ put: "api_key", row: sampleKey(own, { key_id: "key_one" }) })
    const expected = { kind: "api_key", id: "key_one", revision: 1 } as const
    assert.deepStrictEqual(Result.getOrThrow(readOn(stored, twice())).expected, [expected])
    const changed = sourcesOn({ put: "api_key", row: { ...sampleKey(own, { key_id: "key_one" }), revision: 2 } })
    const stores = [stored.store, changed.store]
    const store = {
      ...stored.store,
      rows: (asked: Parameters<typeof stored.store.rows>[0]) => stores.shift()!.rows(asked),
    }
    assert.deepStrictEqual(Result.getOrThrow(readOn({ ...stored, store }, twice())).expected, [
      expected,
      { ...expected, revision: 2 },
    ])
  })
})
