import { parseArgs } from "node:util"
import { vendorDay } from "./VendorDay.ts"
import { vendors } from "./Vendors.ts"

/** `npm run soak:vendors -- [--vendor NAME] [--first SEED] [--seeds N] [--contacts N]`: days at a vendor in a simulated world, by seed. */
const { values } = parseArgs({
  options: {
    vendor: { type: "string" },
    first: { type: "string", default: "1" },
    seeds: { type: "string", default: "20" },
    contacts: { type: "string", default: "40" },
  },
})

/** Processes that end in each day. */
const crashes = 4

const whole = (name: "contacts" | "first" | "seeds"): number => {
  const value = Number(values[name])
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number`)
  return value
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const [first, seeds, contacts] = [whole("first"), whole("seeds"), whole("contacts")]
const chosen = [...vendors].filter(([name]) => values.vendor === undefined || name.toLowerCase() === values.vendor)
if (chosen.length === 0) throw new Error(`--vendor is one of ${[...vendors.keys()].join(", ").toLowerCase()}`)

let faults = 0
for (let seed = first; seed < first + seeds; seed++) {
  for (const [name, { unheard, vendor }] of chosen) {
    const report = await vendorDay(vendor, { seed, contacts, crashes, unheard })
    faults += report.faults.length
    say(
      `${name}, seed ${seed}: ${report.calls.length} calls, ${report.legs.length} legs, ${report.faults.length} faults`,
    )
    for (const fault of report.faults) say(`  ${fault}`)
  }
}
process.exitCode = faults === 0 ? 0 : 1
