import { type CallLimits, callLimits, type CallStatus } from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import type { StoragePorts } from "@carillon/core/ports"
import {
  EarlyBodies,
  type EdgeHandler,
  type EdgeRequest,
  type EdgeResponse,
  type Fallback,
  type PageResponse,
} from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import type { LogLevel } from "effect"
import type { Mix } from "./carrier/Mix.ts"
import { type ClockText, parseClock } from "./clock/ClockText.ts"
import { Lane } from "./clock/Lane.ts"
import type { Turn } from "./clock/Outside.ts"
import { manualEpoch, wallEpoch } from "./clock/VirtualClock.ts"
import {
  control,
  dashboard,
  type EventsRequest,
  type Host,
  isControlPath,
  isEventsRequest,
  openEvents,
  type RawControlRequest,
} from "./control/Control.ts"
import { conflict } from "./control/Refusal.ts"
import { type CountersText, isCountersText, isRedisText, shownCounters } from "./counters/CountersText.ts"
import { isDashboardPath } from "./dashboard/Dashboard.ts"
import type { Demo } from "./fixtures/Demo.ts"
import { type LimitsText, parseLimits } from "./limits/LimitsMode.ts"
import { Snapshots } from "./journal/Snapshots.ts"
import { replay } from "./journal/Replay.ts"
import { type Durable, openDurable } from "./storage/Durable.ts"
import { latestMoment } from "./storage/Mirror.ts"
import { shownStorage, type StorageText } from "./storage/StorageText.ts"
import { Stage } from "./Stage.ts"
import type { OpenVendor } from "./vendors/Vendor.ts"
import type { WorldOptions } from "./World.ts"

/** How a simulator is set up; what is left out is as on the command line. */
export interface SimulatorOptions {
  /** The one source of randomness. */
  readonly seed?: string | number
  /** `realtime`, `scaled:N`, or `manual`: then time moves only when it is told to. */
  readonly clock?: ClockText
  /** The virtual time at the start, ISO 8601 with an offset. */
  readonly epoch?: string
  /** `spec`, `off`, or `xN`: every ceiling of rates and lines times N. */
  readonly limits?: LimitsText
  /** Times of calls that shall not be as they are by default, in milliseconds, each within its bounds. */
  readonly callLimits?: Partial<CallLimits>
  /** Where the rows are kept: in memory, in an embedded PostgreSQL of its own directory, or on a server. */
  readonly storage?: StorageText
  /** Lets dialling go on that was held because the rows were restored from a backup. */
  readonly releaseDialling?: boolean
  /** Where lines and request rates are counted: in memory, on a Redis server, or beside the rows where `storage` says the same. */
  readonly counters?: CountersText
  /** Weights of outcomes for ordinary numbers. */
  readonly mix?: Mix
  /** How many ended calls and legs are remembered beside the rows. */
  readonly retention?: number
  /** Refuses a reset, which would empty what `storage` holds. */
  readonly refuseReset?: boolean
  /** What the control surface asks for as a bearer token. */
  readonly controlToken?: string
  /** What is logged at least; `Warn` unless given. */
  readonly logLevel?: LogLevel.LogLevel
  /** Destinations, `HOST` or `HOST:PORT`, that webhooks really reach although they would be refused. */
  readonly allowWebhookHosts?: ReadonlyArray<string>
  /** Stands between the engine and its rows, for tests that break something on purpose. */
  readonly decorate?: (ports: StoragePorts) => StoragePorts
  /** Puts the adapter of a vendor, and a stand-in of that vendor, between the engine and the carrier; with everything else in memory. */
  readonly vendor?: OpenVendor
}

export const defaultRetention = 100_000

/** The longest that a timer of the platform can run. */
const maxTimerMs = 2 ** 31 - 1

const required = <A>(value: A | null, option: string, text: string): A => {
  if (value === null) throw new RangeError(`${option} is not valid: ${text}`)
  return value
}

/** How far a manual clock is moved, in the words of `POST /_sim/clock/advance`. */
export type AdvanceBy =
  | { readonly by_ms: number }
  | { readonly by: string }
  | { readonly to: string }
  | { readonly until_idle: true; readonly max_ms?: number }
  | { readonly until: { readonly execution_id: string; readonly status: CallStatus }; readonly max_ms?: number }

/** What an advance came to. `now` is ISO 8601. */
export interface Advanced {
  readonly now: string
  /** How much ran on the way. */
  readonly events: number
  /** Whether what it was for came about. */
  readonly reached: boolean
}

/** How a world stands. */
export interface Glance {
  /** Epoch milliseconds of virtual time. */
  readonly now: number
  /** Requests under `/v2` so far. */
  readonly requests: number
  readonly calls: number
  /** Legs that the carrier has live. */
  readonly live: number
  /** Requests that wait for virtual time. */
  readonly waiting: number
  readonly eventsPerSecond: number
  readonly violations: number
}

/**
 * The whole simulated world in this process, without a socket: `/v2` on the real engine, and `/_sim` to control what surrounds
 * it.
 */
export class Simulator {
  readonly #fresh: FreshWorld
  readonly #lane: Lane
  readonly #host: Host
  readonly #bodies = new EarlyBodies()
  readonly #web: (request: Request) => Promise<Response>
  #stage: Stage
  #timer: NodeJS.Timeout | undefined
  #documentation: Promise<Fallback> | undefined
  #closed = false

  private constructor(options: SimulatorOptions, fresh: FreshWorld, lane: Lane, stage: Stage, turn: Turn) {
    this.#fresh = fresh
    this.#stage = stage
    this.#lane = lane
    const stageNow = () => this.#stage
    const snapshots = new Snapshots()
    this.#host = {
      controlToken: options.controlToken ?? null,
      get stage() {
        return stageNow()
      },
      reset: async (changes) => {
        if (options.refuseReset === true) {
          throw conflict(`A reset would empty ${fresh.storageName}; start with --allow-reset if it should.`)
        }
        snapshots.forget()
        await this.#replace(async () => {
          await fresh.durable?.clear()
          return openStage(options, fresh, turn, changes)
        })
      },
      snapshot: () => snapshots.take(this.#stage),
      restore: (snapshotId) => {
        const journal = snapshots.find(snapshotId)
        return this.#replace(() => replay(this.#stage.world.options, journal(), { logLevel: options.logLevel, turn }))
      },
    }
    this.#web = webHandler(this.handle, { door: false })
    this.#setTimer()
  }

  /** Starts a world with a demo organization in it. */
  static async start(options: SimulatorOptions = {}): Promise<Simulator> {
    const {
      seed = 1,
      clock = "realtime",
      limits = "spec",
      mix,
      retention = defaultRetention,
      decorate,
      vendor,
    } = options
    const { allowWebhookHosts = [], storage = "memory:", counters = "memory:" } = options
    required(isCountersText(counters, storage) || null, "counters", counters)
    if (vendor !== undefined && (storage !== "memory:" || counters !== "memory:")) {
      throw new RangeError("vendor is for a world that is in memory")
    }
    const fresh: FreshWorld = {
      seed: String(seed),
      clock: required(parseClock(clock), "clock", clock),
      limits: required(parseLimits(limits), "limits", limits),
      callLimits: options.callLimits === undefined ? undefined : callLimits(options.callLimits),
      mix,
      retention,
      allowWebhookHosts,
      decorate,
      vendor,
      storageName: shownStorage(storage),
      ...(await openPlaces(storage, counters)),
    }
    const lane = new Lane(
      () => simulator.#catchUp(),
      () => simulator.#setTimer(),
    )
    const turn: Turn = (job) =>
      lane.enter(() => {
        job()
        return simulator.#stage.rest()
      })
    const stage = await openStage(options, fresh, turn, {})
    // Only rows that lie in a database can have been restored; a world that is replayed asks for none of them.
    if (stage.world.isDurable) await stage.process.release(options.releaseDialling ?? false)
    const simulator: Simulator = new Simulator(options, fresh, lane, stage, turn)
    return simulator
  }

  /** The demo organization with its agent and key. */
  get info(): Demo {
    return this.#stage.demo
  }

  /** How the world stands now. */
  glance(): Glance {
    const { process, rate, world } = this.#stage
    return {
      now: world.clock.now(),
      requests: world.requests,
      calls: Object.values(world.rows.callsByStatus()).reduce((sum, count) => sum + count, 0),
      live: world.carrier.live,
      waiting: process.waiting.length,
      eventsPerSecond: rate.read(),
      violations: world.invariants.violations.length,
    }
  }

  /** Answers `/v2`; requests are let in one at a time, until they are answered or wait for virtual time. */
  readonly handle: EdgeHandler = (asked, respond) => {
    const organizationId = asked.lateBody === undefined ? null : this.#stage.senderOf(asked)
    // Without a key that is known the request is refused before its body would be read.
    if (organizationId === null) return this.#enter(asked, respond)
    this.#bodies.take(asked, organizationId, (whole, answered) => {
      this.#enter(whole, (response) => {
        answered()
        respond(response)
      })
    })
  }

  #enter(asked: EdgeRequest, respond: (response: EdgeResponse) => void): void {
    this.#lane.enter(() => {
      const stage = this.#stage
      const request = { ...asked, whenGone: this.#inTurn(asked.whenGone) }
      stage.request(request, (response) => respond(this.#labelled(response)))
      return stage.rest()
    })
  }

  /** Answers `/_sim`, in its turn. */
  readonly control = async (request: RawControlRequest): Promise<EdgeResponse> =>
    this.#labelled(
      isDashboardPath(splitPath(request.target))
        ? await dashboard(this.#host, request)
        : await this.#lane.run(async () => {
            const answer = await control(this.#host, request)
            await this.#stage.world.flush()
            await this.#stage.rest()
            return answer
          }),
    )

  /** Opens `GET /_sim/events`, a stream without an end; a refusal is an answer as any other. */
  readonly events = (request: EventsRequest): ReadableStream<Uint8Array> | EdgeResponse =>
    openEvents(this.#host.controlToken, () => (this.#closed ? null : this.#stage.world.history), request)

  /** Answers what is neither: `/healthz`, and the pages about the API, which are made when they are first asked for. */
  readonly beside = async (request: EdgeRequest): Promise<PageResponse> => {
    if (splitPath(request.target) === "/healthz") return healthy
    this.#documentation ??= import("./Documentation.ts").then(({ makeDocumentation }) => makeDocumentation())
    return (await this.#documentation)(request) ?? notFound
  }

  /** Answers any request, as a server would. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    const header = (name: string) => request.headers.get(name)
    const { method } = request
    const target = pathname + search
    if (isEventsRequest(method, pathname)) {
      const authorization = header("authorization")
      const events = this.events({ target, authorization, lastEventId: header("last-event-id") })
      return events instanceof ReadableStream
        ? new Response(events, { headers: eventStreamHeaders })
        : responseOf(events)
    }
    if (isControlPath(pathname)) {
      const body = new Uint8Array(await request.arrayBuffer())
      return responseOf(await this.control({ method, target, authorization: header("authorization"), body }))
    }
    if (pathname === "/v2" || pathname.startsWith("/v2/")) return this.#web(request)
    return responseOf(await this.beside({ method, target, header, body: null }))
  }

  /**
   * Ends the engine's process and starts another one on the same world, as after a crash: nothing is cleaned up, what waited is answered with
   * 1501, and what was under way is found in the rows. With `steps`, it ends that many steps towards its stores and its carrier later, in
   * the middle of whatever it does then.
   */
  async crash(steps = 0): Promise<void> {
    await this.#lane.run(() => this.#stage.crash(steps))
  }

  /**
   * From now on each use of the engine's stores begins, with this chance, a few milliseconds of virtual time later, so that whatever else is
   * due or asked for gets on in the middle of a step. Zero is as at the beginning. Commits may have a chance of their own: others hurt
   * most between what a step has read and what it writes.
   */
  async interleave(rate: number, commits = rate): Promise<void> {
    if (this.#fresh.vendor !== undefined)
      throw new Error("Time stands still while a vendor is asked: nothing overtakes it.")
    await this.#lane.run(() => this.#stage.interleave(rate, commits))
  }

  /** Moves a manual clock, as `POST /_sim/clock/advance` does. Throws where that refuses. */
  async advance(how: AdvanceBy): Promise<Advanced> {
    const body = Buffer.from(JSON.stringify(how))
    const authorization = this.#host.controlToken === null ? null : `Bearer ${this.#host.controlToken}`
    const answer = await this.control({ method: "POST", target: "/_sim/clock/advance", authorization, body })
    if (answer.status !== 200) throw new Error(answer.body ?? "")
    const { events, now, reached }: Advanced = JSON.parse(answer.body ?? "")
    return { events, now, reached }
  }

  /** Waits until a request waits for virtual time, so that time is not moved before it has come in. */
  async waiting(): Promise<void> {
    while (this.#stage.process.waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Closes the simulator: for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Stops time and answers every open request with 1501. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    // Nobody waits for a long advance to come to its end before the process may.
    this.#stage.driver.halt()
    await this.#lane.run(() => this.#stage.process.revoke())
    await this.#stage.world.close()
    await this.#fresh.durable?.close()
    this.#stage.world.history.wake()
  }

  /** Puts another stage in the place of the present one, whose open requests are answered. */
  async #replace(open: () => Promise<Stage>): Promise<void> {
    const before = this.#stage
    before.process.revoke()
    this.#stage = await open()
    before.world.history.wake()
    await before.world.close()
  }

  /** In real time, what has become due runs before whatever comes next. */
  #catchUp(): void | Promise<void> {
    const { driver, world } = this.#stage
    if (world.clock.mode !== "manual") return driver.runTo(world.clock.target())
  }

  /** Real time needs waking when the next thing is due; manual time never. */
  #setTimer(): void {
    clearTimeout(this.#timer)
    const { driver, world } = this.#stage
    if (this.#closed || world.clock.mode === "manual") return
    void Promise.resolve(driver.nextDue({ housekeeping: true })).then((due) => {
      clearTimeout(this.#timer)
      if (due === null || this.#closed) return
      const delay = Math.ceil(world.clock.realMsUntil(due))
      this.#timer = setTimeout(() => this.#lane.enter(() => {}), Math.min(delay, maxTimerMs))
      // An idle world keeps nobody up; a request that waits in it does.
      if (this.#stage.process.waiting.length === 0) this.#timer.unref()
    })
  }

  /** That a client is gone is told in its turn, like everything that comes from outside. */
  #inTurn(whenGone: EdgeRequest["whenGone"]): EdgeRequest["whenGone"] {
    if (whenGone === undefined) return undefined
    return (listener) =>
      whenGone(() => {
        this.#lane.enter(() => {
          listener()
          return this.#stage.process.rest()
        })
      })
  }

  #labelled(response: EdgeResponse): EdgeResponse {
    const { text } = this.#fresh.limits
    return text === "spec" ? response : { ...response, headers: { ...response.headers, "X-Sim-Limits": text } }
  }
}

type FreshWorld = Omit<WorldOptions, "epoch" | "storage"> & { readonly durable: Durable | null }

/** Opens what lies outside of this process. */
const openPlaces = async (storage: StorageText, counters: CountersText) => {
  const redis = isRedisText(counters)
    ? await (await import("./counters/RedisCounters.ts")).redisCounters(counters, shownCounters(counters))
    : undefined
  const durable = await openDurable(storage)
  return { durable, counters: redis ?? (counters === "memory:" ? undefined : durable?.counters) }
}

/** Opens a world on what is stored. Time does not fall behind what the rows tell of. */
const openStage = async (
  options: SimulatorOptions,
  { durable, ...fresh }: FreshWorld,
  turn: Turn,
  { seed = fresh.seed, epoch = epochOf(options) }: { readonly seed?: string; readonly epoch?: number },
): Promise<Stage> => {
  const logLevel = options.logLevel ?? "Warn"
  if (durable === null) return Stage.open({ ...fresh, seed, epoch }, logLevel, turn)
  const contents = await durable.contents()
  const from = Math.max(epoch, latestMoment(contents) ?? epoch)
  return Stage.open({ ...fresh, seed, epoch: from, storage: { durable, contents } }, logLevel, turn)
}

const epochOf = ({ clock, epoch }: SimulatorOptions): number => {
  if (epoch === undefined) return clock === "manual" ? manualEpoch : wallEpoch()
  const read = Timestamp.parseTimestamp(epoch)
  return required(read.ok ? read.ms : null, "epoch", epoch)
}

const splitPath = (target: string): string => target.split("?", 1)[0] ?? target

/** How the events stream is sent. */
export const eventStreamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
} as const

const healthy: EdgeResponse = {
  status: 200,
  headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
  body: `{"status":"ok"}`,
}

const notFound: EdgeResponse = {
  status: 404,
  headers: { "Content-Type": "text/plain; charset=utf-8" },
  body: "Not found\n",
}

const responseOf = ({ status, headers, body }: PageResponse): Response => new Response(body, { status, headers })
