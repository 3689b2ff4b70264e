import { type MetricRegistry, type Call, type CallLimits, type Funds, Transliterator } from "@carillon/core"
import { type Ceilings as RateCeilings, Hash, isSpent } from "@carillon/core/domain"
import {
  type AccountStore,
  Chance,
  type Change,
  type Commit,
  housekeepingWakeups,
  Ids,
  KeyMinter,
  type Store,
  type RowPorts,
  type StoragePorts,
} from "@carillon/core/ports"
import { MemoryTables, memoryCounters, memoryRows } from "@carillon/core/memory"
import { NodeTextExtractor } from "@carillon/knowledge-node"
import type { Contents } from "@carillon/postgres"
import { Context, Effect, Layer } from "effect"
import { Carrier } from "./carrier/Carrier.ts"
import type { Mix } from "./carrier/Mix.ts"
import { Rules } from "./carrier/Rules.ts"
import { Interleaving } from "./clock/Interleaving.ts"
import { type ClockMode, VirtualClock } from "./clock/VirtualClock.ts"
import type { CounterPlace, WorldCounters } from "./counters/CounterPlace.ts"
import { type Ask, inTurns, takingTurns } from "./counters/TakingTurns.ts"
import { EventHistory } from "./events/EventHistory.ts"
import { type Breakable, Faults } from "./faults/Fault.ts"
import { type BreakerLaws, breakerLaws } from "./invariants/BreakerLaws.ts"
import { type CampaignLaws, campaignLaws } from "./invariants/CampaignLaws.ts"
import { Ceilings } from "./invariants/Ceilings.ts"
import { type DialLaws, dialLaws } from "./invariants/DialLaws.ts"
import { type EndedLaws, endedLaws } from "./invariants/EndedLaws.ts"
import { givenUpLaws } from "./invariants/GivenUpLaws.ts"
import { guardLaws } from "./invariants/GuardLaws.ts"
import { keyLaws } from "./invariants/KeyLaws.ts"
import { Invariants } from "./invariants/Invariants.ts"
import { Journal, type Moment } from "./journal/Journal.ts"
import { takenBackLaws } from "./invariants/TakenBackLaws.ts"
import { webhookLaws, type WebhookLaws } from "./invariants/WebhookLaws.ts"
import { Inboxes } from "./webhooks/Inboxes.ts"
import { Names } from "./webhooks/Names.ts"
import { numberLaws, type NumberLaws } from "./invariants/NumberLaws.ts"
import { waitingLaws, type WaitingLaws } from "./invariants/WaitingLaws.ts"
import { wireLaws } from "./invariants/WireLaws.ts"
import { legLaws } from "./invariants/LegLaws.ts"
import { orderLaw } from "./invariants/OrderLaw.ts"
import { outboxLaws } from "./invariants/OutboxLaws.ts"
import { rateLaws, type RateLaws } from "./invariants/RateLaws.ts"
import { rowLaws, type RowLaws } from "./invariants/RowLaws.ts"
import { slotLaws, type SlotLaws } from "./invariants/SlotLaws.ts"
import { turnLaws } from "./invariants/TurnLaws.ts"
import type { LimitsMode } from "./limits/LimitsMode.ts"
import type { Durable } from "./storage/Durable.ts"
import { mirrored, restoreTables, written } from "./storage/Mirror.ts"
import { SimulatedSecrets } from "./storage/SimulatedSecrets.ts"
import { Retention } from "./Retention.ts"
import type { OpenVendor } from "./vendors/Vendor.ts"
import { VendorLine } from "./vendors/VendorLine.ts"

export interface WorldOptions {
  readonly seed: string
  /** Where rows lie that outlive this world, with what was there when it began. */
  readonly storage?: { readonly durable: Durable; readonly contents: Contents } | undefined
  /** How `storage` is called. */
  readonly storageName: string
  /** Where lines and request rates are counted, if not in memory. */
  readonly counters?: CounterPlace | undefined
  /** Epoch milliseconds. */
  readonly epoch: number
  readonly clock: ClockMode
  readonly limits: LimitsMode
  /** Times of calls that are not as by default. */
  readonly callLimits?: Partial<CallLimits> | undefined
  readonly mix?: Mix | undefined
  /** How many legs and ended calls are remembered beside the rows. */
  readonly retention: number
  /** After how many events what the laws keep is counted anew; left out: seldom enough to cost little. */
  readonly recountAfter?: number | undefined
  /** Destinations, `HOST` or `HOST:PORT`, that webhooks really reach although they would be refused. */
  readonly allowWebhookHosts: ReadonlyArray<string>
  /** Stands between the world and its rows; tests break things here. */
  readonly decorate?: ((ports: StoragePorts) => StoragePorts) | undefined
  /** Puts a vendor between the engine and the carrier. */
  readonly vendor?: OpenVendor | undefined
}

/** What the engine draws on that is a function of the seed, or of its arguments alone. */
export interface Sources {
  readonly ids: Ids["Service"]
  readonly chance: Chance["Service"]
  readonly keys: KeyMinter["Service"]
  readonly transliterator: Transliterator["Service"]
}

const seededSources = (seed: string | number): Sources => {
  const layers = Layer.mergeAll(
    Ids.layerSeeded(seed),
    Chance.layerSeeded(seed),
    KeyMinter.layerSeeded(seed),
    Transliterator.layer,
  )
  const context = Effect.runSync(Effect.scoped(Layer.build(layers)))
  return {
    ids: Context.get(context, Ids),
    chance: Context.get(context, Chance),
    keys: Context.get(context, KeyMinter),
    transliterator: Context.get(context, Transliterator),
  }
}

/** What the history tells of a call. */
const shown = (call: Call) => {
  const { organization_id, execution_id, agent_id, campaign_id, batch_id, direction, to_number, from_number, status } =
    call
  return { organization_id, execution_id, agent_id, campaign_id, batch_id, direction, to_number, from_number, status }
}

/** Settings of the account as the engine sees them under `--limits`. */
const scaledAccounts = (accounts: AccountStore["Service"], limits: LimitsMode): AccountStore["Service"] => ({
  ...accounts,
  organization: (organizationId) =>
    Effect.map(accounts.organization(organizationId), (organization) =>
      organization === null ? null : { ...organization, concurrency: limits.concurrency(organization.concurrency) },
    ),
  platform: Effect.map(accounts.platform, (platform) =>
    platform === null ? null : { ...platform, concurrency: limits.platform(platform.concurrency) },
  ),
})

/** What the engine writes of the installation it has read scaled: the ceiling goes back as it is stored. */
const unscaledStore = ({ accounts, store }: RowPorts): Store["Service"] => ({
  ...store,
  commit: (commit) => {
    if (!commit.changes.some(({ put }) => put === "platform")) return store.commit(commit)
    return Effect.flatMap(accounts.platform, (stored) =>
      store.commit({
        ...commit,
        changes: commit.changes.map((change) =>
          change.put === "platform" && stored !== null
            ? { ...change, row: { ...change.row, concurrency: stored.concurrency } }
            : change,
        ),
      }),
    )
  },
})

/** A commit that rests on nothing. */
const controlCommit = (
  id: string,
  organization_id: string,
  changes: Commit["changes"],
  wakeups: Commit["wakeups"] = [],
): Commit => ({
  id,
  organization_id,
  expect: [],
  changes,
  wakeups,
  events: [],
  audit: [],
})

/** What the invariants look at. */
type Observed = Extract<
  Change,
  {
    readonly put:
      | "batch"
      | "call"
      | "delivery"
      | "platform"
      | "organization"
      | "campaign"
      | "contact"
      | "event"
      | "phone_number"
  }
>

/** A stored row as the invariants count it that begin with a row's first revision; null for what they do not look at. */
const asNew = (change: Change): Observed | null => {
  switch (change.put) {
    case "batch":
      return { ...change, row: { ...change.row, revision: 1 } }
    case "call":
      return { ...change, row: { ...change.row, revision: 1 } }
    case "delivery":
      return { ...change, row: { ...change.row, revision: 1 } }
    case "platform":
    case "organization":
    case "campaign":
    case "contact":
    case "event":
    case "phone_number":
      return change
    default:
      return null
  }
}

/**
 * Everything that exists beside the process that runs on it: time, rows, lines, the carrier, faults, and the invariants that
 * watch them. A process may be dropped at any moment and another started on the same world.
 */
export class World {
  readonly options: WorldOptions
  readonly clock: VirtualClock
  /** What the seed alone decides: how the demo is called, however often the world was started. */
  readonly origin: Sources
  readonly sources: Sources
  /** How its customers' secrets lie in the rows. */
  readonly secrets: SimulatedSecrets
  /** All rows; where they are kept in a database, a picture of them. */
  readonly tables: MemoryTables
  readonly rules: Rules
  readonly faults: Faults
  readonly interleaving: Interleaving
  readonly carrier: Carrier
  readonly invariants: Invariants
  readonly history: EventHistory
  /** Every input so far. */
  readonly journal: Journal
  /** The rows as the engine reaches them, before faults. */
  readonly watched: StoragePorts
  readonly funds: Funds["Service"]
  /** Reads uploaded files, as production does. */
  readonly extractor = NodeTextExtractor.make()
  /** Rate ceilings by plan, one entry for every plan that was ever named. */
  readonly plans: Record<string, RateCeilings>
  readonly rows: RowLaws
  readonly rates: RateLaws
  readonly ceilings: Ceilings
  readonly webhooks: WebhookLaws
  readonly names = new Names()
  /** What is measured of the engine's processes. */
  readonly measured: MetricRegistry = new Map()
  readonly inboxes: Inboxes
  readonly lines: SlotLaws
  readonly campaigns: CampaignLaws
  readonly numbers: NumberLaws
  readonly waiting: WaitingLaws
  readonly ended: EndedLaws
  /** Judges whether time goes on, and says so. */
  readonly goesOn: (holds: boolean) => boolean
  /** Wake-ups that were claimed and are not housekeeping. */
  claimed = 0
  /** When a process last ended; minus infinity while none has. */
  crashedAt = -Infinity
  /** Default subscriptions that control has made. */
  defaults = 0
  /** Commits and carrier events so far. */
  events = 0
  /** Requests under `/v2` that were taken in. */
  requests = 0
  readonly #givenUp: (commit: Pick<Commit, "changes">) => void
  readonly #takenBack: (commit: Pick<Commit, "changes">) => void
  readonly #dials: DialLaws
  readonly #breakers: BreakerLaws
  readonly #openStops = new Map<string, number>()
  #minted = 0
  #lastClaimed = ""
  /** What control has written and the database has not yet. */
  #unwritten: Array<Commit> = []
  readonly #counters: WorldCounters | undefined
  #vendor: VendorLine | null = null
  /** When counters outside of this process did not answer last. */
  #countersAwayAt = -Infinity

  private constructor(options: WorldOptions, tables: MemoryTables, rows: RowPorts, counters?: WorldCounters) {
    const { limits, retention } = options
    this.options = options
    this.tables = tables
    this.#counters = counters
    this.clock = new VirtualClock(options.epoch, options.clock)
    this.origin = seededSources(options.seed)
    // What an engine counts begins anew with it, so each start on the same rows draws from a seed of its own.
    const begun = options.storage?.contents.commits ?? 0
    const drawnFrom = begun === 0 ? options.seed : `${options.seed} after ${begun}`
    this.sources = begun === 0 ? this.origin : seededSources(drawnFrom)
    this.secrets = new SimulatedSecrets(drawnFrom)
    const { now } = this.clock
    const { chance, ids } = this.sources
    this.plans = { standard: limits.rates }
    this.rules = new Rules(options.mix)
    this.faults = new Faults(now, chance.draw)
    this.interleaving = new Interleaving(chance.draw)
    this.journal = new Journal(options)
    this.history = new EventHistory(now, retention)
    this.invariants = new Invariants(now, ({ detail, name }) =>
      this.history.append({ type: "violation", name, detail }),
    )
    const ceilings = new Ceilings(limits)
    this.ceilings = ceilings
    const dialling = ["slot_store", "call_store", "agent_store", "account", "scheduler", "telephony"] as const
    const lastOutage = () => this.#lastOutage(dialling)
    const isPlatformFull = () => ceilings.mayBeFull(this.tables.calls.holding("platform", "platform"), now())
    this.numbers = numberLaws(this.invariants, { tables: this.tables, now, lastOutage })
    this.waiting = waitingLaws(this.invariants, {
      tables: this.tables,
      now,
      lastOutage,
      lines: (organizationId) =>
        Math.min(...ceilings.limits(organizationId, now()), ceilings.agent(organizationId, now())),
      isPlatformFull,
    })
    this.ended = endedLaws(this.invariants, { tables: this.tables, retention })
    this.#givenUp = givenUpLaws(this.invariants, this.tables)
    this.#takenBack = takenBackLaws(this.invariants, this.tables)
    this.#dials = dialLaws(this.invariants, this.tables)
    this.#breakers = breakerLaws(this.invariants, this.tables)
    this.campaigns = campaignLaws(this.invariants, {
      tables: this.tables,
      now,
      limit: (organizationId) =>
        Math.min(ceilings.platform(now()), ceilings.organization(organizationId, now()).organization),
      limits: (organizationId) => ceilings.limits(organizationId, now()),
      agentLimit: (organizationId) => ceilings.agent(organizationId, now()),
      isPlatformFull,
      lastOutage,
      retention,
      isOvertaken: () => this.interleaving.isOn(this.clock.now()),
      turns: turnLaws(this.invariants, { now }),
      recountAfter: options.recountAfter,
    })
    const legs = legLaws(this.invariants, {
      now,
      ceilings,
      retention,
      atDial: (executionId) => this.lines.atDial(executionId, this.call(executionId)),
      stopRequested: (executionIds) => executionIds.some((id) => this.#openStops.has(id)),
    })
    this.carrier = new Carrier({
      seed: options.seed,
      clock: this.clock,
      chance,
      ids,
      retention,
      rules: this.rules,
      callerIds: (organizationId) => [...this.tables.numbers(organizationId).keys()],
      analytics: ({ agent_id }) => this.tables.agents.get(agent_id)?.analytics ?? {},
      observer: {
        ...legs,
        dialled: (command, already) => {
          legs.dialled(command, already)
          this.campaigns.dialled(command)
        },
        wentLive: (leg) => {
          legs.wentLive(leg)
          this.campaigns.leg(leg.command, 1)
        },
        wentDown: (leg) => {
          legs.wentDown(leg)
          this.campaigns.leg(leg.command, -1)
        },
      },
      wired: options.vendor === undefined ? undefined : wireLaws(this.invariants),
    })
    const { slots, rates } = counters ?? memoryCounters()
    const plain: StoragePorts = { ...rows, slots, rates }
    const reached = options.decorate?.(plain) ?? plain
    const repairing = ["slot_store", "call_store", "scheduler"] as const
    const lines = slotLaws(this.invariants, reached.slots, { now, lastOutage: () => this.#lastOutage(repairing) })
    this.rates = rateLaws(this.invariants, reached.rates)
    this.inboxes = new Inboxes(retention)
    this.webhooks = webhookLaws(this.invariants, { retention })
    this.rows = rowLaws(this.invariants, {
      retention,
      audit: this.tables.audit,
      moved: (call, previous_status) => this.history.append({ type: "call", ...shown(call), previous_status }),
    })
    const inPlace = { slots: lines.watched, rates: this.rates.watched }
    const ask = counters === undefined ? null : this.#noting(takingTurns())
    this.lines = ask === null ? lines : { ...lines, count: Effect.ignore(ask(lines.count)) }
    this.watched = {
      ...reached,
      accounts: scaledAccounts(reached.accounts, limits),
      store: unscaledStore(reached),
      ...(ask === null ? inPlace : inTurns(inPlace, ask)),
      wakeups: {
        ...reached.wakeups,
        claimDue: (...args) =>
          Effect.tap(reached.wakeups.claimDue(...args), (claims) =>
            Effect.sync(() => {
              for (const { kind, subject } of claims) {
                this.#lastClaimed = `${kind} ${subject}`
                if (!housekeepingWakeups.has(kind)) this.claimed += 1
              }
            }),
          ),
      },
    }
    const l2 = this.invariants.open({
      name: "L2",
      description: "Time goes on: no wake-up brings itself about over and over at one moment.",
    })
    this.goesOn = (holds) => {
      l2(holds, () => `${this.#lastClaimed} is due again and again`)
      return holds
    }
    this.funds = {
      open: ({ wallet }) => Effect.sync(() => !isSpent(wallet)),
      covers: (_organization, { to_number }) => Effect.sync(() => !this.rules.unfunded(to_number)),
    }
    if (options.storage !== undefined) this.#restore(options.storage.contents, ceilings)
    // Rows of a database are for its owner to forget.
    const kept = options.storage === undefined ? new Retention(this.tables, retention) : null
    const guards = guardLaws(this.invariants, {
      agentOf: (agentId) => this.tables.agents.get(agentId),
      controlOf: (organizationId, versionId) => this.tables.experiments.find(organizationId, versionId)?.main_agent_id,
    })
    const outbox = outboxLaws(this.invariants, { tables: this.tables, now })
    const order = orderLaw(this.invariants, { tables: this.tables, now })
    const keys = keyLaws(this.invariants, (organizationId) => this.tables.keys.of(organizationId))
    this.tables.onCommit((commit) => {
      this.events += 1
      ceilings.observe(commit, now())
      this.lines.observe(commit)
      this.rows.observe(commit)
      this.webhooks.observe(commit)
      guards(commit)
      outbox(commit)
      this.ended.observe(commit)
      this.#givenUp(commit)
      this.#takenBack(commit)
      this.#dials.observe(commit)
      this.#breakers.observe(commit)
      keys(commit)
      order(commit)
      this.numbers.observe(commit)
      this.waiting.observe(commit)
      this.campaigns.observe(commit)
      this.history.observe(commit)
      kept?.observe(commit)
    })
  }

  /** Opens a world on what is stored, with counters of its own. */
  static async open(options: WorldOptions): Promise<World> {
    const tables = new MemoryTables()
    const { counters, storage } = options
    const rows = storage === undefined ? memoryRows(tables) : mirrored(storage.durable.ports, tables)
    const world = new World(options, tables, rows, await counters?.open(rows.calls))
    if (options.vendor !== undefined) await world.#openVendor(options.vendor)
    return world
  }

  async #openVendor(open: OpenVendor): Promise<void> {
    // What it is asked goes over sockets, and nobody can repeat a world by its inputs alone who has not got it.
    this.journal.wentOut()
    const { carrier, clock, options } = this
    this.#vendor = await VendorLine.open(open, { seed: options.seed, now: clock.now, wire: carrier.wire })
  }

  /** What stands between the engine and the carrier, if anything does. */
  get vendor(): VendorLine | null {
    return this.#vendor
  }

  /** Lets go of what lies outside of this process and belongs to this world alone. */
  async close(): Promise<void> {
    await this.#counters?.close()
    await this.#vendor?.close()
  }

  /** Remembers when a question was not answered, which no replay can repeat. */
  #noting(ask: Ask): Ask {
    const failed = Effect.sync(() => {
      this.#countersAwayAt = this.clock.now()
      this.journal.wentOut()
    })
    return (question) => ask(Effect.tapError(question, () => failed))
  }

  /** When the engine could last not do its work. */
  #lastOutage(dependencies: ReadonlyArray<Breakable>): number {
    let last = Math.max(this.crashedAt, this.#countersAwayAt)
    for (const dependency of dependencies) last = Math.max(last, this.faults.lastStruck(dependency))
    return last
  }

  /** Takes up the rows of an earlier world: the invariants are told of them as if they were new, but for how their calls began. */
  #restore(contents: Contents, ceilings: Ceilings): void {
    restoreTables(this.tables, contents)
    const byOwner = new Map<string, Array<Observed>>()
    for (const stored of contents.changes) {
      if (stored.put === "organization") this.admitPlan(stored.row.plan)
      const change = asNew(stored)
      if (change === null) continue
      const owner = change.put === "platform" ? change.row.platform_id : change.row.organization_id
      const changes = byOwner.get(owner)
      if (changes === undefined) byOwner.set(owner, [change])
      else changes.push(change)
    }
    for (const [owner, changes] of byOwner) {
      const commit = controlCommit("restored", owner, changes)
      ceilings.observe(commit, this.clock.now())
      this.webhooks.observe(commit)
      this.rows.observe(commit)
      this.numbers.observe(commit)
      this.waiting.observe(commit)
      this.#givenUp(commit)
      this.#dials.restore(commit)
      this.campaigns.observe({ ...commit, changes: changes.filter(({ put }) => put !== "call") })
    }
  }

  /** Whether the rows are kept in a database. */
  get isDurable(): boolean {
    return this.options.storage !== undefined
  }

  /** Writes to the database what control has changed. */
  async flush(): Promise<void> {
    const commits = this.#unwritten
    this.#unwritten = []
    const ports = this.options.storage?.durable.ports
    if (ports !== undefined && commits.length > 0) await Effect.runPromise(written(ports, commits))
  }

  /** Lets the laws look at what is due to be looked at; after every event. */
  look(): void {
    this.lines.look()
    this.campaigns.look()
    this.numbers.look()
    this.waiting.look()
  }

  /** Lets them judge a world in which nothing is due any more. */
  lookAtRest(): void {
    this.waiting.lookAtRest()
    this.ended.lookAtRest()
    this.#breakers.lookAtRest()
  }

  /** When an input comes that is let in now. */
  readonly moment: Moment = () => ({ at: this.clock.now(), catch_up: this.clock.mode !== "manual" })

  /** What the process of a generation draws on. Chances are those of the world: how calls go must not depend on crashes. */
  sourcesOf(generation: number): Sources {
    if (generation === 1) return this.sources
    const { ids, keys } = seededSources(Hash.hashText(32, this.options.seed, "generation", generation))
    return { ...this.sources, ids, keys }
  }

  /** A call by any of its ids, the surviving one where its record was folded. */
  call(executionId: string): Call | undefined {
    const call = this.tables.calls.get(executionId)
    return call?.folded_into == null ? call : this.tables.calls.get(call.folded_into)
  }

  /** Writes rows past all faults, and sets wake-ups with them, which of a durable world are its database's alone. */
  write(organizationId: string, changes: Commit["changes"], wakeups: Commit["wakeups"] = []): void {
    const id = this.sources.ids.mint("commit", "control", this.#minted++)
    const commit = controlCommit(id, organizationId, changes, wakeups)
    const conflict = this.tables.commit(this.isDurable ? { ...commit, wakeups: [] } : commit)
    if (conflict !== undefined) throw conflict
    if (this.isDurable) this.#unwritten.push(commit)
  }

  /** Gives a plan the ceilings of this world, once somebody has it. */
  admitPlan(plan: string): void {
    this.plans[plan] ??= this.options.limits.rates
  }

  /** A request to stop this call is open until the function is called. */
  stopRequested(executionId: string): () => void {
    this.#openStops.set(executionId, (this.#openStops.get(executionId) ?? 0) + 1)
    return () => {
      const left = (this.#openStops.get(executionId) ?? 0) - 1
      if (left > 0) this.#openStops.set(executionId, left)
      else this.#openStops.delete(executionId)
    }
  }
}
