/** Contacts whose time has not come, and when that of the first of them does; null where there is none. */
export interface ContactWait {
  readonly contacts: number
  readonly next_due: number | null
}

/** The times of contacts that wait for one, hours aside. */
export interface ContactTimes {
  /** Those that were held back and are tried again. */
  readonly held: ContactWait
  /** All others: retries, follow-ups, and what was put off. */
  readonly planned: ContactWait
  /** The last time of all, those that have come included: of contacts for which any hour will do, and of those that wait for the campaign's hours. */
  readonly last: { readonly anytime: number | null; readonly in_hours: number | null }
}
