import type { LogLevel } from "effect"
import { Driver } from "./clock/Driver.ts"
import { EventRate } from "./clock/EventRate.ts"
import { Watch } from "./dashboard/Watch.ts"
import { type Demo, furnish } from "./fixtures/Demo.ts"
import { Process } from "./Process.ts"
import { World, type WorldOptions } from "./World.ts"

/** A furnished world with a process that runs on it. A reset replaces it as a whole. */
export class Stage {
  readonly world: World
  readonly process: Process
  readonly driver: Driver
  readonly demo: Demo
  readonly rate: EventRate
  readonly watch: Watch
  /** Organizations that control has made. */
  organizations = 0

  private constructor(world: World, process: Process) {
    this.world = world
    this.process = process
    this.watch = new Watch(world)
    this.driver = new Driver(world, process)
    this.demo = furnish(world)
    this.rate = new EventRate(() => world.events)
  }

  static async open(options: WorldOptions, logLevel: LogLevel.LogLevel): Promise<Stage> {
    const world = new World(options)
    return new Stage(world, await Process.start(world, logLevel))
  }
}
