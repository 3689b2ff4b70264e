import { SlotLevels } from "@carillon/core/domain"
import type { Commit } from "@carillon/core/ports"
import type { LimitsMode } from "../limits/LimitsMode.ts"

/** A changed ceiling is in force everywhere this long after the change, because resolved limits are cached. */
const cacheMs = 60_000

interface Entry<A> {
  readonly from: number
  readonly value: A
}

/** The values that something had lately. */
class History<A> {
  #entries: Array<Entry<A>> = []
  /** Their values; the same list as long as they are the same. */
  #values: ReadonlyArray<A> = []

  push(from: number, value: A): void {
    this.#keep([...this.#entries, { from, value }])
  }

  /** Every value that was in force at some moment from `since` on, that moment included. */
  since(since: number): ReadonlyArray<A> {
    // Most of the time nothing has changed for long.
    if (this.#entries.length > 1) {
      const first = this.#entries.findLastIndex(({ from }) => from < since)
      if (first > 0) this.#keep(this.#entries.slice(first))
    }
    return this.#values
  }

  #keep(entries: Array<Entry<A>>): void {
    this.#entries = entries
    this.#values = entries.map(({ value }) => value)
  }
}

const historyOf = <A>(histories: Map<string, History<A>>, id: string): History<A> => {
  let history = histories.get(id)
  if (history === undefined) {
    history = new History()
    histories.set(id, history)
  }
  return history
}

/** The ceilings of the platform, of every organization and of every campaign, with those of the last minute: commits tell of each change. */
export class Ceilings {
  readonly #limits: LimitsMode
  readonly #platform = new History<number>()
  readonly #organizations = new Map<string, History<SlotLevels.ResolvedCeilings>>()
  readonly #campaigns = new Map<string, History<number>>()
  /** What came of the platform's ceilings and an organization's own, as long as they are the same. */
  readonly #combined = new Map<
    string,
    {
      readonly platform: ReadonlyArray<number>
      readonly own: ReadonlyArray<SlotLevels.ResolvedCeilings>
      readonly limits: ReadonlyArray<number>
    }
  >()

  constructor(limits: LimitsMode) {
    this.#limits = limits
    this.#platform.push(-Infinity, limits.platform(null))
  }

  observe(commit: Commit, now: number): void {
    for (const change of commit.changes) {
      if (change.put === "platform") this.#platform.push(now, this.#limits.platform(change.row.concurrency))
      if (change.put === "campaign") {
        const { campaign_id, max_concurrent_calls } = change.row
        historyOf(this.#campaigns, campaign_id).push(now, max_concurrent_calls ?? Infinity)
      }
      if (change.put !== "organization") continue
      const id = change.row.organization_id
      historyOf(this.#organizations, id).push(
        now,
        SlotLevels.resolveCeilings(this.#limits.concurrency(change.row.concurrency)),
      )
    }
  }

  /** The highest ceiling of the platform in the last minute. */
  platform(now: number): number {
    return Math.max(...this.#platform.since(now - cacheMs))
  }

  /** Whether so many calls may fill the platform by any of its ceilings of the last minute: who dials does not know yet that it was raised. */
  mayBeFull(calls: number, now: number): boolean {
    return calls >= Math.min(...this.#platform.since(now - cacheMs))
  }

  /** The highest ceilings of an organization in the last minute; infinity where it is not enforced. */
  organization(organizationId: string, now: number): { readonly organization: number; readonly agent: number } {
    const lately = this.#organizations.get(organizationId)?.since(now - cacheMs) ?? []
    return {
      organization: Math.max(...lately.map((one) => (one.enforced ? one.organization : Infinity))),
      agent: Math.max(...lately.map((one) => (one.enforced ? one.agent : Infinity))),
    }
  }

  /** Every number of lines that an organization may have had in the last minute, the platform's ceiling included. */
  limits(organizationId: string, now: number): ReadonlyArray<number> {
    const since = now - cacheMs
    const platform = this.#platform.since(since)
    const own = this.#organizations.get(organizationId)?.since(since) ?? []
    const known = this.#combined.get(organizationId)
    if (known?.platform === platform && known.own === own) return known.limits
    const lines = own.map(({ enforced, organization }) => (enforced ? organization : Infinity))
    const limits = [...new Set(lines.flatMap((each) => platform.map((ceiling) => Math.min(ceiling, each))))]
    this.#combined.set(organizationId, { platform, own, limits })
    return limits
  }

  /** The lines that each agent of an organization could surely have in the last minute. */
  agent(organizationId: string, now: number): number {
    const lately = this.#organizations.get(organizationId)?.since(now - cacheMs) ?? []
    return Math.min(...lately.map(({ agent, enforced }) => (enforced ? agent : Infinity)))
  }

  /** The highest ceiling of a campaign in the last minute; infinity where it has none. */
  campaign(campaignId: string, now: number): number {
    const lately = this.#campaigns.get(campaignId)?.since(now - cacheMs) ?? []
    return lately.length === 0 ? Infinity : Math.max(...lately)
  }
}
