import { type Ceilings, type ConcurrencySettings, defaultCeilings, SlotLevels } from "@carillon/core/domain"

/** High enough that no load test meets it, and small enough for exact arithmetic on it. */
const unlimited = 1_000_000_000

const limitsFactorMax = 100_000

/** What becomes of the ceilings, in words. */
export type LimitsText = "spec" | "off" | `x${number}`

/** What becomes of the ceilings of request rate and live calls: as specified, none, or each times N. */
export interface LimitsMode {
  /** As it was given: `spec`, `off` or `xN`. */
  readonly text: string
  /** Requests per minute. */
  readonly rates: Ceilings
  /** The platform's ceiling; null: its default. */
  readonly platform: (concurrency: number | null) => number
  readonly concurrency: (settings: ConcurrencySettings) => ConcurrencySettings
}

const ratesTimes = (times: (ceiling: number) => number): Ceilings => ({
  "calls.create": times(defaultCeilings["calls.create"]),
  "executions.list": times(defaultCeilings["executions.list"]),
  "knowledge.upload": times(defaultCeilings["knowledge.upload"]),
  default: times(defaultCeilings.default),
})

export const specifiedLimits: LimitsMode = {
  text: "spec",
  rates: defaultCeilings,
  platform: (concurrency) => concurrency ?? SlotLevels.platformCeilingDefault,
  concurrency: (settings) => settings,
}

const noLimits: LimitsMode = {
  text: "off",
  rates: ratesTimes(() => unlimited),
  platform: () => unlimited,
  concurrency: (settings) => ({ ...settings, enforced: false }),
}

/** The settings are resolved first, so that a ceiling that was never chosen grows with the others. */
const limitsTimes = (factor: number): LimitsMode => ({
  text: `x${factor}`,
  rates: ratesTimes((ceiling) => ceiling * factor),
  platform: (concurrency) => specifiedLimits.platform(concurrency) * factor,
  concurrency: (settings) => {
    const { organization, agent, enforced } = SlotLevels.resolveCeilings(settings)
    return { organization: organization * factor, per_agent: agent < organization ? agent * factor : null, enforced }
  },
})

/** Reads `spec`, `off` or `xN`; null where it is none of them. */
export const parseLimits = (text: string): LimitsMode | null => {
  if (text === "spec") return specifiedLimits
  if (text === "off") return noLimits
  const factor = /^x([1-9]\d*)$/.exec(text)?.[1]
  return factor === undefined || Number(factor) > limitsFactorMax ? null : limitsTimes(Number(factor))
}

export const isLimitsText = (text: string): text is LimitsText => parseLimits(text) !== null
