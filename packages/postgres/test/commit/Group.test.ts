import { batchesOf, type CampaignEntry, type Change, type Commit } from "@carillon/core/ports"
import { sampleBatch, sampleCampaign } from "@carillon/core/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isApart, nextGroup, Waiters, type Waiting } from "../../src/commit/Group.ts"

type Expected = Commit["expect"][number]

const ids = fc.constantFrom("a", "b", "c")

const change: fc.Arbitrary<Change> = fc.oneof(
  ids.map((id): Change => ({ put: "discard", organization_id: "org", kind: "event", id })),
  ids.map((organization_id): Change => ({ put: "debit", organization_id, amount: 1 })),
  ids.map((subject): Change => ({ put: "tally", subject, add: { figure: 1 } })),
  ids.map((id): Change => ({ put: "guard", guard: batchesOf(id) })),
  ids.map((id): Change => ({ put: "removal", organization_id: "org", kind: "provider", id, revision: 1 })),
)

const expected: fc.Arbitrary<Expected> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("event" as const, "organization" as const),
    id: ids,
    revision: fc.constant(1),
  }),
  ids.map((id): Expected => ({ guard: batchesOf(id), version: 1 })),
  ids.map((lane_id): Expected => ({ free: { lane_id, to_number: "+15555550100" } })),
)

const queue: fc.Arbitrary<ReadonlyArray<Waiting>> = fc
  .array(
    fc.record({
      changes: fc.array(change, { maxLength: 2 }),
      expect: fc.array(expected, { maxLength: 2 }),
      isRepeated: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ isRepeated, ...parts }, nth) => ({
      levels: [],
      commit: {
        ...parts,
        // Now and then one is sent again.
        id: isRepeated ? "cmt_again" : `cmt_${nth}`,
        organization_id: "org",
        wakeups: [],
        events: [],
        audit: [],
      },
    })),
  )

const written = ({ changes }: Commit): ReadonlyArray<string> =>
  changes.flatMap((each) => (each.put === "discard" ? [`event ${each.id}`] : []))
const debited = ({ changes }: Commit): ReadonlyArray<string> =>
  changes.flatMap((each) => (each.put === "debit" ? [`organization ${each.organization_id}`] : []))
const raised = ({ changes }: Commit): ReadonlyArray<string> =>
  changes.flatMap((each) => (each.put === "guard" ? [`guard ${each.guard.id}`] : []))
const rests = ({ expect: all }: Commit): ReadonlyArray<string> =>
  all.flatMap((each) => {
    if ("free" in each || "held" in each) return []
    return ["guard" in each ? `guard ${each.guard.id}` : `${each.kind} ${each.id}`]
  })
const calling = ({ expect: all }: Commit): ReadonlyArray<string> =>
  all.flatMap((each) => ("free" in each ? [each.free.lane_id] : []))
const isAlone = ({ changes }: Commit): boolean => changes.some(({ put }) => put === "removal")
const meet = (some: ReadonlyArray<string>, others: ReadonlyArray<string>) => some.some((key) => others.includes(key))

/** Whether it matters which of two commits comes first. */
const interfere = (one: Commit, other: Commit): boolean =>
  one.id === other.id ||
  isAlone(one) ||
  isAlone(other) ||
  meet(written(one), [...written(other), ...rests(other)]) ||
  meet(calling(one), calling(other)) ||
  meet(rests(one), [...written(other), ...debited(other), ...raised(other)]) ||
  meet([...debited(one), ...raised(one)], rests(other))

describe("commits that are written together", () => {
  it("are exactly the first of which none minds the others, so that each succeeds or conflicts for itself", () => {
    fc.assert(
      fc.property(queue, fc.integer({ min: 1, max: 5 }), (waiting, most) => {
        const group = nextGroup(waiting, most)
        const model: Array<Waiting> = []
        for (const entry of waiting) {
          if (model.length < most && !model.some(({ commit }) => interfere(commit, entry.commit))) model.push(entry)
          // A commit that is written alone is the whole group.
          if (model[0] !== undefined && isAlone(model[0].commit)) break
        }
        expect(group).toEqual(model)
      }),
    )
  })

  it("begin with the one that has waited longest, so that everybody's turn comes", () => {
    fc.assert(
      fc.property(queue, fc.integer({ min: 1, max: 5 }), (waiting, most) => {
        let left = waiting
        for (let turn = 0; turn < waiting.length; turn++) {
          const group = nextGroup(left, most)
          expect(group[0]).toBe(left[0])
          left = left.filter((entry) => !group.includes(entry))
        }
        expect(left).toEqual([])
      }),
    )
  })
})

it("a commit of a call or of a campaign is written with others, one of many rows or of a kind with a second key is not", () => {
  const tallies = (count: number): ReadonlyArray<Change> =>
    Array.from({ length: count }, (_, nth) => ({ put: "tally", subject: `s${nth}`, add: { figure: 1 } }))
  const commitOf = (changes: ReadonlyArray<Change>): Commit => ({
    id: "cmt",
    organization_id: "org",
    changes,
    expect: [],
    wakeups: [],
    events: [],
    audit: [],
  })
  const provider: Change = { put: "removal", organization_id: "org", kind: "provider", id: "p", revision: 1 }
  expect([tallies(12), tallies(100), tallies(101), [provider]].map((changes) => isApart(commitOf(changes)))).toEqual([
    false,
    false,
    true,
    true,
  ])
  const entry: CampaignEntry = {
    campaign_id: "cmp",
    organization_id: "org",
    revision: 1,
    number: 1,
    at: 0,
    level: "info",
    event: "paused",
    message: "The campaign was paused.",
    details: {},
  }
  const paused: ReadonlyArray<Change> = [
    { put: "campaign", row: sampleCampaign("org") },
    { put: "campaign_entry", row: entry },
    { put: "batch", row: sampleBatch("org") },
    { put: "discard", organization_id: "org", kind: "campaign_entry", id: "cmp_old:1" },
  ]
  expect(isApart(commitOf(paused))).toBe(false)
})

describe("whose commits are next", () => {
  const organizations = ["noisy", "quiet", "another"]
  const comings = fc.array(fc.record({ nth: fc.nat(2), isLone: fc.boolean(), isTaken: fc.boolean() }), {
    maxLength: 40,
  })

  it("takes all, and lets each organization begin once before any of them begins again", () => {
    fc.assert(
      fc.property(comings, fc.integer({ min: 1, max: 4 }), (coming, most) => {
        const waiters = new Waiters<Waiting>()
        const left = new Map<string, Array<string>>()
        /** Groups that others began since an organization that waits did. */
        const passedBy = new Map<string, number>()
        const take = () => {
          const group = waiters.take(most)
          const [first] = group
          for (const { commit } of group) {
            const waits = left.get(commit.organization_id) ?? []
            expect(waits).toContain(commit.id)
            left.set(
              commit.organization_id,
              waits.filter((id) => id !== commit.id),
            )
          }
          if (first !== undefined) passedBy.delete(first.commit.organization_id)
          for (const [id, waits] of left) {
            if (waits.length === 0) passedBy.delete(id)
            else if (id !== first?.commit.organization_id) passedBy.set(id, (passedBy.get(id) ?? 0) + 1)
            expect(passedBy.get(id) ?? 0).toBeLessThan(organizations.length)
          }
          return group.length > 0
        }
        for (const [place, { isLone, isTaken, nth }] of coming.entries()) {
          const organization_id = organizations[nth] ?? "noisy"
          const id = `cmt_${place}`
          const kind = isLone ? ("provider" as const) : null
          const changes: ReadonlyArray<Change> =
            kind === null ? [] : [{ put: "removal", organization_id, kind, id: `p${place}`, revision: 1 }]
          const commit: Commit = { id, organization_id, changes, expect: [], wakeups: [], events: [], audit: [] }
          waiters.add({ commit, levels: [] })
          left.set(organization_id, [...(left.get(organization_id) ?? []), id])
          if (isTaken) take()
        }
        while (take());
        expect([...left.values()].flat()).toEqual([])
      }),
    )
  })
})
