import type { JournalLine, WrittenJournal } from "../src/journal/Journal.ts"
import { replay, worldOptionsOf } from "../src/journal/Replay.ts"
import type { Stage } from "../src/Stage.ts"

/** Real time that is spent on making a journal smaller. */
const patienceMs = 20_000

/** What a journal is made smaller for, by name, as a world shows it. */
export type Findings = (stage: Stage) => ReadonlyArray<string>

const brokenInvariants: Findings = ({ world }) => world.invariants.violations.map(({ name }) => name)

/** Lives through what is left of a journal. What came after what was cut out may come at another time than before. */
const relived = (journal: WrittenJournal): Promise<Stage> =>
  replay(worldOptionsOf(journal), journal, { logLevel: "None", isExact: false })

/** What a journal shows. */
const shownBy = async (journal: WrittenJournal, findings: Findings): Promise<ReadonlySet<string>> => {
  try {
    return new Set(findings(await relived(journal)))
  } catch {
    // What was cut out was needed for what is left.
    return new Set()
  }
}

/**
 * The fewest inputs found that still break one of the invariants which the whole journal breaks, each with the time at which it comes now, so
 * that the journal can be replayed as any other; null where it breaks none.
 */
export const minimalJournal = async (
  journal: WrittenJournal,
  findings: Findings = brokenInvariants,
  patience = patienceMs,
): Promise<WrittenJournal | null> => {
  const [shown] = await shownBy(journal, findings)
  if (shown === undefined) return null
  const until = performance.now() + patience
  let lines: ReadonlyArray<JournalLine> = journal.lines
  for (let size = Math.ceil(lines.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < lines.length && performance.now() < until;) {
      const fewer = lines.toSpliced(from, size)
      if ((await shownBy({ ...journal, lines: fewer }, findings)).has(shown)) lines = fewer
      else from += size
    }
  }
  const { world } = await relived({ ...journal, lines })
  return world.journal.cut()()
}
