import { Context, Effect, Exit, Layer, Scope } from "effect"
import {
  Activity,
  Calls,
  type CarrierReport,
  Chance,
  type Commit,
  DependencyUnavailable,
  type DialCommand,
  type DialOutcome,
  DomainClock,
  Engine,
  Funds,
  Ids,
  KeyMinter,
  type LegState,
  Parking,
  type PlaceCall,
  Store,
  Telephony,
  TimeHeap,
  Transliterator,
  type WebhookAnswer,
  type WebhookRequest,
  WebhookTransport,
  Wakeups,
} from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { agent, caller, epoch, organization, organizationId, request } from "../world/Rows.ts"

/** What the carrier does with a number: its answer to the dial, and the reports it then sends, each after so many milliseconds. */
export interface Script {
  readonly outcome?: DialOutcome
  readonly acknowledgementMs?: number
  readonly reports?: ReadonlyArray<readonly [afterMs: number, report: CarrierReport["type"]]>
  readonly hangup?: "Sent" | "Refused"
  readonly asked?: LegState
}

const end = {
  status: "completed",
  duration_seconds: 10,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_hangup",
  error: null,
} as const

const facts = { recording_url: null, cost: null, media: null } as const

const reportOf = (executionId: string, type: CarrierReport["type"], at: number): CarrierReport => {
  const base = { execution_id: executionId, at, call_sid: `leg-${executionId}` }
  switch (type) {
    case "initiated":
    case "ringing":
    case "answered":
      return { ...base, type }
    case "ended":
      return { ...base, type, end }
    case "final":
      return { ...base, type, end, facts }
    case "analysis":
      return { ...base, type, analysis: { summary: "Agreed.", sentiment: "positive", extracted_data: null } }
    case "corrected":
      return { ...base, type, end: { duration_seconds: 12 }, facts: {} }
    case "recovered":
      return { ...base, type, surviving_execution_id: `${executionId}-survivor` }
  }
}

/** How an endpoint takes a request: its answer, after so many milliseconds. */
export interface Reaction {
  readonly answer: WebhookAnswer
  readonly afterMs?: number
}

/** A request as the transport saw it. */
export interface Received {
  readonly at: number
  readonly request: WebhookRequest
}

/** An ordinary call: rings, is answered, ends, and is reported to the last within 20 seconds. */
export const ordinary: Script = {
  reports: [
    [300, "initiated"],
    [1_000, "ringing"],
    [5_000, "answered"],
    [15_000, "ended"],
    [17_000, "final"],
    [18_000, "analysis"],
  ],
}

export type EngineServices = Layer.Success<typeof Engine.layer> | Parking | Activity

/** A world in virtual time: memory tables that outlive the engine, a scripted carrier, and a clock that only `advance` moves. */
export class World {
  readonly tables = new MemoryTables()
  readonly dials: Array<DialCommand> = []
  readonly commits: Array<Commit> = []
  readonly received: Array<Received> = []
  /** How endpoints take requests; every one acknowledges at once unless told otherwise. */
  react: (request: WebhookRequest, nth: number) => Reaction = () => ({ answer: { _tag: "Answered", http_status: 200 } })
  readonly #carrier = new TimeHeap<{ readonly executionId: string; readonly type: CarrierReport["type"] }>()
  readonly #script: (command: DialCommand) => Script
  #services: Context.Context<EngineServices> | undefined
  #reports = 0
  #generation = 0
  now = epoch

  constructor(script: (command: DialCommand) => Script = () => ordinary) {
    this.#script = script
    this.tables.onCommit((commit) => this.commits.push(commit))
    this.tables.commit({
      id: "setup",
      organization_id: organizationId,
      expect: [],
      changes: [
        { put: "organization", row: organization },
        { put: "agent", row: agent },
      ],
      wakeups: [],
      events: [],
      audit: [],
    })
  }

  /** Starts an engine on the world's tables; starting another one is a restart after a crash. */
  start(): Effect.Effect<void, never, Scope.Scope> {
    const generation = ++this.#generation
    const sources = Layer.mergeAll(
      Layer.succeed(DomainClock, { now: () => this.now }),
      // A process numbers what it mints from zero, so each needs ids of its own.
      Ids.layerSeeded(generation),
      Chance.layerSeeded(1),
      KeyMinter.layerSeeded(1),
      Activity.layer,
    )
    const layer = Engine.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          this.#storage(generation),
          MemorySlots.layer(),
          MemoryRates.layer(),
          Funds.layer,
          Transliterator.layer,
          Parking.layer,
        ),
      ),
      Layer.provideMerge(Layer.mergeAll(this.#telephony(), this.#transport(generation))),
      Layer.provideMerge(Parking.layer),
      Layer.provideMerge(sources),
    )
    return Effect.map(Layer.build(layer), (services) => {
      this.#services = services
    })
  }

  run<A, E>(effect: Effect.Effect<A, E, EngineServices>): Effect.Effect<A, E> {
    if (this.#services === undefined) return Effect.die(new Error("The world has no engine yet."))
    return Effect.provideContext(effect, this.#services)
  }

  /** Admits a request as a server would, in the background. */
  readonly place = (changes: Partial<PlaceCall> = {}) =>
    this.run(
      Effect.gen({ self: this }, function* () {
        const calls = yield* Calls
        const activity = yield* Activity
        return yield* activity.fork(Effect.exit(calls.place(caller, request(changes))))
      }),
    )

  /** Moves time, running everything due on the way in order, until the world is quiescent at the new time. */
  advance(ms: number): Effect.Effect<void> {
    return this.run(
      Effect.gen({ self: this }, function* () {
        const engine = yield* Engine
        const parking = yield* Parking
        const activity = yield* Activity
        const until = this.now + ms
        yield* settled(activity)
        for (;;) {
          const due = yield* Effect.orDie(engine.nextDue({ housekeeping: true }))
          const next = Math.min(
            due ?? Infinity,
            parking.nextDeadline() ?? Infinity,
            this.#carrier.peek()?.at ?? Infinity,
          )
          if (next > until) break
          this.now = Math.max(this.now, next)
          const event = this.#carrier.popDue(this.now)
          if (event !== undefined) {
            const { executionId, type } = event.value
            const taken = yield* Effect.exit(engine.report(reportOf(executionId, type, this.now)))
            if (Exit.isFailure(taken)) this.#carrier.set(event.key, this.now + 1_000, event.value)
          } else if (parking.expire(this.now) === 0) yield* Effect.orDie(engine.runDue)
          yield* settled(activity)
        }
        this.now = until
      }),
    )
  }

  call(executionId: string) {
    return this.tables.calls.get(executionId)
  }

  #telephony() {
    return Layer.effect(
      Telephony,
      Effect.gen({ self: this }, function* () {
        const parking = yield* Parking
        return Telephony.of({
          dial: Effect.fnUntraced({ self: this }, function* (command) {
            this.dials.push(command)
            const script = this.#script(command)
            for (const [afterMs, type] of script.reports ?? []) {
              this.#carrier.set(`report-${this.#reports++}`, this.now + afterMs, {
                executionId: command.execution_id,
                type,
              })
            }
            if (script.acknowledgementMs !== undefined) {
              yield* parking.park(`acknowledgement:${command.execution_id}`, this.now + script.acknowledgementMs).wait
            }
            return script.outcome ?? { _tag: "Accepted", call_sid: `leg-${command.execution_id}` }
          }),
          hangup: (executionId) => Effect.succeed(this.#scriptOf(executionId).hangup ?? "Sent"),
          find: (executionId) => Effect.succeed(this.#scriptOf(executionId).asked ?? { _tag: "Unknown" }),
        })
      }),
    )
  }

  /** The storage as one process reaches it: once the process is dead, nothing it does gets through. */
  #storage(generation: number) {
    const memory = MemoryStore.layer(this.tables)
    const alive = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | DependencyUnavailable> =>
        this.#generation === generation
          ? effect
          : Effect.fail(new DependencyUnavailable({ dependency: "call_storage" })),
      )
    return Layer.effectContext(
      Effect.gen(function* () {
        const ports = yield* Layer.build(memory)
        const store = Context.get(ports, Store)
        const wakeups = Context.get(ports, Wakeups)
        return ports.pipe(
          Context.add(Store, {
            commit: (commit) => alive(store.commit(commit)),
            admit: (commit, levels) => alive(store.admit(commit, levels)),
          }),
          Context.add(Wakeups, {
            ...wakeups,
            set: (wakeup) => alive(wakeups.set(wakeup)),
            complete: (claim) => alive(wakeups.complete(claim)),
          }),
        )
      }),
    )
  }

  /** Kills the process: what it has under way is lost, what it has committed stays. */
  crash(): void {
    this.#generation += 1
  }

  #transport(generation: number) {
    return Layer.effect(
      WebhookTransport,
      Effect.gen({ self: this }, function* () {
        const parking = yield* Parking
        return WebhookTransport.of({
          send: Effect.fnUntraced({ self: this }, function* (request) {
            if (this.#generation !== generation) return { _tag: "Failed", error_class: "connect_error" }
            const nth = this.received.length
            this.received.push({ at: this.now, request })
            const { afterMs = 0, answer } = this.react(request, nth)
            const waits = Math.min(afterMs, request.timeoutMs)
            if (waits > 0) yield* parking.park(`webhook:${nth}`, this.now + waits).wait
            return afterMs >= request.timeoutMs ? { _tag: "Failed", error_class: "timeout" } : answer
          }),
        })
      }),
    )
  }

  #scriptOf(executionId: string): Script {
    const command = this.dials.find((dial) => dial.execution_id === executionId)
    return command === undefined ? {} : this.#script(command)
  }
}

/** Lets every fiber that can run do so, until nothing admitted is open. */
const settled = (activity: Activity["Service"]): Effect.Effect<void> =>
  Effect.gen(function* () {
    do {
      yield* activity.quiescent
      yield* Effect.yieldNow
    } while (activity.open() > 0)
  })
