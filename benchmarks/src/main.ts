import { join } from "node:path"
import { parseArgs } from "node:util"
import { compare, conditions, type Result, type Run, type Scenario } from "./Harness.ts"
import { table, write, writeRun } from "./Report.ts"
import { dispatch } from "./scenarios/Dispatch.ts"
import { fairness } from "./scenarios/Fairness.ts"
import { gate } from "./scenarios/Gate.ts"
import { http } from "./scenarios/Http.ts"
import { intake } from "./scenarios/Intake.ts"
import { kill } from "./scenarios/Kill.ts"
import { limiter } from "./scenarios/Limiter.ts"
import { measuring } from "./scenarios/Measuring.ts"
import { memory } from "./scenarios/Memory.ts"
import { virtualTime } from "./scenarios/VirtualTime.ts"
import { webhooks } from "./scenarios/Webhooks.ts"

const scenarios: ReadonlyArray<Scenario> = [
  http,
  virtualTime,
  limiter,
  gate,
  intake,
  fairness,
  memory,
  measuring,
  webhooks,
  dispatch,
]

/** Not among those that run where none is named. */
const runs: ReadonlyArray<Run> = [kill]

const names = (list: ReadonlyArray<{ readonly name: string }>) => list.map(({ name }) => name).join(", ")
const usage = `npm run bench -- [scenario …] [--rounds N]
scenarios: ${names(scenarios)}
npm run bench -- ${names(runs)} [--kills N] [--lines N] [--seed N]
`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    kills: { type: "string", default: "100" },
    lines: { type: "string", default: "32" },
    // oxlint-disable-next-line no-restricted-properties -- here a seed begins, which is printed
    seed: { type: "string", default: `${Math.floor(Math.random() * 1_000_000)}` },
  },
})
const [rounds, kills, lines, seed] = [values.rounds, values.kills, values.lines, values.seed].map(Number)
const known = [...scenarios, ...runs]
const unknown = positionals.filter((name) => !known.some((each) => each.name === name))
const isCount = (value: number | undefined, least: number): value is number =>
  value !== undefined && Number.isInteger(value) && value >= least
if (unknown.length > 0 || !isCount(rounds, 1) || !isCount(kills, 0) || !isCount(lines, 8) || !isCount(seed, 0)) {
  process.stderr.write(usage)
  process.exit(2)
}

// Servers that a scenario has started end with this process, and only an exit tells them.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

const directory = join(import.meta.dirname, "..", "results")
const taken = conditions()
process.stdout.write(`${taken.cpu}, ${taken.cores} cores, Node ${taken.node}\n\n`)

for (const scenario of scenarios) {
  if (positionals.length > 0 && !positionals.includes(scenario.name)) continue
  process.stdout.write(`${scenario.name}: ${scenario.question}\n  medians of ${rounds} alternating rounds\n\n`)
  const results: Array<Result> = []
  for await (const comparison of scenario.comparisons()) {
    const result = await compare(scenario.name, comparison, rounds)
    results.push(result)
    process.stdout.write(table(result).replaceAll(/^/gm, "  ").trimEnd().concat("\n\n"))
  }
  write(directory, scenario.name, results, taken)
}

for (const run of runs.filter(({ name }) => positionals.includes(name))) {
  process.stdout.write(`${run.name}: ${run.question}\n\n`)
  const measured = await run.run({ seed, kills, lines })
  if (typeof measured === "string") {
    process.stdout.write(`  cannot be run: ${measured}\n\n`)
    process.exitCode = 1
    continue
  }
  process.stdout.write(`\n${measured.lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n\n`)
  if (measured.errors > 0) process.exitCode = 1
  writeRun(directory, run.name, measured, taken)
}
