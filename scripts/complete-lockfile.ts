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

/** Packages that are optional for another reason than their platform, or whose name does not tell it. */
const named: Readonly<Record<string, Pick<LockedPackage, "os">>> = { fsevents: { os: ["darwin"] } }

const platformOf = (given: string): Pick<LockedPackage, "cpu" | "os"> => {
  const known = named[given]
  if (known !== undefined) return known
  // Bun's names for what npm calls otherwise.
  const name = given.replace("aarch64", "arm64").replace("windows", "win32")
  const os = /android|darwin|freebsd|linux|openbsd|netbsd|openharmony|sunos|aix|win32/.exec(name)
  const cpu = /arm64|arm|x64|ia32|loong64|mips64el|ppc64|riscv64|s390x/.exec(name)
  // Without these npm would try to fetch the package on every platform.
  if (os === null || cpu === null) throw new Error(`${given} does not tell its platform`)
  return { cpu: [cpu[0]], os: [os[0]] }
}

const missingOf = (packages: Readonly<Record<string, LockedPackage>>) =>
  Object.entries(packages).flatMap(([path, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, version]): ReadonlyArray<readonly [string, LockedPackage]> => {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
      if (places.some((place) => place in packages)) return []
      return [[`node_modules/${name}`, { version, ...(dev && { dev }), optional: true, ...platformOf(name) }]]
    }),
  )

for (const name of files) {
  const file = join(root, name)
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(file, "utf8"))
  const missing = missingOf(lock.packages)
  if (missing.length === 0) continue
  if (process.argv.includes("--check")) {
    console.error(`\`npm run lockfile\` must add to ${name}:\n${missing.map(([place]) => place).join("\n")}`)
    process.exitCode = 1
  } else {
    const entries = [...Object.entries(lock.packages), ...missing]
    lock.packages = Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, "en")))
    writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  }
}
