import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { bodyOf } from "./Endpoints.ts"
import { inFlight } from "./Plain.ts"
import { Poster } from "./Post.ts"
import type { StartSender } from "./Sender.ts"

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A Redis of our own, without persistence; null where there is no `redis-server`. */
export const startRedis = async (): Promise<{ readonly port: number; readonly process: ChildProcess } | null> => {
  const port = await freePort()
  const started = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", ""], {
    stdio: ["ignore", "pipe", "ignore"],
  })
  const isReady = await new Promise<boolean>((resolve) => {
    started.once("error", () => resolve(false)).once("exit", () => resolve(false))
    started.stdout.on("data", (text: Buffer) => {
      if (text.includes("Ready to accept connections")) resolve(true)
    })
  })
  return isReady ? { port, process: started } : null
}

/** A BullMQ job for each delivery: four attempts, the same signed POST, and an insert into a ledger in the same Redis. */
export const startBullMq =
  (port: number): StartSender =>
  async (urls, delivered) => {
    const connection = { host: "127.0.0.1", port }
    const ledger = new Redis(connection)
    await ledger.flushall()
    const poster = new Poster()
    const queue = new Queue<{ readonly serial: number; readonly endpoint: number; readonly body: string }>("webhooks", {
      connection,
    })
    const worker = new Worker<{ readonly serial: number; readonly endpoint: number; readonly body: string }>(
      "webhooks",
      async ({ attemptsMade, data }) => {
        const started_at = Date.now()
        const http_status = await poster.post(urls[data.endpoint] ?? "", data.body)
        const row = { event_id: `evt_${data.serial}`, attempt: attemptsMade + 1, started_at, http_status }
        await ledger.hset(`ledger:${data.serial}`, row)
        if (http_status !== 204) throw new Error(`The endpoint answered ${http_status}.`)
      },
      { connection, concurrency: inFlight },
    )
    worker.on("completed", ({ data }) => delivered(data.serial)).on("error", () => {})
    await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])
    const options = { attempts: 4, backoff: { type: "exponential", delay: 5_000 }, removeOnComplete: true }
    let batch: Array<{ name: string; data: { serial: number; endpoint: number; body: string }; opts: typeof options }> =
      []
    return {
      // Jobs of one turn of the event loop go to Redis together.
      submit: (serial, endpoint) => {
        if (batch.length === 0) {
          setImmediate(() => {
            void queue.addBulk(batch)
            batch = []
          })
        }
        batch.push({ name: "deliver", data: { serial, endpoint, body: bodyOf(serial) }, opts: options })
      },
      close: async () => {
        poster.close()
        await worker.close(true)
        await queue.close()
        ledger.disconnect()
      },
    }
  }
