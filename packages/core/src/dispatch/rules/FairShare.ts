import { Fenwick } from "./Fenwick.ts"

/** What one campaign has and wants of its organization's lines. */
export interface CampaignLoad {
  /** Lines that its calls hold. */
  readonly used: number
  /** Contacts that could be dialled now. */
  readonly dialable: number
  /** `max_concurrent_calls`; null is no ceiling. */
  readonly ceiling: number | null
}

/**
 * May the campaign start one more call? Yes as of right (`floor`) or on lines that nobody is short of (`borrow`); no, because it has
 * no contact (`empty`), is at its own ceiling, all lines are in use, or the free ones are reserved for campaigns that are short.
 */
export type FairShareVerdict = "floor" | "borrow" | "empty" | "ceiling" | "lines_full" | "fair_share"

/** F: the lines each active campaign is guaranteed. Active is a campaign with a contact that could be dialled now. */
export const fairShare = (limit: number, active: number): number => (active === 0 ? limit : Math.floor(limit / active))

/** A campaign's floor: its guarantee, as far as its ceiling lets it use it. */
export const floorOf = (share: number, load: CampaignLoad): number => Math.min(share, load.ceiling ?? Infinity)

/** The lines a campaign still lacks of what it is guaranteed and could use. */
export const shortOf = (share: number, load: CampaignLoad): number =>
  Math.max(0, Math.min(floorOf(share, load), load.used + load.dialable) - load.used)

const judge = (share: number, load: CampaignLoad, free: number, reservedForOthers: number): FairShareVerdict => {
  if (load.dialable === 0) return "empty"
  if (load.ceiling !== null && load.used >= load.ceiling) return "ceiling"
  if (free < 1) return "lines_full"
  if (load.used < floorOf(share, load)) return "floor"
  return free - reservedForOthers >= 1 ? "borrow" : "fair_share"
}

/** An organization's lines as the rule sees them. */
export interface SharedLines {
  readonly limit: number
  /** Lines held by calls of no campaign: direct dials. */
  readonly direct: number
  readonly campaigns: ReadonlyArray<CampaignLoad>
}

/** The rule of decisions.md word for word, in time linear in the campaigns: what `FairShareLedger` is tested against. */
export const verdictOf = (lines: SharedLines, index: number): FairShareVerdict => {
  const { limit, direct, campaigns } = lines
  const share = fairShare(limit, campaigns.filter((load) => load.dialable > 0).length)
  const used = campaigns.reduce((sum, load) => sum + load.used, direct)
  const reservedForOthers = campaigns.reduce(
    (sum, load, other) => sum + (other === index ? 0 : shortOf(share, load)),
    0,
  )
  return judge(share, campaigns[index]!, limit - used, reservedForOthers)
}

/** Another campaign, or a batch without one, that takes lines of the same organization. */
export interface LaneBeside {
  /** Its contacts that are in a call or could be dialled now. */
  readonly contacts: number
  /** `max_concurrent_calls`; null is no ceiling. */
  readonly ceiling: number | null
  /** The agents that its contacts ask for. */
  readonly agent_ids: ReadonlySet<string>
}

/** What takes lines beside a campaign. */
export interface Beside {
  /** Lines held by calls of no campaign: direct dials. */
  readonly direct: number
  readonly others: ReadonlyArray<LaneBeside>
}

/**
 * The lines that a campaign with so many contacts has on average until they are called, if others go on beside it as they are now: the rule as time
 * passes. Another one has as many lines as the campaign at most, less where it has less to do or reaches its own ceiling; together they have all.
 */
export const linesBeside = (
  limit: number,
  contacts: number,
  others: ReadonlyArray<Pick<LaneBeside, "contacts" | "ceiling">>,
): number => {
  const parts = others
    .map((other) => ({ part: Math.min(1, other.contacts / contacts), ceiling: other.ceiling ?? Infinity }))
    .filter(({ part }) => part > 0)
    .map(({ ceiling, part }) => ({ ceiling, part, reachedAt: ceiling / part }))
    .toSorted((one, other) => (one.reachedAt < other.reachedAt ? -1 : one.reachedAt > other.reachedAt ? 1 : 0))
  let lines = limit
  let sum = parts.reduce((total, { part }) => total + part, 1)
  for (const { ceiling, part, reachedAt } of parts) {
    if (lines / sum <= reachedAt) break
    lines -= ceiling
    sum -= part
  }
  return lines / sum
}

interface Entry {
  readonly load: CampaignLoad
  /** Lines held, and lines held once it has all it could use: its `u` and `m`. */
  readonly held: number
  readonly wanted: number
}

const noLoad: CampaignLoad = { used: 0, dialable: 0, ceiling: null }

/**
 * The same rule kept by deltas: every step costs O(log limit), however many campaigns there are. With
 * `m = max(u, min(ceiling, u + d))` the sum of what campaigns are short of is `Σ min(F, m) − Σ min(F, u)`. Two trees over line
 * counts, in which each campaign stands with +1 at m and −1 at u, give that sum for any F.
 */
export class FairShareLedger {
  private readonly entries = new Map<string, Entry>()
  private limit: number
  private capacity: number
  private counts: Fenwick
  private sums: Fenwick
  private active = 0
  private held = 0
  private direct = 0

  constructor(limit: number) {
    this.limit = limit
    this.capacity = limit
    this.counts = new Fenwick(limit)
    this.sums = new Fenwick(limit)
  }

  /** Changes the organization's limit. */
  setLimit(limit: number): void {
    this.limit = limit
    if (limit <= this.capacity) return
    this.capacity = Math.max(limit, 2 * this.capacity)
    this.counts = new Fenwick(this.capacity)
    this.sums = new Fenwick(this.capacity)
    for (const entry of this.entries.values()) this.weigh(entry, 1)
  }

  /** Sets the lines held by calls of no campaign. */
  setDirect(used: number): void {
    this.direct = used
  }

  /** Enters a campaign or replaces its load. */
  setCampaign(id: string, load: CampaignLoad): void {
    this.remove(id)
    const { used, dialable, ceiling } = load
    const entry: Entry = { load, held: used, wanted: Math.max(used, Math.min(ceiling ?? Infinity, used + dialable)) }
    this.entries.set(id, entry)
    this.count(entry, 1)
    this.weigh(entry, 1)
  }

  /** Forgets a campaign that holds no lines and wants none. */
  remove(id: string): void {
    const entry = this.entries.get(id)
    if (entry === undefined) return
    this.entries.delete(id)
    this.count(entry, -1)
    this.weigh(entry, -1)
  }

  /** F as it stands. */
  share(): number {
    return fairShare(this.limit, this.active)
  }

  /** The lines reserved for all campaigns that are short. */
  reserve(): number {
    const share = this.share()
    return this.sums.prefix(share) - share * this.counts.prefix(share)
  }

  /** The campaign's floor. */
  floor(id: string): number {
    return floorOf(this.share(), this.load(id))
  }

  /** Whether the campaign may start one more call, and why. */
  verdict(id: string): FairShareVerdict {
    const load = this.load(id)
    // Only a borrower is held against the reserve, and a borrower is short of nothing itself.
    return judge(this.share(), load, this.limit - this.direct - this.held, this.reserve())
  }

  /** Whether the campaign may start one more call. */
  admissible(id: string): boolean {
    const verdict = this.verdict(id)
    return verdict === "floor" || verdict === "borrow"
  }

  private load(id: string): CampaignLoad {
    return this.entries.get(id)?.load ?? noLoad
  }

  private count(entry: Entry, sign: 1 | -1): void {
    this.held += sign * entry.held
    if (entry.load.dialable > 0) this.active += sign
  }

  private weigh({ wanted, held }: Entry, sign: 1 | -1): void {
    // Counts beyond the capacity lie beyond any F: the trees pass over them, and nothing ever asks for them.
    this.counts.add(wanted, sign)
    this.counts.add(held, -sign)
    this.sums.add(wanted, sign * wanted)
    this.sums.add(held, -sign * held)
  }
}
