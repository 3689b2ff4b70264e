// `node scripts/redis-server.ts` says where a Redis server is, and installs Debian's where there is none and it may. The tests and
// the benchmarks that need one start it themselves, on a free port and in a directory of its own.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { isExecutable, pathFolders } from "./servers/Executable.ts"

const installMs = 120_000

const find = (): string | undefined =>
  [
    process.env["CARILLON_REDIS_SERVER"] ?? "",
    ...pathFolders().map((folder) => join(folder, "redis-server")),
    "/usr/bin/redis-server",
  ].find((file) => file !== "" && isExecutable(file))

const apt = (...args: ReadonlyArray<string>): boolean =>
  spawnSync("apt-get", ["-qq", "-o", `DPkg::Lock::Timeout=${installMs / 1000}`, ...args], {
    // Run level 1 keeps the package from starting a server of its own.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    stdio: "ignore",
    timeout: installMs,
  }).status === 0

const install = (): void => {
  if (process.getuid?.() !== 0) return
  const packageOf = ["install", "-y", "--no-install-recommends", "redis-server"]
  if (!apt(...packageOf) && apt("update")) apt(...packageOf)
}

/** The path of a Redis server, or null when none can be had. */
export const redisServer = (): string | null => {
  const found = find()
  if (found !== undefined) return found
  install()
  return find() ?? null
}

if (import.meta.main) {
  const file = redisServer()
  console.log(
    file ?? "No redis-server can be had here: install Debian's package redis-server, or set CARILLON_REDIS_SERVER.",
  )
  process.exitCode = file === null ? 1 : 0
}
