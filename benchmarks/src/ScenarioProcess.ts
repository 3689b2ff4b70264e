// Runs one scenario in a process of its own, in which nothing of another one is warm or in the way, and hands its results to the parent.
import { compare, type Result, type Scale } from "./Harness.ts"
import { table } from "./Report.ts"
import { scenarios } from "./Scenarios.ts"

/** What the parent asks for, as JSON. */
export interface Asked {
  readonly name: string
  readonly rounds: number
  readonly scale: Scale
}

// Servers that a scenario has started end with this process, and only an exit tells them.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
process.once("disconnect", () => process.exit(1))

const { name, rounds, scale }: Asked = JSON.parse(process.argv[2] ?? "{}")
const scenario = scenarios.find((each) => each.name === name)
if (scenario === undefined) throw new Error(`There is no scenario ${name}.`)
process.stdout.write(`${name}: ${scenario.question}\n  medians of ${rounds} alternating rounds\n\n`)
const results: Array<Result> = []
for await (const comparison of scenario.comparisons(scale)) {
  const result = await compare(name, comparison, { rounds, scale })
  results.push(result)
  process.stdout.write(table(result).replaceAll(/^/gm, "  ").trimEnd().concat("\n\n"))
}
process.send?.(results, undefined, undefined, () => process.exit(0))
