import {
  AllowedDestinations,
  callLimits,
  CurrentCallLimits,
  Dialling,
  type DialCommand,
  type DialOutcome,
  Engine,
  metersLayer,
  Plans,
  RateLimiter,
  Reconciler,
  Secrets,
  type Telephony,
  TextExtractor,
} from "@carillon/core"
import {
  Activity,
  Chance,
  DomainClock,
  Ids,
  KeyMinter,
  Parking,
  StepsAreBounded,
  SlotNews,
  WebhookTransport,
  portsLayer,
} from "@carillon/core/ports"
import { Admission, type Admitted, Dispatcher, type EdgeRequest, type EdgeResponse, Outside } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import {
  Cause,
  Context,
  Effect,
  Exit,
  type Fiber,
  Layer,
  Logger,
  type LogLevel,
  References,
  Scheduler,
  Scope,
} from "effect"
import { LaneScheduler } from "./clock/LaneScheduler.ts"
import { faultyPorts } from "./faults/FaultyPorts.ts"
import { Fuse } from "./Fuse.ts"
import { outsideOf, type Turn } from "./clock/Outside.ts"
import { simulatedTransport } from "./webhooks/Transport.ts"
import type { World } from "./World.ts"
import type { Broadcast } from "./limits/Broadcast.ts"
import type { VendorAdapter } from "./vendors/Vendor.ts"
import type { VendorLine } from "./vendors/VendorLine.ts"
import { vendorPort } from "./vendors/VendorPort.ts"

/** A `/v2` request that waits for virtual time to pass. `since` is epoch milliseconds. */
export interface Waiting {
  readonly request_id: string
  readonly method: string
  readonly path: string
  readonly since: number
}

interface OpenRequest {
  readonly request: EdgeRequest
  readonly since: number
  readonly respond: (response: EdgeResponse) => void
  admitted: Admitted | null
  fiber: Fiber.Fiber<EdgeResponse, unknown> | null
}

/** Turns of the event loop without a sign of life, after which nothing is on its way from a vendor any more. */
const quietTurns = 2

const stopPath = /^\/v2\/calls\/([^/]+)\/stop$/

const pathOf = ({ target }: EdgeRequest): string => target.split("?", 1)[0] ?? target

/** What the engine of a process runs on. */
const layerOn = (
  world: World,
  generation: number,
  scheduler: LaneScheduler,
  fuse: Fuse,
  admission: typeof Admission.Service,
  turn: Turn,
  news: Broadcast | null,
  vendor: { readonly line: VendorLine; readonly adapter: VendorAdapter } | null,
) => {
  const { clock, watched, faults, funds, plans, carrier, extractor, journal } = world
  const sources = world.sourcesOf(generation)
  const own = Layer.mergeAll(
    metersLayer(world.measured),
    Layer.succeed(DomainClock, { now: clock.now }),
    Layer.succeed(Ids, sources.ids),
    Layer.succeed(Chance, sources.chance),
    Layer.succeed(KeyMinter, sources.keys),
    Layer.succeed(Secrets, world.secrets.port),
    Layer.succeed(Plans, plans),
    Layer.succeed(CurrentCallLimits, callLimits(world.options.callLimits)),
    Layer.succeed(Admission, admission),
    Layer.succeed(AllowedDestinations, world.options.allowWebhookHosts),
    Layer.succeed(Scheduler.Scheduler, scheduler),
    Layer.succeed(StepsAreBounded, true),
    news === null ? Layer.empty : Layer.succeed(SlotNews, news),
  )
  const parking = Parking.layer.pipe(Layer.provideMerge(Activity.layer), Layer.provideMerge(own))
  const ports = Layer.unwrap(
    Effect.gen(function* () {
      const parking = yield* Parking
      const away = outsideOf(yield* Activity, (job) => {
        turn(() => {
          if (!fuse.isBurnt) job()
        })
      })
      const outside: NonNullable<typeof Outside.Service> = (effect) =>
        Effect.suspend(() => {
          journal.wentOut()
          return away(effect)
        })
      const real = yield* WebhookTransport
      const webhooks = simulatedTransport(world, parking, {
        // A world that moves only when told waits for what it really sends.
        send: (request) =>
          Effect.suspend(() => {
            journal.wentOut()
            return clock.mode === "manual" ? real.send(request) : away(real.send(request))
          }),
      })
      const wait = (isCommit: boolean) => world.interleaving.wait(parking, clock.now, isCommit)
      const { transliterator } = sources
      const slots = news === null ? watched.slots : news.over(watched.slots)
      const inside = { ...watched, slots, funds, transliterator, telephony: carrier.telephony(parking), webhooks }
      const broken = (
        telephony: Telephony["Service"],
        dialUnheard: (command: DialCommand) => Effect.Effect<DialOutcome>,
      ) => faultyPorts({ ...inside, telephony }, faults, dialUnheard, fuse, wait)
      const direct = broken(inside.telephony, (command) => carrier.dialUnheard(command, parking))
      const far = vendor === null ? null : carrier.through(yield* vendorPort(vendor.adapter, vendor.line, direct))
      const ports =
        far === null
          ? direct
          : broken(far, (command) => Effect.andThen(far.dial(command), carrier.unheard(command, parking)))
      return Layer.mergeAll(
        portsLayer(ports),
        Layer.succeed(Outside, outside),
        Layer.succeed(TextExtractor, { extract: (file) => outside(extractor.extract(file)) }),
      )
    }),
  ).pipe(Layer.provide(nodeWebhookTransport()))
  return Dispatcher.layer.pipe(Layer.provideMerge(Engine.layer), Layer.provideMerge(ports), Layer.provideMerge(parking))
}

type ProcessServices = Layer.Success<ReturnType<typeof layerOn>>

/** One process of the engine on a world: its caches, its parked requests and its fibers. */
export class Process {
  readonly #scheduler: LaneScheduler
  readonly #context: Context.Context<ProcessServices>
  readonly #activity: Activity["Service"]
  readonly #dispatcher: Dispatcher["Service"]
  readonly #world: World
  readonly #open: Map<EdgeRequest, OpenRequest>
  readonly #fuse: Fuse
  readonly #ended: Promise<void>
  #isPaused = false
  readonly engine: Engine["Service"]
  readonly parking: Parking["Service"]

  private constructor(
    world: World,
    scheduler: LaneScheduler,
    context: Context.Context<ProcessServices>,
    open: Map<EdgeRequest, OpenRequest>,
    fuse: Fuse,
    ended: Promise<void>,
  ) {
    this.#world = world
    this.#scheduler = scheduler
    this.#context = context
    this.#open = open
    this.#fuse = fuse
    this.#ended = ended
    this.#activity = Context.get(context, Activity)
    this.#dispatcher = Context.get(context, Dispatcher)
    this.engine = Context.get(context, Engine)
    this.parking = Context.get(context, Parking)
  }

  /** Starts the process of a generation: 1 is the first on its world. Each has ids of its own, so that none comes up twice. */
  static async start(
    world: World,
    logLevel: LogLevel.LogLevel,
    generation: number,
    turn: Turn,
    /** Where other processes share the world: how they tell one another of lines. */
    news: Broadcast | null = null,
  ): Promise<Process> {
    const scheduler = new LaneScheduler()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const fuse = new Fuse(() => {
      scheduler.stop()
      end()
    })
    const open = new Map<EdgeRequest, OpenRequest>()
    const admission: typeof Admission.Service = (effect, admitted) => {
      const entry = open.get(admitted.request)
      if (entry !== undefined) entry.admitted = admitted
      return effect
    }
    const { vendor: line } = world
    const vendor = line === null ? null : { line, adapter: line.start() }
    const layer = layerOn(world, generation, scheduler, fuse, admission, turn, news, vendor).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
          Layer.succeed(References.MinimumLogLevel, logLevel),
        ),
      ),
    )
    // A process is dropped, never wound up: its world may outlive it.
    const context = await Effect.runPromise(Layer.buildWithScope(layer, Scope.makeUnsafe()))
    const process = new Process(world, scheduler, context, open, fuse, ended)
    if (vendor !== null) {
      const { report } = process.engine
      vendor.line.mount(
        vendor.adapter.callbacks((told) => Effect.runPromiseWith(context)(report(told))),
        ended,
      )
    }
    return process
  }

  /** Starts a request; it is answered now or when it has waited long enough. */
  request(request: EdgeRequest, respond: (response: EdgeResponse) => void): void {
    this.#world.requests += 1
    const stop = request.method === "POST" ? stopPath.exec(pathOf(request))?.[1] : undefined
    const stopped = stop === undefined ? undefined : this.#world.stopRequested(stop)
    const entry: OpenRequest = { request, since: this.#world.clock.now(), respond, admitted: null, fiber: null }
    this.#open.set(request, entry)
    entry.fiber = this.#fork(this.#dispatcher.dispatch(request))
    entry.fiber.addObserver((exit) => {
      // What was asked of a process that has ended is asked still: its successor finds it in the rows.
      if (this.hasEnded) return
      stopped?.()
      if (this.#open.delete(request)) respond(Exit.isSuccess(exit) ? exit.value : this.#stopping(entry))
    })
  }

  /** Runs what was set in motion until only parked requests are left. Returns at once where nothing leaves the process. */
  rest(): void | Promise<void> {
    this.#scheduler.drain()
    const { vendor } = this.#world
    if (vendor !== null) return this.#restFar(vendor)
    if (!this.isResting) return this.#restLater()
  }

  /** Runs what can go on by now, up to where it waits. */
  goOn(): void {
    this.#scheduler.drain()
  }

  /** Whether nothing runs but what cannot go on. */
  get isResting(): boolean {
    return this.hasEnded || this.isPaused || this.#activity.open() <= 0
  }

  /**
   * Runs an effect to its end, which must not park, and then what it set in motion until only parked requests are left. Returns at once
   * where nothing leaves the process.
   */
  run<A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | Promise<Exit.Exit<A, E>> {
    const fiber = this.#fork(effect)
    const rest = this.rest()
    return (rest === undefined ? fiber.pollUnsafe() : undefined) ?? this.#runLater(fiber, rest)
  }

  /** Begins an effect that nobody waits for, and what it set in motion, until only parked requests are left. */
  begin(effect: Effect.Effect<unknown>): void | Promise<void> {
    this.#fork(effect)
    return this.rest()
  }

  async #runLater<A, E>(fiber: Fiber.Fiber<A, E>, rest: void | Promise<void>): Promise<Exit.Exit<A, E>> {
    if (rest !== undefined) await rest
    const ended = fiber.pollUnsafe()
    if (ended !== undefined) return ended
    if (this.#isPaused) return Exit.die(new Error("The process stands still."))
    const { promise, resolve } = Promise.withResolvers<Exit.Exit<A, E>>()
    fiber.addObserver(resolve)
    // It waited for its rows outside of this process, and may have begun something only now.
    const exit = await Promise.race([promise, this.#ended.then(() => Exit.die(new Error("The process has ended.")))])
    const after = this.rest()
    if (after !== undefined) await after
    return exit
  }

  /** Takes up what an earlier process has left in the rows: the lines that calls hold, before any is given, and what is due. */
  async recover(): Promise<void> {
    const reconciler = Context.get(this.#context, Reconciler)
    const recovered = await this.run(Effect.andThen(reconciler.tick, this.engine.rebuildWakeups))
    if (Exit.isFailure(recovered)) throw Cause.squash(recovered.cause)
  }

  /** Begins beside others, as a process in production does: it repairs what one that ended has left, and disturbs nobody. */
  async join(): Promise<void> {
    await this.run(Effect.ignore(this.engine.repair))
  }

  /** Stands still after so many further steps towards its stores and its carrier, wherever it is then, until it is resumed. */
  pause(steps: number): void {
    this.#fuse.light(steps, () => {
      this.#scheduler.pause()
      this.#isPaused = true
    })
  }

  resume(): void {
    this.#isPaused = false
    this.#scheduler.resume()
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Lets dialling go on that was held because the rows were restored, or says that it is held. */
  async release(isAsked: boolean): Promise<void> {
    const dialling = Context.get(this.#context, Dialling)
    const told = Effect.flatMap(dialling.standing, (hold) =>
      hold === null
        ? Effect.void
        : Effect.logWarning("Nothing is dialled before a start with --release-dialling:", hold.reason),
    )
    const released = await this.run(isAsked ? Effect.asVoid(dialling.release) : told)
    if (Exit.isFailure(released)) throw Cause.squash(released.cause)
  }

  get hasEnded(): boolean {
    return this.#fuse.isBurnt
  }

  /** Ends the process after so many further steps towards its stores and its carrier, wherever it is then: nothing is cleaned up. */
  crash(steps: number): void {
    this.#fuse.light(steps)
  }

  /** Answers what a process has left open that has ended. */
  bury(): void {
    for (const entry of this.#open.values()) entry.respond(this.#stopping(entry))
    this.#open.clear()
  }

  /** The requests that wait, oldest first. */
  get waiting(): ReadonlyArray<Waiting> {
    return [...this.#open.values()].map(({ admitted, request, since }) => ({
      request_id: admitted?.request_id ?? "",
      method: request.method,
      path: pathOf(request),
      since,
    }))
  }

  /** Answers every open request with 1501 and lets go of its fiber. */
  revoke(): void {
    for (const { fiber } of this.#open.values()) fiber?.interruptUnsafe()
    this.#scheduler.drain()
    // What is between taking a line and the carrier's word cannot be interrupted; it is answered all the same.
    for (const entry of this.#open.values()) {
      this.#open.delete(entry.request)
      entry.respond(this.#stopping(entry))
    }
  }

  #fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.#context)(effect)
  }

  async #restLater(): Promise<void> {
    while (!this.isResting) {
      await Promise.race([Effect.runPromise(this.#activity.quiescent), this.#ended])
      this.#scheduler.drain()
    }
  }

  /** The same where requests go to a vendor, and answers come of which nobody here waits: until no turn of the event loop brings any. */
  async #restFar(vendor: VendorLine): Promise<void> {
    for (let quiet = 0; quiet < quietTurns;) {
      await this.#restLater()
      await vendor.settle()
      this.#scheduler.drain()
      quiet = this.isResting && vendor.isQuiet ? quiet + 1 : 0
    }
  }

  #stopping({ admitted }: OpenRequest): EdgeResponse {
    const rate = admitted?.rate ?? Context.get(this.#context, RateLimiter).untouched(null, "calls.create")
    return {
      status: 503,
      headers: {
        "X-RateLimit-Limit": String(rate.limit),
        "X-RateLimit-Remaining": String(rate.remaining),
        "X-RateLimit-Reset": String(rate.resetSeconds),
        "X-Request-Id": admitted?.request_id ?? "",
        "Cache-Control": "no-store",
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ error: 1501, message: "The service is stopping and did not finish the request." }),
    }
  }
}
