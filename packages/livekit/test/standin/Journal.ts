/** What a host did wrong although it was answered well. */
export interface Warning {
  readonly what: "unknown_field" | "gone_before_answer" | "webhook_not_taken" | "duplicate_identity"
  readonly text: string
}

export interface RequestEntry {
  readonly at: number
  readonly method: string
  /** The message as it was read, in the names of JSON; null where it could not be. */
  readonly message: unknown
  /** What it was answered with; null: the answer was lost. */
  readonly status: number | null
  readonly fault: string | null
}

export interface WebhookEntry {
  readonly at: number
  readonly event: string
  readonly room: string
  /** From 0; more than 0 are retries. */
  readonly attempt: number
  /** What the host answered; null: nothing, or it was never sent. */
  readonly status: number | null
  readonly fault: string | null
  readonly body: string
}

/** Entries of each kind; later ones are counted and not kept. */
const mostEntries = 200_000

/** What happened, in order. */
class Log<Entry> {
  readonly entries: Array<Entry> = []
  /** Entries that found no place. */
  dropped = 0

  add(entry: Entry): void {
    if (this.entries.length < mostEntries) this.entries.push(entry)
    else this.dropped += 1
  }
}

export class Journal {
  readonly requests = new Log<RequestEntry>()
  readonly webhooks = new Log<WebhookEntry>()
  readonly warnings = new Log<Warning>()

  warn(what: Warning["what"], text: string): void {
    this.warnings.add({ what, text })
  }
}
