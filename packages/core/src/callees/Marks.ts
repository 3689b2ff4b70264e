import { isValidZone } from "../dispatch/ZoneOffsets.ts"
import { limits } from "../Limits.ts"
import { type CalleeHours, type CalleePlace, type Stretch, stretchAt, zoneHoursOf } from "./CalleeHours.ts"
import { countryOfZone, zonePrefixOf, zonesOfNumber } from "./NumberZones.ts"

/**
 * Whose hours a contact waits for, in a few characters: the name of its zone, `+` and the prefix of its number where that may be in several,
 * or both where the zone is of no country. All contacts with one mark are open and closed at the same times, whatever the hours are.
 */
export const markOf = ({ timezone, to_number }: CalleePlace): string => {
  const prefix = `+${zonePrefixOf(to_number) ?? ""}`
  if (timezone !== null && isValidZone(timezone)) {
    return countryOfZone(timezone) === null ? `${timezone} ${prefix}` : timezone
  }
  const [first = prefix, ...others] = zonesOfNumber(to_number) ?? []
  return others.length === 0 ? first : prefix
}

/** What a mark says of where a callee may be: of its number it has the prefix only. */
export const placeOfMark = (mark: string): CalleePlace => {
  const at = mark.indexOf("+", mark.startsWith("Etc/GMT+") ? "Etc/GMT+".length : 0)
  const timezone = at < 0 ? mark : mark.slice(0, at).trimEnd()
  return { timezone: timezone === "" ? null : timezone, to_number: at < 0 ? "+" : mark.slice(at) }
}

interface Known extends Stretch {
  readonly from: number
}

const known = new WeakMap<CalleeHours, Map<string, Known>>()

/** Whether contacts with a mark are open, and until when; it is worked out anew only when that time has come. */
export const stretchOfMark = (setting: CalleeHours, mark: string, at: number): Stretch => {
  const marks = known.get(setting) ?? new Map<string, Known>()
  known.set(setting, marks)
  const before = marks.get(mark)
  if (before !== undefined && before.from <= at && at < before.until) return before
  if (marks.size >= limits.calleeMarksRemembered) marks.clear()
  const stretch = { ...stretchAt(zoneHoursOf(placeOfMark(mark), setting), at), from: at }
  marks.set(mark, stretch)
  return stretch
}
