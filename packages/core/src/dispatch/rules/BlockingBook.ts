import type { Blocking, BlockingReason } from "../../campaigns/rules/CampaignRecords.ts"

/** Why contacts are not dialled, one entry for each reason: whoever waits is entered once. */
export class BlockingBook {
  readonly #entries = new Map<BlockingReason, Blocking>()

  /** Enters contacts under a reason. Where they come together for unlike times, nobody can say until when. */
  block(reason: BlockingReason, contacts: number, until: number | null = null): void {
    if (contacts <= 0) return
    const before = this.#entries.get(reason)
    this.#entries.set(reason, {
      reason,
      contacts: (before?.contacts ?? 0) + contacts,
      until: before === undefined || before.until === until ? until : null,
    })
  }

  enter(some: ReadonlyArray<Blocking>): void {
    for (const { contacts, reason, until } of some) this.block(reason, contacts, until)
  }

  /** In the order in which they were entered. */
  get entries(): ReadonlyArray<Blocking> {
    return [...this.#entries.values()]
  }
}
