// A tool with a binary per platform lists them all as optional dependencies. `npm install` leaves those that its registry does
// not have out of the lockfile, and `npm ci` then refuses the lockfile everywhere, also where they are not wanted
// (https://github.com/npm/cli/issues/9846). This enters them, and asks the registry for every integrity that the lockfile lacks.
// With `--check` it changes nothing: it says what is missing.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type LockedPackages, missingFrom, nameAt, unvouched } from "./lockfile/Lockfile.ts"

const root = join(import.meta.dirname, "..")

/** Every lockfile of the repository: that of the workspace, and those of what must stay out of it. */
const files = [
  "package-lock.json",
  "docs/examples/load/package-lock.json",
  "docs/examples/mounts/package-lock.json",
  "docs/examples/voice-worker/package-lock.json",
  "docs/site/package-lock.json",
  "docs/test/runtimes/package-lock.json",
  "packages/api/clients/package-lock.json",
]

interface Lockfile {
  packages: LockedPackages
}

const read = (file: string): Lockfile => JSON.parse(readFileSync(file, "utf8"))

const complain = (what: string, places: ReadonlyArray<readonly [string, unknown]>) => {
  if (places.length === 0) return
  console.error(`${what}:\n${places.map(([place]) => place).join("\n")}`)
  process.exitCode = 1
}

/** What npm writes into a lockfile of its own when it is asked for these packages: those that the registry has. */
const asked = (specifiers: ReadonlyArray<string>): LockedPackages => {
  const folder = mkdtempSync(join(tmpdir(), "carillon-lockfile-"))
  try {
    const optionalDependencies = Object.fromEntries(specifiers.map((specifier, at) => [`p${at}`, `npm:${specifier}`]))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, optionalDependencies }))
    const args = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"]
    const { output, status } = spawnSync("npm", args, {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32",
    })
    if (status !== 0) throw new Error(`npm could not ask the registry:\n${output.join("")}`)
    return read(join(folder, "package-lock.json")).packages
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same packages, each with the integrity that the registry tells of it. */
const vouchedFor = (packages: LockedPackages): LockedPackages => {
  const open = unvouched(packages)
  if (open.length === 0) return packages
  const answered = asked(open.map(([place, { version }]) => `${nameAt(place)}@${version}`))
  const told = new Map(open.map(([place], at) => [place, answered[`node_modules/p${at}`]?.integrity]))
  return Object.fromEntries(
    Object.entries(packages).map(([place, locked]) => {
      const integrity = told.get(place)
      const { version, ...rest } = locked
      return [
        place,
        integrity === undefined ? locked : { ...(version !== undefined && { version }), integrity, ...rest },
      ]
    }),
  )
}

const complete = (file: string, lock: Lockfile) => {
  const entries = [...Object.entries(lock.packages), ...missingFrom(lock.packages)]
  const sorted = Object.fromEntries(entries.toSorted(([a], [b]) => a.localeCompare(b, "en")))
  const packages = vouchedFor(sorted)
  if (JSON.stringify(packages) === JSON.stringify(lock.packages)) return
  writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
}

const check = (name: string, { packages }: Lockfile) => {
  complain(`\`npm run lockfile\` must add to ${name}`, missingFrom(packages))
  complain(
    `${name} has no integrity for these. \`npm run lockfile\` asks the registry; what it has not got is of a version to do without`,
    unvouched(packages),
  )
}

for (const name of files) {
  const file = join(root, name)
  if (process.argv.includes("--check")) check(name, read(file))
  else complete(file, read(file))
}
