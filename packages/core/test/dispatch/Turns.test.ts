import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FairShareLedger, type CampaignLoad } from "../../src/dispatch/rules/FairShare.ts"
import {
  carriedTurnsLimit,
  next,
  noTurns,
  type TurnCandidate,
  type TurnChoice,
  type TurnState,
} from "../../src/dispatch/rules/Turns.ts"

const nobody = { share: 4, directWaiting: false }

/** At or above its floor: served by turn only. */
const wanting = (id: string, blocked = false): TurnCandidate => ({ id, used: 9, floor: 4, blocked })

const idOf = (choice: TurnChoice | null): string | null =>
  choice?.to === "campaign" ? choice.id : (choice?.to ?? null)

/** Runs the machine over lines and returns who got each. */
const serve = (
  lines: ReadonlyArray<{ candidates: ReadonlyArray<TurnCandidate>; share?: number; directWaiting?: boolean }>,
  from: TurnState = noTurns,
): { readonly state: TurnState; readonly got: ReadonlyArray<string | null> } => {
  let state = from
  const got = lines.map((line) => {
    const step = next(state, { ...nobody, ...line })
    state = step.state
    return idOf(step.choice)
  })
  return { state, got }
}

const times = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

describe("turns", () => {
  it("go round in order", () => {
    const candidates = ["a", "b", "c"].map((id) => wanting(id))
    expect(serve(times(7, () => ({ candidates }))).got.join("")).toBe("abcabca")
  })

  it("of a blocked campaign are saved, up to the cap, and taken in a row", () => {
    for (const share of [0, 1, 2, 5, 9]) {
      const cap = carriedTurnsLimit(share)
      expect(cap).toBe(Math.max(1, Math.min(share, 5)))
      const blocked = times(2 * (cap + 3), () => ({
        candidates: [wanting("a", true), wanting("b"), wanting("c")],
        share,
      }))
      const free = times(cap + 4, () => ({ candidates: [wanting("a"), wanting("b"), wanting("c")], share }))
      const { state } = serve(blocked)
      expect(serve(free, state).got.join("")).toBe(`${"a".repeat(cap + 1)}bca`)
    }
  })

  it("of an empty campaign are lost, and it comes back at the end", () => {
    const saved = serve(times(9, () => ({ candidates: [wanting("a", true), wanting("b"), wanting("c")] }))).state
    const gone = serve([{ candidates: [wanting("b"), wanting("c")] }], saved)
    expect(gone.got).toEqual(["c"])
    const back = times(6, () => ({ candidates: [wanting("a"), wanting("b"), wanting("c")] }))
    expect(serve(back, gone.state).got.join("")).toBe("bcabca")
  })

  it("are not saved while none is taken", () => {
    const stuck = times(20, () => ({ candidates: [wanting("a", true), wanting("b", true)] }))
    const { state, got } = serve(stuck)
    expect(new Set(got)).toEqual(new Set([null]))
    expect(
      serve(
        times(4, () => ({ candidates: [wanting("a"), wanting("b")] })),
        state,
      ).got.join(""),
    ).toBe("abab")
  })

  it("that were saved under a greater share shrink with it", () => {
    const { state } = serve(times(12, () => ({ candidates: [wanting("a", true), wanting("b")], share: 5 })))
    const free = times(4, () => ({ candidates: [wanting("a"), wanting("b")], share: 1 }))
    expect(serve(free, state).got.join("")).toBe("aaba")
  })

  const others = fc.array(fc.constantFrom<"free" | "blocked" | "empty">("free", "free", "blocked", "empty"), {
    minLength: 4,
    maxLength: 4,
  })
  const trial = fc.record({
    share: fc.nat(8),
    before: fc.array(fc.tuple(others, others), { maxLength: 20 }),
    during: fc.array(others, { minLength: 1, maxLength: 60 }),
  })
  const candidatesOf = (states: ReadonlyArray<"free" | "blocked" | "empty">, names: string): Array<TurnCandidate> =>
    states.flatMap((state, index) => (state === "empty" ? [] : [wanting(names[index]!, state === "blocked")]))

  it("of two campaigns that always could dial differ by at most 2 + K, over any stretch of time (S7)", () => {
    fc.assert(
      fc.property(trial, ({ share, before, during }) => {
        const { state } = serve(
          before.map(([pair, rest]) => ({
            share,
            candidates: [...candidatesOf(pair.slice(0, 2), "xy"), ...candidatesOf(rest, "abcd")],
          })),
        )
        const { got } = serve(
          during.map((rest) => ({ share, candidates: [wanting("x"), wanting("y"), ...candidatesOf(rest, "abcd")] })),
          state,
        )
        let difference = 0
        const seen = [0]
        for (const id of got) {
          difference += id === "x" ? 1 : id === "y" ? -1 : 0
          seen.push(difference)
        }
        expect(Math.max(...seen) - Math.min(...seen)).toBeLessThanOrEqual(2 + carriedTurnsLimit(share))
      }),
      { numRuns: 1500 },
    )
  })

  it("come to every campaign within one round, also with more campaigns than lines", () => {
    fc.assert(
      fc.property(trial, ({ before, during }) => {
        const { state } = serve(
          before.map(([pair, rest]) => ({
            share: 0,
            candidates: [...candidatesOf(pair.slice(0, 1), "x"), ...candidatesOf(rest, "abcd")],
          })),
        )
        const waits = serve(
          during.map((rest) => ({ share: 0, candidates: [wanting("x"), ...candidatesOf(rest, "abcd")] })),
          state,
        ).got
        // A round lets each of the four others take its own turn and the one it may have saved.
        let waited = 0
        for (const id of waits) {
          waited = id === "x" ? 0 : waited + 1
          expect(waited).toBeLessThanOrEqual(4 * (1 + carriedTurnsLimit(0)))
        }
      }),
      { numRuns: 500 },
    )
    const many = times(50, (index) => ({ id: `cmp_${index}`, used: 0, floor: 0, blocked: false }))
    const { got } = serve(times(150, () => ({ candidates: many, share: 0 })))
    for (const start of [0, 50, 100]) expect(new Set(got.slice(start, start + 50)).size).toBe(50)
  })
})

describe("floors", () => {
  it("come before turns, the fewest lines first, blocked ones not", () => {
    const candidates: ReadonlyArray<TurnCandidate> = [
      wanting("a"),
      { id: "b", used: 3, floor: 4, blocked: false },
      { id: "c", used: 1, floor: 2, blocked: false },
      { id: "d", used: 0, floor: 4, blocked: true },
      { id: "e", used: 2, floor: 2, blocked: false },
    ]
    expect(next(noTurns, { ...nobody, candidates }).choice).toEqual({ to: "campaign", id: "c", by: "floor" })
  })

  it("do not starve one of several that can never be filled", () => {
    const candidates = ["a", "b", "c"].map((id) => ({ id, used: 0, floor: 5, blocked: false }))
    expect(serve(times(7, () => ({ candidates }))).got.join("")).toBe("abcabca")
    const coming = times(30, (index) => ({
      candidates: candidates.filter(({ id }) => id !== "a" || index % 2 === 0),
    }))
    const { got } = serve(coming)
    expect(got.filter((id) => id === "b").length).toBeGreaterThanOrEqual(9)
    expect(got.filter((id) => id === "c").length).toBeGreaterThanOrEqual(9)
  })

  it("are no turns: they neither spend nor save one", () => {
    const below = { id: "a", used: 0, floor: 4, blocked: false }
    const { state } = serve(times(20, () => ({ candidates: [below, wanting("b", true), wanting("c")] })))
    expect(
      serve(
        times(6, () => ({ candidates: ["a", "b", "c"].map((id) => wanting(id)) })),
        state,
      ).got.join(""),
    ).toBe("abcabc")
  })
})

describe("direct dials", () => {
  const campaign = [wanting("a")]

  it("alternate with campaigns while both wait, a direct dial first", () => {
    const { got } = serve(times(6, () => ({ candidates: campaign, directWaiting: true })))
    expect(got).toEqual(["direct", "a", "direct", "a", "direct", "a"])
  })

  it("come first again after campaigns had lines to themselves", () => {
    const both = { candidates: campaign, directWaiting: true }
    const { got } = serve([both, { candidates: campaign }, both, both])
    expect(got).toEqual(["direct", "a", "direct", "a"])
  })

  it("take every line that no campaign can use, and owe it to nobody", () => {
    const blocked = { candidates: [wanting("a", true)], directWaiting: true }
    const both = { candidates: campaign, directWaiting: true }
    const { got } = serve([blocked, blocked, both, blocked, both])
    expect(got).toEqual(["direct", "direct", "direct", "direct", "a"])
  })

  it("never win twice before campaigns had a line, nor wait for more than one line of theirs", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 60 }), (moments) => {
        const lines = moments.map(([directWaiting, blocked]) => ({
          candidates: [wanting("a", blocked)],
          directWaiting,
        }))
        const { got } = serve(lines)
        let wonSinceCampaign = 0
        let directsLeftOut = 0
        moments.forEach(([directWaiting, blocked], index) => {
          const wants = [...(directWaiting ? ["direct"] : []), ...(blocked ? [] : ["a"])]
          expect(wants.length === 0 ? [null] : wants).toContain(got[index])
          if (got[index] === "a") wonSinceCampaign = 0
          else if (wants.length === 2) wonSinceCampaign += 1
          directsLeftOut = directWaiting && got[index] === "a" ? directsLeftOut + 1 : 0
          expect([wonSinceCampaign, directsLeftOut].every((count) => count <= 1)).toBe(true)
        })
      }),
      { numRuns: 500 },
    )
  })
})

/** An organization with its lines, dispatched to exhaustion after every event by the ledger and the turns. */
const organization = (limit: number) => {
  const ledger = new FairShareLedger(limit)
  const loads = new Map<string, CampaignLoad>()
  let ceiling = limit
  let turns = noTurns
  let direct = 0
  let waiting = 0

  const set = (id: string, load: CampaignLoad): void => {
    loads.set(id, load)
    ledger.setCampaign(id, load)
  }
  const used = (): number => [...loads.values()].reduce((sum, load) => sum + load.used, direct)
  const candidates = (): Array<TurnCandidate> =>
    [...loads].flatMap(([id, load]) =>
      load.dialable === 0 ? [] : [{ id, used: load.used, floor: ledger.floor(id), blocked: !ledger.admissible(id) }],
    )

  const dispatch = (): void => {
    while (used() < ceiling) {
      const before = candidates()
      const { state, choice } = next(turns, { candidates: before, share: ledger.share(), directWaiting: waiting > 0 })
      turns = state
      if (choice === null) break
      if (choice.to === "direct") {
        waiting -= 1
        direct += 1
        ledger.setDirect(direct)
        continue
      }
      const below = before.filter((each) => !each.blocked && each.used < each.floor)
      const chosen = before.find(({ id }) => id === choice.id)!
      expect(chosen.blocked).toBe(false)
      // S5: nobody borrows a line while a campaign is below its floor and could take it.
      expect(choice.by).toBe(below.length > 0 ? "floor" : "turn")
      if (choice.by === "floor") expect(chosen.used).toBe(Math.min(...below.map((each) => each.used)))
      const load = loads.get(choice.id)!
      set(choice.id, { ...load, used: load.used + 1, dialable: load.dialable - 1 })
    }
    // S6: a line stays free only when every contact is held back by its campaign's ceiling or by what others are short of.
    if (used() < ceiling) {
      expect(waiting).toBe(0)
      for (const { id } of candidates()) expect(["ceiling", "fair_share"]).toContain(ledger.verdict(id))
    }
  }

  return {
    loads,
    used,
    share: () => ledger.share(),
    arrive: (id: string, contacts: number, maxConcurrentCalls: number | null = null) => {
      const load = loads.get(id) ?? { used: 0, dialable: 0, ceiling: maxConcurrentCalls }
      set(id, { ...load, dialable: load.dialable + contacts })
      dispatch()
    },
    end: (id: string) => {
      const load = loads.get(id)
      if (load !== undefined && load.used > 0) set(id, { ...load, used: load.used - 1 })
      dispatch()
    },
    dial: () => {
      waiting += 1
      dispatch()
    },
    hangUp: () => {
      direct = Math.max(0, direct - 1)
      ledger.setDirect(direct)
      dispatch()
    },
    lower: (lines: number) => {
      ceiling = lines
      ledger.setLimit(lines)
      dispatch()
    },
    ceiling: () => ceiling,
  }
}

describe("with the fair share", () => {
  const event = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("arrive" as const), id: fc.nat(7), contacts: fc.nat(9) }) },
    { weight: 8, arbitrary: fc.record({ do: fc.constant("end" as const), id: fc.nat(7) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("dial" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("hangUp" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("limit" as const), lines: fc.integer({ min: 1, max: 12 }) }) },
  )
  const ceilings = [null, null, null, 1, 2, 5, null, 3]

  it("never exceeds the limit, serves floors first and leaves no line idle (S1, S5, S6)", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(event, { maxLength: 80 }), (limit, events) => {
        const lines = organization(limit)
        for (const each of events) {
          const before = lines.used()
          if (each.do === "arrive") lines.arrive(`cmp_${each.id}`, each.contacts, ceilings[each.id])
          else if (each.do === "end") lines.end(`cmp_${each.id}`)
          else if (each.do === "dial") lines.dial()
          else if (each.do === "hangUp") lines.hangUp()
          else lines.lower(each.lines)
          expect(lines.used()).toBeLessThanOrEqual(Math.max(lines.ceiling(), before))
        }
      }),
      { numRuns: 400 },
    )
  })

  it("brings four small campaigns to their floor beside one of fifty times their size, with every line in use", () => {
    const lines = organization(20)
    lines.arrive("big", 5000)
    expect(lines.loads.get("big")!.used).toBe(20)
    const small = ["s1", "s2", "s3", "s4"]
    for (const id of small) lines.arrive(id, 100)
    // Nobody is hung up (S8): the big campaign gives lines back as its calls end.
    expect(lines.loads.get("big")!.used).toBe(20)
    for (let ended = 1; ended <= 16; ended++) {
      lines.end("big")
      expect(lines.used()).toBe(20)
      expect(lines.loads.get("big")!.used).toBe(20 - ended)
    }
    for (const id of ["big", ...small]) expect(lines.loads.get(id)!.used).toBe(4)
    for (let round = 0; round < 400; round++) {
      const id = ["big", ...small][(round * 7) % 5]!
      lines.end(id)
      expect(lines.used()).toBe(20)
      for (const each of small) {
        const load = lines.loads.get(each)!
        if (load.dialable > 0) expect(load.used).toBeGreaterThanOrEqual(Math.min(4, lines.share()))
      }
    }
    for (const id of small) expect(lines.loads.get(id)!.dialable).toBeLessThan(100)
  })

  it("serves thirty campaigns on seven lines by turns", () => {
    const lines = organization(7)
    for (let index = 0; index < 30; index++) lines.arrive(`cmp_${index}`, 100)
    expect(lines.share()).toBe(0)
    const pending = (): Array<number> => [...lines.loads.values()].map((load) => load.dialable)
    const before = pending()
    for (let call = 0; call < 600; call++) {
      const holders = [...lines.loads].filter(([, load]) => load.used > 0)
      lines.end(holders[(call * 5) % holders.length]![0])
    }
    const dialled = pending().map((left, index) => before[index]! - left)
    expect(dialled.reduce((sum, each) => sum + each, 0)).toBe(600)
    expect(Math.max(...dialled) - Math.min(...dialled)).toBeLessThanOrEqual(2 + carriedTurnsLimit(0))
  })
})
