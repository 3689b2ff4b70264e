/** `npm run conformance:strength`: how much of what can be wrong with a server the suite sees. */
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { clauses } from "../../src/clauses/Clauses.ts"
import { isJudgeable } from "../../src/run/ClauseCount.ts"
import { streamOf } from "../../src/run/Seed.ts"
import { type Fairness, fairness } from "./Fairness.ts"
import { type Fate, fateOf, judgedWithoutProfile } from "./Measure.ts"
import type { Mutant } from "./Mutant.ts"
import { extensionMutants } from "./ExtensionMutants.ts"
import { mutants } from "./Mutants.ts"
import { picture } from "./Picture.ts"
import { type ReadingJudgement, readings, readingsSummaryOf, type ReadingsSummary } from "./Readings.ts"
import { readingsWritten, type Summary, summaryOf, written } from "./Summary.ts"

const usage = `npm run conformance:strength -- [options]
  --sample N        N mutants, the same in every run
  --only PREFIX     mutants of these clauses (repeatable)
  --survivors FILE  only the mutants that a run before did not kill
  --extensions      the mutants of extensions instead of those of the contract; nothing else is judged
  --all             every case against every mutant, and every case that sees it
  --every-case      every case about the clause, not only until one sees the mutant
  --no-canary       does not judge the healthy server first, nor its conforming variations
  --no-readings     does not judge the mutants of readings once more, without a profile
  --only-readings   does nothing else
  --processes N     mutants that are tried at the same time (2)
  --after NAME      what is not tried again, and what --no-canary and --no-readings leave out, is as NAME says
  --out NAME        results/NAME.json, and the picture of docs/internals/suite-strength.md with the first run, of every case about the
                    clause; nothing is written without`

/** Processes that try mutants side by side. */
const defaultProcesses = 2

/** Real time that the readings of one process may take, in milliseconds; what is left then is told as not judged. */
const readingsLimitMs = 15 * 60_000

/** The seed of a sample: every run of it takes the same mutants. */
const sampleSeed = 16

const { values } = parseArgs({
  options: {
    sample: { type: "string" },
    only: { type: "string", multiple: true },
    survivors: { type: "string" },
    extensions: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    "every-case": { type: "boolean", default: false },
    "no-canary": { type: "boolean", default: false },
    "no-readings": { type: "boolean", default: false },
    "only-readings": { type: "boolean", default: false },
    processes: { type: "string", default: String(defaultProcesses) },
    after: { type: "string" },
    out: { type: "string" },
    shard: { type: "string" },
    "readings-shard": { type: "string" },
    help: { type: "boolean", default: false },
  },
})

const missedBefore = (file: string): ReadonlySet<string> => {
  const read: { readonly fates: ReadonlyArray<Fate> } = JSON.parse(readFileSync(file, "utf8"))
  return new Set(read.fates.filter(({ fate }) => fate !== "killed").map(({ id }) => id))
}

const chosen = (): ReadonlyArray<Mutant> => {
  const { only, sample, survivors } = values
  const missed = survivors === undefined ? undefined : missedBefore(survivors)
  const some = (values.extensions ? extensionMutants : mutants).filter(
    ({ clause, id }) =>
      (missed === undefined || missed.has(id)) &&
      (only === undefined || only.some((prefix) => clause === prefix || clause.startsWith(`${prefix}-`))),
  )
  if (sample === undefined) return some
  const random = streamOf(sampleSeed)
  return some
    .map((mutant) => ({ mutant, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, Number(sample))
    .map(({ mutant }) => mutant)
}

const everyCase = values.all || values["every-case"] || values.out !== undefined

const thoroughness = { everyCase, wholeSuite: values.all }

/** What of a list is one shard's. */
const ofShard = (shard: string, all: ReadonlyArray<Mutant>): ReadonlyArray<Mutant> => {
  const [index = 0, count = 1] = shard.split("/").map(Number)
  return all.filter((_, at) => at % count === index)
}

/** Tries the mutants of one shard, and prints the fate of each as a line of JSON. */
const tryShard = async (shard: string): Promise<void> => {
  for (const mutant of ofShard(shard, chosen())) {
    process.stdout.write(`${JSON.stringify(await fateOf(mutant, thoroughness))}\n`)
  }
}

const chosenReadings = (): ReadonlyArray<Mutant> => {
  const some = new Set(chosen())
  return readings.filter((mutant) => some.has(mutant))
}

/** Judges the readings of one shard without a profile, as long as there is time, and prints each as a line of JSON. */
const judgeShard = async (shard: string): Promise<void> => {
  const ends = performance.now() + readingsLimitMs
  for (const mutant of ofShard(shard, chosenReadings())) {
    if (performance.now() > ends) return
    process.stdout.write(`${JSON.stringify(await judgedWithoutProfile(mutant, "folder"))}\n`)
  }
}

/** Runs this program again for one shard, and hands on each line that it prints. */
const inProcess = (option: "--shard" | "--readings-shard", shard: string, seen: (line: string) => void) =>
  new Promise<void>((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1), option, shard], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    createInterface({ input: child.stdout }).on("line", seen)
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`shard ${shard} ended with ${String(code)}`)),
    )
  })

const everyShard = (option: "--shard" | "--readings-shard", seen: (line: string) => void) => {
  const processes = Number(values.processes)
  return Promise.all(Array.from({ length: processes }, (_, index) => inProcess(option, `${index}/${processes}`, seen)))
}

/** Judges the mutants of readings without a profile, and names what fails of them that should not. */
const judgeReadings = async (): Promise<ReadingsSummary> => {
  const started = performance.now()
  const judgements: Array<ReadingJudgement> = []
  await everyShard("--readings-shard", (line) => judgements.push(JSON.parse(line)))
  const found = readingsSummaryOf(chosenReadings(), judgements, (performance.now() - started) / 1000)
  for (const failure of found.falseFailures) console.error(`a false failure without a profile: ${failure}`)
  for (const clause of found.stale) console.error(`said to fail without a profile, and does not: ${clause}`)
  if (found.falseFailures.length > 0 || found.stale.length > 0) process.exitCode = 1
  return found
}

const measure = async (): Promise<void> => {
  const started = performance.now()
  const found: Fairness | null = values["no-canary"] ? null : await fairness()
  if (found !== null && found.blamed.length > 0) {
    console.error(`The healthy server is blamed, so nothing else counts:\n${found.blamed.join("\n")}`)
    process.exitCode = 1
    return
  }
  const fates: Array<Fate> = []
  await everyShard("--shard", (line) => {
    const fate: Fate = JSON.parse(line)
    fates.push(fate)
    if (fate.fate !== "killed") console.error(`${fate.fate.padEnd(8)} ${fate.id.padEnd(28)} ${fate.breaks}`)
  })
  const judged = values["no-readings"] ? null : await judgeReadings()
  const seconds = (performance.now() - started) / 1000
  const before = values.after === undefined ? undefined : measured(values.after)
  const tried = new Set(fates.map(({ id }) => id))
  const all = [...(before?.fates.filter(({ id }) => !tried.has(id)) ?? []), ...fates]
  const summary = summaryOf(
    all,
    clauses.filter(isJudgeable).map(({ id }) => id),
    mutants.map(({ clause }) => clause),
    found ?? before?.fairness ?? null,
    judged ?? before?.readings ?? null,
    seconds,
    everyCase && chosen().length + (before?.fates.length ?? 0) >= mutants.length,
  )
  console.log(written(summary))
  if (values.out !== undefined) write(values.out, { ...summary, fates: all })
}

/** Tries the mutants of extensions, and says which of them live. */
const measureExtensions = async (): Promise<void> => {
  const fates: Array<Fate> = []
  await everyShard("--shard", (line) => fates.push(JSON.parse(line)))
  const alive = fates.filter(({ fate }) => fate !== "killed")
  for (const { breaks, fate, id, others } of alive)
    console.log(`${fate.padEnd(8)} ${id}: ${breaks} ${others.join(", ")}`)
  console.log(
    `mutants of extensions: ${fates.length}, killed by a check of their own clause: ${fates.length - alive.length}`,
  )
  if (values.out !== undefined) writeFates(values.out, fates)
  if (alive.length > 0) process.exitCode = 1
}

/** Writes what became of mutants alone, one a line. */
const writeFates = (name: string, fates: ReadonlyArray<Fate>): void => {
  const lines = fates.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ ms: _ms, ...fate }) => JSON.stringify(fate))
  writeFileSync(new URL(`${name}.json`, results), `{\n  "fates": [\n${lines.join(",\n")}\n  ]\n}\n`)
}

interface Measured extends Summary {
  readonly fates: ReadonlyArray<Fate>
}

const results = new URL("results/", import.meta.url)

const measured = (name: string): Measured => {
  const read: Measured = JSON.parse(readFileSync(new URL(`${name}.json`, results), "utf8"))
  return read
}

/** The first measurement, before a case was read; every later one is drawn beside it. */
const first = "first"

/** Writes a measurement as data, one fate a line, and as a picture. */
const write = (name: string, { fates, ...summary }: Measured): void => {
  mkdirSync(results, { recursive: true })
  const lines = fates.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((fate) => JSON.stringify(fate))
  const head = JSON.stringify(summary, null, 2).slice(0, -2)
  writeFileSync(new URL(`${name}.json`, results), `${head},\n  "fates": [\n${lines.join(",\n")}\n  ]\n}\n`)
  const now = ["now", summary] as const
  const drawn = name === first ? [now] : [["first run", measured(first)] as const, now]
  writeFileSync(new URL("../../../docs/images/suite-strength.svg", import.meta.url), picture(drawn))
}

if (values.help) console.log(usage)
else if (values.shard !== undefined) await tryShard(values.shard)
else if (values["readings-shard"] !== undefined) await judgeShard(values["readings-shard"])
else if (values.extensions) await measureExtensions()
else if (values["only-readings"]) console.log(readingsWritten(await judgeReadings()))
else await measure()
