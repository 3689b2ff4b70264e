import { isInForce, Timestamp } from "@carillon/core/domain"
import type { Callee } from "@carillon/core/ports"
import type { SuppressedNumber } from "../Suppressions.ts"

/** A number with its suppressions, as they stand at a moment. */
export const toWireSuppressed = ({ suppressions, to_number }: Callee, now: number): SuppressedNumber => ({
  to_number,
  suppressions: suppressions.map((each) => ({
    agent_id: each.agent_id,
    campaign_id: each.campaign_id,
    reason: each.reason,
    source: each.source,
    note: each.note,
    expires_at: each.expires_at === null ? null : Timestamp.formatUtc(each.expires_at),
    in_force: isInForce(each, now),
    created_at: Timestamp.formatUtc(each.created_at),
  })),
})
