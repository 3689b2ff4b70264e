import { writeSync } from "node:fs"
import { isMainThread, parentPort, Worker } from "node:worker_threads"

/** A world that has not come to its end by then never will: the slowest take seconds. */
const patienceMs = 120_000

/** Ends the soak, with the seed, where a world keeps its thread for ever: nothing else in the process could say so. */
export const watchdog = (): ((seed: number) => void) => {
  const worker = new Worker(new URL(import.meta.url))
  worker.unref()
  return (seed) => worker.postMessage(seed)
}

if (!isMainThread && parentPort !== null) {
  let timer: ReturnType<typeof setTimeout> | undefined
  parentPort.on("message", (seed: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      writeSync(1, `seed ${seed}\n  has not come to its end within ${patienceMs / 1000} s\n`)
      process.kill(process.pid, "SIGKILL")
    }, patienceMs)
  })
}
