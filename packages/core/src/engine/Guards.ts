/**
 * Sets of rows of which decisions read all, or that one is absent: the batches of a campaign; what calls from a phone number by name; the organizations
 * that have a number.
 */
export type GuardKind = "campaign_batches" | "phone_number_callers" | "number_holders"

/**
 * Stands for a set of rows that no single row stands for. Its version is raised by every commit that adds to the set, so that whoever
 * has decided by all of its rows, or by the absence of one, can expect the version that stood before they were read.
 */
export interface Guard {
  readonly set: GuardKind
  readonly id: string
}

/** The set of the batches that a campaign has. */
export const batchesOf = (campaignId: string): Guard => ({ set: "campaign_batches", id: campaignId })

/** The set of the campaigns, batches and booked calls that name a phone number as their caller ID. */
export const callersFrom = (phoneNumberId: string): Guard => ({ set: "phone_number_callers", id: phoneNumberId })

/** The set of the organizations that have a number registered. */
export const holdersOf = (phoneNumber: string): Guard => ({ set: "number_holders", id: phoneNumber })

/** A guard as one text. */
export const guardName = ({ id, set }: Guard): string => `${set} ${id}`
