import { type Comparison, type Contender, type Scenario, sized, timed } from "../Harness.ts"
import { startBullMq } from "../dispatch/BullMq.ts"
import { startCarillon } from "../dispatch/Carillon.ts"
import { startGraphile } from "../dispatch/Graphile.ts"
import { startPgBoss } from "../dispatch/PgBoss.ts"
import type { Queue, StartQueue } from "../dispatch/Queue.ts"
import { createDatabase, startPostgres } from "../servers/PostgresServer.ts"
import { startRedis } from "../servers/RedisServer.ts"

const fetched = 20

/** More than are ever under way: no call waits for a line. */
const lines = 500

export const carillonMany = `Carillon, up to ${lines} calls at a time`
export const carillonOne = "Carillon, one call at a time"
const graphile = "graphile-worker, default"

/** On a machine that starves the database a dial comes too late and is not made any more: then nobody waits for its end for ever. */
const patienceMs = 300_000

/** What is not done by then was done wrongly. */
const within = async (drained: Promise<number>, jobs: number): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const timer = setTimeout(() => resolve(jobs), patienceMs)
  try {
    return await Promise.race([drained, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** One queue that is filled anew for each round; filling it is not measured. */
const contender = (name: string, jobs: number, start: StartQueue, url: string): Contender => {
  let queue: Queue | undefined
  return {
    name,
    round: async () => {
      queue ??= await start(url)
      const { drain, fill } = queue
      await fill(jobs)
      const begun = Promise.withResolvers<void>()
      const drained = drain(begun.resolve)
      await Promise.race([begun.promise, drained])
      const round = await timed(async () => ({ operations: jobs, errors: await within(drained, jobs) }))
      await queue.rest?.()
      return round
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
  comparisons: async function* (scale) {
    const contacts = sized(scale, 100, 3_000, 50_000)
    // Who takes one job after the other needs fewer for a figure.
    const singly = sized(scale, 20, 1_000)
    const oneLine = sized(scale, 5, 300)
    const server = await startPostgres()
    if (server === null) return
    const redis = await startRedis()
    try {
      const database = (name: string) => createDatabase(server, name)
      const comparison: Comparison = {
        title: "contacts on PostgreSQL, fsync on; gate off",
        reference: graphile,
        contenders: [
          contender(carillonMany, contacts, startCarillon(lines), await database("carillon_many")),
          contender(carillonOne, oneLine, startCarillon(1), await database("carillon_one")),
          contender(graphile, singly, startGraphile({}), await database("graphile")),
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
        notes: async () => [`${contacts} contacts a round, one at a time ${oneLine}, on ${server.version}`],
      }
      yield comparison
    } finally {
      await redis?.close()
      await server.stop()
    }
  },
}
