import { type Control, ControlFailure } from "./Control.ts"

/** The time of the server under test, and the power to move it. Times are epoch milliseconds. */
export interface Clock {
  /** True when time moves only when told. */
  readonly virtual: boolean
  readonly now: () => Promise<number>
  /** Lets this much time pass; what is due on the way has happened afterwards. */
  readonly advance: (ms: number) => Promise<void>
  /** How many `/v2` requests are waiting for time to pass. */
  readonly waiting: () => Promise<number>
  /** The next moment at which something is due, or null. */
  readonly nextDue: () => Promise<number | null>
}

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
    waiting: async () => (await look()).waiting,
    nextDue: async () => (await look()).nextDue,
  }
}

/** Real time, waited out: what `--slow` uses where the target has no clock. */
export const realClock = (sleep: (ms: number) => Promise<void>): Clock => ({
  virtual: false,
  now: async () => Date.now(),
  advance: sleep,
  waiting: async () => 0,
  nextDue: async () => null,
})
