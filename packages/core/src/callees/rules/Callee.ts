/** For which calls a suppression stands: all of the organization, or those of one agent or one campaign. At most one of the two is given. */
export interface SuppressionScope {
  readonly agent_id: string | null
  readonly campaign_id: string | null
}

/** Why a number must not be called, in the words of whoever said so; null where nothing was said. */
export interface SuppressionWords {
  readonly reason: string | null
  /** Where that was heard: a list, a form, an agent. */
  readonly source: string | null
  readonly note: string | null
}

/** A number must not be called. Times are epoch milliseconds. */
export interface Suppression extends SuppressionScope, SuppressionWords {
  /** From when on it stands no more; null where it has no end. */
  readonly expires_at: number | null
  readonly created_at: number
}

/** A dial that counts for call caps, and when it was committed (epoch milliseconds). */
export interface Attempt {
  readonly execution_id: string
  readonly at: number
}

/**
 * What an organization knows of a number that it calls: the guard of every rule about whom one calls. A dial names the revision at which it takes
 * it to stand, 0 where there is none. A row that was made stays, with nothing in it where nothing is left to be known, until a purge takes it away (decision 88).
 */
export interface Callee {
  readonly organization_id: string
  readonly to_number: string
  readonly revision: number
  /** One for each scope, in the order in which they were added. */
  readonly suppressions: ReadonlyArray<Suppression>
  /** The last dials of the number while call caps stood; left out where none was counted. */
  readonly attempts?: ReadonlyArray<Attempt>
}

/** The id of a callee. */
export const calleeId = (organizationId: string, toNumber: string): string => `${organizationId} ${toNumber}`

/** The organization and the number that a callee's id names. */
export const calleeOf = (id: string): Pick<Callee, "organization_id" | "to_number"> => {
  const end = id.lastIndexOf(" ")
  return { organization_id: id.slice(0, end), to_number: id.slice(end + 1) }
}
