import { Redis } from "ioredis"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A Redis of a scenario's own, with the append-only file that production has. */
export interface RedisServer {
  readonly url: string
  readonly close: () => Promise<void>
}

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

const finder = join(import.meta.dirname, "..", "..", "..", "scripts", "redis-server.ts")

const find = (): string | null => {
  const { status, stdout } = spawnSync(process.execPath, [finder], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : null
}

/** Starts it, or says that the comparison is left out and why. */
export const startRedis = async (): Promise<RedisServer | null> => {
  const binary = find()
  if (binary === null) {
    process.stdout.write("  left out: the comparisons on Redis, because no redis-server can be had here\n\n")
    return null
  }
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "carillon-bench-"))
  const settings = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--save", ""]
  const server: ChildProcess = spawn(binary, settings, { stdio: "ignore" })
  const url = `redis://127.0.0.1:${port}`
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
  client.on("error", () => undefined)
  await client.ping()
  client.disconnect()
  return {
    url,
    close: async () => {
      server.kill()
      await once(server, "exit")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
