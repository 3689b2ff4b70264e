import {
  type ApiKey,
  type CallLimits,
  callLimits,
  type CarrierReport,
  CurrentCallLimits,
  Dialling,
  type DiallingHold,
  Engine,
  Funds,
  type EventsFrom,
  type Call,
  type InboundCall,
  KeepEvents,
  KeptEvents,
  limits,
  metersLayer,
  type MetricRegistry,
  type NewOrganization,
  type GivenKey,
  type OpenedOrganization,
  type Organization,
  type OrganizationChanges,
  type OrganizationPage,
  Organizations,
  type ShownOrganization,
  type PortError,
  type ReportReceipt,
  Secrets,
  type SecretsShape,
  Transliterator,
} from "@carillon/core"
import {
  AccountStore,
  Activity,
  Chance,
  CurrentPieceClock,
  CurrentTracing,
  DomainClock,
  Ids,
  KeyMinter,
  outagesLayer,
  Parking,
} from "@carillon/core/ports"
import { Deferred, Effect, Layer, ManagedRuntime } from "effect"
import { Dispatcher, edgeHandler } from "./Dispatcher.ts"
import { documentationAt, type Pages } from "./Documentation.ts"
import type { EdgeHandler } from "./Edge.ts"
import { EngineClosed } from "./EngineClosed.ts"
import { type HostEvent, hostEvents } from "./HostEvents.ts"
import { memoryPorts, type Outside } from "./InMemory.ts"
import { type Liveness, livenessBy } from "./Liveness.ts"
import type { Forgotten, Ports, WholePorts } from "./Ports.ts"
import { prometheusText } from "./Prometheus.ts"
import { askedReadiness, leaving, type Readiness } from "./Readiness.ts"
import { pieceClock } from "./Turns.ts"

/** The engine's own sources as production wants them; a host that provides one of them itself replaces it. */
const sources = Layer.mergeAll(
  DomainClock.layer,
  Ids.layer,
  Chance.layer,
  KeyMinter.layer,
  Funds.layer,
  Transliterator.layer,
  Layer.succeed(CurrentPieceClock, pieceClock),
)

/** The services of a running engine. */
export type CarillonServices = Layer.Success<typeof sources> | Layer.Success<typeof Engine.layer> | Ports | Dispatcher

const holding = Layer.effectDiscard(
  Effect.flatMap(Dialling, (dialling) => dialling.hold("Its host started the engine with dialling held.")),
)

const engineOn = <E, T>(
  ports: Layer.Layer<Ports, E>,
  { keepEvents = false, secrets, startHeld = false, takesWork = true }: StartOptions,
  telemetry: Layer.Layer<never, T>,
): Layer.Layer<CarillonServices, E | T | PortError> =>
  (takesWork ? Layer.merge(Dispatcher.layer, Engine.driver) : Dispatcher.layer).pipe(
    Layer.provide(startHeld ? holding : Layer.empty),
    Layer.provideMerge(Engine.layer),
    Layer.provide(keepEvents ? Layer.succeed(KeepEvents, true) : Layer.empty),
    Layer.provide(secrets === undefined ? Layer.empty : Layer.succeed(Secrets, secrets)),
    Layer.provideMerge(Parking.layer),
    Layer.provideMerge(Activity.layer),
    Layer.provideMerge(Layer.mergeAll(sources, ports)),
    Layer.provideMerge(telemetry),
  )

/** The tenants of an engine, as its host opens and changes them; `/v2` has no route for it. */
export interface PromiseOrganizations {
  /**
   * Opens an organization with its numbers and its first key, whose text is told here and never again. Rejects with `InvalidField`, which names the
   * first field that is wrong: a wallet without a currency, a ceiling that is no whole number, a number that is not E.164 or is there twice.
   */
  readonly open: (request: NewOrganization) => Promise<OpenedOrganization>
  /**
   * Changes plan, wallet, ceilings, secret or for how long calls and contacts are kept; ceilings take effect within a minute. What depends on
   * how it stands is given as a function of it, which may be asked more than once. Rejects with `NotFound`, and with `InvalidField` as `open` does,
   * and for days that are too few or too many. What a host may not change stays as it is.
   */
  readonly change: (
    organizationId: string,
    changes: OrganizationChanges | ((organization: Organization) => OrganizationChanges),
  ) => Promise<Organization>
  /** The organization, or null. */
  readonly find: (organizationId: string) => Promise<Organization | null>
  /** Up to `limit` organizations in the order of their ids, after that one; 100 at most. Rejects with `InvalidField`. */
  readonly list: (after?: string | null, limit?: number) => Promise<OrganizationPage>
  /** The organization with its ceilings as they bind and the lines in use. Rejects with `NotFound`. */
  readonly show: (organizationId: string) => Promise<ShownOrganization>
  /** Gives it one more key that holds every scope, for one that has lost its keys. Rejects with `NotFound`. */
  readonly giveKey: (organizationId: string, name: string) => Promise<GivenKey>
  /** Revokes any of its keys, within a minute in every process. Rejects with `NotFound`. */
  readonly revokeKey: (organizationId: string, keyId: string) => Promise<ApiKey>
}

/** Whether anything may be dialled at all, in every process on these rows. */
export interface PromiseDialling {
  /** The hold that is in force, as this process has known it for five seconds at most; null while dialling goes on. */
  readonly standing: () => Promise<DiallingHold | null>
  /** Holds dialling; a hold that stands stays as it is. */
  readonly hold: (reason: string) => Promise<DiallingHold>
  /** Lets it go on in every process, within 35 seconds; returns the hold that stood, or null. */
  readonly release: () => Promise<DiallingHold | null>
}

/** A running engine for hosts that do not speak Effect themselves. Once it is closed, its promises reject with `EngineClosed`. */
export interface Carillon {
  /** Answers `/v2`; the mounts (`@carillon/http/node`, `@carillon/http/web`) are made of it. */
  readonly handle: EdgeHandler
  /**
   * Takes a report of the carrier, doubled and late ones too, and says what became of it. Rejects with `InvalidField` when it is malformed
   * and will never be taken, and with anything else when it could not be kept and should be sent again.
   */
  readonly report: (report: CarrierReport) => Promise<ReportReceipt>
  /**
   * A call arrives at one of an organization's numbers; the carrier's reports on it follow through `report`. Rejects with `NotFound`, with
   * `StateConflict`, and with `InvalidField` where it is malformed.
   */
  readonly arrive: (inbound: InboundCall) => Promise<Call>
  readonly organizations: PromiseOrganizations
  readonly dialling: PromiseDialling
  /**
   * The events of calls from there on, "oldest" by default, without end: every one at least once, one that knows of another after it. Keep the
   * `cursor` of what is handled and go on from it after a restart; "newest" begins with what is still to come. Needs `keepEvents`. Ends with
   * `close`; rejects with `CursorLost` where events after the cursor may be missing.
   */
  readonly events: (from?: EventsFrom) => AsyncIterable<HostEvent>
  /** Runs an effect with the services of the engine: everything that has no promise here. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, CarillonServices>) => Promise<A>
  /** What was measured, as Prometheus reads it; `probes` serves it. */
  readonly metrics: () => Promise<string>
  /**
   * Whether the process does its work as well as answer; `probes` serves it as `/livez`. It is not alive once its driver has stood still for two
   * minutes (`limits.driverStillMs`), whatever is away. An engine that takes up no work (`takesWork: false`), or is closed, is not judged.
   */
  readonly liveness: () => Liveness
  /**
   * Whether the process should get requests; `probes` serves it as `/readyz`. It asks the store, for two seconds at most, and answers the same for
   * a second (`limits.probeMs`), however many ask. That the process leaves is answered at once.
   */
  readonly readiness: () => Promise<Readiness>
  /**
   * The first step out of a balancer: from now on the process says that it is not ready, and serves everything all the same. Resolves after
   * so many milliseconds, by when the balancer has noticed; `close` comes next.
   */
  readonly announceLeaving: (noticeMs: number) => Promise<void>
  /**
   * Leaves the work to other processes: takes nothing more on, finishes what runs, answers the requests that still wait (1501), gives
   * back what it had claimed and releases what the ports hold. Over within 25 seconds, whatever hangs, unless `limits` say otherwise (`drain…`).
   */
  readonly close: () => Promise<void>
}

/** What may be said of any engine that is started. */
interface StartOptions {
  /** Holds dialling, in every process on these rows, before anything is dialled; until `dialling.release()`. For rows that were put back from a backup. */
  readonly startHeld?: boolean
  /**
   * Whether the process takes up what is due: dials of campaigns, deliveries, questions to the carrier. It does unless this is false: for a
   * program that looks at rows and changes them, and leaves the work to the others.
   */
  readonly takesWork?: boolean
  /** Keeps every event for `events`, a row each for 31 days, whether webhooks listen or not. Every process on the same rows needs it. */
  readonly keepEvents?: boolean
  /**
   * Times of calls that shall not be as they are by default, in milliseconds: how long a ring, an answered call and an answer of the carrier may
   * be silent, and how long the process may take to leave. Each has its bounds; `WrongLimit` is thrown beyond them. Set them alike in all processes.
   */
  readonly limits?: Partial<CallLimits>
  /**
   * How customers' secrets are kept: `nodeSecrets({ keys })` of `@carillon/http/secrets` seals them with AES-256-GCM. Without it webhook secrets,
   * values of webhook headers and provider values lie in the rows as they are. Every process on the same rows needs the same keys.
   */
  readonly secrets?: SecretsShape
  /** Whether the engine is measured; it is unless this is false. */
  readonly metrics?: boolean
  /** Whether spans are made of requests, commits, dials and deliveries; they are not unless this is true. */
  readonly tracing?: boolean
  /** Exports what is measured, and traces: a layer of `effect/observability`, such as `Otlp.layerJson`. */
  readonly telemetry?: Layer.Layer<never, unknown>
}

/** How an engine is started on ports. `L` is the layer that has them all; the type error of one that has not names the port first. */
export interface CarillonOptions<L> extends StartOptions {
  /** The storage, the counters, the carrier, and the way out for webhooks. */
  readonly ports: WholePorts<L>
}

/** How an engine is started whose rows live and end with its process. */
export interface InMemoryOptions<E> extends StartOptions, Outside<E> {}

/** An event that this process commits is missing in what others read. */
const warnOfMissingEvents = Effect.gen(function* () {
  const kept = yield* KeptEvents
  if (kept.isKeeping || !(yield* kept.areThere)) return
  yield* Effect.logWarning(
    "Events are kept on these rows, and what this process commits is missing among them: start it with keepEvents.",
  )
})

const start = async <E>(ports: Layer.Layer<Ports, E>, options: StartOptions): Promise<Carillon> => {
  const { metrics = true, telemetry = Layer.empty, tracing = false } = options
  const times = callLimits(options.limits)
  const registry: MetricRegistry = new Map()
  const measured = Layer.provideMerge(
    telemetry,
    Layer.mergeAll(outagesLayer, Layer.succeed(CurrentTracing, tracing), Layer.succeed(CurrentCallLimits, times)).pipe(
      Layer.provideMerge(metersLayer(registry, metrics)),
    ),
  )
  const runtime = ManagedRuntime.make(engineOn(ports, options, measured))
  const services = Effect.gen(function* () {
    return {
      dispatcher: yield* Dispatcher,
      engine: yield* Engine,
      tenants: yield* Organizations,
      accounts: yield* AccountStore,
      dialling: yield* Dialling,
      kept: yield* KeptEvents,
      context: yield* Effect.context(),
      readiness: yield* Effect.cachedWithTTL(askedReadiness, limits.probeMs),
    }
  })
  const { accounts, context, dialling, dispatcher, engine, kept, readiness, tenants } =
    await runtime.runPromise(services)
  // Nothing hangs on it, so it is not said where the store is away.
  await runtime.runPromise(Effect.ignore(warnOfMissingEvents))
  const over = Deferred.makeUnsafe<void>()
  let isLeaving = false
  let isClosed = false
  const ask = <A, E>(effect: Effect.Effect<A, E, CarillonServices>): Promise<A> =>
    isClosed ? Promise.reject(new EngineClosed()) : runtime.runPromise(effect)
  let closed: Promise<void> | undefined
  const close = async () => {
    isLeaving = true
    Deferred.doneUnsafe(over, Effect.void)
    dispatcher.refuse()
    await runtime.runPromise(engine.drain(dispatcher.endRequests))
    isClosed = true
    await Effect.runPromise(
      Effect.timeoutOption(
        Effect.promise(() => runtime.dispose()),
        times.drainCloseMs,
      ),
    )
  }
  return {
    handle: edgeHandler(runtime.runFork, dispatcher.dispatch),
    report: (report) => ask(engine.report(report)),
    arrive: (inbound) => ask(engine.arrive(inbound)),
    organizations: {
      open: (request) => ask(tenants.open(request)),
      change: (organizationId, changes) => ask(tenants.change(organizationId, changes)),
      find: (organizationId) => ask(accounts.organization(organizationId)),
      list: (after = null, limit) => ask(tenants.list(after, limit)),
      show: (organizationId) => ask(tenants.show(organizationId)),
      giveKey: (organizationId, name) => ask(tenants.giveKey(organizationId, name)),
      revokeKey: (organizationId, keyId) => ask(tenants.revokeKey(organizationId, keyId)),
    },
    dialling: {
      standing: () => ask(dialling.standing),
      hold: (reason) => ask(dialling.hold(reason)),
      release: () => ask(dialling.release),
    },
    events: (from = "oldest") => hostEvents(kept, from, Deferred.await(over), context),
    run: ask,
    metrics: () => prometheusText(registry),
    liveness: () => livenessBy(engine.pulse),
    readiness: () => (isLeaving ? Promise.resolve(leaving) : ask(readiness)),
    announceLeaving: (noticeMs) => {
      isLeaving = true
      // The host's notice, not the engine's: it goes on where `close` is called before its end.
      return Effect.runPromise(Effect.andThen(engine.announce, Effect.sleep(noticeMs)))
    },
    close: () => (closed ??= close()),
  }
}

/** Starts the engine on its host's ports. Rejects when a port cannot be opened. */
function make<L extends Layer.Layer<never, unknown, unknown>>(options: CarillonOptions<L>): Promise<Carillon>
async function make({
  ports,
  ...options
}: StartOptions & { readonly ports: Layer.Layer<Ports, unknown> | Forgotten<Ports> }): Promise<Carillon> {
  if (typeof ports !== "object" || ports === null || !("pipe" in ports)) throw new TypeError("`ports` is not a layer.")
  return start(ports, options)
}

/** Starts the engine on rows and counters in memory: nothing is kept when the process ends. */
const inMemory = async <E = never>(options: InMemoryOptions<E>): Promise<Carillon> =>
  start(memoryPorts(options), options)

/** What stands beside the API, as a fallback of a mount (`documentationAt`). The prefix is that of the mount. */
const documentation = ({ prefix = "" }: { readonly prefix?: string } = {}): Promise<Pages> =>
  Effect.runPromise(documentationAt(prefix))

/** Starts an engine and mounts it. */
export const Carillon = { make, inMemory, documentation }
