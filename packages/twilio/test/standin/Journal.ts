/** Twilio's debugger: what it would warn of. A host that does all right has none of these. */
export interface Warning {
  readonly code: number
  readonly call_sid: string | null
  readonly text: string
}

export interface RequestEntry {
  readonly at: number
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly form: ReadonlyArray<readonly [name: string, value: string]>
  /** What it was answered with; null: the answer was lost. */
  readonly status: number | null
  readonly fault: string | null
}

export interface CallbackEntry {
  readonly at: number
  /** `status:ringing`, `amd`, `recording:completed`, `twiml`. */
  readonly on: string
  readonly call_sid: string
  readonly method: string
  readonly url: string
  readonly parameters: ReadonlyArray<readonly [name: string, value: string]>
  /** From 0; more than 0 are retries. */
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
  /** Entries that found no place. */
  dropped = 0

  add(entry: Entry): void {
    if (this.entries.length < mostEntries) this.entries.push(entry)
    else this.dropped += 1
  }
}

export class Journal {
  readonly requests = new Log<RequestEntry>()
  readonly callbacks = new Log<CallbackEntry>()
  readonly warnings = new Log<Warning>()

  warn(code: number, call_sid: string | null, text: string): void {
    this.warnings.add({ code, call_sid, text })
  }
}
