import { limits } from "../../Limits.ts"

/**
 * What a process remembers of outages of the slot store. Once the store failed it is not asked again before it was told of the lines taken meanwhile;
 * nor is it asked by a process that has just begun before it was told of the lines that others left behind.
 */
export class SlotTrust {
  #isTrusted = true
  #isOpened = false
  /** When this process tells it of them itself: the reconciler may tick in another one. */
  #trustAt = Infinity

  /** Whether it is asked for lines. */
  get isTrusted(): boolean {
    return this.#isTrusted
  }

  /** Whether it was told of the lines that others left behind. */
  get isOpened(): boolean {
    return this.#isOpened
  }

  /** It failed. Returns whether that is news. */
  fails(now: number): boolean {
    const isNews = this.#isTrusted
    this.#isTrusted = false
    this.#trustAt = now + limits.reconcileMs
    return isNews
  }

  /** It holds what the rows say. Returns whether that is news. */
  holds(): boolean {
    const isNews = !this.#isTrusted
    this.#isTrusted = true
    this.#isOpened = true
    this.#trustAt = Infinity
    return isNews
  }

  /** It was told of the lines that others left behind. */
  opened(): void {
    this.#isOpened = true
  }

  /** Whether to compare it with the rows now; then not again for a while. */
  isToCompare(now: number): boolean {
    if (now < this.#trustAt) return false
    this.#trustAt = now + limits.reconcileMs
    return true
  }
}
