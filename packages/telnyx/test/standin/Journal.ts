/** Something that a host does wrong although it is answered well. */
export interface Warning {
  readonly call_control_id: string | null
  readonly text: string
}

export interface RequestEntry {
  readonly at: number
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly body: unknown
  /** What it was answered with; null: the answer was lost. */
  readonly status: number | null
  readonly fault: string | null
}

export interface WebhookEntry {
  readonly at: number
  /** The event's own id, the same for each time that it is sent. */
  readonly id: string
  readonly event_type: string
  readonly call_control_id: string
  readonly url: string
  /** From 1; more are retries. */
  readonly attempt: number
  /** What the host answered; null: nothing, or it was never sent. */
  readonly status: number | null
  readonly fault: string | null
}

/** Entries of each kind; later ones are counted and not kept. */
const mostEntries = 200_000

/** What happened, in order. */
class Log<Entry> {
  readonly entries: Array<Entry> = []
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

  warn(call_control_id: string | null, text: string): void {
    this.warnings.add({ call_control_id, text })
  }
}
