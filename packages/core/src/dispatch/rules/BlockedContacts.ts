import type { Blocking } from "../../campaigns/rules/CampaignRecords.ts"
import type { FairShareVerdict } from "./FairShare.ts"

/** Contacts who were held back, as they are counted: they lack nothing that can be seen now. */
export interface HeldContacts {
  readonly contacts: number
  /** When the hold of the first of them ends. */
  readonly next_due: number | null
  /** Of them follow-ups whose own agent may place no calls, as their batches count them. */
  readonly ofAgents: number
  /** Of them those who were held before they were dialled, as their batches count them. */
  readonly beforeDial: number
}

/** Why those who were held back are not dialled yet, each of them under one reason. */
export const heldReasons = ({ beforeDial, contacts, next_due, ofAgents }: HeldContacts): ReadonlyArray<Blocking> => {
  const byAgents = Math.min(ofAgents, contacts)
  // What the others lacked before they were dialled is there again, but each waits until its hold ends.
  const rest = contacts - byAgents
  const others = Math.max(0, Math.min(rest, beforeDial - byAgents))
  return [
    { reason: "agent_inactive", contacts: byAgents, until: next_due },
    { reason: "cooldown", contacts: others, until: next_due },
    { reason: "carrier", contacts: rest - others, until: next_due },
  ]
}

/** Contacts who could be dialled and have no line. */
export interface WithoutLine {
  readonly dialable: number
  /** Of them those whose agent has no free line. */
  readonly ofAgents: number
  readonly isPlatformFull: boolean
  /** When the hold of the first ends who is held back; null where nobody is. */
  readonly heldUntil: number | null
}

/** Why contacts who could be dialled are not, by what the dispatcher says of their lane. */
export const lineReasons = (
  verdict: FairShareVerdict,
  { dialable, heldUntil, isPlatformFull, ofAgents }: WithoutLine,
): ReadonlyArray<Blocking> => {
  switch (verdict) {
    case "ceiling":
      return [{ reason: "campaign_ceiling", contacts: dialable, until: null }]
    case "fair_share":
      return [{ reason: "fair_share", contacts: dialable, until: null }]
    case "empty":
      // The dispatcher passes over a lane that waits for the carrier.
      return [{ reason: "carrier", contacts: dialable, until: heldUntil }]
    case "lines_full":
      // As a dial is refused: the platform's ceiling is judged before the organization's.
      return [
        { reason: isPlatformFull ? "platform_lines_full" : "organization_lines_full", contacts: dialable, until: null },
      ]
    case "floor":
    case "borrow":
      return [
        { reason: "agent_ceiling", contacts: ofAgents, until: null },
        { reason: "platform_lines_full", contacts: isPlatformFull ? dialable - ofAgents : 0, until: null },
      ]
  }
}
