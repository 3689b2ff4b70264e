/** A tenant of the engine under attack. */
export interface Tenant {
  readonly key: string
  readonly agent_id: string
}

/** What the engine tells when it listens. */
export interface Ready {
  readonly port: number
  readonly noisy: Tenant
  readonly quiet: Tenant
}

/** What the engine tells of the time since it was asked last. */
export interface Mark {
  /** The longest time for which its event loop did not turn. */
  readonly stallMs: number
  /** The most memory that its process held. */
  readonly peakBytes: number
  /** How long the longest collection of garbage took; it may be most of a stall. */
  readonly garbageMs: number
}

/** What the quiet neighbour tells of the time since it was asked last. */
export interface Lived {
  /** How long its requests took, each. */
  readonly tookMs: ReadonlyArray<number>
  /** What was not answered as it should be. */
  readonly errors: ReadonlyArray<string>
  /** Webhooks that came. */
  readonly deliveries: number
}
