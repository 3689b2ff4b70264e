// A tool with a binary per platform lists them all as optional dependencies. `npm install` leaves those that its registry does
// not have out of the lockfile, and `npm ci` then refuses the lockfile everywhere, also where they are not wanted
// (https://github.com/npm/cli/issues/9846). This enters them; with `--check` it only says whether any is missing.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

interface LockedPackage {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly cpu?: ReadonlyArray<string>
  readonly os?: ReadonlyArray<string>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const file = join(import.meta.dirname, "..", "package-lock.json")
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(file, "utf8"))

const entries = Object.entries(lock.packages)
const missing = entries.flatMap(([path, { dev, optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies).flatMap(([name, version]): ReadonlyArray<readonly [string, LockedPackage]> => {
    const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
    if (places.some((place) => place in lock.packages)) return []
    const os = /android|darwin|freebsd|linux|openharmony|win32/.exec(name)
    const cpu = /arm64|arm|x64|ia32|loong64|ppc64|riscv64|s390x/.exec(name)
    // Without these npm would try to fetch the package on every platform.
    if (os === null || cpu === null) throw new Error(`${name} does not tell its platform`)
    return [[`node_modules/${name}`, { version, cpu: [cpu[0]], ...(dev && { dev }), optional: true, os: [os[0]] }]]
  }),
)

if (process.argv.includes("--check")) {
  if (missing.length > 0) {
    console.error(`\`npm run lockfile\` must add to package-lock.json:\n${missing.map(([place]) => place).join("\n")}`)
    process.exitCode = 1
  }
} else if (missing.length > 0) {
  lock.packages = Object.fromEntries([...entries, ...missing].sort(([a], [b]) => a.localeCompare(b, "en")))
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}
