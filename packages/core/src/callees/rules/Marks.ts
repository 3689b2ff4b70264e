import { isValidZone } from "../../dispatch/rules/ZoneOffsets.ts"
import { hash32 } from "../../engine/rules/Hash.ts"
import { limits } from "../../Limits.ts"
import { type CalleeHours, type CalleePlace, type Stretch, stretchAt, zoneHoursOf } from "./CalleeHours.ts"
import { countriesOfNumber, countryOfZone, countryPrefixOf, zonePrefixOf, zonesOfNumber } from "./NumberZones.ts"

/**
 * Whose hours a contact waits for, in a few characters: the name of its zone, `+` and the prefix of its number where that may be in several,
 * or both where the zone is of no country. There the number says the country only, so all numbers of the same countries have the prefix of one of
 * them. All contacts with one mark are open and closed at the same times, whatever the hours are.
 */
export const markOf = ({ timezone, to_number }: CalleePlace): string => {
  if (timezone !== null && isValidZone(timezone)) {
    return countryOfZone(timezone) === null ? `${timezone} +${countryPrefixOf(to_number) ?? ""}` : timezone
  }
  const prefix = `+${zonePrefixOf(to_number) ?? ""}`
  const [first = prefix, ...others] = zonesOfNumber(to_number) ?? []
  return others.length === 0 ? first : prefix
}

/** Stands behind a mark before the variable by which it was found; no zone and no prefix has it. */
const by = "@"

/**
 * The mark of a follow-up that was put off for a working day, because its campaign gave no hours: so it is found where some are given. To callee hours it is
 * a variable that nobody has, so whoever has it is judged anew, by an earlier release, too.
 */
export const untilWorkingDay = `${by}~day`

/** By which variable zones are named unless a setting says otherwise. */
const usualColumn = "timezone"

const radix = 36

/** Short, because it stands in an index: two variables that look alike here are confused once in four billion. */
const behindMarksBy = (column: string | null): string =>
  column === usualColumn ? "" : `${by}${column === null ? "" : hash32(column).toString(radix)}`

/** The mark of a place that was found by a variable; null: by none. */
export const markBy = (place: CalleePlace, column: string | null): string => `${markOf(place)}${behindMarksBy(column)}`

/** Stands before the agent of a mark, behind the place. An earlier release takes it for a variable that it does not know, and judges anew. */
const ofAgent = `${by}!`

/** The parts of a mark: where somebody is, who is to call them where that is said, and by which variable the place was found. */
const partsOf = (
  mark: string,
): { readonly place: string; readonly agent_id: string | null; readonly behind: string } => {
  const at = mark.indexOf(by)
  if (at < 0) return { place: mark, agent_id: null, behind: "" }
  const place = mark.slice(0, at)
  if (!mark.startsWith(ofAgent, at)) return { place, agent_id: null, behind: mark.slice(at) }
  const from = at + ofAgent.length
  const end = mark.indexOf(by, from)
  return end < 0
    ? { place, agent_id: mark.slice(from), behind: "" }
    : { place, agent_id: mark.slice(from, end), behind: mark.slice(end) }
}

/** The mark of whoever waits for the hours of one agent, while they are open for others of the lane. */
export const markOfAgent = (mark: string, agentId: string): string => {
  const { behind, place } = partsOf(mark)
  return `${place}${ofAgent}${agentId}${behind}`
}

/** For the hours of which agent whoever has a mark waits; null: of any of the lane. */
export const agentOfMark = (mark: string): string | null => partsOf(mark).agent_id

/** Whether a mark was found by a variable. By another one its contacts may be elsewhere. */
export const isMarkBy = (mark: string, column: string | null): boolean => partsOf(mark).behind === behindMarksBy(column)

/** What a mark says of where a callee may be: of its number it has the prefix only. */
export const placeOfMark = (found: string): CalleePlace => {
  const { place: mark } = partsOf(found)
  const at = mark.indexOf("+", mark.startsWith("Etc/GMT+") ? "Etc/GMT+".length : 0)
  const timezone = at < 0 ? mark : mark.slice(0, at).trimEnd()
  return { timezone: timezone === "" ? null : timezone, to_number: at < 0 ? "+" : mark.slice(at) }
}

/**
 * The name by which it is remembered whether a mark is open: in a zone of no country all countries without hours of their own are one. Nothing is
 * told apart that the setting does not tell apart, so there are no more names than its bytes have room for.
 */
const nameIn = ({ countries }: CalleeHours, found: string): string => {
  const { place: mark } = partsOf(found)
  const at = mark.indexOf(" ")
  if (at < 0) return mark
  const own = countriesOfNumber(mark.slice(at + 1)).map((country) =>
    country !== null && countries[country] !== undefined ? country : "",
  )
  return `${mark.slice(0, at)} ${[...new Set(own)].join()}`
}

interface Known extends Stretch {
  readonly from: number
}

/** By names, those that were asked for longest ago first. */
const known = new WeakMap<CalleeHours, Map<string, Known>>()

/** Takes the place of the one that was asked for longest ago where there is room for no more. */
const remember = (names: Map<string, Known>, name: string, stretch: Known): Known => {
  names.delete(name)
  if (names.size >= limits.calleeMarksRemembered) {
    for (const oldest of names.keys()) {
      names.delete(oldest)
      break
    }
  }
  names.set(name, stretch)
  return stretch
}

/** Whether contacts with a mark are open, and until when; it is worked out anew only when that time has come. */
export const stretchOfMark = (setting: CalleeHours, mark: string, at: number): Stretch => {
  const names = known.get(setting) ?? new Map<string, Known>()
  known.set(setting, names)
  const name = nameIn(setting, mark)
  const before = names.get(name)
  if (before !== undefined && before.from <= at && at < before.until) return remember(names, name, before)
  return remember(names, name, { ...stretchAt(zoneHoursOf(placeOfMark(mark), setting), at), from: at })
}
