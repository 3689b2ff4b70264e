import { expect, test } from "vitest"
import { randomJournal } from "../../soak/WorldSoak.ts"
import { replayReport } from "../../src/journal/ReplayReport.ts"

const journals = 50
const steps = 6

test(`${journals} random journals do the same twice, to the byte`, async () => {
  const hashes = new Set<string>()
  for (let seed = 1; seed <= journals; seed++) {
    const journal = await randomJournal(seed, steps)
    const first = await replayReport(journal, "None")
    expect(await replayReport(journal, "None")).toEqual(first)
    expect([seed, first.violations]).toEqual([seed, []])
    hashes.add(first.hash)
  }
  expect(hashes.size).toBe(journals)
})
