import { expect, test } from "vitest"
import { replay, worldOptionsOf } from "../../src/journal/Replay.ts"
import { replayReport } from "../../src/journal/ReplayReport.ts"
import { goals } from "../../soak/Goals.ts"
import { type Findings, minimalJournal } from "../../soak/Minimal.ts"
import { randomJournal, type SoakReport, soakWorld } from "../../soak/WorldSoak.ts"

/** Worlds that are short enough for every run of the tests, and between them reach most goals. */
const seeds = [3, 4, 7, 9]

const worlds = new Map<number, Promise<SoakReport>>()

/** What the world of a seed came to: it is lived through once, whatever is asked of it. */
const worldOf = (seed: number): Promise<SoakReport> => {
  const world = worlds.get(seed) ?? soakWorld(seed)
  worlds.set(seed, world)
  return world
}

test("random worlds break no invariant and come to rest, and their journals say everything about them", async () => {
  const reached = new Set<string>()
  for (const seed of seeds) {
    const report = await worldOf(seed)
    expect([seed, report.faults]).toEqual([seed, []])
    for (const goal of report.goals) reached.add(goal)
    const [first, second] = [await replayReport(report.journal, "None"), await replayReport(report.journal, "None")]
    expect(second).toEqual(first)
    expect([seed, first.violations]).toEqual([seed, []])
  }
  expect(reached.size).toBeGreaterThan(goals.length / 3)
})

test("a world is a function of its seed", async () => {
  const [first, second] = [await worldOf(4), await soakWorld(4)]
  expect(second).toEqual(first)
})

test("a journal that breaks nothing cannot be made smaller", async () => {
  const { journal } = await worldOf(4)
  expect(await minimalJournal(journal)).toBeNull()
})

/** A short world in which two requests meet in a crowded moment, and time goes by before and after. */
const crowded = { seed: 8, steps: 14 }

const patienceMs = 1_500

test("a world with crowded moments is replayed to the same world, whole and made smaller", async () => {
  const journal = await randomJournal(crowded.seed, crowded.steps)
  const moments = ({ lines }: typeof journal) =>
    lines.filter(({ entry }) => entry.input === "interleave" && entry.commits === 1).length
  expect(moments(journal)).toBeGreaterThan(0)
  expect(await randomJournal(crowded.seed, crowded.steps)).toEqual(journal)
  const whole = await replayReport(journal, "None")
  expect(await replayReport(journal, "None")).toEqual(whole)
  const { world } = await replay(worldOptionsOf(journal), journal, { logLevel: "None" })
  expect(world.journal.cut()()).toEqual(journal)

  const statuses: Findings = ({ world }) => Object.keys(world.rows.callsByStatus())
  const smaller = await minimalJournal(journal, statuses, patienceMs)
  expect(smaller?.lines.length).toBeLessThan(journal.lines.length)
  if (smaller === null) return
  const again = await replayReport(smaller, "None")
  expect(await replayReport(smaller, "None")).toEqual(again)
})
