import { Queue, Worker } from "bullmq"
import { Handled, numberOf, type StartQueue } from "./Queue.ts"

const fillChunk = 5_000

/** A BullMQ queue on a Redis with an append-only file that is synced every second; a job is done once it was moved to the completed ones. */
export const startBullMq =
  (concurrency: number): StartQueue =>
  async (url) => {
    const { hostname, port } = new URL(url)
    const connection = { host: hostname, port: Number(port) }
    const queue = new Queue<{ readonly to_number: string }>("dial", { connection })
    await queue.waitUntilReady()
    let expected = 0
    let worker: Worker<{ readonly to_number: string }> | undefined
    return {
      fill: async (jobs) => {
        expected = jobs
        for (let from = 0; from < jobs; from += fillChunk) {
          const count = Math.min(fillChunk, jobs - from)
          await queue.addBulk(
            Array.from({ length: count }, (_, nth) => ({ name: "dial", data: { to_number: numberOf(from + nth) } })),
          )
        }
      },
      drain: async (begins) => {
        const handled = new Handled(expected)
        const completed = new Handled(expected)
        const started = new Worker<{ readonly to_number: string }>(
          "dial",
          async ({ data }) => handled.run(data.to_number),
          { connection, concurrency, removeOnComplete: { count: 0 }, autorun: false },
        )
        worker = started
        started.on("completed", ({ data }) => completed.run(data.to_number)).on("error", () => undefined)
        await started.waitUntilReady()
        begins()
        void started.run()
        await completed.all
        return handled.errors
      },
      rest: async () => worker?.close(),
      close: () => queue.close(),
    }
  }
