// Packs every package that is published, as npm would, and lets publint and attw look at the tarballs.
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dirname)
const manifestOf = (folder: string): { readonly private?: boolean; readonly workspaces: ReadonlyArray<string> } =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))

const published = globSync(
  manifestOf(".").workspaces.map((pattern) => `${pattern}/package.json`),
  { cwd: root },
)
  .map(dirname)
  .filter((folder) => manifestOf(folder).private !== true)

const isAccepted = (command: string, ...args: ReadonlyArray<string>) => {
  const { error, output, status } = spawnSync(command, args, { cwd: root, encoding: "utf8" })
  if (error !== undefined) throw error
  if (status !== 0) console.error([command, ...args].join(" "), output.join(""))
  return status === 0
}

const tarballs = mkdtempSync(join(tmpdir(), "carillon-packages-"))
try {
  execFileSync(
    "npm",
    ["pack", "--silent", "--pack-destination", tarballs, ...published.flatMap((folder) => ["--workspace", folder])],
    { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
  )
  const files = globSync(`${tarballs}/*.tgz`)
  if (files.length !== published.length) throw new Error(`${files.length} tarballs of ${published.length} packages`)
  const verdicts = files.flatMap((file) => [
    isAccepted("publint", "run", file, "--strict"),
    isAccepted("attw", file, "--profile", "esm-only", "--no-definitely-typed"),
  ])
  process.exitCode = verdicts.every((accepted) => accepted) ? 0 : 1
} finally {
  rmSync(tarballs, { recursive: true })
}
