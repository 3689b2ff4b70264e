/** What becomes of a leg, whichever carrier makes it. */
export type Outcome = "answered" | "machine" | "busy" | "no_answer" | "failed"

/** A leg as the carrier's stand-in made it, in the words of a judge. Times are epoch milliseconds. */
export interface Leg {
  /** The call that it was made for, as the dial has named it; null where it names none. */
  readonly execution_id: string | null
  readonly to: string
  readonly createdAt: number
  readonly endedAt: number | null
  /** Somebody answered, and no machine. */
  readonly wasReached: boolean
  /** The statuses in which its call may have ended, by what the engine can have heard of it. */
  readonly statuses: ReadonlyArray<string>
  /** How long it lasted as the engine can know it; null where nobody told it. */
  readonly seconds: { readonly least: number; readonly most: number } | null
  /** What its call may have come to cost: what the carrier charged, nothing where its word was lost for ever, either where that is not known. */
  readonly costs: ReadonlyArray<number>
}
