import { Context } from "effect"

/**
 * News of lines that were granted to waiting dials, whichever process freed them. A slot store that several processes share provides
 * it; where there is none, or where a message is lost, a dial finds its line when its wait ends. It also tells when a store that was away is
 * back, so that what it has not heard need not wait for the reconciler.
 */
export const SlotNews = Context.Reference<{
  /** Calls back with the execution ids of dials that were granted a line. Returns how to stop. */
  readonly subscribe: (listener: (executionIds: ReadonlyArray<string>) => void) => () => void
  /** Calls back whenever the slot store answers again after it did not. Returns how to stop. */
  readonly onBack?: (listener: () => void) => () => void
}>("@carillon/core/limits/SlotNews", {
  defaultValue: () => ({ subscribe: () => () => undefined }),
})
