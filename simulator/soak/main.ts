import { parseArgs } from "node:util"
import { soakCalls } from "./CallsSoak.ts"

const { values } = parseArgs({ options: { seeds: { type: "string" }, first: { type: "string" } } })
const seeds = Number(values.seeds ?? 100)
const first = Number(values.first ?? 1)
if (!Number.isInteger(seeds) || seeds < 1 || !Number.isInteger(first)) {
  process.stderr.write("npm run soak -- [--seeds N] [--first SEED]\n")
  process.exit(2)
}

const answers = new Map<string, number>()
const statuses = new Map<string, number>()
const add = (total: Map<string, number>, more: ReadonlyMap<string, number>) => {
  for (const [key, value] of more) total.set(key, (total.get(key) ?? 0) + value)
}
let events = 0
let failed = 0

for (let seed = first; seed < first + seeds; seed++) {
  const report = await soakCalls(seed)
  events += report.events
  add(answers, report.answers)
  add(statuses, report.statuses)
  if (report.faults.length === 0) continue
  failed += 1
  process.stdout.write(
    `seed ${seed}\n${report.faults
      .slice(0, 10)
      .map((fault) => `  ${fault}\n`)
      .join("")}`,
  )
}

const shown = (total: ReadonlyMap<string, number>) =>
  [...total]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ")
process.stdout.write(
  `${seeds} seeds, ${events} events, ${failed} seeds with faults\nanswers  ${shown(answers)}\nstatuses ${shown(statuses)}\n`,
)
process.exit(failed === 0 ? 0 : 1)
