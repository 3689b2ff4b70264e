import { ApiKeyFormat, BearerHeader } from "@carillon/core/domain"
import type { EdgeRequest, EdgeResponse } from "@carillon/http"
import { Effect, type LogLevel } from "effect"
import { type Driven, Driver } from "./clock/Driver.ts"
import { EventRate } from "./clock/EventRate.ts"
import { Watch } from "./dashboard/Watch.ts"
import type { Turn } from "./clock/Outside.ts"
import { type Demo, furnish } from "./fixtures/Demo.ts"
import { Process } from "./Process.ts"
import { World, type WorldOptions } from "./World.ts"

/** A furnished world with the process that runs on it. A reset replaces it as a whole, a crash the process alone. */
export class Stage implements Driven {
  readonly world: World
  readonly driver: Driver
  readonly demo: Demo
  readonly rate: EventRate
  readonly watch: Watch
  /** Organizations that control has made. */
  organizations = 0
  readonly #logLevel: LogLevel.LogLevel
  readonly #turn: Turn
  #process: Process
  #generation = 1

  private constructor(world: World, process: Process, logLevel: LogLevel.LogLevel, turn: Turn) {
    this.world = world
    this.#process = process
    this.#logLevel = logLevel
    this.watch = new Watch(world)
    this.#turn = turn
    this.driver = new Driver(this)
    this.demo = furnish(world)
    this.rate = new EventRate(() => world.events)
  }

  static async open(options: WorldOptions, logLevel: LogLevel.LogLevel, turn: Turn): Promise<Stage> {
    const world = await World.open(options)
    const stage = new Stage(world, await Process.start(world, logLevel, 1, turn), logLevel, turn)
    await world.flush()
    if (world.isDurable) await stage.process.recover()
    return stage
  }

  get process(): Process {
    return this.#process
  }

  /** Whose key a request carries, as the rows have it; null where nobody is let in with it. */
  senderOf({ header }: EdgeRequest): string | null {
    const bearer = BearerHeader.parseBearer(header("authorization") ?? undefined)
    const key = bearer.ok ? this.world.tables.keys.byHash(ApiKeyFormat.hashKey(bearer.key)) : undefined
    return key?.status === "active" ? key.organization_id : null
  }

  /** Starts a request of a customer and notes it in the journal. */
  request(request: EdgeRequest, respond: (response: EdgeResponse) => void): void {
    const { journal, moment } = this.world
    this.#process.request(journal.request(moment, request), respond)
  }

  /** Lets the process run until only parked requests are left; one that has ended is replaced. Returns at once where it can. */
  readonly rest = (): void | Promise<void> => {
    const resting = this.#process.rest()
    if (resting === undefined && !this.#process.hasEnded) return
    return this.#restLater(resting)
  }

  /** Ends the process after so many further steps towards its stores and its carrier, and starts another on the same world. */
  async crash(steps: number): Promise<void> {
    const { isDurable, journal, moment } = this.world
    if (isDurable)
      throw new Error("A crash is simulated on memory alone: on a database, end the simulator's own process.")
    journal.crash(moment, steps)
    this.#process.crash(steps)
    await this.rest()
  }

  /** From now on uses of the engine's stores begin later with this chance, and commits with that one. */
  interleave(rate: number, commits: number): void {
    const { interleaving, journal, moment } = this.world
    journal.interleave(moment, rate, commits)
    interleaving.rate = rate
    interleaving.commits = commits
  }

  async #restLater(resting: void | Promise<void>): Promise<void> {
    await resting
    if (!this.#process.hasEnded) return
    this.#process.bury()
    this.world.crashedAt = this.world.clock.now()
    this.#generation += 1
    this.#process = await Process.start(this.world, this.#logLevel, this.#generation, this.#turn)
    this.world.history.append({ type: "crash", generation: this.#generation })
    this.driver.claimAgain()
    // Where the rows cannot be read now, the wake-ups that there are must do.
    await this.#process.begin(Effect.ignore(this.#process.engine.rebuildWakeups))
  }
}
