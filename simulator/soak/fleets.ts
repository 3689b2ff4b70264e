import { parseArgs } from "node:util"
import { soakFleet } from "./FleetSoak.ts"

/* Worlds with three processes of the engine: node --conditions=@carillon/source simulator/soak/fleets.ts [--seeds N] [--first SEED] */

const { values } = parseArgs({ options: { seeds: { type: "string" }, first: { type: "string" } } })
const first = Number(values.first ?? 1)
const seeds = Number(values.seeds ?? 20)
let failed = 0
let calls = 0
let kills = 0
let pauses = 0
for (let seed = first; seed < first + seeds; seed++) {
  for (const accidents of [true, false]) {
    for (const stutter of [true, false]) {
      const report = await soakFleet(seed, { accidents, stutter })
      calls += report.calls
      kills += report.kills
      pauses += report.pauses
      if (report.faults.length === 0) continue
      failed += 1
      process.stdout.write(`seed ${seed}, ${accidents ? "" : "no "}accidents, ${stutter ? "" : "no "}stutter\n`)
      for (const fault of report.faults.slice(0, 5)) process.stdout.write(`  ${fault}\n`)
    }
  }
}
process.stdout.write(
  `${4 * seeds} fleets from seed ${first}: ${calls} calls, ${kills} kills, ${pauses} pauses; ${failed} with faults\n`,
)
process.exit(failed === 0 ? 0 : 1)
