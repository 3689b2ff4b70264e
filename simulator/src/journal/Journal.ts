import type { CallLimits } from "@carillon/core"
import type { EdgeRequest, Untaken } from "@carillon/http"
import { Schema } from "effect"
import { Ring } from "../Ring.ts"
import type { ClockMode } from "../clock/VirtualClock.ts"
import type { Mix } from "../carrier/Mix.ts"

/** A body as a journal has it: text where it is some, and base64 elsewhere. */
const Body = Schema.Union([
  Schema.Null,
  Schema.Struct({ text: Schema.String }),
  Schema.Struct({ base64: Schema.String }),
  Schema.Literals(["oversize", "crowded", "busy", "broken"] satisfies ReadonlyArray<Untaken>),
])

/**
 * An input of a world: a request of a customer or the end of their patience, a request of control, the end of the engine's process, or how
 * often others get on in the middle of its steps.
 */
const Input = Schema.Union([
  Schema.Struct({
    input: Schema.Literal("request"),
    method: Schema.String,
    target: Schema.String,
    /** The headers that were looked at, by their lower-case names. */
    headers: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
    body: Body,
    nth: Schema.Number,
  }),
  Schema.Struct({
    input: Schema.Literal("gone"),
    /** Which request it is whose client has gone away while it waited. */
    nth: Schema.Number,
  }),
  Schema.Struct({ input: Schema.Literal("control"), method: Schema.String, target: Schema.String, body: Body }),
  Schema.Struct({ input: Schema.Literal("crash"), steps: Schema.Number }),
  /** Without `commits` they have the rate of all else. */
  Schema.Struct({
    input: Schema.Literal("interleave"),
    rate: Schema.Number,
    commits: Schema.optionalKey(Schema.Number),
  }),
])

/** An input with its virtual time. `catch_up`: the clock ran by itself, and everything due until then ran first. */
const Line = Schema.Struct({ at: Schema.Number, catch_up: Schema.Boolean, entry: Input })

/** The first line: everything that a world is a function of, beside its inputs. */
const Head = Schema.Struct({
  journal: Schema.Literal(1),
  seed: Schema.String,
  /** Epoch milliseconds. */
  epoch: Schema.Number,
  clock: Schema.Union([
    Schema.Struct({ mode: Schema.Literals(["realtime", "manual"]) }),
    Schema.Struct({ mode: Schema.Literal("scaled"), speed: Schema.Number }),
  ]),
  limits: Schema.String,
  /** Times of calls that are not as by default. */
  call_limits: Schema.optionalKey(Schema.Record(Schema.String, Schema.Number)),
  mix: Schema.NullOr(Schema.Record(Schema.String, Schema.Number)),
  retention: Schema.Number,
  allow_webhook_hosts: Schema.Array(Schema.String),
  /** Inputs at the beginning that are no longer remembered; only 0 can be replayed. */
  forgotten: Schema.Number,
  /** What the world waited for outside of it, such as a file being read; only 0 can be replayed. */
  outings: Schema.Number,
  /** The rows lay in a database and may have been there before; only false can be replayed. */
  stored: Schema.Boolean,
})

export type JournalHead = typeof Head.Type
export type JournalLine = typeof Line.Type
export type JournalBody = typeof Body.Type

/** A journal as it is written down. */
export interface WrittenJournal {
  readonly head: JournalHead
  readonly lines: ReadonlyArray<JournalLine>
}

const outingGap =
  "it has waited for something outside of it (an uploaded file, a webhook that really left, counters that did not answer), whose turn cannot be repeated"

const storedGap = "its rows lie in a database, and may have been there before"

const forgottenGap = (inputs: number): string =>
  `its first ${inputs} inputs were forgotten; a larger --retention keeps them`

/** A line as it is kept: bodies as text with one byte to the character, because a slice of what a socket read holds on to all of it. */
type Kept =
  | {
      readonly of: "request"
      readonly method: string
      readonly target: string
      readonly headers: Headers
      readonly body: KeptBody
      readonly nth: number
    }
  | { readonly of: "gone"; readonly nth: number }
  | { readonly of: "control"; readonly method: string; readonly target: string; readonly body: KeptBody }
  | { readonly of: "crash"; readonly steps: number }
  | { readonly of: "interleave"; readonly rate: number; readonly commits: number }

type Headers = { [name: string]: string | null }
type KeptBody = { readonly latin1: string } | Untaken | null

/** When an input comes, and whether the clock runs by itself. */
export type Moment = () => { readonly at: number; readonly catch_up: boolean }

interface Entry extends ReturnType<Moment> {
  readonly kept: Kept
}

/** What the bodies of a journal may come to, whatever its retention. */
const bodiesMaxBytes = 256 * 1024 * 1024

/**
 * A client that cannot be gone is watched as one that may be: whoever watches takes a turn, and a request that is lived through again may always be
 * told that its client is gone.
 */
const stays: NonNullable<EdgeRequest["whenGone"]> = () => () => {}

const keep = (body: EdgeRequest["body"]): KeptBody =>
  body === null || typeof body === "string"
    ? body
    : { latin1: Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1") }

const sizeOf = ({ kept }: Entry): number =>
  "body" in kept && kept.body !== null && typeof kept.body !== "string" ? kept.body.latin1.length : 0

const written = (body: KeptBody): JournalBody => {
  if (body === null || typeof body === "string") return body
  const bytes = Buffer.from(body.latin1, "latin1")
  const text = bytes.toString("utf8")
  return Buffer.from(text, "utf8").equals(bytes) ? { text } : { base64: bytes.toString("base64") }
}

const lineOf = ({ at, catch_up, kept }: Entry): JournalLine => {
  switch (kept.of) {
    case "crash":
      return { at, catch_up, entry: { input: "crash", steps: kept.steps } }
    case "interleave":
      return { at, catch_up, entry: { input: "interleave", rate: kept.rate, commits: kept.commits } }
    case "gone":
      return { at, catch_up, entry: { input: "gone", nth: kept.nth } }
    case "control": {
      const { method, target } = kept
      return { at, catch_up, entry: { input: "control", method, target, body: written(kept.body) } }
    }
    case "request": {
      const { headers, method, nth, target } = kept
      return { at, catch_up, entry: { input: "request", method, target, headers, body: written(kept.body), nth } }
    }
  }
}

/** The bytes of a written body. */
export const bytesOf = (body: JournalBody): EdgeRequest["body"] => {
  if (body === null || typeof body === "string") return body
  return "text" in body ? Buffer.from(body.text, "utf8") : Buffer.from(body.base64, "base64")
}

/** What a world begins with, beside its inputs. */
interface Origin {
  readonly seed: string
  readonly epoch: number
  readonly clock: ClockMode
  readonly limits: { readonly text: string }
  readonly callLimits?: Partial<CallLimits> | undefined
  readonly mix?: Mix | undefined
  readonly retention: number
  readonly allowWebhookHosts: ReadonlyArray<string>
  /** The database that its rows lie in, if they do. */
  readonly storage?: unknown
}

/** The inputs of a world in the order in which they were let in, as far as they are remembered. */
export class Journal {
  readonly #options: Origin
  readonly #ring: Ring<Entry>
  #bytes = 0
  #outings = 0
  #requests = 0

  constructor(options: Origin) {
    this.#options = options
    this.#ring = new Ring(Infinity)
  }

  /** Why the journal does not say everything about its world; null where it does. */
  get gap(): string | null {
    if (this.#options.storage !== undefined) return storedGap
    if (this.#outings > 0) return outingGap
    return this.#ring.forgotten > 0 ? forgottenGap(this.#ring.forgotten) : null
  }

  /** Notes that the world waits for something outside of it: when that takes its turn, nobody can repeat. */
  wentOut(): void {
    this.#outings += 1
  }

  /** Notes a request of a customer. What it gives back is that request, with an eye on what is looked at of it. */
  request(moment: Moment, request: EdgeRequest): EdgeRequest {
    const headers: Headers = {}
    const nth = ++this.#requests
    const { body, method, target, whenGone = stays } = request
    this.#append({ ...moment(), kept: { of: "request", method, target, headers, body: keep(body), nth } })
    return {
      ...request,
      header: (name) => (headers[name] = request.header(name)),
      whenGone: (listener) =>
        whenGone(() => {
          this.#append({ ...moment(), kept: { of: "gone", nth } })
          listener()
        }),
    }
  }

  control(moment: Moment, method: string, target: string, body: Uint8Array): void {
    this.#append({ ...moment(), kept: { of: "control", method, target, body: keep(body) } })
  }

  crash(moment: Moment, steps: number): void {
    this.#append({ ...moment(), kept: { of: "crash", steps } })
  }

  interleave(moment: Moment, rate: number, commits: number): void {
    this.#append({ ...moment(), kept: { of: "interleave", rate, commits } })
  }

  /** The journal as it is now, to be written down now or later. */
  cut(): () => WrittenJournal {
    const { seed, epoch, clock, limits, callLimits, mix, retention, allowWebhookHosts } = this.#options
    const { forgotten } = this.#ring
    const entries = this.#ring.after(0)
    return () => ({
      head: {
        journal: 1,
        seed,
        epoch,
        clock: clock.mode === "scaled" ? clock : { mode: clock.mode },
        limits: limits.text,
        ...(callLimits === undefined ? {} : { call_limits: { ...callLimits } }),
        mix: mix === undefined ? null : { ...mix },
        retention,
        allow_webhook_hosts: allowWebhookHosts,
        forgotten,
        outings: this.#outings,
        stored: this.#options.storage !== undefined,
      },
      lines: entries.map(lineOf),
    })
  }

  #append(entry: Entry): void {
    this.#ring.append(entry)
    this.#bytes += sizeOf(entry)
    while (this.#ring.size > this.#options.retention || this.#bytes > bodiesMaxBytes) {
      const oldest = this.#ring.forget()
      if (oldest === undefined) break
      this.#bytes -= sizeOf(oldest)
    }
  }
}

/** A journal as JSON lines. */
export const journalText = ({ head, lines }: WrittenJournal): string =>
  [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("")

const readHead = Schema.decodeUnknownSync(Schema.fromJsonString(Head))
const readLine = Schema.decodeUnknownSync(Schema.fromJsonString(Line))

/** Text that is no journal; the message says which line is not. */
export class JournalError extends Error {
  override readonly name = "JournalError"
}

const reading = <A>(line: number, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : String(error)
    throw new JournalError(`line ${line} is not of a journal: ${reason}`)
  }
}

/** Reads JSON lines. Throws a `JournalError`. */
export const readJournal = (text: string): WrittenJournal => {
  const [first = "", ...rest] = text.split("\n")
  const head = reading(1, () => readHead(first))
  if (head.stored) throw new JournalError(storedGap)
  if (head.outings > 0) throw new JournalError(outingGap)
  if (head.forgotten > 0) throw new JournalError(forgottenGap(head.forgotten))
  const lines = rest.flatMap((line, index) => (line === "" ? [] : [reading(index + 2, () => readLine(line))]))
  return { head, lines }
}
