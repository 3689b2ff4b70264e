// `npm run node -- scripts/prometheus.ts` says where Prometheus and its promtool are, and fetches Debian's package where there is none: it
// is unpacked under `node_modules`, not installed, so that nothing of the machine changes. Tests start it themselves.
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { isExecutable, pathFolders } from "./servers/Executable.ts"

const fetchMs = 120_000

const cache = join(dirname(import.meta.dirname), "node_modules/.cache/carillon/prometheus")

/** Both programs of one folder: they come together. */
const find = (): string | undefined =>
  [process.env["CARILLON_PROMETHEUS"] ?? "", ...pathFolders(), join(cache, "usr/bin")].find(
    (folder) => folder !== "" && isExecutable(join(folder, "prometheus")) && isExecutable(join(folder, "promtool")),
  )

const run = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { cwd: cache, stdio: "ignore", timeout: fetchMs }).status === 0

const fetchPackage = (): void => {
  mkdirSync(cache, { recursive: true })
  if (!run("apt-get", "-qq", "download", "prometheus")) return
  const file = readdirSync(cache).find((name) => name.endsWith(".deb"))
  if (file !== undefined) run("dpkg-deb", "--extract", file, ".")
}

/** The folder of `prometheus` and `promtool`, or null when none can be had. */
export const prometheusFolder = (): string | null => {
  const found = find()
  if (found !== undefined) return found
  fetchPackage()
  return find() ?? null
}

if (import.meta.main) {
  const folder = prometheusFolder()
  console.log(
    folder ??
      "No Prometheus can be had here: put prometheus and promtool on the PATH, or name their folder in CARILLON_PROMETHEUS.",
  )
  process.exitCode = folder === null ? 1 : 0
}
