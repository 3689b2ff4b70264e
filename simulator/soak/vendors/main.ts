import { parseArgs } from "node:util"
import { watchdog } from "../Watchdog.ts"
import { soakWorldAt } from "../WorldSoak.ts"
import { vendorDay } from "./VendorDay.ts"
import { type KnownVendor, vendors } from "./Vendors.ts"

/**
 * `npm run soak:vendors -- [--vendor NAME] [--worlds] [--first SEED] [--seeds N] [--contacts N]`: days of a campaign at a vendor in a simulated
 * world, by seed; with `--worlds` the random worlds of `npm run soak` instead, in which customers do everything.
 */
const { values } = parseArgs({
  options: {
    vendor: { type: "string" },
    worlds: { type: "boolean", default: false },
    first: { type: "string", default: "1" },
    seeds: { type: "string", default: "20" },
    contacts: { type: "string", default: "40" },
  },
})

/** Faults that are printed of one seed. */
const shownFaults = 10

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

/** What one seed came to, and what is wrong with it. */
const live = async (
  seed: number,
  { unheard, vendor }: KnownVendor,
): Promise<readonly [string, ReadonlyArray<string>]> => {
  if (values.worlds) {
    const { events, faults } = await soakWorldAt(vendor, seed)
    return [`${events} events`, faults]
  }
  const { calls, faults, legs } = await vendorDay(vendor, { seed, contacts, crashes, unheard })
  return [`${calls.length} calls, ${legs.length} legs`, faults]
}

const begins = watchdog()
let faulty = 0
for (let seed = first; seed < first + seeds; seed++) {
  for (const [name, known] of chosen) {
    begins(seed)
    const [size, faults] = await live(seed, known)
    if (faults.length > 0) faulty += 1
    say(`${name}, seed ${seed}: ${size}, ${faults.length} faults`)
    for (const fault of faults.slice(0, shownFaults)) say(`  ${fault}`)
  }
}
// The watchdog would keep watch over nothing.
process.exit(faulty === 0 ? 0 : 1)
