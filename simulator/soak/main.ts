import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { journalText } from "../src/journal/Journal.ts"
import { goals } from "./Goals.ts"
import { minimalJournal } from "./Minimal.ts"
import { watchdog } from "./Watchdog.ts"
import { type SoakReport, soakWorld } from "./WorldSoak.ts"

const usage = "npm run soak -- [--seeds N] [--minutes M] [--first SEED] [--until-fault]\n"

const defaultSeeds = 100

/** Faults that are printed of one world. */
const shownFaults = 10

const numberOf = (text: string | undefined, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text)
  if (value > 0 || text === undefined) return value
  process.stderr.write(usage)
  process.exit(2)
}

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    minutes: { type: "string" },
    first: { type: "string" },
    "until-fault": { type: "boolean" },
  },
})
const minutes = numberOf(values.minutes, Infinity)
const seeds = numberOf(values.seeds, minutes === Infinity ? defaultSeeds : Infinity)
const first = values.first === undefined ? 1 : Number(values.first)
if (!Number.isInteger(first)) {
  process.stderr.write(usage)
  process.exit(2)
}

const say = (text: string) => process.stdout.write(`${text}\n`)

/** How often each goal was reached, in how many worlds. */
const reached = new Map<string, number>(goals.map((goal) => [goal, 0]))

const tell = async ({ faults, journal, parameters, seed }: SoakReport): Promise<void> => {
  say(`seed ${seed}`)
  say(`  ${JSON.stringify(parameters)}`)
  for (const fault of faults.slice(0, shownFaults)) say(`  ${fault}`)
  const minimal = await minimalJournal(journal)
  const file = `soak-${seed}.jsonl`
  writeFileSync(file, journalText(minimal ?? journal))
  say(
    `  ${(minimal ?? journal).lines.length} of ${journal.lines.length} inputs are in ${file}; replay it with: npm start -- replay ${file}`,
  )
}

const began = performance.now()
const minutesGone = () => (performance.now() - began) / 60_000
const begins = watchdog()
let worlds = 0
let events = 0
let failed = 0

for (let seed = first; worlds < seeds && minutesGone() < minutes; seed++) {
  begins(seed)
  const report = await soakWorld(seed)
  worlds += 1
  events += report.events
  for (const goal of report.goals) {
    const count = reached.get(goal)
    if (count !== undefined) reached.set(goal, count + 1)
  }
  if (report.faults.length === 0) continue
  failed += 1
  if (values["until-fault"] === true) {
    const seconds = Math.round(minutesGone() * 60)
    say(`found by seed ${seed}, world ${worlds}, after ${events} events and ${seconds} s: ${report.faults[0]}`)
    process.exit(1)
  }
  await tell(report)
}

if (values["until-fault"] === true) {
  say(`not found in ${worlds} worlds and ${events} events`)
  process.exit(0)
}
const missed = goals.filter((goal) => reached.get(goal) === 0)
say("")
for (const [goal, count] of reached) say(`${String(count).padStart(6)}  ${goal}`)
say("")
say(`${worlds} worlds (seeds ${first} to ${first + worlds - 1}), ${events} events, ${minutesGone().toFixed(1)} minutes`)
say(`${failed} worlds with faults, ${missed.length} goals never reached`)
for (const goal of missed) say(`  never: ${goal}`)
process.exit(failed === 0 && missed.length === 0 ? 0 : 1)
