import { parseArgs } from "node:util"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { besiege, percentile, tableOf } from "./Siege.ts"

const usage =
  "npm run soak:neighbours -- [--storage memory|postgres] [--route TEXT] [--attack TEXT] [--every N] [--quiet]\n"

const { values } = parseArgs({
  options: {
    storage: { type: "string" },
    route: { type: "string", default: "" },
    attack: { type: "string", default: "" },
    every: { type: "string", default: "1" },
    quiet: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})
if (values.help) {
  process.stdout.write(usage)
  process.exit()
}

/** What one tenant may do to all others, at the most. */
const bounds = { stallMs: 50, stallWithFilesMs: 100, growthBytes: 256 * 1024 ** 2, p99: 3 } as const

const besieged = async (storage: string): Promise<boolean> => {
  const report = await besiege({
    storage,
    isMeant: ({ name, route }, nth) =>
      route.includes(values.route) && name.includes(values.attack) && nth % Number(values.every) === 0,
    // Rows in memory are in the process: where one tenant has stored gigabytes of them, to collect garbage takes long, whatever is asked for.
    engineOf: ({ route }) => (storage === "memory:" ? route : ""),
    strangersEvery: 20,
    givesWay: true,
    // One engine for all attacks is watched for longer: the p99 of a few hundred requests is a few requests.
    aloneMs: storage === "memory:" ? 1_000 : 15_000,
    say: values.quiet ? () => {} : (line) => void process.stdout.write(`${line}\n`),
  })
  const { aloneMs, deliveries, outcomes } = report
  const [alone, beside] = [
    percentile(aloneMs, 99),
    percentile(
      outcomes.flatMap(({ neighbourMs }) => neighbourMs),
      99,
    ),
  ]
  const errors = outcomes.flatMap(({ neighbourErrors }) => neighbourErrors)
  const stalls = outcomes.filter(
    ({ attack, stallMs }) => stallMs > (attack.hasFiles ? bounds.stallWithFilesMs : bounds.stallMs),
  )
  const grown = outcomes.filter(({ growthBytes }) => growthBytes > bounds.growthBytes)
  process.stdout.write(
    [
      `\nOn ${storage.replace(/:.*$/, "")}: ${outcomes.length} attacks`,
      tableOf(report),
      `Longer stalls than allowed: ${stalls.length}; more memory than allowed: ${grown.length}`,
      `The neighbour: p99 ${beside.toFixed(1)} ms (alone ${alone.toFixed(1)} ms), ${errors.length} errors, ${deliveries} webhooks`,
      ...new Set(errors.slice(0, 10)),
      "",
    ].join("\n"),
  )
  return stalls.length + grown.length + errors.length === 0 && beside <= bounds.p99 * alone
}

let isWell = true
if (values.storage !== "postgres") isWell = (await besieged("memory:")) && isWell
if (values.storage !== "memory") {
  // As production runs it: one that never tidies up after itself gets slower with every attack, whatever is asked for.
  const server = await startPostgres({ durable: true })
  if (typeof server === "string") throw new Error(server)
  try {
    isWell = (await besieged(server.url())) && isWell
  } finally {
    await server.stop()
  }
}
process.exitCode = isWell ? 0 : 1
