import { PgBoss } from "pg-boss"
import { Handled, numberOf, type StartQueue } from "./Queue.ts"

const queue = "dial"
const fillChunk = 5_000

/**
 * A pg-boss whose jobs are fetched and completed `batchSize` at a time, by hand, for its own workers pause half a second where they found nothing. A job
 * is done once its row says so.
 */
export const startPgBoss =
  (batchSize: number): StartQueue =>
  async (connectionString) => {
    const boss = new PgBoss({ connectionString, supervise: false, schedule: false })
    boss.on("error", () => undefined)
    await boss.start()
    await boss.createQueue(queue)
    let handled = new Handled(0)
    return {
      fill: async (jobs) => {
        handled = new Handled(jobs)
        for (let from = 0; from < jobs; from += fillChunk) {
          const count = Math.min(fillChunk, jobs - from)
          await boss.insert(
            queue,
            Array.from({ length: count }, (_, nth) => ({ data: { to_number: numberOf(from + nth) } })),
          )
        }
      },
      drain: async (begins) => {
        begins()
        for (;;) {
          const jobs = await boss.fetch(queue, { batchSize })
          if (jobs.length === 0) break
          for (const job of jobs) handled.run(job.id)
          await boss.complete(
            queue,
            jobs.map(({ id }) => id),
          )
        }
        return handled.errors
      },
      close: () => boss.stop({ graceful: false }),
    }
  }
