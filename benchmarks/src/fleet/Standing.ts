import { limits } from "@carillon/core"
import type { SlotMember } from "@carillon/core/ports"

/** How often the judge looks. */
export const pollMs = 1_000
/** Two ticks of the reconciler, and what the poll may add. */
export const twoTicksMs = 2 * limits.reconcileMs + 3_000
/** Ticks that end while something stands, until two of them have begun after it: the first may have begun before. */
export const ticksSeen = 3
/** A reconciler that ticks so seldom has stopped, however busy the machine is. */
export const noTickMs = 10 * limits.reconcileMs

/** The ticks of the reconciler as they are seen from outside: each leaves behind when the next one is due. */
export class Ticks {
  #due = 0
  #at = Date.now()
  count = 0

  see(due: number): void {
    const now = Date.now()
    // What is due at once was set by a process that has just begun.
    if (due === this.#due || due <= now) return
    this.#due = due
    this.#at = now
    this.count += 1
  }

  /** How long none has come. */
  get silentMs(): number {
    return Date.now() - this.#at
  }
}

/** Since when something has been as it should not stay. */
export class Standing {
  readonly #since = new Map<string, { readonly at: number; readonly ticks: number }>()
  readonly #told = new Set<string>()
  readonly #ticks: Ticks

  constructor(ticks: Ticks) {
    this.#ticks = ticks
  }

  /** Those that have stood for longer than two ticks, each told once. A busy machine ticks later, so ticks are what is counted. */
  look(ids: Iterable<string>): ReadonlyArray<string> {
    const now = Date.now()
    const present = new Set(ids)
    const { count, silentMs } = this.#ticks
    for (const id of this.#since.keys()) if (!present.has(id)) this.#since.delete(id)
    for (const id of present) if (!this.#since.has(id)) this.#since.set(id, { at: now, ticks: count })
    const old = [...this.#since].filter(
      ([id, { at, ticks }]) =>
        !this.#told.has(id) &&
        now - at > twoTicksMs &&
        (count - ticks >= ticksSeen || Math.min(silentMs, now - at) > noTickMs),
    )
    for (const [id] of old) this.#told.add(id)
    return old.map(([id]) => id)
  }

  /** What could not be looked at is not known to have stood. */
  forget(): void {
    this.#since.clear()
  }
}

/** Lines that are taken for no call that holds one, or that were reserved until a moment which has passed; each by its call and fence. */
export const linesOfNobody = (
  members: Iterable<SlotMember>,
  holders: { readonly has: (executionId: string) => boolean },
  now: number,
): ReadonlyArray<string> =>
  [...members]
    .filter(
      ({ execution_id, reserved_until, state }) =>
        !holders.has(execution_id) && (state === "held" || reserved_until + pollMs < now),
    )
    .map(({ execution_id, fence }) => `${execution_id} ${fence}`)
