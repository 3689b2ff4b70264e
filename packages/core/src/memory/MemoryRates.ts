import { Effect, Layer } from "effect"
import { limits } from "../Limits.ts"
import type { Bucket } from "../limits/rules/Buckets.ts"
import { RateStore } from "../limits/ports/RateStore.ts"
import { emptyWindow, hit, peek, type RateHit, type WindowState, windowMs } from "../limits/rules/SlidingWindow.ts"

/** The rate counters of a single process, bounded: counters that no longer weigh anything give way first. */
export class RateTable {
  readonly #windows = new Map<string, WindowState>()
  readonly #capacity: number

  constructor(capacity: number = limits.rateCounters) {
    this.#capacity = capacity
  }

  hit(organizationId: string, bucket: Bucket, limit: number, now: number): RateHit {
    const key = keyOf(organizationId, bucket)
    const counted = hit(this.#windows.get(key) ?? emptyWindow, limit, now)
    if (!this.#windows.has(key) && this.#windows.size >= this.#capacity) this.#makeRoom(now)
    this.#windows.set(key, counted.state)
    return counted
  }

  peek(organizationId: string, bucket: Bucket, limit: number, now: number): RateHit {
    return peek(this.#windows.get(keyOf(organizationId, bucket)) ?? emptyWindow, limit, now)
  }

  #makeRoom(now: number): void {
    const oldestThatWeighs = Math.floor(now / windowMs) - 1
    for (const [key, state] of this.#windows) if (state.window < oldestThatWeighs) this.#windows.delete(key)
    if (this.#windows.size < this.#capacity) return
    const first = this.#windows.keys().next()
    if (!first.done) this.#windows.delete(first.value)
  }
}

const keyOf = (organizationId: string, bucket: Bucket): string => `${organizationId} ${bucket}`

/** The rate store of a single process. */
export const layer = (table: RateTable = new RateTable()) =>
  Layer.succeed(RateStore, {
    hit: (organizationId, bucket, limit, now) => Effect.sync(() => table.hit(organizationId, bucket, limit, now)),
    peek: (organizationId, bucket, limit, now) => Effect.sync(() => table.peek(organizationId, bucket, limit, now)),
  })
