import type { HeldSlot } from "../../calls/rules/Call.ts"

/** A line goes back, and whoever waits for one is woken. */
export interface GivesLineBack {
  readonly errand: "line.give_back"
  /** The id under which the line is registered. */
  readonly subject: string
  readonly organization_id: string
  /** Null where it was admitted by count. */
  readonly fence: number | null
}

/** A reservation goes back of a call that keeps a line, and nobody is told. */
export interface DeclinesLine {
  readonly errand: "line.decline"
  /** The id under which the line is registered. */
  readonly subject: string
  readonly organization_id: string
  readonly fence: number
}

/** Gives the line of a call back. */
export const givesLineBack = (organization_id: string, { fence, member }: HeldSlot): GivesLineBack => ({
  errand: "line.give_back",
  subject: member,
  organization_id,
  fence,
})

/** Gives the reservation back of a call that has a line which was admitted by count, and keeps that. */
export const declinesLine = (organization_id: string, member: string, fence: number): DeclinesLine => ({
  errand: "line.decline",
  subject: member,
  organization_id,
  fence,
})
