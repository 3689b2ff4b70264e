import { Engine } from "../../Engine.ts"
import type { AskingErrand, Errand } from "../../Errands.ts"
import type { EngineError, PortError } from "../../Errors.ts"
import type { Agent } from "../../agents/rules/Agent.ts"
import type { Call } from "../../calls/rules/Call.ts"
import type { PlaceReply, StopReply } from "../../calls/rules/CallReplies.ts"
import { Calls } from "../../calls/Calls.ts"
import type { PlaceCall } from "../../calls/rules/PlaceCall.ts"
import { Activity } from "../../engine/Activity.ts"
import { Chance } from "../../engine/ports/Chance.ts"
import type { Change, Commit } from "../../engine/rules/Commit.ts"
import { DomainClock } from "../../engine/ports/DomainClock.ts"
import { BeforeErrands } from "../../engine/ErrandHandling.ts"
import { Ids } from "../../engine/ports/Ids.ts"
import { Parking } from "../../engine/Parking.ts"
import { change } from "../../engine/rules/Put.ts"
import { StepsAreBounded } from "../../engine/Decisions.ts"
import { KeyMinter } from "../../keys/ports/KeyMinter.ts"
import { Funds } from "../../organizations/ports/Funds.ts"
import type { Organization } from "../../organizations/rules/Organization.ts"
import type { CarrierReport } from "../../telephony/rules/Leg.ts"
import type { DialCommand } from "../../telephony/rules/Dial.ts"
import type { Transliterator } from "../../transliteration/ports/Transliterator.ts"
import * as MemorySlots from "../../memory/MemorySlots.ts"
import { memoryCounters, memoryRows } from "../../memory/MemoryPorts.ts"
import { MemoryTables } from "../../memory/MemoryTables.ts"
import { Secrets, type SecretsShape } from "../../secrets/ports/Secrets.ts"
import { KeepEvents } from "../../webhooks/KeptEvents.ts"
import { type Ports, portsLayer, type RowPorts } from "../../Ports.ts"
import { Context, Effect, Exit, Fiber, Layer, type Scope } from "effect"
import { Carrier, ordinary, type Script } from "./Carrier.ts"
import { Endpoints } from "./Endpoints.ts"
import { type Interposition, interposed } from "./Interposed.ts"
import { agent, caller, epoch, key, organization, organizationId, request } from "./Rows.ts"

export { Carrier, ordinary, type Script } from "./Carrier.ts"
export { type Hearer, LiveCarrier } from "./LiveCarrier.ts"
export { away, type Interposition } from "./Interposed.ts"
export { agent, agentId, caller, epoch, key, organization, organizationId, request } from "./Rows.ts"

export type EngineServices = Layer.Success<typeof Engine.layer> | Layer.Success<ReturnType<World["ground"]>>

export interface WorldOptions {
  readonly script?: (command: DialCommand) => Script
  readonly organization?: Partial<Organization>
  readonly agent?: Partial<Agent>
  /** Further rows that are there from the start. */
  readonly rows?: ReadonlyArray<Change>
  readonly interpose?: Interposition
  /** The slot store is a server of its own, which an engine's death does not empty. */
  readonly slots?: MemorySlots.SlotTable
  /** Its engines keep every event for their host. */
  readonly keepEvents?: boolean
  /** How its engines keep secrets; as they are, where nothing is said. */
  readonly secrets?: SecretsShape
  /** Nothing is there from the start. */
  readonly isEmpty?: boolean
  /** Of what its ids are made: a world whose rows come to stand beside those of another one has its own. */
  readonly seed?: string
  /** Where the rows are kept instead of in memory. */
  readonly storage?: RowPorts
}

/** A report that was not taken is sent again after this long, and so is a request to claim wake-ups. */
const againMs = 1_000

/** One engine on the world: what it knows beyond the rows dies with it. */
interface Process {
  readonly services: Context.Context<EngineServices>
  readonly slots: MemorySlots.SlotTable
  readonly life: Life
}

/** Writes a text in another script by marking it; of all languages it does not know `xx`. */
const echoing: Transliterator["Service"] = {
  unknown: ({ source_language_code, target_language_code }) =>
    Effect.succeed(
      target_language_code === "xx"
        ? "target_language_code"
        : source_language_code === "xx"
          ? "source_language_code"
          : null,
    ),
  transliterate: ({ texts, target_language_code }) =>
    Effect.succeed(texts.map((text) => `${text}@${target_language_code}`)),
}

interface Life {
  isOver: boolean
}

/** A world in virtual time: tables and a carrier that outlive the engine, and a clock that only `advance` moves. */
export class World {
  readonly tables = new MemoryTables()
  readonly commits: Array<Commit> = []
  readonly carrier: Carrier
  readonly endpoints = new Endpoints(() => this.now)
  readonly #options: WorldOptions
  #process: Process | undefined
  #starts = 0
  #claimFrom = 0
  now = epoch

  constructor(options: WorldOptions = {}) {
    this.#options = options
    this.carrier = new Carrier(() => this.now, options.script ?? (() => ordinary))
    this.tables.onCommit((commit) => this.commits.push(commit))
    this.write(...this.#furniture())
  }

  /** The rows that are there from the start. */
  #furniture(): ReadonlyArray<Change> {
    const { agent: ofAgent, isEmpty = false, organization: ofOrganization, rows = [] } = this.#options
    if (isEmpty) return rows
    return [
      { put: "organization", row: { ...organization, ...ofOrganization } },
      { put: "agent", row: { ...agent, ...ofAgent } },
      { put: "api_key", row: key },
      ...rows,
    ]
  }

  /** Everything that an engine runs on, for a process of its own; what an earlier one knew beyond the rows is gone. */
  ground(life: Life = { isOver: false }, slots: MemorySlots.SlotTable = this.#slotTable()) {
    // Seeded ids are counted within an engine, so each of them draws from a seed of its own.
    const seed = `${this.#options.seed ?? "seed"} ${this.#starts++}`
    const sources = Layer.mergeAll(
      Layer.succeed(DomainClock, { now: () => this.now }),
      Ids.layerSeeded(seed),
      Chance.layerSeeded(seed),
      KeyMinter.layerSeeded(seed),
      Layer.succeed(StepsAreBounded, true),
      Layer.succeed(BeforeErrands, ({ errand }) => this.#beforeErrand(life, errand)),
    )
    const parking = Parking.layer.pipe(Layer.provideMerge(Activity.layer), Layer.provideMerge(sources))
    const ports = Layer.unwrap(
      Effect.map(Effect.all([Parking, Funds]), ([service, funds]) =>
        portsLayer(this.#watched(life, { ...this.#ports(slots, service), funds })),
      ),
    ).pipe(Layer.provide(Funds.layer))
    return Layer.provideMerge(ports, parking)
  }

  /** Starts an engine on the world's tables; starting another one is a restart after a crash. */
  start(): Effect.Effect<void, never, Scope.Scope> {
    const slots = this.#slotTable()
    const life: Life = { isOver: false }
    const layer = Layer.provideMerge(this.#engine, this.ground(life, slots))
    return Effect.map(Effect.andThen(this.#moveIn, Layer.build(layer)), (services) => {
      this.#process = { services, slots, life }
    })
  }

  get #engine(): typeof Engine.layer {
    const { keepEvents = false, secrets } = this.#options
    return Engine.layer.pipe(
      Layer.provide(keepEvents ? Layer.succeed(KeepEvents, true) : Layer.empty),
      Layer.provide(secrets === undefined ? Layer.empty : Layer.succeed(Secrets, secrets)),
    )
  }

  /** Brings the first rows to where rows are kept, for the first engine. */
  readonly #moveIn: Effect.Effect<void> = Effect.suspend(() => {
    const { storage } = this.#options
    if (storage === undefined || this.#process !== undefined) return Effect.void
    return Effect.orDie(storage.store.commit(past("world", this.#furniture())))
  })

  #slotTable(): MemorySlots.SlotTable {
    return this.#options.slots ?? new MemorySlots.SlotTable()
  }

  #ports(slots: MemorySlots.SlotTable, parking: Parking["Service"]): Omit<Ports, "funds"> {
    return {
      ...(this.#options.storage ?? memoryRows(this.tables)),
      ...memoryCounters(slots),
      transliterator: echoing,
      telephony: this.carrier.telephony(parking),
      webhooks: this.endpoints.transport(parking),
    }
  }

  /**
   * Does something in another process on the same rows and lines, as far as it comes in no time. It is gone then, and what it still waits for
   * never comes.
   */
  elsewhere<A, E>(effect: Effect.Effect<A, E, EngineServices>): Effect.Effect<A, E> {
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const life: Life = { isOver: false }
        const layer = Layer.provideMerge(this.#engine, this.ground(life, this.slots))
        // Whoever asks is inside of the first process, and shares nothing with it but the ports.
        const services = yield* Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), yield* Effect.scope)
        const activity = Context.get(services, Activity)
        const answer = yield* Effect.provideContext(activity.track(effect), services)
        while (activity.open() > 0) yield* this.#turn
        life.isOver = true
        return answer
      }),
    )
  }

  /** Ends the engine where it stands: nothing that it still asks for happens, and no answer reaches it. */
  kill(): void {
    this.#running.life.isOver = true
  }

  get isDown(): boolean {
    return this.#running.life.isOver
  }

  /** A process that is dead uses no port, and no answer reaches it. */
  #watched<Used extends object>(life: Life, ports: Used): Used {
    const { interpose = (_, effect) => effect } = this.#options
    return interposed(ports, (operation, effect) =>
      Effect.suspend(() =>
        life.isOver
          ? Effect.never
          : Effect.flatMap(interpose(operation, effect), (answer) =>
              life.isOver ? Effect.never : Effect.succeed(answer),
            ),
      ),
    )
  }

  /** Between a commit and what is done after it others get in as before a use of a port. */
  #beforeErrand(life: Life, errand: (Errand | AskingErrand)["errand"]): Effect.Effect<void, PortError> {
    const errands: { readonly [name: string]: Effect.Effect<void, PortError> } = { [errand]: Effect.void }
    return this.#watched(life, { errands }).errands[errand] ?? Effect.void
  }

  get slots(): MemorySlots.SlotTable {
    return this.#running.slots
  }

  get #running(): Process {
    if (this.#process === undefined) throw new Error("The world has no engine yet.")
    return this.#process
  }

  run<A, E>(effect: Effect.Effect<A, E, EngineServices>): Effect.Effect<A, E> {
    return Effect.suspend(() => Effect.provideContext(effect, this.#running.services))
  }

  service<I extends EngineServices, S>(tag: Context.Key<I, S>): S {
    return Context.get(this.#running.services, tag)
  }

  /** Admits a request as a server would, in the background. */
  readonly admit = <A, E>(effect: Effect.Effect<A, E, EngineServices>): Effect.Effect<Fiber.Fiber<Exit.Exit<A, E>>> =>
    this.run(Effect.flatMap(Activity, (activity) => activity.fork(Effect.exit(effect))))

  readonly place = (changes: Partial<PlaceCall> = {}): Effect.Effect<Fiber.Fiber<Exit.Exit<PlaceReply, EngineError>>> =>
    this.admit(Effect.flatMap(Calls, (calls) => calls.place(caller, request(changes))))

  readonly stop = (
    executionId: string,
    reason: string | null = null,
  ): Effect.Effect<Fiber.Fiber<Exit.Exit<StopReply, EngineError>>> =>
    this.admit(Effect.flatMap(Calls, (calls) => calls.stop(caller, executionId, reason)))

  /** Places a call and lets it come as far as it comes in no time; the answer must be there by then. */
  readonly placed = Effect.fnUntraced({ self: this }, function* (changes: Partial<PlaceCall> = {}) {
    const placing = yield* this.place(changes)
    yield* this.advance(0)
    return yield* answerOf(placing)
  })

  /** Moves time, running everything due on the way in order, until the world is at rest at the new time or its engine is dead. */
  advance(ms: number, look: () => void = () => {}): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const until = this.now + ms
      yield* this.settle()
      look()
      while ((yield* this.comesNext(true)) <= until && !this.isDown) {
        yield* this.step()
        yield* this.settle()
        look()
      }
      if (!this.isDown) this.now = until
    })
  }

  /** When something happens next: at the carrier, to a parked request, or for a wake-up. */
  next(): number {
    return this.#earliest(this.tables.wakeups.next(true))
  }

  /** The same, wherever the rows are kept; with or without what only keeps the house. */
  comesNext(housekeeping: boolean): Effect.Effect<number> {
    return Effect.suspend(() => {
      const { storage } = this.#options
      const wakeup =
        storage === undefined
          ? Effect.sync(() => this.tables.wakeups.next(housekeeping))
          : Effect.orDie(storage.wakeups.next({ housekeeping, owner: "test" }))
      return Effect.map(wakeup, (at) => this.#earliest(at))
    })
  }

  #earliest(wakeup: number | null): number {
    return Math.min(
      this.carrier.next() ?? Infinity,
      this.service(Parking).nextDeadline() ?? Infinity,
      wakeup === null ? Infinity : Math.max(wakeup, this.#claimFrom),
    )
  }

  /**
   * Moves time to the next moment at which something happens and starts one thing that is due then, without waiting for it: the
   * carrier speaks first, then patience ends, then wake-ups are looked at.
   */
  step(): Effect.Effect<unknown> {
    return Effect.flatMap(this.comesNext(true), (at) => {
      this.now = Math.max(this.now, at)
      return this.#startOne()
    })
  }

  #startOne(): Effect.Effect<unknown> {
    const carrierAt = this.carrier.next()
    if (carrierAt !== null && carrierAt <= this.now) {
      const report = this.carrier.step()
      return report === null ? Effect.void : this.admit(this.delivery(report))
    }
    if (this.service(Parking).expire(this.now) > 0) return Effect.void
    const putOff = Effect.sync(() => {
      this.#claimFrom = this.now + againMs
    })
    return this.admit(Effect.tapError(this.service(Engine).runDue, () => putOff))
  }

  /** Hands a report over; until it is taken it comes again. */
  delivery(report: CarrierReport): Effect.Effect<void, EngineError> {
    return Effect.suspend(() => {
      const again = this.carrier.again(report, this.now + againMs)
      const taken = Effect.sync(() => this.carrier.taken(again))
      return Effect.andThen(this.service(Engine).report(report), taken)
    })
  }

  /** Lets every fiber that can run do so, until nothing admitted is open. */
  settle(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const activity = this.service(Activity)
      do yield* this.#turn
      while (activity.open() > 0 && !this.isDown)
    })
  }

  /** Lets fibers run; what is kept elsewhere answers in its own time. */
  get #turn(): Effect.Effect<void> {
    return this.#options.storage === undefined ? Effect.yieldNow : Effect.sleep(1)
  }

  /** Writes rows past the engine, as another process would. */
  write(...changes: ReadonlyArray<Change>): void {
    const conflict = this.tables.commit(past(`world-${this.commits.length}`, changes))
    if (conflict !== undefined) throw conflict
  }

  /** Writes the organization anew past the engine, and what its host makes of the balance. */
  changeOrganization(changes: Partial<Organization>): void {
    const row = this.tables.organizations.get(organizationId)
    if (row === undefined) throw new Error("There is no organization.")
    this.write(...change("organization", row, { ...row, ...changes }, this.now).changes)
  }

  /** Sets what its wallet has, past the engine. */
  setBalance(balance: number): void {
    const { wallet } = this.tables.organizations.get(organizationId) ?? organization
    this.changeOrganization({ wallet: { ...wallet, balance } })
  }

  get dials(): ReadonlyArray<DialCommand> {
    return this.carrier.dials
  }

  call(executionId: string): Call {
    const call = this.tables.calls.get(executionId)
    if (call === undefined) throw new Error(`There is no call ${executionId}.`)
    return call
  }

  /** Every listed call, oldest first. */
  calls(): ReadonlyArray<Call> {
    return this.tables.calls.page(organizationId, {}, { page: 1, page_size: 10_000 }).items.toReversed()
  }
}

/** A commit past the engine. */
const past = (id: string, changes: ReadonlyArray<Change>): Commit => ({
  id,
  organization_id: organizationId,
  expect: [],
  changes,
  wakeups: [],
  events: [],
  audit: [],
})

/** The answer to a request that must have been answered by now. */
export const answerOf = <A, E>(fiber: Fiber.Fiber<Exit.Exit<A, E>>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const exit = fiber.pollUnsafe()
    if (exit === undefined) return Effect.die(new Error("The request has no answer yet."))
    return Effect.flatten(exit)
  })
