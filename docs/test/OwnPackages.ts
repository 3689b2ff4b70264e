import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"

/** What npm writes last when it has installed something. */
const written = "node_modules/.package-lock.json"

const timeOf = (file: string): number => (existsSync(file) ? statSync(file).mtimeMs : -Infinity)

/**
 * Installs what the examples of a folder stand on: it has a lockfile of its own, so that nobody else installs it. What was installed of this
 * lockfile before stays. Says why it cannot be had, or null.
 */
export const installOwn = (folder: string, ...flags: ReadonlyArray<string>): string | null => {
  if (timeOf(join(folder, written)) > timeOf(join(folder, "package-lock.json"))) return null
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
  const { output, status } = spawnSync("npm", ["ci", ...flags, ...quiet], { cwd: folder, encoding: "utf8" })
  return status === 0 ? null : `npm ci fails: ${output.join("").slice(-300)}`
}
