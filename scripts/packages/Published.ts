import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"

const root = dirname(dirname(import.meta.dirname))

/** What is read of a `package.json`. */
interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly workspaces?: ReadonlyArray<string>
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))

/** A package that is published. */
export interface Published {
  readonly folder: string
  readonly manifest: Manifest
}

/** Every package that is published. */
export const published = (): ReadonlyArray<Published> =>
  globSync(
    (manifestOf(".").workspaces ?? []).map((pattern) => `${pattern}/package.json`),
    { cwd: root },
  )
    .map((path) => ({ folder: dirname(path), manifest: manifestOf(dirname(path)) }))
    .filter(({ manifest }) => manifest.private !== true)

/** Packs packages as npm would publish them, into a folder that has nothing else afterwards; returns the files. What is built is packed: build first. */
export const packInto = (folder: string, packages: ReadonlyArray<Published>): ReadonlyArray<string> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const workspaces = packages.flatMap((each) => ["--workspace", each.folder])
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, ...workspaces], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  })
  const files = globSync(`${folder}/*.tgz`)
  if (files.length !== packages.length) throw new Error(`${files.length} tarballs of ${packages.length} packages`)
  return files
}
