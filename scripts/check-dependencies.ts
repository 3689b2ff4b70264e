// Holds the direction of dependencies: which of our packages a package may import, no import cycle inside a package, the tiers
// of core, and nothing of Node in what an edge runtime or another server must be able to load. It first proves on a small
// example that it can fail; `scripts/test/Tiers.test.ts` does so for the tiers.
import { deepStrictEqual } from "node:assert"
import { existsSync, globSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, posix } from "node:path"
import { specifiersOf } from "./dependencies/Imports.ts"
import { tierProblems } from "./dependencies/Tiers.ts"

/** Which of our packages the sources of a folder may import, by the word after `@carillon/`. */
const allowed: ReadonlyArray<{ readonly folder: RegExp; readonly may: RegExp }> = [
  { folder: /^packages\/core$/, may: /^$/ },
  { folder: /^packages\/api$/, may: /^core$/ },
  { folder: /^packages\/(http|client)$/, may: /^(core|api)$/ },
  { folder: /^packages\/(postgres|redis|twilio|livekit|telnyx|telephony-[a-z]+|knowledge-node)$/, may: /^core$/ },
  { folder: /^packages\/server$/, may: /^(core|http|postgres|redis|twilio|telnyx|livekit|knowledge-node)$/ },
  { folder: /^simulator$/, may: /^(?!conformance$|benchmarks$)/ },
  { folder: /^conformance$/, may: /^$/ },
  { folder: /^benchmarks$/, may: /./ },
]

/** The servers that tests and benchmarks start lie beside the packages; nothing that is published needs them. */
const servers = /^scripts\/servers\//

/** The entries that must load everywhere. The other ones mount the service in one kind of server, such as `/node`. */
const portable = /^@carillon\/((core|api|client)(\/.+)?|http|http\/web|twilio|telnyx|livekit(\/worker)?)$/

const core = "packages/core"

const isNodeOnly = (specifier: string) => isBuiltin(specifier) || specifier.startsWith("@effect/platform-node")

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

interface Package {
  readonly folder: string
  readonly manifest: Manifest
  /** The text of each source file (tests apart) by its path from the root. */
  readonly sources: Readonly<Record<string, string>>
}

/** An import, and the file of ours that it reaches. */
interface Import {
  readonly specifier: string
  readonly target: string | undefined
}

type Imports = ReadonlyMap<string, ReadonlyArray<Import>>

/** The source files behind `@carillon/name` and `@carillon/name/entry`. */
const entriesOf = (packages: ReadonlyArray<Package>): ReadonlyMap<string, string> => {
  const entries = new Map<string, string>()
  for (const { folder, manifest } of packages) {
    for (const [entry, target] of Object.entries(manifest.exports ?? {})) {
      if (typeof target === "object" && target !== null && "@carillon/source" in target) {
        entries.set(posix.join(manifest.name, entry), posix.join(folder, String(target["@carillon/source"])))
      }
    }
  }
  return entries
}

const directionProblems = ({ folder, manifest }: Package, imports: Imports): ReadonlyArray<string> => {
  const rule = allowed.find((candidate) => candidate.folder.test(folder))
  if (rule === undefined) return [`${folder}: no rule says what it may import`]
  const isForbidden = (specifier: string) => {
    const [, name] = /^@carillon\/([^/]+)/.exec(specifier) ?? []
    return name !== undefined && !rule.may.test(name)
  }
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  return [
    ...declared.filter(isForbidden).map((name) => `${folder}/package.json: must not depend on ${name}`),
    ...[...imports].flatMap(([path, list]) =>
      list.flatMap(({ specifier, target }) => {
        if (isForbidden(specifier)) return [`${path}: must not import ${specifier}`]
        const leaves = specifier.startsWith(".") && !target?.startsWith(`${folder}/`)
        const isServer = folder === "benchmarks" && target !== undefined && servers.test(target)
        return leaves && !isServer ? [`${path}: ${specifier} lies in another package, which has a name`] : []
      }),
    ),
  ]
}

const cycleProblems = (imports: Imports): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const done = new Set<string>()
  const walk = (path: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(path)
    if (start !== -1) problems.push(`import cycle: ${[...trail.slice(start), path].join(" -> ")}`)
    if (start !== -1 || done.has(path)) return
    for (const { target } of imports.get(path) ?? []) if (target !== undefined) walk(target, [...trail, path])
    done.add(path)
  }
  for (const path of imports.keys()) walk(path, [])
  return problems
}

const nodeProblems = (entry: string, start: string, imports: Imports): ReadonlyArray<string> => {
  const problems: Array<string> = []
  // A set is iterated in order of insertion, also over what is added on the way.
  const reached = new Set([start])
  for (const path of reached) {
    for (const { specifier, target } of imports.get(path) ?? []) {
      if (isNodeOnly(specifier)) problems.push(`${path}: ${entry} must load without Node, and reaches ${specifier}`)
      if (target !== undefined) reached.add(target)
    }
  }
  return problems
}

/** The tiers of core, whose modules go by their paths in its `src`. */
const inTiers = (packages: ReadonlyArray<Package>): ReadonlyArray<string> =>
  packages
    .filter(({ folder }) => folder === core)
    .flatMap(({ sources }) =>
      tierProblems(
        Object.fromEntries(Object.entries(sources).map(([path, text]) => [path.slice(`${core}/src/`.length), text])),
      ),
    )
    .map((problem) => `${core}/src/${problem}`)

const problemsOf = (packages: ReadonlyArray<Package>): ReadonlyArray<string> => {
  const entries = entriesOf(packages)
  const importsOf = ({ sources }: Package): Imports =>
    new Map(
      Object.entries(sources).map(([path, source]) => [
        path,
        specifiersOf(path, source).map((specifier) => ({
          specifier,
          target: specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : entries.get(specifier),
        })),
      ]),
    )
  const inside = packages.map((each) => [each, importsOf(each)] as const)
  const all: Imports = new Map(inside.flatMap(([, imports]) => [...imports]))
  return [
    ...inside.flatMap(([each, imports]) => directionProblems(each, imports)),
    ...cycleProblems(all),
    ...[...entries].flatMap(([entry, start]) => (portable.test(entry) ? nodeProblems(entry, start, all) : [])),
  ]
}

const selfTest = () => {
  const found = problemsOf([
    {
      folder: "packages/core",
      manifest: { name: "@carillon/core", exports: { ".": { "@carillon/source": "./src/index.ts" } } },
      sources: {
        "packages/core/src/index.ts": `export * from "./A.ts"`,
        "packages/core/src/A.ts": `import { b } from "./B.ts"\nexport const a = b`,
        "packages/core/src/B.ts": `import type { A } from "./A.ts"\nexport const b = 1`,
      },
    },
    {
      folder: "packages/http",
      manifest: {
        name: "@carillon/http",
        exports: { ".": { "@carillon/source": "./src/index.ts" }, "./node": { "@carillon/source": "./src/node.ts" } },
        dependencies: { "@carillon/core": "0.0.0", "@carillon/simulator": "0.0.0" },
      },
      sources: {
        "packages/http/src/index.ts": `export { send } from "./Send.ts"\nexport * from "@carillon/core"`,
        "packages/http/src/node.ts": `export { createServer } from "node:http"`,
        "packages/http/src/Send.ts": `import "fs"\nimport { a } from "../../core/src/A.ts"\nexport const send = a`,
      },
    },
    {
      folder: "conformance",
      manifest: { name: "@carillon/conformance" },
      sources: { "conformance/src/index.ts": `export const engine = () => import("@carillon/core/memory")` },
    },
    { folder: "packages/stray", manifest: { name: "@carillon/stray" }, sources: {} },
  ])
  deepStrictEqual(found, [
    "packages/http/package.json: must not depend on @carillon/simulator",
    "packages/http/src/Send.ts: ../../core/src/A.ts lies in another package, which has a name",
    "conformance/src/index.ts: must not import @carillon/core/memory",
    "packages/stray: no rule says what it may import",
    "import cycle: packages/core/src/A.ts -> packages/core/src/B.ts -> packages/core/src/A.ts",
    "packages/http/src/Send.ts: @carillon/http must load without Node, and reaches fs",
  ])
}

const readPackages = (): ReadonlyArray<Package> => {
  const { workspaces }: { readonly workspaces: ReadonlyArray<string> } = JSON.parse(
    readFileSync("package.json", "utf8"),
  )
  return globSync([...workspaces])
    .map((folder) => folder.replaceAll("\\", "/"))
    .filter((folder) => existsSync(`${folder}/package.json`))
    .map((folder) => ({
      folder,
      manifest: JSON.parse(readFileSync(`${folder}/package.json`, "utf8")),
      sources: Object.fromEntries(
        globSync(`${folder}/src/**/*.ts`)
          .map((path) => path.replaceAll("\\", "/"))
          .map((path) => [path, readFileSync(path, "utf8")]),
      ),
    }))
}

selfTest()
process.chdir(dirname(import.meta.dirname))
const packages = readPackages()
const problems = [...problemsOf(packages), ...inTiers(packages)]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
