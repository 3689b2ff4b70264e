// Measures the figures of "How much can I load it" (docs/guides/load.md): `npm run load`. The load is that of docs/examples/load/autocannon.ts.
import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpus, loadavg, totalmem } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Schema } from "effect"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "15" },
    connections: { type: "string", default: "1,10,50" },
  },
})

const seconds = Number(values.seconds)
const runs = values.connections.split(",").map(Number)
if (![seconds, ...runs].every((each) => Number.isInteger(each) && each > 0)) {
  process.stderr.write("npm run load -- [--seconds N] [--connections N,N,…]\n")
  process.exit(2)
}

/** What a run takes beside its own time: its start and its end. */
const aroundSeconds = 3

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const folder = fileOf("../../docs/examples/load")

const readStart = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ url: Schema.String, key: Schema.String, agent_id: Schema.String })),
)
const readUsage = Schema.decodeUnknownSync(
  Schema.Struct({ rss: Schema.Number, cpu: Schema.Struct({ user: Schema.Number, system: Schema.Number }) }),
)
const readVerdict = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ violations: Schema.Array(Schema.Unknown) })),
)

const started = async () => {
  const simulator = fork(fileOf("../src/main.ts"), ["--port", "0", "--print", "json", "--limits", "off"], {
    execArgv: ["--conditions=@carillon/source", "--import", fileOf("memory.ts")],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  })
  const [line] = await once(simulator.stdout ?? simulator, "data")
  return { simulator, ...readStart(String(line)) }
}

/** Milliseconds of processor that a simulator has taken so far, and bytes that it holds. */
const usageOf = async (simulator: ChildProcess) => {
  simulator.send("memory")
  const [usage] = await once(simulator, "message")
  const { cpu, rss } = readUsage(usage)
  return { cpuMs: (cpu.user + cpu.system) / 1000, rss }
}

/** One run of the example: what it says, with thresholds that only a failed request can miss. */
const load = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const child = spawn(process.execPath, ["autocannon.ts"], {
    cwd: folder,
    env: { ...process.env, ...env, SECONDS: String(seconds), P99_MS: "600000", PER_SECOND: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  let said = ""
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`A run with ${env["CONNECTIONS"]} connections fails:\n${said}`)
  return said
}

const figure = (said: string, what: RegExp): number => Number(what.exec(said)?.[1])

const installed = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"], {
  cwd: folder,
  encoding: "utf8",
})
if (installed.status !== 0) throw new Error(`autocannon cannot be had:\n${installed.output.join("")}`)

const atMostSeconds = runs.length * (seconds + aroundSeconds)
process.stdout.write(`${runs.length} runs of ${seconds} s each: about ${atMostSeconds} s.\n`)
process.stdout.write(
  `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, load before ${loadavg()[0]?.toFixed(1)}\n\n`,
)

const { agent_id: AGENT, key: KEY, simulator, url } = await started()
const rows: Array<string> = []
for (const connections of runs) {
  const before = await usageOf(simulator)
  const said = await load({ AGENT, KEY, URL: url, CONNECTIONS: String(connections) })
  const { cpuMs } = await usageOf(simulator)
  const perSecond = figure(said, /answers a second: ([\d.]+)/)
  const p99 = figure(said, /answers within \d+ ms: ([\d.]+)/)
  const each = (cpuMs - before.cpuMs) / (perSecond * seconds)
  rows.push(`| ${connections} | ${Math.round(perSecond)} | ${p99} ms | ${each.toFixed(1)} ms |`)
}
const { rss } = await usageOf(simulator)
const { violations } = readVerdict(await (await fetch(`${url}/_sim/invariants`)).text())
simulator.kill()

process.stdout.write(
  "| connections | answers a second | 99 of 100 within | processor for each answer |\n|---|---|---|---|\n",
)
process.stdout.write(`${rows.join("\n")}\n\n`)
process.stdout.write(
  `No request failed, ${violations.length} invariants violated, ${Math.round(rss / 1e6)} MB at the end.\n`,
)
if (violations.length > 0) process.exitCode = 1
