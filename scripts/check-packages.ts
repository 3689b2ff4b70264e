// Packs every package that is published, as npm would, and lets publint and attw look at the tarballs.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
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
  const verdicts = packInto(tarballs, published()).flatMap((file) => [
    isAccepted("publint", "run", file, "--strict"),
    isAccepted("attw", file, "--profile", "esm-only", "--no-definitely-typed"),
  ])
  process.exitCode = verdicts.every((accepted) => accepted) ? 0 : 1
} finally {
  rmSync(tarballs, { recursive: true })
}
