import type { ConcurrencySettings, Wallet } from "./Organization.ts"

/** What a host says of a new tenant; everything left out has the engine's default. Numbers are E.164 caller IDs. */
export interface NewOrganization {
  readonly name: string
  readonly plan?: string
  readonly wallet?: Wallet
  readonly concurrency?: Partial<ConcurrencySettings>
  readonly webhook_secret?: string
  /** For how many days calls and contacts are kept after their end (`limits.retentionDays`); for ever where it is left out. */
  readonly retention_days?: number | null
  readonly phone_numbers?: ReadonlyArray<string>
}
