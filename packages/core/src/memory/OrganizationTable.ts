import { balanceAfter, type BalanceChange, type Debit } from "../organizations/rules/Balance.ts"
import type { Organization } from "../organizations/rules/Organization.ts"

/** The organizations of the world. */
export class OrganizationTable {
  readonly #rows = new Map<string, Organization>()

  get size(): number {
    return this.#rows.size
  }

  has(organizationId: string): boolean {
    return this.#rows.has(organizationId)
  }

  get(organizationId: string): Organization | undefined {
    return this.#rows.get(organizationId)
  }

  keys(): Iterable<string> {
    return this.#rows.keys()
  }

  values(): Iterable<Organization> {
    return this.#rows.values()
  }

  /** The balance is written by what changes it alone. */
  put(row: Organization): void {
    const balance = this.#rows.get(row.organization_id)?.wallet.balance ?? row.wallet.balance
    this.#rows.set(row.organization_id, { ...row, wallet: { ...row.wallet, balance } })
  }

  /** It is no write of the row: the revision stays. */
  charge(change: Debit | BalanceChange): void {
    const row = this.#rows.get(change.organization_id)
    if (row === undefined) return
    const balance = balanceAfter(row.wallet.balance, change)
    this.#rows.set(row.organization_id, { ...row, wallet: { ...row.wallet, balance } })
  }
}
