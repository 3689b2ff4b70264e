import { type Comparison, type Contender, type Scenario, timed } from "../Harness.ts"
import { startBullMq } from "../dispatch/BullMq.ts"
import { startCarillon } from "../dispatch/Carillon.ts"
import { startGraphile } from "../dispatch/Graphile.ts"
import { startPgBoss } from "../dispatch/PgBoss.ts"
import type { Queue, StartQueue } from "../dispatch/Queue.ts"
import { createDatabase, startPostgres } from "../servers/PostgresServer.ts"
import { startRedis } from "../servers/RedisServer.ts"

const contacts = process.env.BENCH_WHOLE === undefined ? 1_500 : 50_000

/** Who takes one job after the other needs fewer for a figure. */
const singly = 300
const oneLine = 40

const fetched = 20

/** More than are ever under way: no call waits for a line. */
const lines = 500

/** One queue that is filled anew for each round; filling it is not measured. */
const contender = (name: string, jobs: number, start: StartQueue, url: string): Contender => {
  let queue: Queue | undefined
  return {
    name,
    round: async () => {
      queue ??= await start(url)
      const { drain, fill } = queue
      await fill(jobs)
      return timed(async () => ({ operations: jobs, errors: await drain() }))
    },
    close: async () => queue?.close(),
  }
}

const localQueue = (size: number) => ({
  preset: { worker: { concurrentJobs: size, localQueue: { size }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
})

export const dispatch: Scenario = {
  name: "dispatch",
  question: "How many contacts a second are claimed, dialled and completed, durably, when dialling costs nothing?",
  comparisons: async function* () {
    const server = await startPostgres()
    if (server === null) return
    const redis = await startRedis()
    try {
      const database = (name: string) => createDatabase(server, name)
      const comparison: Comparison = {
        title: `${contacts} contacts, ${server.version}, fsync on; gate off`,
        reference: "graphile-worker, default",
        contenders: [
          contender(
            `Carillon, up to ${lines} calls at a time`,
            contacts,
            startCarillon(lines),
            await database("carillon_many"),
          ),
          contender("Carillon, one call at a time", oneLine, startCarillon(1), await database("carillon_one")),
          contender("graphile-worker, default", singly, startGraphile({}), await database("graphile")),
          contender(
            `graphile-worker, localQueue ${fetched}`,
            contacts,
            startGraphile(localQueue(fetched)),
            await database("graphile_local"),
          ),
          contender("pg-boss, one at a time", singly, startPgBoss(1), await database("boss_one")),
          contender(`pg-boss, ${fetched} at a time`, contacts, startPgBoss(fetched), await database("boss_many")),
          ...(redis === null
            ? []
            : [contender(`BullMQ, ${fetched} at a time, AOF`, contacts, startBullMq(fetched), redis.url)]),
        ],
      }
      yield comparison
    } finally {
      await redis?.close()
      await server.stop()
    }
  },
}
