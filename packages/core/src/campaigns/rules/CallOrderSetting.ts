/** Which contacts of one priority come first: those that were handed in first, or those that were handed in last. */
export const contactOrders = ["first_come", "last_come"] as const

export type ContactOrder = (typeof contactOrders)[number]

/** In which order a campaign calls its contacts for the first time. */
export interface CallOrderSetting {
  /** The variable that says the priority of contacts that are handed in from then on; null: they have none. */
  readonly priority_column: string | null
  readonly contacts: ContactOrder
}

/** The order of a campaign. */
export interface CallOrder extends CallOrderSetting {
  /** When it was written; epoch milliseconds. */
  readonly updated_at: number
}
