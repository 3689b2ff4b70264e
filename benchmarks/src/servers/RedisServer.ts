import { RedisServer } from "../../../scripts/servers/RedisServer.ts"

/** A Redis of a scenario's own, with the append-only file that production has; where there is none, it is said that its comparisons are left out. */
export const startRedis = async (): Promise<RedisServer | null> => {
  const server = await RedisServer.open()
  if (server === null) {
    process.stdout.write("  left out: the comparisons on Redis, because no redis-server can be had here\n\n")
  }
  return server
}
