import type { Answer } from "../http/Answer.ts"
import { isObject } from "../http/Json.ts"

/** Whether no row of a list was created after the one before it. Those of one moment may come in any order. */
export const isNewestFirst = (list: Answer): boolean => {
  const times = list
    .items()
    .filter(isObject)
    .map(({ created_at }) => Date.parse(String(created_at)))
  return times.every((at, nth) => at <= (times[nth - 1] ?? Infinity))
}
