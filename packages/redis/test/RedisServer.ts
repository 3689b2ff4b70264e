import { Context, Effect, Layer } from "effect"
import { Redis } from "ioredis"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "vitest"
import { redisServer } from "../../../scripts/redis-server.ts"

const binary = redisServer()

/** Tests that need a Redis server; where none can be had they are skipped, and the run says so at its end. */
export const onRedis = (name: string, define: () => void): void => {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run them on
  if (binary === null) it.skip(`cannot be run: ${name} (no redis-server can be had here)`, () => undefined)
  // oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- they are the caller's
  else describe(name, define)
}

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

/** A Redis server of the tests' own, with an append-only file, that can be killed and brought back. */
export class RedisProcess {
  readonly port: number
  readonly #folder: string
  #process: ChildProcess | undefined

  private constructor(port: number, folder: string) {
    this.port = port
    this.#folder = folder
  }

  static async open(): Promise<RedisProcess> {
    const server = new RedisProcess(await freePort(), await mkdtemp(join(tmpdir(), "carillon-redis-")))
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    if (binary === null) throw new Error("no redis-server")
    const settings = ["--port", `${this.port}`, "--bind", "127.0.0.1", "--dir", this.#folder, "--appendonly", "yes"]
    this.#process = spawn(binary, [...settings, "--save", "", "--enable-debug-command", "yes"], { stdio: "ignore" })
    await this.command((client) => client.ping())
  }

  /** As the kernel or the power would end it. */
  async kill(): Promise<void> {
    const process = this.#process
    if (process === undefined) return
    this.#process = undefined
    process.kill("SIGKILL")
    if (process.exitCode === null && process.signalCode === null) await once(process, "exit")
  }

  /** Says something to the server on a connection of its own. */
  async command<A>(say: (client: Redis) => Promise<A>): Promise<A> {
    const client = new Redis(this.url, { maxRetriesPerRequest: null, retryStrategy: () => 10 })
    client.on("error", () => undefined)
    try {
      return await say(client)
    } finally {
      client.disconnect()
    }
  }

  async close(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The server of a test file. */
export class RedisServer extends Context.Service<RedisServer, RedisProcess>()("@carillon/redis/test/RedisServer") {
  static readonly layer = Layer.effect(
    RedisServer,
    Effect.acquireRelease(
      Effect.promise(() => RedisProcess.open()),
      (server) => Effect.promise(() => server.close()),
    ),
  )
}
