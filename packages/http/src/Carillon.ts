import {
  Activity,
  type AccountStore,
  type AgentStore,
  type AuditStore,
  type BatchStore,
  type CallStore,
  type CampaignStore,
  type CarrierReport,
  Chance,
  type DeliveryStore,
  type ContactStore,
  Dialling,
  DomainClock,
  Engine,
  type ExperimentStore,
  Funds,
  type IdempotencyStore,
  Ids,
  KeyMinter,
  type KeyStore,
  type LaneStore,
  limits,
  type NumberStore,
  type KnowledgeStore,
  Parking,
  type PortError,
  type ProviderStore,
  type RateStore,
  type ReportReceipt,
  type RetrievalIndex,
  type SlotStore,
  type Store,
  type SubscriptionStore,
  type TallyStore,
  type Telephony,
  Transliterator,
  type UsageStore,
  type UploadPlaces,
  type Wakeups,
  type WebhookTransport,
} from "@carillon/core"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Dispatcher, edgeHandler } from "./Dispatcher.ts"
import type { EdgeHandler } from "./Edge.ts"

/** What a host brings: its storage, its counters, its carrier, and the way out for webhooks. */
export type Ports =
  | Store
  | CallStore
  | CampaignStore
  | BatchStore
  | ContactStore
  | TallyStore
  | LaneStore
  | AgentStore
  | ExperimentStore
  | KeyStore
  | AccountStore
  | NumberStore
  | ProviderStore
  | UsageStore
  | IdempotencyStore
  | AuditStore
  | KnowledgeStore
  | RetrievalIndex
  | UploadPlaces
  | Wakeups
  | SlotStore
  | RateStore
  | SubscriptionStore
  | DeliveryStore
  | Telephony
  | WebhookTransport

/** The engine's own sources as production wants them; a host that provides one of them itself replaces it. */
const sources = Layer.mergeAll(
  DomainClock.layer,
  Ids.layer,
  Chance.layer,
  KeyMinter.layer,
  Funds.layer,
  Transliterator.layer,
)

/** The services of a running engine. */
export type CarillonServices = Layer.Success<typeof sources> | Layer.Success<typeof Engine.layer> | Ports | Dispatcher

const holding = Layer.effectDiscard(
  Effect.flatMap(Dialling, (dialling) => dialling.hold("Its host started the engine with dialling held.")),
)

const engineOn = <E>(ports: Layer.Layer<Ports, E>, startHeld: boolean): Layer.Layer<CarillonServices, E | PortError> =>
  Layer.mergeAll(Dispatcher.layer, Engine.driver).pipe(
    Layer.provide(startHeld ? holding : Layer.empty),
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(Parking.layer),
    Layer.provideMerge(Activity.layer),
    Layer.provideMerge(Layer.mergeAll(sources, ports)),
  )

/** A running engine for hosts that do not speak Effect themselves. */
export interface Carillon {
  /** Answers `/v2`; the mounts (`@carillon/http/node`, `@carillon/http/web`) are made of it. */
  readonly handle: EdgeHandler
  /**
   * Takes a report of the carrier, doubled and late ones too, and says what became of it. Rejects with `InvalidField` when it is malformed
   * and will never be taken, and with anything else when it could not be kept and should be sent again.
   */
  readonly report: (report: CarrierReport) => Promise<ReportReceipt>
  /** Runs an effect with the services of the engine. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, CarillonServices>) => Promise<A>
  /**
   * Leaves the work to other processes: takes nothing more on, finishes what runs, answers the requests that still wait (1501), gives
   * back what it had claimed and releases what the ports hold. Over within 25 seconds, whatever hangs (`limits.drain…`).
   */
  readonly close: () => Promise<void>
}

/** How an engine is started. */
export interface CarillonOptions<E> {
  readonly ports: Layer.Layer<Ports, E>
  /** Holds dialling, in every process on these rows, before anything is dialled; until `Dialling.release`. For rows that were put back from a backup. */
  readonly startHeld?: boolean
}

/** Starts the engine on its host's ports. Rejects when a port cannot be opened. */
const make = async <E>(options: CarillonOptions<E>): Promise<Carillon> => {
  const runtime = ManagedRuntime.make(engineOn(options.ports, options.startHeld ?? false))
  const { dispatcher, engine } = await runtime.runPromise(
    Effect.gen(function* () {
      return { dispatcher: yield* Dispatcher, engine: yield* Engine }
    }),
  )
  let closed: Promise<void> | undefined
  const close = async () => {
    dispatcher.refuse()
    await Effect.runPromise(engine.drain(dispatcher.endRequests))
    await Effect.runPromise(
      Effect.timeoutOption(
        Effect.promise(() => runtime.dispose()),
        limits.drainCloseMs,
      ),
    )
  }
  return {
    handle: edgeHandler(runtime.runFork, dispatcher.dispatch),
    report: (report) => runtime.runPromise(engine.report(report)),
    run: (effect) => runtime.runPromise(effect),
    close: () => (closed ??= close()),
  }
}

/** Starts an engine and mounts it. */
export const Carillon = { make }
