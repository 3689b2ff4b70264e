import { type CallLimits, callLimits, WrongLimit } from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import type { EdgeRequest, EdgeResponse } from "@carillon/http"
import type { LogLevel } from "effect"
import type { Mix } from "../carrier/Mix.ts"
import type { Turn } from "../clock/Outside.ts"
import { control, type Host } from "../control/Control.ts"
import { Mix as MixSchema } from "../control/Bodies.ts"
import { decode } from "../control/Decode.ts"
import { parseLimits } from "../limits/LimitsMode.ts"
import { Stage } from "../Stage.ts"
import type { WorldOptions } from "../World.ts"
import { bytesOf, type JournalHead, JournalError, type JournalLine, type WrittenJournal } from "./Journal.ts"

/** Who wants to know what a world says while it is replayed. */
export interface Audience {
  /** Before the first input; the world waits for what it does. */
  readonly opened: (stage: Stage) => void | Promise<void>
  readonly answered: (response: EdgeResponse) => void
}

/** How a journal is replayed. */
export interface ReplayOptions {
  readonly logLevel?: LogLevel.LogLevel | undefined
  readonly audience?: Audience | undefined
  readonly isExact?: boolean
  /** How what comes from outside is let into the world afterwards. */
  readonly turn?: Turn
}

const nobody: Audience = { opened: () => {}, answered: () => {} }

const mixOf = (mix: JournalHead["mix"]): Mix | undefined => (mix === null ? undefined : decode(MixSchema, mix))

const callLimitsOf = (set: JournalHead["call_limits"]): CallLimits | undefined => {
  try {
    return set === undefined ? undefined : callLimits(set)
  } catch (error) {
    throw error instanceof WrongLimit ? new JournalError(`its limits are not known: ${error.message}`) : error
  }
}

/** The world that a journal begins with. */
export const worldOptionsOf = ({ head }: WrittenJournal): WorldOptions => {
  const limits = parseLimits(head.limits)
  if (limits === null) throw new JournalError(`its limits are not known: ${head.limits}`)
  const { seed, epoch, clock, retention, allow_webhook_hosts: allowWebhookHosts } = head
  const mix = mixOf(head.mix)
  const callLimits = callLimitsOf(head.call_limits)
  return { seed, epoch, clock, limits, callLimits, mix, retention, allowWebhookHosts, storageName: "memory:" }
}

const refuse = (): never => {
  throw new JournalError("a reset or a restore is not an input of a world")
}

/** The control surface of a world that is replayed: its inputs change it, and nothing replaces it. */
const hostOf = (stage: Stage): Host => ({ controlToken: null, stage, reset: refuse, snapshot: refuse, restore: refuse })

/** Who is to be told that the client of a request is gone, by its number. */
type Waiting = Map<number, () => void>

const apply = async (stage: Stage, { entry }: JournalLine, audience: Audience, waiting: Waiting): Promise<void> => {
  switch (entry.input) {
    case "gone":
      waiting.get(entry.nth)?.()
      await stage.rest()
      return
    case "crash":
      return stage.crash(entry.steps)
    case "interleave":
      return stage.interleave(entry.rate, entry.commits ?? entry.rate)
    case "control": {
      const { method, target } = entry
      const body = bytesOf(entry.body)
      const bytes = body instanceof Uint8Array ? body : new Uint8Array()
      audience.answered(await control(hostOf(stage), { method, target, authorization: null, body: bytes }))
      await stage.world.flush()
      await stage.rest()
      return
    }
    case "request": {
      const { headers, method, nth, target } = entry
      const request: EdgeRequest = {
        method,
        target,
        body: bytesOf(entry.body),
        header: (name) => headers[name] ?? null,
        whenGone: (listener) => {
          waiting.set(nth, listener)
          return () => waiting.delete(nth)
        },
      }
      stage.request(request, audience.answered)
      await stage.rest()
    }
  }
}

const wentAnotherWay = (input: number, cameAt: number, now: number): string => {
  const [came, is] = [Timestamp.formatUtc(cameAt), Timestamp.formatUtc(now)]
  return `it cannot be followed: input ${input} came at ${came}, but the world is at ${is}; another version wrote it, or lines are missing`
}

/**
 * Lives a journal through again, from a fresh world on. Throws a `JournalError` where time has gone another way; one that is not `exact`
 * goes on, which is for journals that somebody has cut lines out of.
 */
export const replay = async (
  options: WorldOptions,
  { lines }: WrittenJournal,
  { audience = nobody, isExact = true, logLevel = "Warn", turn = (job) => job() }: ReplayOptions = {},
): Promise<Stage> => {
  const stage = await Stage.open(options, logLevel, turn)
  await audience.opened(stage)
  const { clock } = stage.world
  const waiting: Waiting = new Map()
  for (const [index, line] of lines.entries()) {
    if (line.catch_up) await stage.driver.runTo(line.at)
    if (isExact && clock.now() !== line.at) {
      throw new JournalError(wentAnotherWay(index + 1, line.at, clock.now()))
    }
    await apply(stage, line, audience, waiting)
  }
  return stage
}
