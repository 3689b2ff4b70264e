import type { Client } from "../http/Client.ts"
import { type Control, ControlFailure } from "./Control.ts"

/** The time of the server under test, and the power to move it. Times are epoch milliseconds. */
export interface Clock {
  /** True when time moves only when told. */
  readonly virtual: boolean
  readonly now: () => Promise<number>
  /** Lets this much time pass; what is due on the way has happened afterwards. */
  readonly advance: (ms: number) => Promise<void>
  /** Lets time pass until a call has a status; false when it has not within `maxMs`. */
  readonly until: (executionId: string, status: string, maxMs?: number) => Promise<boolean>
  /** How many `/v2` requests are waiting for time to pass. */
  readonly waiting: () => Promise<number>
  /** The next moment at which something is due, or null. */
  readonly nextDue: () => Promise<number | null>
}

/** Longest virtual time that `until` lets pass by itself: more than any ordinary call takes. */
const untilMaxMs = 15 * 60_000

const momentOf = (value: unknown): number | undefined => {
  const moment = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(moment) ? undefined : moment
}

/** The clock of the control surface, in manual mode. */
export const virtualClock = (control: Control): Clock => {
  const look = async () => {
    const answer = await control.send("GET", "/clock")
    const now = momentOf(answer.at("now"))
    if (!answer.succeeded || now === undefined)
      throw new ControlFailure("the clock does not tell its time", answer.exchange)
    return { now, waiting: answer.items("waiting").length, nextDue: momentOf(answer.at("next_due")) ?? null }
  }
  return {
    virtual: true,
    now: async () => (await look()).now,
    advance: async (ms) => {
      await control.ask("POST", "/clock/advance", { by_ms: ms })
    },
    until: async (execution_id, status, max_ms = untilMaxMs) => {
      const answer = await control.ask("POST", "/clock/advance", { until: { execution_id, status }, max_ms })
      return answer["reached"] === true
    },
    waiting: async () => (await look()).waiting,
    nextDue: async () => (await look()).nextDue,
  }
}

/** Real time, waited out: what `--slow` uses where the target has no clock. */
export const realClock = (client: Client, sleep: (ms: number) => Promise<void>): Clock => {
  const pollMs = 500
  return {
    virtual: false,
    now: async () => Date.now(),
    advance: sleep,
    until: async (executionId, status, maxMs = untilMaxMs) => {
      const deadline = Date.now() + maxMs
      for (;;) {
        const answer = await client.get(`/v2/calls/${executionId}`)
        if (answer.at("status") === status) return true
        if (Date.now() > deadline) return false
        await sleep(pollMs)
      }
    },
    waiting: async () => 0,
    nextDue: async () => null,
  }
}
