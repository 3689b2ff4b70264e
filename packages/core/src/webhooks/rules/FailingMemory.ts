import { limits } from "../../Limits.ts"
import { type Standing, unknownStanding } from "../../operating/rules/Outage.ts"

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
