import { limits } from "../../Limits.ts"

/** A wallet that carries no call, as a process has met it. Times are epoch milliseconds. */
export interface EmptyWallet {
  readonly since: number
  /** When it was last asked whether it carries a call that was to be dialled. */
  readonly lastAt: number
  /** Whether a line of its own has said so. */
  readonly isTold: boolean
}

/** The wallets that carry no call, as far as a process remembers them: the one that was not asked for longest is forgotten first. */
export class EmptyWallets {
  readonly #known = new Map<string, EmptyWallet>()

  of(organizationId: string): EmptyWallet | null {
    return this.#known.get(organizationId) ?? null
  }

  set(organizationId: string, wallet: EmptyWallet): void {
    this.#known.delete(organizationId)
    this.#known.set(organizationId, wallet)
    const [oldest] = this.#known.keys()
    if (this.#known.size > limits.emptyWallets && oldest !== undefined) this.#known.delete(oldest)
  }

  forget(organizationId: string): void {
    this.#known.delete(organizationId)
  }

  /** How many were asked lately: of an organization that nobody is to be dialled for, nobody knows. */
  lately(now: number): number {
    let count = 0
    for (const { lastAt } of this.#known.values()) if (lastAt + limits.emptyWalletKnownMs >= now) count += 1
    return count
  }
}
