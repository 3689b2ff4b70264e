import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  FairShareLedger,
  fairShare,
  floorOf,
  linesBeside,
  shortOf,
  verdictOf,
  type CampaignLoad,
  type SharedLines,
} from "../../src/dispatch/rules/FairShare.ts"

const load: fc.Arbitrary<CampaignLoad> = fc.record({
  used: fc.nat(12),
  dialable: fc.oneof(fc.constant(0), fc.nat(4), fc.nat(60_000)),
  ceiling: fc.option(fc.integer({ min: 1, max: 15 })),
})

const lines: fc.Arbitrary<SharedLines> = fc.record({
  limit: fc.nat(40),
  direct: fc.nat(6),
  campaigns: fc.array(load, { minLength: 1, maxLength: 8 }),
})

const idle: CampaignLoad = { used: 0, dialable: 0, ceiling: null }
const hungry: CampaignLoad = { used: 0, dialable: 1000, ceiling: null }

const shareOf = ({ limit, campaigns }: SharedLines): number =>
  fairShare(limit, campaigns.filter((each) => each.dialable > 0).length)

const freeOf = ({ limit, direct, campaigns }: SharedLines): number =>
  campaigns.reduce((free, each) => free - each.used, limit - direct)

describe("the rule", () => {
  it("is the formula of decisions.md", () => {
    fc.assert(
      fc.property(lines, fc.nat(), (given, pick) => {
        const { campaigns } = given
        const index = pick % campaigns.length
        const { used, dialable, ceiling } = campaigns[index]!
        const active = campaigns.filter((each) => each.dialable > 0)
        const F = active.length === 0 ? given.limit : Math.floor(given.limit / active.length)
        const short = (each: CampaignLoad): number =>
          Math.max(0, Math.min(F, each.ceiling ?? Infinity, each.used + each.dialable) - each.used)
        const others = campaigns.filter((_, other) => other !== index).reduce((sum, each) => sum + short(each), 0)
        const free = freeOf(given)
        const below = used < Math.min(F, ceiling ?? Infinity)
        const mayHold = dialable > 0 && used < (ceiling ?? Infinity)
        const verdict = verdictOf(given, index)
        expect(verdict === "floor").toBe(mayHold && below && free >= 1)
        expect(verdict === "borrow").toBe(mayHold && !below && free - others >= 1)
      }),
      { numRuns: 2000 },
    )
  })

  it("says why not: no contact, the campaign's ceiling, all lines in use, lines reserved for others", () => {
    const judged = (campaigns: ReadonlyArray<CampaignLoad>, direct = 0) =>
      verdictOf({ limit: 20, direct, campaigns }, 0)
    expect(judged([idle])).toBe("empty")
    expect(judged([{ used: 3, dialable: 9, ceiling: 3 }])).toBe("ceiling")
    expect(judged([{ ...hungry, used: 19 }], 1)).toBe("lines_full")
    expect(judged([{ ...hungry, used: 10 }, hungry])).toBe("fair_share")
    expect(judged([{ ...hungry, used: 9 }, hungry])).toBe("floor")
    expect(
      judged([
        { ...hungry, used: 10 },
        { ...hungry, dialable: 4 },
      ]),
    ).toBe("borrow")
  })

  it("lets a lone campaign use the whole limit", () => {
    for (let used = 0; used < 20; used++) {
      expect(verdictOf({ limit: 20, direct: 0, campaigns: [{ ...hungry, used }, idle] }, 0)).toBe("floor")
    }
    expect(verdictOf({ limit: 20, direct: 0, campaigns: [{ ...hungry, used: 20 }, idle] }, 0)).toBe("lines_full")
  })

  it("reserves no more for a campaign than it could use", () => {
    expect(shortOf(10, { used: 2, dialable: 3, ceiling: null })).toBe(3)
    expect(shortOf(10, { used: 2, dialable: 30, ceiling: 4 })).toBe(2)
    expect(shortOf(10, { used: 2, dialable: 30, ceiling: null })).toBe(8)
    expect(shortOf(10, { used: 12, dialable: 30, ceiling: null })).toBe(0)
    expect(floorOf(10, { used: 0, dialable: 0, ceiling: 4 })).toBe(4)
  })

  it("has no floors with more campaigns than lines, and admits whoever asks while a line is free", () => {
    const campaigns = Array.from({ length: 21 }, (_, index) => ({ ...hungry, used: index < 19 ? 1 : 0 }))
    for (const index of [0, 20]) expect(verdictOf({ limit: 20, direct: 0, campaigns }, index)).toBe("borrow")
  })
})

type Edit =
  | { readonly do: "set"; readonly id: number; readonly load: CampaignLoad }
  | { readonly do: "remove"; readonly id: number }
  | { readonly do: "limit"; readonly limit: number }
  | { readonly do: "direct"; readonly used: number }

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("set" as const), id: fc.nat(11), load }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), id: fc.nat(11) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("limit" as const), limit: fc.nat(150) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("direct" as const), used: fc.nat(10) }) },
)

describe("FairShareLedger", () => {
  it("equals the rule under any edits, of the limit and of who is active too", () => {
    fc.assert(
      fc.property(fc.nat(30), fc.array(edit, { minLength: 1, maxLength: 60 }), (firstLimit, edits) => {
        const ledger = new FairShareLedger(firstLimit)
        const loads = new Map<number, CampaignLoad>()
        let limit = firstLimit
        let direct = 0
        for (const each of edits) {
          switch (each.do) {
            case "set":
              ledger.setCampaign(`cmp_${each.id}`, each.load)
              loads.set(each.id, each.load)
              break
            case "remove":
              ledger.remove(`cmp_${each.id}`)
              loads.delete(each.id)
              break
            case "limit":
              ledger.setLimit(each.limit)
              limit = each.limit
              break
            case "direct":
              ledger.setDirect(each.used)
              direct = each.used
              break
          }
          const ids = [...loads.keys()]
          const given = { limit, direct, campaigns: [...loads.values()] }
          const share = shareOf(given)
          expect(ledger.share()).toBe(share)
          expect(ledger.reserve()).toBe(given.campaigns.reduce((sum, one) => sum + shortOf(share, one), 0))
          ids.forEach((id, index) => {
            const verdict = verdictOf(given, index)
            expect(ledger.verdict(`cmp_${id}`)).toBe(verdict)
            expect(ledger.admissible(`cmp_${id}`)).toBe(verdict === "floor" || verdict === "borrow")
            expect(ledger.floor(`cmp_${id}`)).toBe(floorOf(share, given.campaigns[index]!))
          })
        }
      }),
      { numRuns: 400 },
    )
  })

  it("knows no campaign that was not entered or is gone", () => {
    const ledger = new FairShareLedger(20)
    expect(ledger.verdict("cmp_1")).toBe("empty")
    ledger.setCampaign("cmp_1", hungry)
    expect([ledger.verdict("cmp_1"), ledger.reserve()]).toEqual(["floor", 20])
    ledger.remove("cmp_1")
    ledger.remove("cmp_1")
    expect([ledger.verdict("cmp_1"), ledger.reserve()]).toEqual(["empty", 0])
  })
})

describe("the lines that a campaign has beside others until it is done", () => {
  const other = (contacts: number, ceiling: number | null = null) => ({ contacts, ceiling })

  it("are shared alike, but for what others do not need or may not have", () => {
    expect(linesBeside(12, 50, [])).toBe(12)
    expect(linesBeside(12, 50, [other(50), other(1_000)])).toBe(4)
    expect(linesBeside(12, 50, [other(0)])).toBe(12)
    expect(linesBeside(12, 50, [other(25)])).toBe(8)
    expect(linesBeside(12, 50, [other(1_000, 2)])).toBe(10)
    expect(linesBeside(1, 50, [other(50), other(50), other(50)])).toBe(0.25)
  })

  it("are all of them together with those that the others have meanwhile", () => {
    const beside = fc.array(fc.record({ contacts: fc.nat(200), ceiling: fc.option(fc.integer({ min: 1, max: 20 })) }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 200 }),
        beside,
        (limit, contacts, others) => {
          const own = linesBeside(limit, contacts, others)
          const theirs = others.map((each) =>
            Math.min(own * Math.min(1, each.contacts / contacts), each.ceiling ?? Infinity),
          )
          expect(theirs.reduce((sum, one) => sum + one, own)).toBeCloseTo(limit, 6)
        },
      ),
    )
  })
})
