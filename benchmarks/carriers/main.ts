import { parseArgs } from "node:util"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"
import { carrierDay, type DayOutcome } from "./CarrierDay.ts"
import { type CarrierName, carrierNames } from "./Stand.ts"

/** `npm run soak:carriers -- [--carrier NAME] [--contacts N] [--seed S] [--lines N] [--minutes N]`: a campaign through an adapter, with faults and kills. */
const { values } = parseArgs({
  options: {
    carrier: { type: "string", default: "twilio" },
    contacts: { type: "string", default: "1000" },
    lines: { type: "string", default: "60" },
    minutes: { type: "string", default: "40" },
    // oxlint-disable-next-line no-restricted-properties -- here a seed begins, which is printed
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
  },
})

const share = 0.05
const minuteMs = 60_000
const shownFaults = 40

const nameOf = (text: string): CarrierName => {
  const found = carrierNames.find((name) => name === text)
  if (found === undefined) throw new Error(`--carrier is one of ${carrierNames.join(", ")}`)
  return found
}

const whole = (name: "contacts" | "lines" | "minutes"): number => {
  const value = Number(values[name])
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number`)
  return value
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const tell = ({ complaints, drawn, faults, left, wallMs }: DayOutcome): void => {
  const { calls, contacts, legs, paid } = left
  const statuses = [...Map.groupBy(calls, ({ status }) => status)].map(([status, own]) => `${status} ${own.length}`)
  const withLeg = new Set(legs.map(({ execution_id }) => execution_id))
  const legless = calls.filter(({ execution_id }) => !withLeg.has(execution_id)).length
  say(`${contacts.length} contacts, ${calls.length} calls, ${legs.length} legs in ${Math.round(wallMs / 1000)} s`)
  say(`calls: ${statuses.toSorted().join(", ")}; without a leg: ${legless}`)
  say(`paid: ${paid.toFixed(3)}`)
  say(
    `drawn: ${Object.entries(drawn)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")}`,
  )
  for (const line of complaints.slice(0, shownFaults)) say(`complaint: ${line}`)
  for (const line of faults.slice(0, shownFaults)) say(`FAULT ${line}`)
  say(faults.length === 0 && complaints.length === 0 ? "nothing is wrong" : `${faults.length} faults`)
}

const carrier = nameOf(values.carrier)
const postgres = await startPostgres()
if (typeof postgres === "string") throw new Error(`There is no PostgreSQL: ${postgres}`)
try {
  say(`carrier ${carrier}, seed ${values.seed}`)
  const outcome = await carrierDay({
    carrier,
    contacts: whole("contacts"),
    lines: whole("lines"),
    seed: values.seed,
    share,
    postgres: postgres.url(),
    maxMs: whole("minutes") * minuteMs,
    say,
  })
  tell(outcome)
  process.exitCode = outcome.faults.length + outcome.complaints.length === 0 ? 0 : 1
} finally {
  await postgres.stop()
}
