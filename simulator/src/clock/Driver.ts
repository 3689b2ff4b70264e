import { Exit } from "effect"
import type { Doing } from "../carrier/Carrier.ts"
import type { Process } from "../Process.ts"
import type { World } from "../World.ts"
import { turnOfTheEventLoop } from "./EventLoop.ts"

/** Where an advance goes. Times are epoch milliseconds of virtual time. */
export type Goal =
  | { readonly _tag: "Time"; readonly at: number }
  | { readonly _tag: "Idle"; readonly until: number }
  | { readonly _tag: "Status"; readonly execution_id: string; readonly status: string; readonly until: number }

/** What an advance came to: how much ran, and whether what it was for came about. */
export interface Advance {
  readonly events: number
  readonly reached: boolean
}

/** A world with the process that runs on it now. */
export interface Driven {
  readonly world: World
  readonly process: Process
  /** Waits until the process has come to rest, and replaces it if it has ended. */
  readonly rest: () => void | Promise<void>
}

/** While wake-ups cannot be claimed, they are tried again after this long. */
const claimRetryFirstMs = 1_000
const claimRetryMaxMs = 10_000

/** Claims of wake-ups at one moment, many in each, that no world needs to come to the next. */
const claimsAtOneMoment = 10_000

/** Real time after which a long advance lets the rest of the process have a turn. */
const sliceMs = 20

const earliest = (a: number | null, b: number | null, c: number | null, d: number | null): number | null => {
  const next = Math.min(a ?? Infinity, b ?? Infinity, c ?? Infinity, d ?? Infinity)
  return next === Infinity ? null : next
}

/**
 * Moves a world through time. Three sources say when something is due: the carrier, with its vendor where it has one, parked requests, and
 * the engine's wake-ups.
 * The driver sets the clock to the earliest moment, runs one thing that is due there, waits until the world has come to rest,
 * and looks again. At one moment the carrier speaks first, then patience ends, then the engine looks at what is due.
 */
export class Driver {
  readonly #driven: Driven
  /** No wake-up is claimed before this moment, after one could not be. */
  #claimFrom = -Infinity
  #claimFailures = 0
  /** The moment at which wake-ups were last claimed, and how often. */
  #claimedAt = -Infinity
  #claims = 0
  #isHalted = false

  constructor(driven: Driven) {
    this.#driven = driven
  }

  get #world(): World {
    return this.#driven.world
  }

  get #process(): Process {
    return this.#driven.process
  }

  /** The next moment at which something is due, or null. Housekeeping repairs and brings nothing about. */
  nextDue(options: { readonly housekeeping: boolean }): number | null | Promise<number | null> {
    // What lies in memory is looked at: asking the engine would be a fiber for each event.
    return this.#world.isDurable
      ? this.#askedNextDue(options)
      : this.#earliest(this.#world.tables.wakeups.next(options.housekeeping))
  }

  async #askedNextDue(options: { readonly housekeeping: boolean }): Promise<number | null> {
    const asked = await this.#process.run(this.#process.engine.nextDue(options))
    return this.#earliest(Exit.isSuccess(asked) ? asked.value : null)
  }

  #earliest(wakeup: number | null): number | null {
    return earliest(
      this.#world.carrier.next(),
      this.#world.vendor?.next() ?? null,
      this.#process.parking.nextDeadline(),
      wakeup === null ? null : Math.max(wakeup, this.#claimFrom),
    )
  }

  /** Time goes no further: an advance that is under way ends after what runs now. */
  halt(): void {
    this.#isHalted = true
  }

  /** What kept wake-ups from being claimed may be gone. */
  claimAgain(): void {
    this.#claimFailures = 0
    this.#claimFrom = -Infinity
  }

  /** Runs everything that is due up to a moment, which it is then. */
  async runTo(at: number): Promise<void> {
    await this.advance({ _tag: "Time", at })
  }

  async advance(goal: Goal): Promise<Advance> {
    const { clock } = this.#world
    const limit = goal._tag === "Time" ? goal.at : goal.until
    let events = 0
    let sliceEnd = performance.now() + sliceMs
    for (;;) {
      if (this.#isHalted) return { events, reached: false }
      if (goal._tag === "Status" && this.#world.call(goal.execution_id)?.status === goal.status) {
        return { events, reached: true }
      }
      if (goal._tag === "Idle" && (await this.#isIdle())) {
        this.#world.lookAtRest()
        return { events, reached: true }
      }
      const due = this.nextDue({ housekeeping: true })
      const next = due instanceof Promise ? await due : due
      if (next === null || next > limit) break
      clock.advanceTo(next)
      const ran = this.#runOne()
      events += ran instanceof Promise ? await ran : ran
      const rest = this.#driven.rest()
      if (rest !== undefined) await rest
      if (performance.now() < sliceEnd) continue
      await turnOfTheEventLoop()
      sliceEnd = performance.now() + sliceMs
    }
    clock.advanceTo(limit)
    return { events, reached: goal._tag === "Time" }
  }

  #isIdle(): boolean | Promise<boolean> {
    const { carrier, vendor } = this.#world
    if (carrier.next() !== null || (vendor?.next() ?? null) !== null) return false
    if (this.#process.parking.nextDeadline() !== null) return false
    const due = this.nextDue({ housekeeping: false })
    return due instanceof Promise ? due.then((next) => next === null) : due === null
  }

  /** Runs one thing that is due now. Returns how many events that was, at once where nothing leaves the process: a promise for each costs. */
  #runOne(): number | Promise<number> {
    const ran = this.#runDue()
    return ran instanceof Promise ? ran.then((events) => this.#lookedAt(events)) : this.#lookedAt(ran)
  }

  #lookedAt(events: number): number {
    this.#world.events += events
    this.#world.look()
    return events
  }

  #runDue(): number | Promise<number> {
    const { carrier, clock, vendor } = this.#world
    const { engine, parking } = this.#process
    const now = clock.now()
    const spoken = carrier.takeDue(now, engine.report)
    if (spoken !== null) return this.#speak(spoken)
    const told = vendor?.takeDue(now) ?? null
    if (told !== null) return told().then(() => 1)
    const deadline = parking.nextDeadline()
    if (deadline !== null && deadline <= now) {
      const expired = parking.expire(now)
      const rest = this.#process.rest()
      return rest === undefined ? expired : rest.then(() => expired)
    }
    const before = this.#world.claimed
    const claimed = this.#process.run(engine.runDue)
    return claimed instanceof Promise
      ? claimed.then((exit) => this.#claimed(exit, now, before))
      : this.#claimed(claimed, now, before)
  }

  /** The carrier says something to the process that there is now. */
  #speak({ run, unheard }: Doing): 1 | Promise<1> {
    const process = this.#process
    const spoken = (): 1 => {
      if (process.hasEnded) unheard()
      return 1
    }
    const rest = process.begin(run)
    return rest === undefined ? spoken() : rest.then(spoken)
  }

  /** What was claimed of the engine's wake-ups, since there were so many. */
  #claimed(claimed: Exit.Exit<number, unknown>, now: number, before: number): number {
    this.#backOff(Exit.isSuccess(claimed) && claimed.value > 0 && this.#goesOn(now))
    return this.#world.claimed - before
  }

  /** Whether wake-ups do not bring themselves about over and over, while time stands still. */
  #goesOn(now: number): boolean {
    this.#claims = now === this.#claimedAt ? this.#claims + 1 : 1
    this.#claimedAt = now
    return this.#world.goesOn(this.#claims <= claimsAtOneMoment)
  }

  /** A wake-up that is due and cannot be claimed must not be asked for again at the same moment. */
  #backOff(claimed: boolean): void {
    if (claimed) return this.claimAgain()
    const delay = Math.min(claimRetryFirstMs * 2 ** this.#claimFailures, claimRetryMaxMs)
    this.#claimFailures += 1
    this.#claimFrom = this.#world.clock.now() + delay
  }
}
