import { limits } from "../../Limits.ts"
import type { LapsedClaim } from "../../engine/rules/Wakeup.ts"

interface Known {
  /** Claims of it that were taken over and that nobody was told of. */
  readonly claims: number
  /** When the first of them was last renewed. Times are epoch milliseconds. */
  readonly since: number
  readonly toldAt: number
}

/** A process of which claims were taken over that it had not renewed. */
interface LostProcess {
  readonly process: string
  readonly claims: number
  readonly since: number
}

/** The processes whose claims this one takes over: each is told of at once, and then now and then. */
export class LostProcesses {
  readonly #known = new Map<string, Known>()

  note({ owner, until }: LapsedClaim): void {
    const renewedAt = until - limits.wakeupLeaseMs
    const before = this.#known.get(owner)
    const { claims, since, toldAt } = before ?? { claims: 0, since: renewedAt, toldAt: -Infinity }
    this.#known.set(owner, {
      claims: claims + 1,
      since: claims === 0 ? renewedAt : Math.min(since, renewedAt),
      toldAt,
    })
    const [oldest] = this.#known.keys()
    if (this.#known.size > limits.lostProcesses && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Those to be told of now. */
  take(now: number): ReadonlyArray<LostProcess> {
    const found: Array<LostProcess> = []
    for (const [process, { claims, since, toldAt }] of this.#known) {
      if (now < toldAt + limits.lostProcessToldMs) continue
      if (claims === 0) this.#known.delete(process)
      else {
        found.push({ process, claims, since })
        this.#known.set(process, { claims: 0, since, toldAt: now })
      }
    }
    return found
  }
}
