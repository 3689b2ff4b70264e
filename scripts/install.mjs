// Makes node_modules agree with package-lock.json, once, however many commands ask for it at the same time.
// Plain JavaScript: it runs on Node 20 while no dependency is installed.
import { spawn } from "node:child_process"
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"

/** @typedef {{ readonly code: number | null, readonly signal: NodeJS.Signals | null }} Exit */
/** @typedef {{ readonly version?: string, readonly integrity?: string, readonly link?: boolean, readonly optional?: boolean }} LockedPackage */
/** @typedef {Readonly<Record<string, LockedPackage>>} LockedPackages */

const lockPollMs = 100
const lockRefreshMs = 5_000
/** A lock not refreshed for so long belongs to nobody, even if another process has its holder's id by now. */
const lockLapsesAfterMs = 60_000

/**
 * Runs a command to its end; SIGINT, SIGTERM and SIGHUP sent to this process reach it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @returns {Promise<Exit>}
 */
export const runToEnd = (command, args, options) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, options)
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      // A terminal has already sent its Ctrl-C to the whole process group.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal)
    }
    /** @type {readonly NodeJS.Signals[]} */
    const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"]
    for (const signal of forwarded) process.on(signal, forward)
    const stop = () => {
      for (const signal of forwarded) process.off(signal, forward)
    }
    child.once("error", (error) => {
      stop()
      reject(error)
    })
    child.once("exit", (code, signal) => {
      stop()
      resolve({ code, signal })
    })
  })

/**
 * Whether what npm recorded after its last complete run is what the lockfile asks for. Optional packages may be absent: most
 * are for other platforms.
 *
 * @param {LockedPackages} wanted
 * @param {LockedPackages} present
 */
const agree = (wanted, present) =>
  Object.entries(wanted).every(([path, locked]) => {
    if (path === "") return true
    const found = present[path]
    if (found === undefined) return locked.optional === true
    return found.version === locked.version && found.integrity === locked.integrity && found.link === locked.link
  })

/**
 * @param {string} file
 * @returns {LockedPackages}
 */
const readLockfile = (file) => JSON.parse(readFileSync(file, "utf8")).packages

/** @param {string} root */
export const isInstalled = (root) => {
  try {
    // npm writes the second file last, so an install that was cut short leaves none.
    return agree(
      readLockfile(join(root, "package-lock.json")),
      readLockfile(join(root, "node_modules", ".package-lock.json")),
    )
  } catch {
    return false
  }
}

/** @param {number} pid */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/**
 * Takes the lock file, or says which living process holds it. The file appears together with its content (a hard link), and
 * an abandoned one is moved aside before it is deleted, so that two newcomers cannot both take it over.
 *
 * @param {string} file
 * @returns {number | undefined}
 */
const holderOf = (file) => {
  const mine = `${file}.${process.pid}`
  writeFileSync(mine, String(process.pid))
  try {
    linkSync(mine, file)
    return undefined
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  } finally {
    rmSync(mine)
  }
  try {
    const holder = Number(readFileSync(file, "utf8"))
    if (isAlive(holder) && Date.now() - statSync(file).mtimeMs < lockLapsesAfterMs) return holder
    renameSync(file, mine)
    const moved = Number(readFileSync(mine, "utf8"))
    if (moved !== holder) linkSync(mine, file)
    rmSync(mine)
  } catch {
    // Somebody else was quicker: look again.
  }
  return holderOf(file)
}

/**
 * @template A
 * @param {string} file
 * @param {() => Promise<A>} body
 */
const withLock = async (file, body) => {
  let announced = false
  for (let holder = holderOf(file); holder !== undefined; holder = holderOf(file)) {
    if (!announced) process.stderr.write(`carillon: waiting for process ${holder}, which installs the dependencies\n`)
    announced = true
    await new Promise((resolve) => setTimeout(resolve, lockPollMs))
  }
  const refresh = setInterval(() => utimesSync(file, new Date(), new Date()), lockRefreshMs)
  try {
    return await body()
  } finally {
    clearInterval(refresh)
    rmSync(file, { force: true })
  }
}

/**
 * Installs what the lockfile asks for unless it is there. Everything it prints goes to stderr.
 *
 * @param {string} root
 * @param {() => boolean} isReady
 * @returns {Promise<Exit>}
 */
export const install = (root, isReady) =>
  withLock(join(root, ".install.lock"), async () => {
    if (isReady()) return { code: 0, signal: null }
    process.stderr.write("carillon: installing the dependencies (npm ci); this happens once per lockfile\n")
    const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"]
    /** @type {import("node:child_process").SpawnOptions} */
    const options = { cwd: root, stdio: ["ignore", 2, 2] }
    const npm = process.env["npm_execpath"]
    // npm's own Node runs npm: the pinned one lies in the folder that npm is about to replace.
    return npm !== undefined && basename(npm) === "npm-cli.js"
      ? runToEnd(process.env["npm_node_execpath"] ?? process.execPath, [npm, ...args], options)
      : runToEnd("npm", args, { ...options, shell: process.platform === "win32" })
  })
