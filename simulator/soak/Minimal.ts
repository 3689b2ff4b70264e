import type { JournalLine, WrittenJournal } from "../src/journal/Journal.ts"
import { replay, worldOptionsOf } from "../src/journal/Replay.ts"

/** Real time that is spent on making a journal smaller. */
const patienceMs = 20_000

/** The names of the invariants that a journal breaks. */
const brokenBy = async (journal: WrittenJournal): Promise<ReadonlySet<string>> => {
  try {
    const stage = await replay(worldOptionsOf(journal), journal, { logLevel: "None", isExact: false })
    return new Set(stage.world.invariants.violations.map(({ name }) => name))
  } catch {
    // What was cut out was needed for what is left.
    return new Set()
  }
}

/** The fewest inputs found that still break one of the invariants which the whole journal breaks; null where it breaks none. */
export const minimalJournal = async (journal: WrittenJournal): Promise<WrittenJournal | null> => {
  const [broken] = await brokenBy(journal)
  if (broken === undefined) return null
  const until = performance.now() + patienceMs
  let lines: ReadonlyArray<JournalLine> = journal.lines
  for (let size = Math.ceil(lines.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < lines.length && performance.now() < until;) {
      const fewer = lines.toSpliced(from, size)
      if ((await brokenBy({ ...journal, lines: fewer })).has(broken)) lines = fewer
      else from += size
    }
  }
  return { ...journal, lines }
}
