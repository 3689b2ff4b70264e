import type { Wallet } from "./Organization.ts"

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

/** Amounts are told to a millionth. What is less is the dust that sums of binary fractions leave: six calls of 0.1 leave 3e-17 of 0.6. */
const places = 1e6

/** Whether a wallet is at or below zero, and so carries no call (decisions.md, "Campaigns and batches"). */
export const isSpent = ({ balance }: Wallet): boolean => Math.round(balance * places) <= 0
