import { setTimeout as sleep } from "node:timers/promises"
import { Queue } from "bullmq"
import { RedisServer } from "../../../scripts/servers/RedisServer.ts"
import type { Pace } from "./Carrier.ts"
import { CarrierProcess } from "./CarrierProcess.ts"
import { Member } from "./Member.ts"
import type { QueueSettings } from "./Protocol.ts"
import { fullAgain, type Random } from "./Trial.ts"

/** What kills did to workers of a queue. */
export interface QueueDay {
  /** From each kill until all lines were used again; null: not as long as it was waited for. */
  readonly fullAgainMs: ReadonlyArray<number | null>
  readonly doubleDials: number
  readonly dials: number
}

const queue = "contacts"
const jobsPerLine = 20
const supplyMs = 500
const warmUpMs = 5_000
const patienceMs = 90_000

/** Workers of BullMQ with its own settings and its limit for all workers together, killed and started again under the same carrier. */
export const queueDay = async (options: {
  readonly processes: number
  readonly lines: number
  readonly kills: number
  readonly pace: Pace
  readonly random: Random
}): Promise<QueueDay | string> => {
  const { kills, lines, pace, processes, random } = options
  const redis = await RedisServer.open()
  if (redis === null) return "no redis-server can be had here"
  const carrier = await CarrierProcess.open({ ...pace, swallowsOneIn: 0 })
  const contacts = new Queue(queue, { connection: { host: "127.0.0.1", port: redis.port } })
  let started = 0
  let serial = 0
  let isOver = false
  const start = () => {
    const name = `worker-${++started}`
    const settings: QueueSettings = { name, queue, redisPort: redis.port, carrier: carrier.url, lines }
    return new Member(name, "QueueServer.ts", ["--settings", JSON.stringify(settings)], () => undefined).listening()
  }
  const supply = async () => {
    while (!isOver) {
      if ((await contacts.getWaitingCount()) < lines * jobsPerLine) {
        const jobs = Array.from({ length: lines * jobsPerLine }, () => ({
          name: "dial",
          data: {},
          opts: { jobId: `contact-${serial++}`, removeOnComplete: true },
        }))
        await contacts.addBulk(jobs)
      }
      await sleep(supplyMs)
    }
  }
  await carrier.expect({ ceilings: { platform: lines }, campaigns: {}, lines })
  await contacts.setGlobalConcurrency(lines)
  const supplied = supply()
  const workers = await Promise.all(Array.from({ length: processes }, start))
  try {
    await sleep(warmUpMs)
    const fullAgainMs: Array<number | null> = []
    for (let nth = 0; nth < kills; nth++) {
      const [victim] = workers.splice(Math.floor(random() * workers.length), 1)
      const at = Date.now()
      await victim?.end("SIGKILL")
      workers.push(await start())
      fullAgainMs.push(await fullAgain(carrier, at, patienceMs))
    }
    const { dials, doubleDials } = await carrier.look()
    return { fullAgainMs, doubleDials, dials }
  } finally {
    isOver = true
    await supplied
    await contacts.close()
    await Promise.all(workers.map((worker) => worker.end("SIGKILL")))
    await carrier.close()
    await redis.close()
  }
}
