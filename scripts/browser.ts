// Finds a Chromium for the tests of the dashboard and for its screenshots. `npm run browser` installs one where there is none: with
// apt-get as root on Debian and its like, otherwise the build that playwright-core fetches for this platform.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { chromium } from "playwright-core"
import { isExecutable, pathFolders } from "./servers/Executable.ts"

const commands = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge"]

const places = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
]

/** The executable of a Chromium: what `CARILLON_BROWSER` names, one of the system, or playwright's own; null where there is none. */
export const findBrowser = (): string | null => {
  const named = process.env["CARILLON_BROWSER"]
  if (named !== undefined && named !== "") return isExecutable(named) ? named : null
  const candidates = [
    ...commands.flatMap((command) => pathFolders().map((folder) => join(folder, command))),
    ...places,
    chromium.executablePath(),
  ]
  return candidates.find((path) => existsSync(path) && isExecutable(path)) ?? null
}

const installMs = 5 * 60_000

const run = (command: string, ...args: ReadonlyArray<string>): boolean => {
  console.log([command, ...args].join(" "))
  return spawnSync(command, args, { stdio: "inherit", timeout: installMs }).status === 0
}

const install = (): boolean => {
  const hasApt = spawnSync("apt-get", ["--version"]).status === 0
  if (hasApt && process.getuid?.() === 0) {
    process.env["DEBIAN_FRONTEND"] = "noninteractive"
    run("apt-get", "update", "-q")
    if (run("apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium", "fonts-liberation")) return true
  }
  const cli = join(dirname(import.meta.dirname), "node_modules", "playwright-core", "cli.js")
  return run(process.execPath, cli, "install", "chromium")
}

if (import.meta.main) {
  if (findBrowser() === null && !install()) console.error("No Chromium could be installed.")
  const found = findBrowser()
  console.log(found ?? "There is no Chromium here. Install one, or name one in CARILLON_BROWSER.")
  process.exitCode = found === null ? 1 : 0
}
