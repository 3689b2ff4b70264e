import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import type { Callee, Suppression } from "../../src/callees/rules/Callee.ts"
import {
  erasedCallee,
  isInForce,
  released,
  suppressed,
  suppressionOf,
  unknownCallee,
} from "../../src/callees/rules/Suppression.ts"
import { limits } from "../../src/Limits.ts"
import { sampleSuppression } from "../../src/testing/Samples.ts"

const now = 1_000
const ids = fc.constantFrom("a", "b", "c")
const ends = fc.constantFrom(null, now - 1, now, now + 1, now + 1_000)

const scopes = fc.oneof(
  fc.constant({ agent_id: null, campaign_id: null }),
  ids.map((agent_id) => ({ agent_id, campaign_id: null })),
  ids.map((campaign_id) => ({ agent_id: null, campaign_id })),
)
const suppressions = fc
  .tuple(scopes, ends, fc.constantFrom(null, "opt_out", "list"))
  .map(([scope, expires_at, reason]) =>
    sampleSuppression({ ...scope, expires_at, reason, source: null, created_at: now }),
  )

const scopeName = ({ agent_id, campaign_id }: Suppression): string => `${agent_id} ${campaign_id}`

const added = (all: ReadonlyArray<Suppression>): Callee =>
  all.reduce((callee, each) => suppressed(callee, each, now).callee, unknownCallee("org", "+15555550100"))

const calls = fc.record({
  campaign_id: fc.option(ids),
  agent_ids: fc.array(ids, { minLength: 1, maxLength: 2 }),
})

describe("a suppression", () => {
  it("keeps a call from being made while one of its scope stands, and no other", () => {
    fc.assert(
      fc.property(fc.array(suppressions), calls, ends, (all, call, later) => {
        const at = later ?? now
        // Of each scope the latest end counts, in whatever order they were asked for.
        const meant = all.filter(({ agent_id, campaign_id, expires_at }) => {
          const stands = expires_at === null || at < expires_at
          if (agent_id !== null) return stands && call.agent_ids.some((id) => id === agent_id)
          return stands && (campaign_id === null || campaign_id === call.campaign_id)
        })
        const found = suppressionOf(added(all), call, Math.max(at, now))
        expect(found === null).toBe(meant.filter((each) => isInForce(each, Math.max(at, now))).length === 0)
      }),
    )
  })

  it("is said once for a scope, and what says the same changes nothing", () => {
    fc.assert(
      fc.property(fc.array(suppressions), suppressions, (all, one) => {
        const before = added(all)
        const standing = before.suppressions.find((each) => scopeName(each) === scopeName(one) && isInForce(each, now))
        const { became, callee } = suppressed(before, { ...one, created_at: now + 5 }, now)
        const after = callee.suppressions.find((each) => scopeName(each) === scopeName(one))
        const endOf = (each: Suppression) => each.expires_at ?? Infinity
        if (standing === undefined) expect(became).toBe("added")
        else if (endOf(one) <= endOf(standing)) {
          expect(became).toBe("unchanged")
          expect(callee).toBe(before)
        } else {
          expect(became).toBe("replaced")
          // Who asked first stays, and so do the words where there are no new ones.
          expect(after).toEqual({ ...standing, reason: one.reason ?? standing.reason, expires_at: one.expires_at })
        }
        const names = callee.suppressions.map(scopeName)
        expect(new Set(names).size).toBe(names.length)
      }),
    )
  })

  it("goes with its scope, and leaves the others", () => {
    fc.assert(
      fc.property(fc.array(suppressions), scopes, calls, (all, scope, call) => {
        const before = added(all)
        const after = released(before, scope, now)
        const others = before.suppressions.filter(
          (each) => each.agent_id !== scope.agent_id || each.campaign_id !== scope.campaign_id,
        )
        expect(suppressionOf(after, call, now)).toEqual(suppressionOf({ ...before, suppressions: others }, call, now))
        expect(released(after, scope, now)).toBe(after)
      }),
    )
  })

  it("is refused where a number has as many as it may, and ended ones make room", () => {
    const many = Array.from({ length: limits.suppressionsPerNumber }, (_, nth) =>
      sampleSuppression({ agent_id: `agent ${nth}`, expires_at: now + 10 }),
    )
    const full = added(many)
    const one = sampleSuppression({ agent_id: "one more" })
    expect(suppressed(full, one, now)).toEqual({ callee: full, became: "full" })
    expect(suppressed(full, sampleSuppression({ agent_id: "agent 3" }), now).became).toBe("replaced")
    expect(suppressed(full, one, now + 10).callee.suppressions).toEqual([one])
  })

  it("of the organization is never refused for the sake of narrower ones", () => {
    const many = Array.from({ length: limits.suppressionsPerNumber }, (_, nth) =>
      sampleSuppression({ agent_id: `agent ${nth}` }),
    )
    const { became, callee } = suppressed(added(many), sampleSuppression({ reason: "opt_out" }), now)
    expect(became).toBe("added")
    expect(suppressionOf(callee, { campaign_id: null, agent_ids: ["somebody else"] }, now)).not.toBeNull()
  })

  it("is refused where what is said of agents and campaigns takes too much", () => {
    const note = "€".repeat(limits.suppressionNoteCharacters)
    const many = Array.from({ length: 20 }, (_, nth) => sampleSuppression({ agent_id: `agent ${nth}`, note }))
    const callee = added(many)
    expect(JSON.stringify(callee.suppressions).length).toBeLessThan(limits.suppressionRowBytes)
    expect(suppressed(callee, sampleSuppression({ agent_id: "one more", note }), now).became).toBe("full")
    expect(suppressed(callee, sampleSuppression({ note }), now).became).toBe("added")
  })

  it("stays without its words when the person is erased", () => {
    const said = sampleSuppression({ note: "Ms Doe", expires_at: now + 10 })
    const callee = added([said])
    const left = { ...callee, suppressions: [{ ...said, note: null, reason: null, source: null }] }
    expect(erasedCallee(callee, now)).toEqual(left)
    expect(erasedCallee(left, now)).toBe(left)
    // What has ended protects nobody any more.
    expect(erasedCallee(left, now + 10).suppressions).toEqual([])
    // Calls that were counted would name the person's.
    expect(erasedCallee({ ...left, attempts: [{ execution_id: "exec_1", at: now }] }, now)).toEqual(left)
  })

  it("can be taken back by its customer when it has ended, too", () => {
    const over = { agent_id: "a", campaign_id: null }
    const callee = added([sampleSuppression({ ...over, expires_at: now + 1 })])
    expect(released(callee, over, now + 1).suppressions).toEqual([])
    expect(released(callee, { agent_id: "b", campaign_id: null }, now + 1)).toBe(callee)
  })
})
