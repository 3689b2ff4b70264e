const grammar =
  /^P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,3})?)S)?)?$/

const unitsMs = [7 * 24 * 3_600_000, 24 * 3_600_000, 3_600_000, 60_000, 1_000]

/** Milliseconds of an ISO 8601 duration; null where it is none, or counts in months and years, which have no fixed length. */
export const isoDurationMs = (text: string): number | null => {
  const parts = grammar.exec(text)
  if (parts === null || text === "P") return null
  return Math.round(unitsMs.reduce((sum, unit, index) => sum + unit * Number(parts[index + 1] ?? 0), 0))
}
