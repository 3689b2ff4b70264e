import { Redis } from "ioredis"
import { setTimeout as sleep } from "node:timers/promises"
import type { CarrierProcess } from "./CarrierProcess.ts"
import type { Engine, Fleet } from "./Fleet.ts"
import type { CarrierLook, Gap } from "./Protocol.ts"

/** A figure from 0 to 1; the same seed gives the same ones in the same order. */
export type Random = () => number

/** Mulberry32: good enough to choose victims and moments. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** Something that is done to the fleet while it works. */
export interface Trial {
  readonly name: string
  /** Does it. The fault is over when `afterwards` is. Returns how long a drain took, where that is of interest. */
  readonly run: (
    fleet: Fleet,
    random: Random,
  ) => Promise<{ readonly afterwards: Promise<unknown>; readonly drainMs?: number | null }>
}

const awayMs = 1_000
const pausedMs = 15_000
const hungMs = 6_000

const victim = (fleet: Fleet, random: Random): Engine => {
  const engine = fleet.engines[Math.floor(random() * fleet.engines.length)]
  if (engine === undefined) throw new Error("no engine is left")
  return engine
}

const done = Promise.resolve()

export const processKilled: Trial = {
  name: "SIGKILL of a process, another started",
  run: async (fleet, random) => {
    await fleet.kill(victim(fleet, random))
    return { afterwards: fleet.start() }
  },
}

const processPaused: Trial = {
  name: `SIGSTOP of a process for ${pausedMs / 1_000} s`,
  run: async (fleet, random) => {
    const { child } = victim(fleet, random).member
    child.kill("SIGSTOP")
    const afterwards = sleep(pausedMs).then(() => child.kill("SIGCONT"))
    return { afterwards }
  },
}

export const processDrained: Trial = {
  name: "SIGTERM of a process, another started",
  run: async (fleet, random) => {
    const drained = fleet.drain(victim(fleet, random))
    const started = fleet.start()
    const drainMs = await drained
    return { afterwards: started, drainMs }
  },
}

const allReplaced: Trial = {
  name: "all processes replaced, one after another",
  run: async (fleet) => {
    let longest: number | null = 0
    for (const engine of [...fleet.engines]) {
      await fleet.start()
      const took: number | null = await fleet.drain(engine)
      longest = took === null || longest === null ? null : Math.max(longest, took)
    }
    return { afterwards: done, drainMs: longest }
  },
}

const postgresKilled: Trial = {
  name: `PostgreSQL ended without a checkpoint, back after ${awayMs / 1_000} s`,
  run: async (fleet) => {
    await fleet.postgres.kill()
    await sleep(awayMs)
    await fleet.postgres.start()
    return { afterwards: done }
  },
}

const redisKilled: Trial = {
  name: `SIGKILL of Redis, back after ${awayMs / 1_000} s`,
  run: async (fleet) => {
    await fleet.redis.kill()
    await sleep(awayMs)
    await fleet.redis.start()
    return { afterwards: done }
  },
}

export const redisFlushed: Trial = {
  name: "Redis flushed",
  run: async (fleet) => {
    const redis = new Redis(fleet.redis.url)
    await redis.flushall()
    redis.disconnect()
    return { afterwards: done }
  },
}

const redisHung: Trial = {
  name: `Redis hangs for ${hungMs / 1_000} s`,
  run: async (fleet) => {
    const redis = new Redis(fleet.redis.url)
    await redis.client("PAUSE", hungMs, "ALL")
    redis.disconnect()
    return { afterwards: sleep(hungMs) }
  },
}

const connectionsCut: Trial = {
  name: "every connection to PostgreSQL and Redis cut",
  run: async (fleet) => {
    for (const { postgres, redis } of fleet.engines) {
      postgres.breakAll()
      redis.breakAll()
    }
    return { afterwards: done }
  },
}

const processCutOff: Trial = {
  name: `a process cut off from PostgreSQL and Redis for ${pausedMs / 1_000} s`,
  run: async (fleet, random) => {
    const { postgres, redis } = victim(fleet, random)
    postgres.cut()
    redis.cut()
    const afterwards = sleep(pausedMs).then(() => {
      postgres.mend()
      redis.mend()
    })
    return { afterwards }
  },
}

/** What else is done to the fleet besides killing its processes. */
export const otherTrials: ReadonlyArray<Trial> = [
  processPaused,
  processDrained,
  postgresKilled,
  redisKilled,
  redisFlushed,
  redisHung,
  connectionsCut,
  processCutOff,
  allReplaced,
]

/** A stretch in which not all lines were used counts as an interruption from here on: legs end, and the next dial takes its time. */
const interruptionMs = 1_000
/** Within this time of the end of a fault its effect must have begun to show: the longest leg that was live then has ended. */
const effectMs = 4_500
const pollMs = 100

/** What a trial did to the use of the lines. */
export interface Outcome {
  readonly trial: string
  /** From the moment it was done until all lines were used again, 0 when they never ceased to be; null: not as long as it was waited for. */
  readonly fullAgainMs: number | null
  /** The part of the lines that was used meanwhile, from 0 to 1. */
  readonly use: number
  /** How long a process that was told to stop took; null: it had to be killed. Undefined where none was told. */
  readonly drainMs?: number | null
}

/** From `at` until all lines were used again, of the gaps that began before `until`, in milliseconds; null: they are not yet. */
export const fullAgainAfter = (gaps: ReadonlyArray<Gap>, at: number, until: number): number | null => {
  let longest = 0
  for (const { from, to } of gaps) {
    if (from >= until) continue
    if (to === null) return null
    if (to - from > interruptionMs) longest = Math.max(longest, to - at)
  }
  return longest
}

/** Of a fault that began at `at` and is over now: from then until all lines were used again; null: not as long as it was waited for. */
export const fullAgain = async (carrier: CarrierProcess, at: number, patienceMs: number): Promise<number | null> => {
  const until = Date.now() + effectMs
  await sleep(effectMs)
  for (;;) {
    const took = fullAgainAfter(await carrier.gaps(at), at, until)
    if (took !== null) return took
    if (Date.now() - at > patienceMs) return null
    await sleep(pollMs)
  }
}

/** Does it to the fleet, and waits until all lines are used again, but not for ever. */
export const undergo = async (
  fleet: Fleet,
  lines: number,
  trial: Trial,
  random: Random,
  patienceMs: number,
): Promise<Outcome> => {
  const before = await fleet.carrier.look()
  const at = Date.now()
  const { afterwards, ...rest } = await trial.run(fleet, random)
  await afterwards
  const fullAgainMs = await fullAgain(fleet.carrier, at, patienceMs)
  const after = await fleet.carrier.look()
  return { trial: trial.name, fullAgainMs, use: useBetween(before, after, lines), ...rest }
}

/** The part of the lines that was used between two looks. */
export const useBetween = (from: CarrierLook, to: CarrierLook, lines: number): number =>
  (to.liveMs - from.liveMs) / (to.now - from.now) / lines
