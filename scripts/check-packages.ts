// Packs every package that is published, as npm would, and lets publint and attw look at the tarballs. Then installs them in an empty
// strict project and uses them there, and asks npm whether it would publish them.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { faultsOfInstalled } from "./packages/Installed.ts"
import { packInto, published } from "./packages/Published.ts"

const root = dirname(import.meta.dirname)

const isAccepted = (command: string, ...args: ReadonlyArray<string>) => {
  const { error, output, status } = spawnSync(command, args, { cwd: root, encoding: "utf8" })
  if (error !== undefined) throw error
  if (status !== 0) console.error([command, ...args].join(" "), output.join(""))
  return status === 0
}

const tarballs = mkdtempSync(join(tmpdir(), "carillon-packages-"))
try {
  const packages = published()
  const files = packInto(tarballs, packages)
  const verdicts = files.flatMap((file) => [
    isAccepted("publint", "run", file, "--strict"),
    isAccepted("attw", file, "--profile", "esm-only", "--no-definitely-typed"),
  ])
  const faults = faultsOfInstalled(files, packages)
  for (const fault of faults) console.error(fault)
  // With a tag of its own npm does not ask whether there is a later version.
  verdicts.push(isAccepted("npm", "publish", "--workspaces", "--dry-run", "--tag", "dry-run", "--silent"))
  process.exitCode = faults.length === 0 && verdicts.every((accepted) => accepted) ? 0 : 1
} finally {
  rmSync(tarballs, { recursive: true })
}
