import { afterAll, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { RedisServer } from "../../../scripts/servers/RedisServer.ts"
import { durableFolders, durableLimitMs } from "./Durable.ts"
import { describeEngineOn } from "./Judged.ts"

const [postgres, redis] = await Promise.all([startPostgres(), RedisServer.open()])

afterAll(async () => {
  if (typeof postgres !== "string") await postgres.stop()
  await redis?.close()
})

if (typeof postgres === "string" || redis === null) {
  const why = typeof postgres === "string" ? postgres : "no redis-server can be had here"
  it(`cannot be run: the engine on PostgreSQL and Redis (${why})`, ({ skip }) => skip())
} else {
  const world = {
    storage: `postgres://${postgres.url().slice("postgres://".length)}`,
    counters: `redis://127.0.0.1:${redis.port}`,
  } as const
  describeEngineOn("the engine on PostgreSQL and Redis", world, durableFolders, durableLimitMs)
}
