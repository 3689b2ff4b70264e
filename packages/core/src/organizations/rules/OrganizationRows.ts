import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import { purgeWakeup } from "../../retention/rules/PurgeWakeup.ts"
import type { BalanceChange } from "./Balance.ts"
import type { Organization, Platform } from "./Organization.ts"

export const platformRow: RowDescription<Platform> = {
  id: (platform) => platform.platform_id,
  dependency: "account_service",
}

/** Whether only the secret was written anew, as whoever turns the keys of secrets does. */
const isResealed = (before: Organization, after: Organization): boolean =>
  before.webhook_secret !== after.webhook_secret &&
  before.name === after.name &&
  before.plan === after.plan &&
  before.wallet === after.wallet &&
  before.concurrency === after.concurrency &&
  before.retention_days === after.retention_days &&
  before.suppress_on === after.suppress_on

/** Contacts may have been waiting for funds or lines; and rows that were kept for their time are looked for where somebody says for how long. */
const looks = (before: Organization | null, after: Organization, at: number): ReadonlyArray<WakeupChange> => {
  const { organization_id, retention_days } = after
  const wakeups: Array<WakeupChange> = []
  if (before !== null && !isResealed(before, after)) {
    wakeups.push({ set: { kind: "dispatch", subject: organization_id, at } })
  }
  if (before?.retention_days !== retention_days) wakeups.push({ set: purgeWakeup(organization_id, at) })
  return wakeups
}

/** What a host gives or takes. The row is written with what was read, and the balance may be another one by then. */
const funded = (before: Organization | null, after: Organization): ReadonlyArray<BalanceChange> => {
  const { organization_id, wallet } = after
  if (before === null || before.wallet.balance === wallet.balance) return []
  return [{ put: "balance", organization_id, from: before.wallet.balance, to: wallet.balance }]
}

/** The ceilings of an organization bind all of its lanes. */
export const organizationRow: RowDescription<Organization> = {
  id: (organization) => organization.organization_id,
  dependency: "account_service",
  lane: ({ organization_id }) => ({ organization_id, lane_id: null }),
  follows: (before, after, at) =>
    after === null
      ? { changes: [], wakeups: [] }
      : { changes: funded(before, after), wakeups: looks(before, after, at) },
}
