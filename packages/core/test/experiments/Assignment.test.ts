import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hash32 } from "../../src/engine/rules/Hash.ts"
import { inVariant, route, type RoutedExperiment } from "../../src/experiments/rules/Assignment.ts"

const contact = (n: number) => ({ contact_id: `con_${n}`, to_number: `+1555${n}` })

const experiment: RoutedExperiment = {
  version_id: "ver_1",
  main_agent_id: "agt_control",
  variant_agent_id: "agt_challenger",
  variant_traffic_pct: 50,
  status: "active",
}

const subject = fc.record({ contact_id: fc.option(fc.string()), to_number: fc.string() })
const pct = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 0, max: 10_000 }).map((n) => n / 100),
  fc.double({ min: 0, max: 100, noNaN: true }),
)

describe("inVariant", () => {
  it("takes nobody at 0 and everybody at 100", () => {
    fc.assert(
      fc.property(fc.string(), subject, (version, who) => {
        expect(inVariant(version, 0, who)).toBe(false)
        expect(inVariant(version, 100, who)).toBe(true)
      }),
    )
  })

  it("never moves a subject back when the percentage is raised", () => {
    fc.assert(
      fc.property(fc.string(), subject, pct, pct, (version, who, one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one]
        expect(inVariant(version, high, who) || !inVariant(version, low, who)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it("gives every hundredth of a percent exactly one bucket of ten thousand", () => {
    const byBucket = new Map<number, { contact_id: string; to_number: string }>()
    for (let n = 0; byBucket.size < 10_000; n++) byBucket.set(hash32("ver_1", `con_${n}`) % 10_000, contact(n))
    for (let hundredths = 0; hundredths < 10_000; hundredths++) {
      expect(inVariant("ver_1", hundredths / 100, byBucket.get(hundredths)!)).toBe(false)
      expect(inVariant("ver_1", (hundredths + 1) / 100, byBucket.get(hundredths)!)).toBe(true)
    }
  })

  it("takes its share, within chance, of contacts and of numbers", () => {
    const subjects = 20_000
    for (const share of [1, 10, 33.33, 50, 90]) {
      for (const version of ["ver_1", "ver_2", "ver_3"]) {
        for (const who of [contact, (n: number) => ({ contact_id: null, to_number: `+1555${1_000_000 + n}` })]) {
          let taken = 0
          for (let n = 0; n < subjects; n++) if (inVariant(version, share, who(n))) taken += 1
          const deviation = Math.sqrt(subjects * (share / 100) * (1 - share / 100))
          expect(Math.abs(taken - (subjects * share) / 100)).toBeLessThan(4.5 * deviation)
        }
      }
    }
  })

  it("draws anew for each experiment", () => {
    let both = 0
    for (let n = 0; n < 10_000; n++) {
      if (inVariant("ver_1", 50, contact(n)) && inVariant("ver_2", 50, contact(n))) both += 1
    }
    expect(Math.abs(both - 2500)).toBeLessThan(200)
  })

  it("goes by the contact where there is one, so that it is sticky over retries from and to any number", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), pct, (contactId, one, other, share) => {
        expect(inVariant("ver_1", share, { contact_id: contactId, to_number: one })).toBe(
          inVariant("ver_1", share, { contact_id: contactId, to_number: other }),
        )
      }),
    )
  })
})

describe("route", () => {
  it("names the agent that runs and the experiment, for both sides", () => {
    fc.assert(
      fc.property(subject, pct, fc.boolean(), (who, variant_traffic_pct, challengerIsActive) => {
        const expected = challengerIsActive && inVariant("ver_1", variant_traffic_pct, who)
        expect(route({ ...experiment, variant_traffic_pct }, challengerIsActive, who)).toEqual({
          agent_id: expected ? "agt_challenger" : "agt_control",
          ab_version_id: "ver_1",
          ab_is_variant: expected,
        })
      }),
    )
  })

  it("leaves every call with the control when the challenger is not ACTIVE", () => {
    expect(route({ ...experiment, variant_traffic_pct: 100 }, false, contact(1))).toEqual({
      agent_id: "agt_control",
      ab_version_id: "ver_1",
      ab_is_variant: false,
    })
  })

  it("does nothing unless the experiment runs", () => {
    for (const status of ["draft", "paused", "concluded"] as const) {
      expect(route({ ...experiment, status, variant_traffic_pct: 100 }, true, contact(1))).toBeNull()
    }
  })
})
