import type { SlotRequest } from "../limits/ports/SlotStore.ts"

interface Turns {
  /** The last line that both sides wanted went to a dial, and the dispatcher has had none since. */
  owed: boolean
  /** A free line is kept for the dispatcher. */
  kept: boolean
}

/** Whether the dispatcher asks, for a contact of a campaign. */
const isDispatched = (request: Pick<SlotRequest, "levels">): boolean =>
  request.levels.some(({ level }) => level === "campaign")

type Asking = Pick<SlotRequest, "organization_id" | "levels">

/** How the freed lines of organizations alternate between waiting dials and their dispatcher, where both want them. */
export class Alternation {
  /** By organization, where contacts wait for a line. */
  readonly #turns = new Map<string, Turns>()

  /** The organization's contacts wait for a line, or do so no more. Returns whether a line was kept for them, which is free for others now. */
  want(organizationId: string, wanting: boolean): boolean {
    const known = this.#turns.get(organizationId)
    if (!wanting) this.#turns.delete(organizationId)
    else if (known === undefined) this.#turns.set(organizationId, { owed: false, kept: false })
    if (known?.kept !== true) return false
    known.kept = false
    return true
  }

  /** Whether a line is kept that whoever asks may not have. */
  isKeptFrom(request: Asking): boolean {
    return this.#turns.get(request.organization_id)?.kept === true && !isDispatched(request)
  }

  /** Keeps a free line for the dispatcher instead of giving it to a waiting dial, where the dispatcher is owed one. Returns whether it does. */
  keepsFrom(request: Asking): boolean {
    const turns = this.#turns.get(request.organization_id)
    if (turns === undefined || !turns.owed || turns.kept) return false
    turns.owed = false
    turns.kept = true
    return true
  }

  /** A line was given: it is the other side's turn. */
  given(request: Asking): void {
    const turns = this.#turns.get(request.organization_id)
    if (turns === undefined) return
    turns.owed = !isDispatched(request)
    if (!turns.owed) turns.kept = false
  }
}
