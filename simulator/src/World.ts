import {
  type AccountStore,
  type Call,
  type Ceilings as RateCeilings,
  Chance,
  type Commit,
  type Funds,
  Hash,
  housekeepingWakeups,
  Ids,
  KeyMinter,
  Transliterator,
} from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryTables } from "@carillon/core/memory"
import { NodeTextExtractor } from "@carillon/knowledge-node"
import { Context, Effect, Layer } from "effect"
import { Carrier } from "./carrier/Carrier.ts"
import type { Mix } from "./carrier/Mix.ts"
import { Rules } from "./carrier/Rules.ts"
import { type ClockMode, VirtualClock } from "./clock/VirtualClock.ts"
import { EventHistory } from "./events/EventHistory.ts"
import { Faults } from "./faults/Fault.ts"
import { type CampaignLaws, campaignLaws } from "./invariants/CampaignLaws.ts"
import { Ceilings } from "./invariants/Ceilings.ts"
import { Invariants } from "./invariants/Invariants.ts"
import { Journal, type Moment } from "./journal/Journal.ts"
import { webhookLaws, type WebhookLaws } from "./invariants/WebhookLaws.ts"
import { Inboxes } from "./webhooks/Inboxes.ts"
import { Names } from "./webhooks/Names.ts"
import { legLaws } from "./invariants/LegLaws.ts"
import { rateLaws, type RateLaws } from "./invariants/RateLaws.ts"
import { rowLaws, type RowLaws } from "./invariants/RowLaws.ts"
import { slotLaws, type SlotLaws } from "./invariants/SlotLaws.ts"
import { turnLaws } from "./invariants/TurnLaws.ts"
import type { LimitsMode } from "./limits/LimitsMode.ts"
import { type StoragePorts, storagePorts } from "./Ports.ts"
import { Retention } from "./Retention.ts"

export interface WorldOptions {
  readonly seed: string
  /** Epoch milliseconds. */
  readonly epoch: number
  readonly clock: ClockMode
  readonly limits: LimitsMode
  readonly mix?: Mix | undefined
  /** How many legs and ended calls are remembered beside the rows. */
  readonly retention: number
  /** Destinations, `HOST` or `HOST:PORT`, that webhooks really reach although they would be refused. */
  readonly allowWebhookHosts: ReadonlyArray<string>
  /** Stands between the world and its rows; tests break things here. */
  readonly decorate?: ((ports: StoragePorts) => StoragePorts) | undefined
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

/**
 * Everything that exists beside the process that runs on it: time, rows, lines, the carrier, faults, and the invariants that
 * watch them. A process may be dropped at any moment and another started on the same world.
 */
export class World {
  readonly options: WorldOptions
  readonly clock: VirtualClock
  readonly sources: Sources
  readonly tables = new MemoryTables()
  readonly rules: Rules
  readonly faults: Faults
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
  readonly inboxes: Inboxes
  readonly lines: SlotLaws
  readonly campaigns: CampaignLaws
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
  readonly #openStops = new Map<string, number>()
  #minted = 0

  constructor(options: WorldOptions) {
    const { limits, retention } = options
    this.options = options
    this.clock = new VirtualClock(options.epoch, options.clock)
    this.sources = seededSources(options.seed)
    const { now } = this.clock
    const { chance, ids } = this.sources
    this.plans = { standard: limits.rates }
    this.rules = new Rules(options.mix)
    this.faults = new Faults(now, chance.draw)
    this.journal = new Journal(options)
    this.history = new EventHistory(now, retention)
    this.invariants = new Invariants(now, ({ detail, name }) =>
      this.history.append({ type: "violation", name, detail }),
    )
    const ceilings = new Ceilings(limits)
    this.ceilings = ceilings
    const dialling = ["slot_store", "call_store", "agent_store", "account", "scheduler", "telephony"] as const
    this.campaigns = campaignLaws(this.invariants, {
      tables: this.tables,
      now,
      limit: (organizationId) =>
        Math.min(ceilings.platform(now()), ceilings.organization(organizationId, now()).organization),
      certain: (organizationId) => ceilings.certain(organizationId, now()),
      isPlatformFull: () => this.tables.calls.holding("platform", "platform") >= ceilings.platform(now()),
      lastOutage: () => Math.max(this.crashedAt, ...dialling.map((dependency) => this.faults.lastStruck(dependency))),
      retention,
      turns: turnLaws(this.invariants, { now }),
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
    })
    const plain = storagePorts(this.tables, new MemorySlots.SlotTable(), new MemoryRates.RateTable())
    const reached = options.decorate?.(plain) ?? plain
    const repairing = ["slot_store", "call_store", "scheduler"] as const
    this.lines = slotLaws(this.invariants, reached.slots, {
      now,
      lastOutage: () => Math.max(this.crashedAt, ...repairing.map((dependency) => this.faults.lastStruck(dependency))),
    })
    this.rates = rateLaws(this.invariants, reached.rates)
    this.inboxes = new Inboxes(retention)
    this.webhooks = webhookLaws(this.invariants, { retention })
    this.rows = rowLaws(this.invariants, {
      retention,
      trail: (organizationId) => this.tables.auditTrail(organizationId),
      moved: (call, previous_status) => this.history.append({ type: "call", ...shown(call), previous_status }),
    })
    this.watched = {
      ...reached,
      accounts: scaledAccounts(reached.accounts, limits),
      slots: this.lines.watched,
      rates: this.rates.watched,
      wakeups: {
        ...reached.wakeups,
        claimDue: (...args) =>
          Effect.tap(reached.wakeups.claimDue(...args), (claims) =>
            Effect.sync(() => {
              for (const { kind } of claims) if (!housekeepingWakeups.has(kind)) this.claimed += 1
            }),
          ),
      },
    }
    this.funds = {
      covers: ({ wallet }, { to_number }) =>
        Effect.sync(() => wallet.balance > 0 && (to_number === null || !this.rules.unfunded(to_number))),
    }
    const kept = new Retention(this.tables, retention)
    this.tables.onCommit((commit) => {
      this.events += 1
      ceilings.observe(commit, now())
      this.lines.observe(commit)
      this.rows.observe(commit)
      this.webhooks.observe(commit)
      this.campaigns.observe(commit)
      this.history.observe(commit)
      kept.observe(commit)
    })
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

  /** Writes rows past all faults. */
  write(organizationId: string, changes: Commit["changes"]): void {
    const conflict = this.tables.commit({
      id: this.sources.ids.mint("commit", "control", this.#minted++),
      organization_id: organizationId,
      expect: [],
      changes,
      wakeups: [],
      events: [],
      audit: [],
    })
    if (conflict !== undefined) throw conflict
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
