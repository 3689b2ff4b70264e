import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  admit,
  ceilingsFor,
  concurrencyDefaults,
  concurrencyMessage,
  effectiveMax,
  resolveCeilings,
  slotLevels,
} from "../../src/limits/rules/SlotLevels.ts"

const figure = fc.integer({ min: 0, max: 150 })
const settings = fc.record({
  organization: fc.option(figure),
  per_agent: fc.option(figure),
  enforced: fc.boolean(),
})
const use = fc.record({ platform: figure, organization: figure, agent: figure, campaign: figure })

describe("resolveCeilings", () => {
  it("fills in platform 1000 and organization 20, inherited by every agent", () => {
    const resolved = resolveCeilings(concurrencyDefaults)
    expect(resolved).toEqual({ platform: 1000, organization: 20, agent: 20, enforced: true })
    expect(effectiveMax(resolved)).toBe(20)
  })

  it("takes 5 per agent and 100 in total for a pair that nobody chose", () => {
    expect(resolveCeilings({ organization: 100, per_agent: 5, enforced: true })).toMatchObject({
      organization: 100,
      agent: 100,
    })
    expect(resolveCeilings({ organization: 100, per_agent: 6, enforced: true })).toMatchObject({
      organization: 100,
      agent: 6,
    })
    expect(resolveCeilings({ organization: 100, per_agent: 4, enforced: true })).toMatchObject({
      organization: 100,
      agent: 4,
    })
    expect(resolveCeilings({ organization: 99, per_agent: 5, enforced: true })).toMatchObject({
      organization: 99,
      agent: 5,
    })
    expect(resolveCeilings({ organization: null, per_agent: 5, enforced: true })).toMatchObject({
      organization: 20,
      agent: 5,
    })
  })

  it("never gives an agent more than its organization", () => {
    fc.assert(
      fc.property(settings, figure, (given, platform) => {
        const resolved = resolveCeilings(given, platform)
        expect(resolved.agent).toBeLessThanOrEqual(resolved.organization)
        expect(effectiveMax(resolved)).toBe(Math.min(platform, given.organization ?? 20))
      }),
    )
  })
})

describe("admit", () => {
  it("names the first full level in the order platform, organization, agent, campaign, with its own figures", () => {
    fc.assert(
      fc.property(use, settings, figure, fc.option(figure), (used, given, platform, maxConcurrentCalls) => {
        const ceilings = ceilingsFor(resolveCeilings(given, platform), maxConcurrentCalls)
        const admission = admit(used, ceilings)
        const full = slotLevels.filter((level) => used[level] >= (ceilings[level] ?? Infinity))
        expect(admission).toEqual(
          full[0] === undefined
            ? { admitted: true }
            : { admitted: false, level: full[0], used: used[full[0]], max: ceilings[full[0]] },
        )
      }),
    )
  })

  it("refuses nothing at the organization and its agents when they are not enforced; platform and campaign still hold", () => {
    fc.assert(
      fc.property(use, settings, figure, fc.option(figure), (used, given, platform, maxConcurrentCalls) => {
        const resolved = resolveCeilings({ ...given, enforced: false }, platform)
        const admission = admit(used, ceilingsFor(resolved, maxConcurrentCalls))
        const free = used.platform < platform && used.campaign < (maxConcurrentCalls ?? Infinity)
        expect(admission.admitted).toBe(free)
        expect(resolved.organization).toBe(given.organization ?? 20)
      }),
    )
  })

  it("lets a campaign's ceiling only lower what is admitted", () => {
    fc.assert(
      fc.property(use, settings, figure, figure, (used, given, platform, maxConcurrentCalls) => {
        const resolved = resolveCeilings(given, platform)
        const without = admit(used, ceilingsFor(resolved, null)).admitted
        const within = admit(used, ceilingsFor(resolved, maxConcurrentCalls)).admitted
        expect(within).toBe(without && used.campaign < maxConcurrentCalls)
      }),
    )
  })

  it("blocks an agent before its organization is full only where the agent's figure was chosen lower", () => {
    const used = { platform: 5, organization: 5, agent: 5, campaign: 0 }
    const judged = (organization: number, per_agent: number | null) =>
      admit(used, ceilingsFor(resolveCeilings({ organization, per_agent, enforced: true }), null))
    expect(judged(20, null)).toEqual({ admitted: true })
    expect(judged(20, 20)).toEqual({ admitted: true })
    expect(judged(20, 5)).toEqual({ admitted: false, level: "agent", used: 5, max: 5 })
    expect(judged(100, 5)).toEqual({ admitted: true })
    expect(judged(5, 5)).toEqual({ admitted: false, level: "organization", used: 5, max: 5 })
  })
})

describe("concurrencyMessage", () => {
  it("says what is true, under a lowered limit too", () => {
    expect(concurrencyMessage({ used: 20, max: 20 })).toBe("Account concurrency limit reached (20 of 20 lines in use).")
    const lowered = admit(
      { platform: 4, organization: 4, agent: 4, campaign: 0 },
      ceilingsFor(resolveCeilings({ organization: 2, per_agent: null, enforced: true }), null),
    )
    expect(lowered.admitted ? null : concurrencyMessage(lowered)).toBe(
      "Account concurrency limit reached (4 of 2 lines in use).",
    )
  })

  it("names no figures that cannot be read", () => {
    expect(concurrencyMessage(null)).toBe("Account concurrency limit reached; all lines are in use.")
  })
})
