import { join } from "node:path"
import { parseArgs } from "node:util"
import { compare, conditions, type Result, type Scenario } from "./Harness.ts"
import { table, write } from "./Report.ts"
import { dispatch } from "./scenarios/Dispatch.ts"
import { fairness } from "./scenarios/Fairness.ts"
import { gate } from "./scenarios/Gate.ts"
import { http } from "./scenarios/Http.ts"
import { intake } from "./scenarios/Intake.ts"
import { limiter } from "./scenarios/Limiter.ts"
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
  webhooks,
  dispatch,
]

const usage = `npm run bench -- [scenario …] [--rounds N]\nscenarios: ${scenarios.map(({ name }) => name).join(", ")}\n`

const { positionals, values } = parseArgs({ allowPositionals: true, options: { rounds: { type: "string" } } })
const rounds = Number(values.rounds ?? 5)
const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(usage)
  process.exit(2)
}

const directory = join(import.meta.dirname, "..", "results")
const taken = conditions()
process.stdout.write(
  `${taken.cpu}, ${taken.cores} cores, Node ${taken.node}, medians of ${rounds} alternating rounds\n\n`,
)

for (const scenario of scenarios) {
  if (positionals.length > 0 && !positionals.includes(scenario.name)) continue
  process.stdout.write(`${scenario.name}: ${scenario.question}\n\n`)
  const results: Array<Result> = []
  for await (const comparison of scenario.comparisons()) {
    const result = await compare(scenario.name, comparison, rounds)
    results.push(result)
    process.stdout.write(table(result).replaceAll(/^/gm, "  ").trimEnd().concat("\n\n"))
  }
  write(directory, scenario.name, results, taken)
}
