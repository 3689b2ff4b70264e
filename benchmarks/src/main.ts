import { fork } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Result, Run, Scale } from "./Harness.ts"
import { busy, conditions, watchOthers } from "./Machine.ts"
import { disturbed, unfit } from "./Record.ts"
import { recorded } from "./Recorded.ts"
import { write, writeRun } from "./Report.ts"
import type { Asked } from "./ScenarioProcess.ts"
import { scenarios } from "./Scenarios.ts"
import { kill } from "./scenarios/Kill.ts"
import { purge } from "./scenarios/Purge.ts"
import { size } from "./scenarios/Size.ts"
import { targetTable } from "./TargetTable.ts"
import { targets } from "./Targets.ts"

/** Not among those that run where none is named. */
const runs: ReadonlyArray<Run> = [kill, size, purge]

const scales: ReadonlyArray<Scale> = ["small", "usual", "whole"]

const names = (list: ReadonlyArray<{ readonly name: string }>) => list.map(({ name }) => name).join(", ")
const usage = `npm run bench -- [scenario …] [--rounds N] [--scale ${scales.join("|")}]
scenarios: ${names(scenarios)}
npm run bench -- table [--recorded]
npm run bench -- ${names(runs)} [--kills N] [--lines N] [--seed N]
`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    scale: { type: "string", default: "usual" },
    recorded: { type: "boolean", default: false },
    kills: { type: "string", default: "100" },
    lines: { type: "string", default: "32" },
    // oxlint-disable-next-line no-restricted-properties -- here a seed begins, which is printed
    seed: { type: "string", default: `${Math.floor(Math.random() * 1_000_000)}` },
  },
})
const [rounds, kills, lines, seed] = [values.rounds, values.kills, values.lines, values.seed].map(Number)
const scale = scales.find((each) => each === values.scale)
const known = [...scenarios, ...runs]
const isTable = positionals.includes("table")
const unknown = positionals.filter((name) => name !== "table" && !known.some((each) => each.name === name))
const isCount = (value: number | undefined, least: number): value is number =>
  value !== undefined && Number.isInteger(value) && value >= least
if (
  unknown.length > 0 ||
  scale === undefined ||
  !isCount(rounds, 1) ||
  !isCount(kills, 0) ||
  !isCount(lines, 8) ||
  !isCount(seed, 0)
) {
  process.stderr.write(usage)
  process.exit(2)
}

const directory = join(import.meta.dirname, "..", "results")
const ofTable = new Set(targets.map(({ scenario }) => scenario))
const print = (results: ReadonlyMap<string, ReadonlyArray<Result>>) =>
  process.stdout.write(`${targetTable(results, scale).join("\n")}\n`)

if (isTable && values.recorded) {
  print(new Map([...ofTable].map((name) => [name, recorded(directory, name)])))
  process.exit(0)
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

/** Runs a scenario in a process of its own; null where it fails. */
const measured = (asked: Asked): Promise<ReadonlyArray<Result> | null> => {
  const { promise, resolve } = Promise.withResolvers<ReadonlyArray<Result> | null>()
  fork(join(import.meta.dirname, "ScenarioProcess.ts"), [JSON.stringify(asked)])
    .once("message", (results: ReadonlyArray<Result>) => resolve(results))
    .once("disconnect", () => resolve(null))
  return promise
}

const taken = conditions()
const { cores, cpu, load, node } = taken
process.stdout.write(`${cpu}, ${cores} cores, Node ${node}, load average ${load.toFixed(2)}\n`)
const reason = busy(taken)
process.stdout.write(reason === null ? "\n" : `Nothing of this will be recorded: ${reason}.\n\n`)

const isChosen = (name: string): boolean =>
  positionals.length === 0 || positionals.includes(name) || (isTable && ofTable.has(name))

const all = new Map<string, ReadonlyArray<Result>>()
for (const { name } of scenarios.filter((each) => isChosen(each.name))) {
  const results = await measured({ name, rounds, scale })
  if (results === null) process.exitCode = 1
  else all.set(name, results)
  const against = results === null ? ["it failed"] : unfit(results, scale, taken)
  if (results !== null && against.length === 0) write(directory, name, results, taken)
  else process.stdout.write(`${against.map((each) => `  not recorded: ${each}\n`).join("")}\n`)
}

if (isTable) print(all)

for (const run of runs.filter(({ name }) => positionals.includes(name))) {
  process.stdout.write(`${run.name}: ${run.question}\n\n`)
  const others = watchOthers()
  const shown = await run.run({ seed, kills, lines })
  if (typeof shown === "string") {
    process.stdout.write(`  cannot be run: ${shown}\n\n`)
    process.exitCode = 1
    continue
  }
  process.stdout.write(`\n${shown.lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n\n`)
  if (shown.errors > 0) process.exitCode = 1
  const against = reason ?? disturbed(others())
  if (against === null) writeRun(directory, run.name, shown, taken)
  else process.stdout.write(`  not recorded: ${against}\n\n`)
}
