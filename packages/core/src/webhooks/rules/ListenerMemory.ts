import type { Listeners } from "./Subscription.ts"

interface Remembered {
  readonly organizationId: string
  readonly agentId: string
  readonly listeners: Listeners
  readonly size: number
  readonly at: number
}

/** Who listens to an agent is being read. What has changed meanwhile is not remembered as it was. */
export interface ListenerReading {
  readonly organizationId: string
  readonly agentId: string
  isOld: boolean
}

/** What a process remembers of one organization, and how much that is; what it read first stands first. */
interface Own {
  readonly agents: Map<string, Remembered>
  size: number
}

/** An agent and each that listens to it count as one: none of them takes a kilobyte. */
const sizeOf = ({ fallback, own }: Listeners): number => 1 + own.length + (fallback === null ? 0 : 1)

/**
 * Who listens to agents, as this process has read it lately. Whoever has more of it than its share, or makes all together too much, has that forgotten
 * first that was read longest ago: the organization's own, then anybody's. Times are epoch milliseconds.
 */
export class ListenerMemory {
  readonly #bounds: { readonly organization: number; readonly process: number }
  readonly #freshMs: number
  readonly #all = new Set<Remembered>()
  readonly #organizations = new Map<string, Own>()
  readonly #readings = new Map<string, Set<ListenerReading>>()
  #size = 0

  constructor(bounds: { readonly organization: number; readonly process: number }, freshMs: number) {
    this.#bounds = bounds
    this.#freshMs = freshMs
  }

  /** Agents and listeners that are remembered. */
  get size(): number {
    return this.#size
  }

  get(organizationId: string, agentId: string, now: number): Listeners | undefined {
    const known = this.#organizations.get(organizationId)?.agents.get(agentId)
    return known !== undefined && now - known.at < this.#freshMs ? known.listeners : undefined
  }

  /** Somebody begins to read who listens to an agent, and has to say how it ended. */
  begin(organizationId: string, agentId: string): ListenerReading {
    const reading: ListenerReading = { organizationId, agentId, isOld: false }
    const others = this.#readings.get(organizationId) ?? new Set()
    this.#readings.set(organizationId, others.add(reading))
    return reading
  }

  /** Remembers what was read; null where it could not be read. */
  end(reading: ListenerReading, listeners: Listeners | null, now: number): void {
    const { agentId, isOld, organizationId } = reading
    const others = this.#readings.get(organizationId)
    others?.delete(reading)
    if (others?.size === 0) this.#readings.delete(organizationId)
    if (listeners !== null && !isOld) this.#set(organizationId, agentId, listeners, now)
  }

  #set(organizationId: string, agentId: string, listeners: Listeners, now: number): void {
    const before = this.#organizations.get(organizationId)?.agents.get(agentId)
    if (before !== undefined) this.#drop(before)
    const own = this.#organizations.get(organizationId) ?? { agents: new Map<string, Remembered>(), size: 0 }
    const known = { organizationId, agentId, listeners, size: sizeOf(listeners), at: now }
    this.#organizations.set(organizationId, own)
    own.agents.set(agentId, known)
    own.size += known.size
    this.#all.add(known)
    this.#size += known.size
    for (const oldest of own.agents.values()) {
      if (own.size <= this.#bounds.organization) break
      this.#drop(oldest)
    }
    for (const oldest of this.#all) {
      if (this.#size <= this.#bounds.process) break
      this.#drop(oldest)
    }
  }

  /** Forgets all of an organization, and what is being read of it. */
  forget(organizationId: string): void {
    for (const reading of this.#readings.get(organizationId) ?? []) reading.isOld = true
    for (const known of this.#organizations.get(organizationId)?.agents.values() ?? []) this.#drop(known)
  }

  #drop(known: Remembered): void {
    const own = this.#organizations.get(known.organizationId)
    if (!this.#all.delete(known) || own === undefined) return
    this.#size -= known.size
    own.size -= known.size
    own.agents.delete(known.agentId)
    if (own.agents.size === 0) this.#organizations.delete(known.organizationId)
  }
}
