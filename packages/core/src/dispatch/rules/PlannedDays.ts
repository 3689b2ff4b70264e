/** By what a campaign says what a working day is: hours that it gives, as of a revision, or its zone. */
export interface CampaignDays {
  readonly isGiven: boolean
  readonly timezone: string
  readonly revision: number
}

const nameOf = ({ isGiven, revision, timezone }: CampaignDays): string => (isGiven ? `given ${revision}` : timezone)

/** By which hours follow-ups of lanes were put off for a working day, as far as that was looked at. */
export class PlannedDays {
  readonly #days = new Map<string, string>()

  /** Whether follow-ups of the lane that were put off for a working day may have been so by other hours than those it has now. */
  mayHaveChanged(laneId: string, days: CampaignDays): boolean {
    const before = this.#days.get(laneId)
    return before !== nameOf(days) && (days.isGiven || before !== undefined)
  }

  /** Follow-ups of the lane were planned by the hours that it has now. */
  areKnown(laneId: string, days: CampaignDays): void {
    this.#days.set(laneId, nameOf(days))
  }

  /** Nothing is planned for the lane any more. */
  forget(laneId: string): void {
    this.#days.delete(laneId)
  }
}
