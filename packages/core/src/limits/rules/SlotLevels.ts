import type { ConcurrencySettings } from "../../organizations/rules/Organization.ts"

/** The levels at which a dial takes its line, in the order in which they are judged (specification, "Concurrency"). */
export const slotLevels = ["platform", "organization", "agent", "campaign"] as const

export type SlotLevel = (typeof slotLevels)[number]

/** Live calls across all tenants where the platform's settings say nothing. */
export const platformCeilingDefault = 1000

/** Live calls of an organization whose settings say nothing. */
export const organizationCeilingDefault = 20

/** Settings of an organization that has never been customised. */
export const concurrencyDefaults: ConcurrencySettings = { organization: null, per_agent: null, enforced: true }

/** Both figures of the legacy default together mean that nobody ever chose a ceiling per agent. */
const legacyPair = { organization: 100, per_agent: 5 } as const

/** The ceilings of an organization with all defaults filled in. Figures stand also where `enforced` is false and they refuse nothing. */
export interface ResolvedCeilings {
  readonly platform: number
  readonly organization: number
  readonly agent: number
  readonly enforced: boolean
}

/** What a dial is held against, by level; null refuses nothing. */
export type SlotCeilings = { readonly [level in SlotLevel]: number | null }

/** Live lines by level, of one dial's organization, agent and campaign. */
export type SlotUse = { readonly [level in SlotLevel]: number }

/** Whether a dial may take a line; if not, the first level that is full with its true figures (under a lowered ceiling `used` exceeds `max`). */
export type SlotAdmission =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly level: SlotLevel; readonly used: number; readonly max: number }

/** Fills in the settings. An agent has a ceiling of its own only where it was chosen and lies below the organization's. */
export const resolveCeilings = (
  settings: ConcurrencySettings,
  platform: number = platformCeilingDefault,
): ResolvedCeilings => {
  const organization = settings.organization ?? organizationCeilingDefault
  const legacy = organization === legacyPair.organization && settings.per_agent === legacyPair.per_agent
  const agent = settings.per_agent === null || legacy ? organization : Math.min(settings.per_agent, organization)
  return { platform, organization, agent, enforced: settings.enforced }
}

/** The `concurrency.max` of `GET /v2/user/me`: the least of the levels that hold for every call of the organization. */
export const effectiveMax = (resolved: ResolvedCeilings): number => Math.min(resolved.platform, resolved.organization)

/** What holds for one dial. The platform's and a campaign's own ceiling hold also where the organization's are not enforced. */
export const ceilingsFor = (resolved: ResolvedCeilings, maxConcurrentCalls: number | null): SlotCeilings => ({
  platform: resolved.platform,
  organization: resolved.enforced ? resolved.organization : null,
  agent: resolved.enforced ? resolved.agent : null,
  campaign: maxConcurrentCalls,
})

/** Admits one more line, or names the first level that blocks it. */
export const admit = (used: SlotUse, ceilings: SlotCeilings): SlotAdmission => {
  for (const level of slotLevels) {
    const max = ceilings[level]
    if (max !== null && used[level] >= max) return { admitted: false, level, used: used[level], max }
  }
  return { admitted: true }
}

/** The message of the 429; null figures are figures that cannot be read. */
export const concurrencyMessage = (figures: { readonly used: number; readonly max: number } | null): string =>
  figures === null
    ? "Account concurrency limit reached; all lines are in use."
    : `Account concurrency limit reached (${figures.used} of ${figures.max} lines in use).`
