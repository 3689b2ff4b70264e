import { Context, Effect, Layer } from "effect"
import { Redis } from "ioredis"
import { describe, it } from "vitest"
import { redisServer } from "../../../scripts/redis-server.ts"
import { RedisServer as Server } from "../../../scripts/servers/RedisServer.ts"

const binary = redisServer()

/** Tests that need a Redis server; where none can be had they are skipped, and the run says so at its end. */
export const onRedis = (name: string, define: () => void): void => {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run them on
  if (binary === null) it.skip(`cannot be run: ${name} (no redis-server can be had here)`, () => undefined)
  // oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- they are the caller's
  else describe(name, define)
}

/** A Redis server of the tests' own, with an append-only file, that can be killed and brought back. */
export class RedisProcess {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<RedisProcess> {
    const server = await Server.open()
    if (server === null) throw new Error("no redis-server")
    return new RedisProcess(server)
  }

  get port(): number {
    return this.#server.port
  }

  get url(): string {
    return this.#server.url
  }

  readonly start = () => this.#server.start()
  readonly kill = () => this.#server.kill()
  readonly close = () => this.#server.close()

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
