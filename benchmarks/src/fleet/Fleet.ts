import { setTimeout as sleep } from "node:timers/promises"
import { type PostgresServer, startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { Proxy } from "../../../scripts/servers/Proxy.ts"
import { RedisServer } from "../../../scripts/servers/RedisServer.ts"
import type { Pace } from "./Carrier.ts"
import { CarrierProcess } from "./CarrierProcess.ts"
import { Member } from "./Member.ts"
import type { EngineSettings, OpenedTenant, Tenant, ToEngine } from "./Protocol.ts"

/** How long a process that was told to drain may take (specification of the host's duties, "exit ≤ 30 s"), with room for a busy machine. */
const drainMaxMs = 60_000

/** An engine process, and its own lines to PostgreSQL and Redis. */
export interface Engine {
  readonly member: Member
  readonly postgres: Proxy
  readonly redis: Proxy
}

/** How a fleet is set up. */
export interface FleetOptions {
  readonly engines: number
  readonly pace: Pace
  readonly platform: number
  readonly tenants: ReadonlyArray<Tenant>
}

/** Several engine processes on one PostgreSQL and one Redis, with a carrier that outlives them; all of them can be ended and brought back. */
export class Fleet {
  readonly postgres: PostgresServer
  readonly redis: RedisServer
  readonly carrier: CarrierProcess
  readonly engines: Array<Engine> = []
  tenants: ReadonlyArray<OpenedTenant> = []
  /** How often engines noted what, at the level of a warning or above. */
  readonly notes = new Map<string, number>()
  #started = 0

  private constructor(postgres: PostgresServer, redis: RedisServer, carrier: CarrierProcess) {
    this.postgres = postgres
    this.redis = redis
    this.carrier = carrier
  }

  /** Starts everything, or says what cannot be had here. */
  static async open({ engines, pace, platform, tenants }: FleetOptions): Promise<Fleet | string> {
    const redis = await RedisServer.open()
    if (redis === null) return "no redis-server can be had here"
    const postgres = await startPostgres({ durable: true })
    if (typeof postgres === "string") {
      await redis.close()
      return `there is no PostgreSQL server (${postgres})`
    }
    const fleet = new Fleet(postgres, redis, await CarrierProcess.open(pace))
    try {
      const first = await fleet.start()
      const opening: ToEngine = { type: "open", platform, tenants }
      const opened = first.member.hear()
      first.member.child.send(opening)
      const word = await opened
      if (word.type !== "opened") throw new Error(word.type === "failed" ? word.message : word.type)
      fleet.tenants = word.tenants
      await Promise.all(Array.from({ length: engines - 1 }, () => fleet.start()))
      return fleet
    } catch (error) {
      await fleet.close()
      throw error
    }
  }

  /** Starts one more engine process. */
  async start(): Promise<Engine> {
    const name = `engine-${++this.#started}`
    const postgres = await Proxy.open(this.postgres.port)
    const redis = await Proxy.open(this.redis.port)
    const settings: EngineSettings = {
      name,
      postgres: `postgres://carillon@127.0.0.1:${postgres.port}/postgres`,
      redis: redis.url,
      carrier: this.carrier.url,
    }
    const member = new Member(name, "EngineServer.ts", ["--settings", JSON.stringify(settings)], (entry) =>
      this.notes.set(entry, (this.notes.get(entry) ?? 0) + 1),
    )
    const engine = { member, postgres, redis }
    await member.listening()
    this.engines.push(engine)
    await this.#tellCarrier()
    return engine
  }

  /** Ends an engine process as the kernel or the power would. */
  async kill(engine: Engine): Promise<void> {
    const ended = engine.member.end("SIGKILL")
    await this.#forget(engine, ended)
  }

  /** Asks an engine process to stop; returns how long it took, or null when it had to be killed. */
  async drain(engine: Engine): Promise<number | null> {
    const began = performance.now()
    const ended = engine.member.end("SIGTERM").then(() => true)
    const isDrained = await Promise.race([ended, sleep(drainMaxMs, false)])
    const tookMs = performance.now() - began
    if (!isDrained) await engine.member.end("SIGKILL")
    await this.#forget(engine, ended)
    return isDrained ? tookMs : null
  }

  /** Why an engine process ended that nobody told to, with the last that it said. */
  get casualties(): ReadonlyArray<string> {
    return this.engines
      .filter(({ member }) => !member.isAlive)
      .map(({ member }) => `${member.name} ended by itself (${member.child.exitCode}): ${member.log.slice(-2_000)}`)
  }

  async close(): Promise<void> {
    const engines = this.engines.splice(0)
    await Promise.all(engines.map(({ member }) => member.end("SIGKILL")))
    await Promise.all(engines.flatMap(({ postgres, redis }) => [postgres.close(), redis.close()]))
    await this.carrier.close()
    await this.redis.close()
    await this.postgres.stop()
  }

  async #forget(engine: Engine, ended: Promise<unknown>): Promise<void> {
    this.engines.splice(this.engines.indexOf(engine), 1)
    await Promise.all([ended, this.#tellCarrier()])
    await Promise.all([engine.postgres.close(), engine.redis.close()])
  }

  readonly #tellCarrier = () => this.carrier.reportTo(this.engines.map(({ member }) => member.url))
}
