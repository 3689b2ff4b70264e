/** What an organization pays from its wallet, in its currency. */
export interface Debit {
  readonly put: "debit"
  readonly organization_id: string
  readonly amount: number
}

/** What a host makes of the balance: `from` as it was read, `to` as it shall be. What is charged meanwhile stays charged. */
export interface BalanceChange {
  readonly put: "balance"
  readonly organization_id: string
  readonly from: number
  readonly to: number
}

/** A balance after a change of it. Where nothing was charged since it was read, it is to the last digit what the host has set. */
export const balanceAfter = (balance: number, change: Debit | BalanceChange): number =>
  change.put === "debit" ? balance - change.amount : change.to - (change.from - balance)
