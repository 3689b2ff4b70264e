/**
 * Offsets of IANA zones as small tables, read from the runtime's own time zone data once per zone and span of time: asking `Intl`
 * for each call and contact would cost more than the rest of a dispatch. A table is a function of its key, so the cache is invisible.
 */

const secondMs = 1000
const dayMs = 86_400_000
/** How much time one table covers. */
const spanMs = 400 * dayMs
/** At this distance a zone is asked for its offset: since 1945 no clocks have been back to what they showed before in less than 6.9 days. */
const stepMs = 6 * dayMs
/** Tables reach this far over both ends of their span: further than an offset or a jump of the clocks, each under 26 hours. */
const marginMs = 2 * dayMs
/** More than there are zone names, so that only odd spellings are ever evicted. */
const cachedZones = 1024
const cachedSpansPerZone = 32

/** The stretches of constant offset within a span, in order. */
interface OffsetTable {
  readonly starts: ReadonlyArray<number>
  readonly offsets: ReadonlyArray<number>
  /** The furthest wall time shown before each stretch began. */
  readonly crests: ReadonlyArray<number>
}

const offsetPattern = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/

const offsetReader = (zone: string): ((at: number) => number) => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" })
  return (at) => {
    const [, sign, hours, minutes, seconds] = offsetPattern.exec(format.format(at)) ?? []
    const total = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
    return (sign === "-" ? -total : total) * secondMs
  }
}

const readTable = (zone: string, span: number): OffsetTable => {
  const offsetAt = offsetReader(zone)
  const from = span * spanMs - marginMs
  const until = (span + 1) * spanMs + marginMs
  let offset = offsetAt(from)
  let crest = -Infinity
  const starts = [from]
  const offsets = [offset]
  const crests = [crest]
  for (let step = from; step < until; step += stepMs) {
    const nextStep = step + stepMs
    const offsetNextStep = offsetAt(nextStep)
    let before = step
    while (offset !== offsetNextStep) {
      let after = nextStep
      while (after - before > secondMs) {
        const middle = before + Math.floor((after - before) / 2 / secondMs) * secondMs
        if (offsetAt(middle) === offset) before = middle
        else after = middle
      }
      crest = Math.max(crest, after + offset - 1)
      offset = offsetAt(after)
      starts.push(after)
      offsets.push(offset)
      crests.push(crest)
      before = after
    }
  }
  return { starts, offsets, crests }
}

const zones = new Map<string, Map<number, OffsetTable>>()

const remember = <K, V>(cache: Map<K, V>, bound: number, key: K, value: V): V => {
  if (cache.size >= bound) {
    for (const oldest of cache.keys()) {
      cache.delete(oldest)
      break
    }
  }
  cache.set(key, value)
  return value
}

/** The span of time that is read at once for an instant, by its number. */
export const spanOf = (at: number): number => Math.floor(at / spanMs)

/** Whether the offsets of a zone about an instant were read. Whoever asks for one of them reads them, which takes long for hundreds of zones. */
export const isRead = (zone: string, at: number): boolean => zones.get(zone)?.has(spanOf(at)) === true

/** The table whose span holds the time, which may be an instant or a wall time: the margin covers the difference. */
const tableAt = (zone: string, time: number): OffsetTable => {
  const span = spanOf(time)
  const known = zones.get(zone)?.get(span)
  if (known !== undefined) return known
  // Read first: what is no zone throws here and is not remembered as one.
  const table = readTable(zone, span)
  const spans = zones.get(zone) ?? remember(zones, cachedZones, zone, new Map<number, OffsetTable>())
  return remember(spans, cachedSpansPerZone, span, table)
}

const stretchAt = (table: OffsetTable, at: number): number => {
  let index = table.starts.length - 1
  while (index > 0 && table.starts[index]! > at) index--
  return index
}

/** What the zone's clocks show at an instant is the instant plus this (milliseconds). Throws where `isValidZone` says no. */
export const offsetAt = (zone: string, at: number): number => {
  const table = tableAt(zone, at)
  return table.offsets[stretchAt(table, at)]!
}

/** By what its clocks are ahead of UTC all the time from one instant to another; null where that changes, or is in no one table. */
export const steadyOffset = (zone: string, from: number, until: number): number | null => {
  const table = tableAt(zone, from)
  if (spanOf(from) !== spanOf(until)) return null
  const index = stretchAt(table, from)
  const next = table.starts[index + 1]
  return next === undefined || until < next ? table.offsets[index]! : null
}

/**
 * The furthest wall time that the zone's clocks have shown up to an instant, as milliseconds since 1970-01-01T00:00 local. It is the
 * wall time itself, except in the second pass of a repeated hour, where it stands still: so it never runs backwards.
 */
export const wallTime = (zone: string, at: number): number => {
  const table = tableAt(zone, at)
  const index = stretchAt(table, at)
  return Math.max(at + table.offsets[index]!, table.crests[index]!)
}

/** The first instant at which the zone's clocks show the wall time or, where they skip it, the first one after it. */
export const firstInstant = (zone: string, wall: number): number => {
  const { starts, offsets } = tableAt(zone, wall)
  for (let index = 0; ; index++) {
    const at = Math.max(starts[index]!, wall - offsets[index]!)
    const next = starts[index + 1]
    if (next === undefined || at < next) return at
  }
}

const zonePattern = /^[A-Z][A-Z0-9_+-]*(?:\/[A-Z0-9_+-]+)*$/i

/**
 * Abbreviations that some runtimes know beside the IANA names. They mean what few would guess (`BST` is Dhaka, `IST` India alone), so
 * nobody is rung by them.
 */
const abbreviations = new Set(
  "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST".split(" "),
)

/** Zones by how they were written: to ask the runtime costs more than all else of a call's rules. */
const names = new Map<string, string>()

/**
 * The zone of an IANA name that the runtime knows (`Europe/Paris`, `UTC`, `Japan`, `EST5EDT`), as the runtime spells it; null where the text is none. A
 * bare offset is none. Whoever keeps something by zone keeps it by this name: one zone has thousands of spellings, capitals and small letters.
 */
export const zoneNamed = (text: string): string | null => {
  const known = names.get(text)
  if (known !== undefined) return known
  if (!zonePattern.test(text) || abbreviations.has(text.toUpperCase())) return null
  try {
    const { timeZone } = Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions()
    return remember(names, cachedZones, text, timeZone)
  } catch {
    return null
  }
}

/** Whether the text is the name of a zone. */
export const isValidZone = (text: string): boolean => zoneNamed(text) !== null
