import { writeSync } from "node:fs"
import { isMainThread, parentPort, Worker } from "node:worker_threads"

/**
 * A world that has not come to its end after so much work never will. Most take seconds; one of dozens of subscriptions, with 65,000 deliveries
 * and 415,000 events, took 200 s on a busy machine (seed 30348).
 */
const patienceCpuMs = 400_000
/** Nor will one that has waited for so long, whatever for. */
const patienceMs = 1_200_000
const lookMs = 1_000

/** Ends the soak, with the seed, where a world keeps its thread for ever: nothing else in the process could say so. */
export const watchdog = (): ((seed: number) => void) => {
  const worker = new Worker(new URL(import.meta.url))
  worker.unref()
  return (seed) => worker.postMessage(seed)
}

/** Processor time of all threads of the process. */
const cpuMs = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

if (!isMainThread && parentPort !== null) {
  let timer: ReturnType<typeof setInterval> | undefined
  parentPort.on("message", (seed: number) => {
    clearInterval(timer)
    const began = performance.now()
    const cpuBefore = cpuMs()
    timer = setInterval(() => {
      const [cpu, waited] = [cpuMs() - cpuBefore, performance.now() - began]
      if (cpu < patienceCpuMs && waited < patienceMs) return
      writeSync(1, `seed ${seed}\n  has not come to its end within ${Math.round(cpu / 1_000)} s of work\n`)
      process.kill(process.pid, "SIGKILL")
    }, lookMs)
  })
}
