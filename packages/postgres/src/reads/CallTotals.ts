import { callStatuses } from "@carillon/core/domain"
import type { CallFilter } from "@carillon/core/ports"
import { countedStatuses } from "../migrations/CallCounts.ts"
import { countedDayMs } from "../migrations/CallDays.ts"
import { Where } from "./Where.ts"

/** What counts are kept of; of two of them together there is none. */
const subjects = ["agent_id", "campaign_id", "batch_id"] as const

/** What else a filter may ask for that is counted. */
const facts: ReadonlySet<string> = new Set(["statuses", "voicemail", "direction"])

/** The same for counts by day, of which a batch has none. */
const factsOfDays: ReadonlySet<string> = new Set([...facts, "from_date", "to_date"])

const underWay = callStatuses
  .filter((status) => !countedStatuses.includes(status))
  .map((status) => `'${status}'`)
  .join(", ")

/** The conditions on status and voicemail, which rows and counts have as the same columns. */
export const ofStatus = (where: Where, { statuses, voicemail }: CallFilter): Where => {
  const among = statuses === undefined ? undefined : [...statuses]
  if (voicemail !== true) return where.also("status = any(?::text[])", among)
  return among === undefined ? where.and("voicemail") : where.also("(status = any(?::text[]) or voicemail)", among)
}

/** The conditions on the rows of counts. */
const countsOf = (organizationId: string, filter: CallFilter, subject: string, where: Where): Where =>
  ofStatus(new Where(where.parameters).is("organization_id", organizationId), filter)
    .is("subject", subject)
    .chosen("direction", filter.direction)

const rows = (where: Where, conditions: string): string =>
  `(select count(*) from carillon.calls where ${where.text} and ${conditions})`

const ofAllDays = (organizationId: string, filter: CallFilter, subject: string, where: Where): string =>
  `coalesce((select sum(calls) from carillon.call_counts where ${countsOf(organizationId, filter, subject, where).text}), 0)
    + ${rows(where, `status in (${underWay})`)}`

/** The whole days of a time, as `[first, end)`; the bounds of the time are included, and without one it has no end on that side. */
const wholeDays = ({
  from_date,
  to_date,
}: CallFilter): readonly [first: number | undefined, end: number | undefined] => [
  from_date === undefined ? undefined : Math.ceil(from_date / countedDayMs) * countedDayMs,
  to_date === undefined ? undefined : Math.floor((to_date + 1) / countedDayMs) * countedDayMs,
]

/** Days that lie in the time whole from their counts, and the calls of the days at its ends one by one. Null where no day does. */
const ofSomeDays = (organizationId: string, filter: CallFilter, subject: string, where: Where): string | null => {
  const [first, end] = wholeDays(filter)
  if (first !== undefined && end !== undefined && first >= end) return null
  const days = countsOf(organizationId, filter, subject, where)
    .also("day >= ?::bigint", first)
    .also("day < ?::bigint", end)
  const within = new Where(where.parameters)
    .and(`status in (${underWay})`)
    .also("created_at >= ?::bigint", first)
    .also("created_at < ?::bigint", end)
  const before = new Where(where.parameters).also("created_at < ?::bigint", first)
  const after = new Where(where.parameters).also("created_at >= ?::bigint", end)
  return [
    `coalesce((select sum(calls) from carillon.call_days where ${days.text}), 0)`,
    rows(where, within.text),
    ...(first === undefined ? [] : [rows(where, before.text)]),
    ...(end === undefined ? [] : [rows(where, after.text)]),
  ].join(" + ")
}

/**
 * How many calls meet a filter, as SQL: those that have ended from their counts, the others one by one. Null where the filter asks for what is not
 * counted, such as a number. `where` says the same of rows, and gets the parameters.
 */
export const countedTotal = (organizationId: string, filter: CallFilter, where: Where): string | null => {
  const asked = Object.entries(filter).flatMap(([field, value]) => (value === undefined ? [] : [field]))
  const [subject, ...others] = subjects.filter((field) => filter[field] !== undefined)
  if (others.length > 0) return null
  const name = subject === undefined ? "" : (filter[subject] ?? "")
  const isCountedBy = (known: ReadonlySet<string>) => asked.every((field) => field === subject || known.has(field))
  if (isCountedBy(facts)) return ofAllDays(organizationId, filter, name, where)
  return subject !== "batch_id" && isCountedBy(factsOfDays) ? ofSomeDays(organizationId, filter, name, where) : null
}
