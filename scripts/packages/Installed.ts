import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import type { Published } from "./Published.ts"

const root = dirname(dirname(import.meta.dirname))

/** What the entries for tests bring into a project of their users. */
const forTests = ["@types/node", "@effect/vitest", "fast-check", "vitest"]

/** The entries of the packages that are modules. */
const entriesOf = (packages: ReadonlyArray<Published>): ReadonlyArray<string> =>
  packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((entry) => !entry.endsWith(".json"))
      .map((entry) => posix.join(manifest.name, entry)),
  )

const programsOf = (packages: ReadonlyArray<Published>): ReadonlyArray<string> =>
  packages.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}))

const tsconfig = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    module: "NodeNext",
    target: "ES2024",
    lib: ["ES2024", "DOM", "DOM.Iterable"],
    types: ["node"],
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ["**/*.ts"],
  exclude: ["printed", "node_modules"],
}

/** What runs in the project, where it has the same place as here: a use of each package, and one for the programs of the guides. */
const useProgram = "scripts/packages/project/use.ts"
const guideProgram = "scripts/packages/project/guide.ts"
/** The guides to a first real call, whose programs are `docs/examples/<name>.ts`. */
const guides = ["twilio", "telnyx", "livekit"]

/** What the guides to the client, to webhooks and to testing print, compiled with the options that the first of them prints. */
const printed = [
  "client",
  "client-effect",
  "client-remind",
  "client.test",
  "receive",
  "called-once",
  "called-once.test",
]

const writePrinted = (folder: string) => {
  const [, options] = /^```json\n([^]*?)^```$/m.exec(readFileSync(join(root, "docs/guides/client.md"), "utf8")) ?? []
  if (options === undefined) throw new Error("docs/guides/client.md prints no options for the compiler.")
  for (const name of printed) cpSync(join(root, `docs/examples/${name}.ts`), join(folder, `printed/${name}.ts`))
  writeFileSync(join(folder, "printed/tsconfig.json"), options)
}

/** The versions of the repository's own tools, so that a project is the same at every time. */
const versionOf = (name: string): string => {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(root, "node_modules", name, "package.json"), "utf8"),
  )
  return `${name}@${version}`
}

/**
 * Installs packed packages into an empty strict project, type-checks every entry of them and what is declared behind it, runs a program that uses
 * each and the programs of the guides to a first real call, and asks each program for its help. Returns what went wrong, with what was said.
 */
export const faultsOfInstalled = (
  tarballs: ReadonlyArray<string>,
  packages: ReadonlyArray<Published>,
): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(tmpdir(), "carillon-project-"))
  const run = (command: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
    const { error, output, status } = spawnSync(command, args, { cwd: folder, encoding: "utf8" })
    if (error !== undefined) throw error
    return status === 0 ? [] : [`${[command, ...args].join(" ").slice(0, 200)}\n${output.join("")}`]
  }
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }))
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
    const imports = entriesOf(packages).map((entry, nth) => `export * as entry${nth} from ${JSON.stringify(entry)}\n`)
    writeFileSync(join(folder, "entries.ts"), imports.join(""))
    for (const program of [useProgram, guideProgram, ...guides.map((guide) => `docs/examples/${guide}.ts`)])
      cpSync(join(root, program), join(folder, program))
    writePrinted(folder)
    const quietly = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    const installed = run("npm", "install", ...quietly, ...forTests.map(versionOf), ...tarballs)
    if (installed.length > 0) return installed
    return [
      ...run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", folder),
      ...run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", join(folder, "printed")),
      ...run(process.execPath, useProgram),
      ...guides.flatMap((guide) => run(process.execPath, guideProgram, guide)),
      ...programsOf(packages).flatMap((name) => run(join(folder, "node_modules/.bin", name), "--help")),
      // The bin that npx takes of a package with several.
      ...run("npm", "exec", "--offline", "--", "@carillon/server", "--help"),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
