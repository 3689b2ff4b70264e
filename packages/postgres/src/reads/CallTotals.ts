import { type CallFilter, callStatuses } from "@carillon/core"
import { countedStatuses } from "../migrations/CallCounts.ts"
import { Where } from "./Where.ts"

/** What counts are kept of; of two of them together there is none. */
const subjects = ["agent_id", "campaign_id", "batch_id"] as const

/** What else a filter may ask for that is counted. */
const facts: ReadonlySet<string> = new Set(["statuses", "voicemail", "direction"])

const underWay = callStatuses.filter((status) => !countedStatuses.includes(status)).map((status) => `'${status}'`)

/** The conditions on status and voicemail, which rows and counts have as the same columns. */
export const ofStatus = (where: Where, { statuses, voicemail }: CallFilter): Where => {
  const among = statuses === undefined ? undefined : [...statuses]
  if (voicemail !== true) return where.also("status = any(?::text[])", among)
  return among === undefined ? where.and("voicemail") : where.also("(status = any(?::text[]) or voicemail)", among)
}

/**
 * How many calls meet a filter, as SQL: those that have ended from their counts, the others one by one. Null where the filter asks for what is not
 * counted, such as a time. `where` says the same of rows, and gets the parameters.
 */
export const countedTotal = (organizationId: string, filter: CallFilter, where: Where): string | null => {
  const asked = Object.entries(filter).flatMap(([field, value]) => (value === undefined ? [] : [field]))
  const [subject, ...others] = subjects.filter((field) => filter[field] !== undefined)
  const isCounted = asked.every((field) => field === subject || facts.has(field))
  if (!isCounted || others.length > 0) return null
  const counts = ofStatus(new Where(where.parameters).is("organization_id", organizationId), filter)
    .is("subject", subject === undefined ? "" : filter[subject])
    .is("direction", filter.direction)
  return `coalesce((select sum(calls) from carillon.call_counts where ${counts.text}), 0)
    + (select count(*) from carillon.calls where ${where.text} and status in (${underWay.join(", ")}))`
}
