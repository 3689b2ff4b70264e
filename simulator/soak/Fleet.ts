import { limits } from "@carillon/core"
import { put } from "@carillon/core/ports"
import type { EdgeRequest, EdgeResponse } from "@carillon/http"
import { Effect } from "effect"
import { type Demo, furnish } from "../src/fixtures/Demo.ts"
import { Broadcast } from "../src/limits/Broadcast.ts"
import { specifiedLimits } from "../src/limits/LimitsMode.ts"
import { Process } from "../src/Process.ts"
import { World } from "../src/World.ts"
import type { Dice } from "./Dice.ts"

/**
 * How long a process that is paused stands still, at most: in an accident, and because others have the processor. Longer than the time between
 * the last moment for a dial and the question about it, and exactly at the carrier's door, no engine can answer for (decision 17).
 */
const pauseMaxMs = limits.questionDelayMs - limits.dialAcknowledgementMs - 1_000
const stutterMaxMs = 300

/** After how many steps another process has the processor. */
const stutterSteps = 30

export interface FleetOptions {
  readonly processes: number
  /** The organization's lines. */
  readonly lines: number
  /** How often a process loses the processor to the others in the middle of its work, for each thing that happens; 0: each runs on to its rest. */
  readonly stutter: number
}

/** Turns of the driver at one moment after which the world does not get on. */
const turnsMax = 10_000

const epoch = Date.UTC(2026, 0, 5, 9)

/** Several processes of the engine on one world. Which of them hears of what happens, and which is struck by what, is drawn by the dice. */
export class Fleet {
  readonly world: World
  readonly demo: Demo
  readonly #dice: Dice
  readonly #stutter: number
  readonly #news = new Broadcast()
  readonly #members: Array<Process> = []
  /** Those to whom something happens, now or some steps later. */
  readonly #struck = new Set<Process>()
  /** Of those, who stands still by accident. */
  readonly #stunned = new Set<Process>()
  /** When those that stand still go on. */
  readonly #resumes = new Map<Process, number>()
  #generation = 0
  /** Requests that were answered, by status. */
  readonly answers = new Map<number, number>()

  private constructor(world: World, dice: Dice, stutter: number) {
    this.world = world
    this.#dice = dice
    this.#stutter = stutter
    this.demo = furnish(world)
  }

  /** A fleet on a fresh world. */
  static async open(seed: number, dice: Dice, { lines, processes, stutter }: FleetOptions): Promise<Fleet> {
    const world = await World.open({
      seed: String(seed),
      epoch,
      clock: { mode: "manual" },
      limits: specifiedLimits,
      retention: 100_000,
      allowWebhookHosts: [],
      storageName: "memory:",
    })
    const fleet = new Fleet(world, dice, stutter)
    const organization = world.tables.organizations.get(fleet.demo.organization_id)
    if (organization === undefined) throw new Error("The world has no organization.")
    const concurrency = { organization: lines, per_agent: null, enforced: true }
    world.write(organization.organization_id, [put("organization", organization, { ...organization, concurrency })])
    while (fleet.#members.length < processes) await fleet.#begin()
    return fleet
  }

  /** One process ends after so many further steps towards its stores and its carrier, and another one takes its place. */
  async kill(steps: number): Promise<void> {
    this.#strike((one) => one.crash(steps))
    await this.#rest()
  }

  /** One process stands still after so many further steps, for a while. */
  async pause(steps: number): Promise<void> {
    this.#strike((one) => {
      this.#stunned.add(one)
      one.pause(steps)
    })
    await this.#rest()
  }

  /** Sends a request to one of the processes. */
  async ask(method: string, target: string, body: object): Promise<void> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.demo.key}`,
      "content-type": "application/json",
    }
    const request: EdgeRequest = {
      method,
      target,
      header: (name) => headers[name] ?? null,
      body: new TextEncoder().encode(JSON.stringify(body)),
    }
    const answered = ({ status }: EdgeResponse) => void this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
    this.#anyone().request(request, answered)
    await this.#rest()
  }

  /** Lets time pass; everything due on the way runs, one thing after the other. */
  async advance(ms: number): Promise<void> {
    const { clock } = this.world
    const until = clock.now() + ms
    let turns = 0
    for (let next = this.#next(); next <= until; next = this.#next()) {
      turns = next > clock.now() ? 0 : turns + 1
      if (turns > turnsMax) throw new Error(`The world does not get on at ${new Date(next).toISOString()}.`)
      clock.advanceTo(Math.max(next, clock.now()))
      if (this.#dice.happens(this.#stutter)) this.#strike((one) => one.pause(this.#dice.upTo(stutterSteps)))
      await this.#turn()
      await this.#rest()
      this.world.lines.look()
      this.world.campaigns.look()
    }
    clock.advanceTo(until)
  }

  /** Whether nothing is to come any more but repairs. */
  get isIdle(): boolean {
    return (
      this.world.carrier.next() === null &&
      this.#resumes.size === 0 &&
      this.#members.every((one) => one.parking.nextDeadline() === null && nextOf(one, false) === Infinity)
    )
  }

  async #begin(): Promise<void> {
    this.#generation += 1
    const one = await Process.start(this.world, "None", this.#generation, (job) => job(), this.#news)
    this.#members.push(one)
    await one.join()
  }

  #running(): ReadonlyArray<Process> {
    return this.#members.filter((one) => !one.isPaused)
  }

  #anyone(): Process {
    const one = this.#dice.anyOf(this.#running())
    if (one === undefined) throw new Error("Nobody is left.")
    return one
  }

  /** Somebody is always left. */
  #strike(blow: (one: Process) => void): void {
    const free = this.#members.filter((one) => !this.#struck.has(one))
    const one = this.#dice.anyOf(free)
    if (one === undefined || free.length < 2) return
    this.#struck.add(one)
    blow(one)
  }

  #next(): number {
    return Math.min(
      this.world.carrier.next() ?? Infinity,
      ...this.#resumes.values(),
      ...this.#running().map((one) => Math.min(one.parking.nextDeadline() ?? Infinity, nextOf(one, true))),
    )
  }

  /** One thing that is due: who stood still goes on, the carrier speaks, patience ends, somebody looks at what is due. */
  async #turn(): Promise<void> {
    const now = this.world.clock.now()
    for (const [one, at] of this.#resumes) {
      if (at > now) continue
      this.#resumes.delete(one)
      this.#struck.delete(one)
      if (this.#stunned.delete(one)) this.world.crashedAt = now
      one.resume()
      return
    }
    const hearer = this.#anyone()
    const spoken = this.world.carrier.takeDue(now, hearer.engine.report)
    if (spoken !== null) {
      await hearer.run(spoken.run)
      if (hearer.hasEnded || hearer.isPaused) spoken.unheard()
      return
    }
    for (const one of this.#running()) {
      if ((one.parking.nextDeadline() ?? Infinity) > now) continue
      one.parking.expire(now)
      return
    }
    const first = this.#dice.anyOf(this.#running().filter((one) => nextOf(one, true) <= now))
    if (first !== undefined) await first.run(first.engine.runDue)
  }

  /** Lets all of them run until only what waits is left, and replaces those that have ended. */
  async #rest(): Promise<void> {
    for (;;) {
      for (const one of this.#members) {
        if (!one.isPaused) await one.rest()
        if (!one.isPaused || this.#resumes.has(one)) continue
        const now = this.world.clock.now()
        if (this.#stunned.has(one)) this.world.crashedAt = now
        this.#resumes.set(one, now + this.#dice.upTo(this.#stunned.has(one) ? pauseMaxMs : stutterMaxMs))
      }
      const ended = this.#members.find((one) => one.hasEnded)
      if (ended !== undefined) {
        ended.bury()
        this.#members.splice(this.#members.indexOf(ended), 1)
        this.#resumes.delete(ended)
        this.#struck.delete(ended)
        this.#stunned.delete(ended)
        this.world.crashedAt = this.world.clock.now()
        await this.#begin()
      } else if (this.#members.every((one) => one.isResting)) return
    }
  }
}

const nextOf = (one: Process, housekeeping: boolean): number =>
  Effect.runSync(Effect.orDie(one.engine.nextDue({ housekeeping }))) ?? Infinity
