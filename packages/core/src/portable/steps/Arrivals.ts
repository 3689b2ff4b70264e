import type { AuditRecord } from "../../audit/rules/AuditChain.ts"
import type { AuditEntry } from "../../engine/rules/AuditEntry.ts"
import { expiryAfter } from "../../campaigns/rules/CampaignWork.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { holdersOf } from "../../engine/rules/Guards.ts"
import { carry, joinSet, type RowChange } from "../../engine/rules/Outcome.ts"
import { raised } from "../../engine/rules/Put.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import type { Organization } from "../../organizations/rules/Organization.ts"
import type { Rows } from "../../Rows.ts"
import { expiryWakeup } from "../../webhooks/rules/LedgerRows.ts"
import type { CarriedKind, Line } from "../rules/PortableFile.ts"

/** The record as what it was made of; at its place in the chain it comes to the same hash. */
const entryOf = ({
  created_at,
  hash: _hash,
  prev_hash: _prev,
  sequence: _sequence,
  ...entry
}: AuditRecord): AuditEntry => ({
  ...entry,
  created_at: Date.parse(created_at),
})

/** A campaign dials nobody, and is not completed, before all of its batches are there: what has paused itself does not go on by itself, either. */
const waiting = (campaign: Campaign): Campaign => {
  if (campaign.status === "created" || campaign.status === "active") return { ...campaign, status: "paused" }
  const { breaker } = campaign
  if (breaker === undefined || breaker.trip === null) return campaign
  return { ...campaign, breaker: { ...breaker, trip: { ...breaker.trip, resume_at: null } } }
}

/** Nothing goes that was kept for its time before all is there: of what goes in the middle, more would come behind it and stay. */
export const keepingAll = (line: Line): Line =>
  line.kind === "organization" ? { kind: line.kind, row: { ...line.row, ...forEver(line.row) } } : line

const forEver = ({ retention_days }: Organization): Pick<Organization, "retention_days"> =>
  retention_days === undefined ? {} : { retention_days: null }

/** What a line becomes, beside what is stored beside the rows. */
export interface Arrival {
  readonly changes: ReadonlyArray<RowChange>
  readonly wakeups: ReadonlyArray<WakeupChange>
  /** Records of the audit trail as they stood elsewhere. */
  readonly kept: ReadonlyArray<AuditEntry>
}

const nothing: Arrival = { changes: [], wakeups: [], kept: [] }

/** A row that is new here, with all that follows from it: tallies, usage, wake-ups. */
const rowArrives = <K extends CarriedKind>({ kind, row }: { readonly kind: K; readonly row: Rows[K] }) => ({
  ...nothing,
  changes: [carry(kind, null, row)],
})

/** A campaign that has contacts. */
const campaignArrives = (before: Campaign | null, campaign: Campaign, now: number): Arrival => ({
  ...nothing,
  changes: [carry("campaign", before, campaign)],
  wakeups: expiryAfter(campaign, true, now),
})

/** What becomes of a line. What is stored beside the rows comes to nothing here. */
export const arrivalOf = (line: Line, now: number): Arrival => {
  switch (line.kind) {
    case "entries":
    case "document":
      return nothing
    case "audit":
      return { ...nothing, kept: [entryOf(line.row)] }
    case "tally":
      return { ...nothing, changes: [{ put: "tally", subject: line.row.subject, add: line.row.figures }] }
    case "usage":
      return { ...nothing, changes: [{ put: "usage", delta: line.row }] }
    case "campaign":
      return campaignArrives(null, waiting(line.row), now)
    case "running":
      return campaignArrives(raised(null, waiting(line.row)), line.row, now)
    case "phone_number": {
      const { changes } = rowArrives(line)
      return { ...nothing, changes: [...changes, joinSet(holdersOf(line.row.phone_number))] }
    }
    case "event":
    case "delivery":
      return { ...rowArrives(line), wakeups: [expiryWakeup(line.row.expires_at)] }
    default:
      return rowArrives(line)
  }
}
