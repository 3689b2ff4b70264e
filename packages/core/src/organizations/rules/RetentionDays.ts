import { InvalidField } from "../../Errors.ts"
import { limits } from "../../Limits.ts"

/** What is wrong with days for which rows are to be kept; null where nothing is. */
export const retentionFault = (days: number | null | undefined): InvalidField | null => {
  const { max, min } = limits.retentionDays
  if (days === undefined || days === null || (Number.isInteger(days) && days >= min && days <= max)) return null
  return new InvalidField({ field: "retention_days", reason: `must be a whole number from ${min} to ${max}` })
}
