import { limits } from "../Limits.ts"
import { type Standing, unknownStanding } from "../operating/Outage.ts"

interface Known {
  readonly standing: Standing
  /** Whether a line of its own has said that it fails. */
  readonly isTold: boolean
}

/** Names an endpoint of an organization: the subscription, or the agent, and the host. */
export const endpointKey = (organizationId: string, of: string, host: string): string =>
  `${organizationId} ${of} ${host}`

const organizationOf = (key: string): string => key.slice(0, key.indexOf(" "))

/**
 * The endpoints of which the last attempts of this process have failed, as far as it remembers them. Who has more of them than its share, or makes
 * all together too many, has forgotten those first that failed longest ago. Times are epoch milliseconds.
 */
export class FailingMemory {
  readonly #known = new Map<string, Known>()
  /** Each organization's, in the same order. */
  readonly #own = new Map<string, Set<string>>()

  of(key: string): Known {
    return this.#known.get(key) ?? { standing: unknownStanding, isTold: false }
  }

  /** Whoever has failed last is remembered longest. */
  set(key: string, known: Known): void {
    const organizationId = organizationOf(key)
    this.#forget(key)
    if (known.standing.streak === 0) return
    const own = this.#own.get(organizationId) ?? new Set()
    this.#known.set(key, known)
    this.#own.set(organizationId, own.add(key))
    const [oldestOwn] = own
    if (own.size > limits.webhookFailingEndpoints.organization && oldestOwn !== undefined) this.#forget(oldestOwn)
    const [oldest] = this.#known.keys()
    if (this.#known.size > limits.webhookFailingEndpoints.process && oldest !== undefined) this.#forget(oldest)
  }

  #forget(key: string): void {
    const organizationId = organizationOf(key)
    this.#known.delete(key)
    const own = this.#own.get(organizationId)
    own?.delete(key)
    if (own?.size === 0) this.#own.delete(organizationId)
  }

  /** Since when each fails of those that were attempted lately: what becomes of an endpoint to which nothing is sent nobody knows. */
  failing(now: number): ReadonlyArray<number> {
    return [...this.#known.values()].flatMap(({ standing: { failedAt, since } }) =>
      since === null || failedAt + limits.webhookFailingKnownMs < now ? [] : [since],
    )
  }
}

/** The lines in the log that name an endpoint: so many in so long, and of one organization fewer. */
export class FailingLines {
  #since = -Infinity
  #all = 0
  readonly #own = new Map<string, number>()

  /** Whether one more may have a line of its own: where everybody fails, the cause lies here. */
  may(organizationId: string, now: number): boolean {
    if (now >= this.#since + limits.webhookFailingToldMs) {
      this.#since = now
      this.#all = 0
      this.#own.clear()
    }
    const own = this.#own.get(organizationId) ?? 0
    if (own >= limits.webhookFailingTold.organization || this.#all >= limits.webhookFailingTold.process) return false
    this.#all += 1
    this.#own.set(organizationId, own + 1)
    return true
  }
}
