import type { AuditRecord } from "../audit/AuditChain.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import { campaignChange } from "../campaigns/CampaignWork.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import type { CommitDraft } from "../engine/Commit.ts"
import { holdersOf } from "../engine/Guards.ts"
import { change, put, raised } from "../engine/Put.ts"
import type { Organization } from "../organizations/Organization.ts"
import type { Rows } from "../Rows.ts"
import { expiryWakeup } from "../webhooks/LedgerRows.ts"
import type { CarriedKind, Line } from "./PortableFile.ts"

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

/** A campaign dials nobody, and is not completed, before all of its batches are there. */
const waiting = (campaign: Campaign): Campaign =>
  campaign.status === "created" || campaign.status === "active" ? { ...campaign, status: "paused" } : campaign

/** Nothing goes that was kept for its time before all is there: of what goes in the middle, more would come behind it and stay. */
export const keepingAll = (line: Line): Line =>
  line.kind === "organization" ? { kind: line.kind, row: { ...line.row, ...forEver(line.row) } } : line

const forEver = ({ retention_days }: Organization): Pick<Organization, "retention_days"> =>
  retention_days === undefined ? {} : { retention_days: null }

/** A row that is new here, with all that follows from it: tallies, usage, wake-ups. */
const rowArrives = <K extends CarriedKind>({ kind, row }: { readonly kind: K; readonly row: Rows[K] }, now: number) =>
  change(kind, null, row, now)

/** The part of a commit that a line becomes. What is stored beside the rows has none. */
export const arrivalOf = (line: Line, now: number): Partial<CommitDraft> => {
  switch (line.kind) {
    case "entries":
    case "document":
      return {}
    case "audit":
      return { audit: [entryOf(line.row)] }
    case "tally":
      return { changes: [{ put: "tally", subject: line.row.subject, add: line.row.figures }] }
    case "usage":
      return { changes: [{ put: "usage", delta: line.row }] }
    case "campaign":
      return campaignChange(null, waiting(line.row), now)
    case "running":
      return campaignChange(raised(null, waiting(line.row)), line.row, now)
    case "phone_number":
      return {
        changes: [put("phone_number", null, line.row), { put: "guard", guard: holdersOf(line.row.phone_number) }],
      }
    case "event":
      return { changes: [put("event", null, line.row)], wakeups: [expiryWakeup(line.row.expires_at)] }
    case "delivery": {
      const { changes, wakeups } = rowArrives(line, now)
      return { changes, wakeups: [...wakeups, expiryWakeup(line.row.expires_at)] }
    }
    default:
      return rowArrives(line, now)
  }
}
