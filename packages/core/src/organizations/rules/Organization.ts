import type { SuppressOn } from "../../callees/rules/SuppressionRule.ts"

/** The tenant: plan, wallet and the ceilings of its live calls. */
export interface Organization {
  readonly organization_id: string
  readonly revision: number
  readonly name: string
  readonly plan: string
  readonly rate_limit_tier: string
  readonly wallet: Wallet
  readonly concurrency: ConcurrencySettings
  /** Signs deliveries of subscriptions that have no secret of their own. Kept by `Secrets`: what is read here may be sealed. */
  readonly webhook_secret: string | null
  /** For how many days calls and contacts are kept after their end; null, or left out: for ever (docs/guides/retention.md). */
  readonly retention_days?: number | null
  /** At which ends of calls their numbers are suppressed; left out: at none (docs/guides/suppression.md). */
  readonly suppress_on?: ReadonlyArray<SuppressOn>
  readonly created_at: number
}

/**
 * What the organization can spend. A call may bring it below zero; the next one is then refused. The balance is no part of the row's revision: calls
 * are charged to it as it stands, and no put of the row changes it (`Balance.ts`).
 */
export interface Wallet {
  readonly balance: number
  readonly currency: string
}

/**
 * The configured ceilings; null means that the level is not customised. The pair 5 per agent and 100 total is the legacy default and
 * counts as a per-agent ceiling that was never set (specification, "Concurrency").
 */
export interface ConcurrencySettings {
  readonly organization: number | null
  readonly per_agent: number | null
  readonly enforced: boolean
}

/** Settings of the whole installation. There is one row. */
export interface Platform {
  readonly platform_id: "platform"
  readonly revision: number
  /** Live calls across all tenants. */
  readonly concurrency: number
  /** Absent while dialling goes on. */
  readonly hold?: DiallingHold
}

/** Nothing is dialled in the whole installation until it is released. */
export interface DiallingHold {
  /** Epoch milliseconds. */
  readonly since: number
  readonly reason: string
}
