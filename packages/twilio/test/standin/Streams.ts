import { type CallRecord, isOver, type StreamRecord } from "./CallRecord.ts"
import type { Callbacks } from "./Callbacks.ts"
import { sidOf } from "./Chance.ts"
import type { StandInClock } from "./Clock.ts"
import type { WholeFate } from "./Fate.ts"
import type { Journal } from "./Journal.ts"
import type { Pairs } from "./Notices.ts"
import { errorText, harmOf, standardWays, type StreamWays } from "./StreamWays.ts"
import type { Twiml } from "./Twiml.ts"
import type { Element } from "./Xml.ts"

type StreamEvent = "stream-started" | "stream-stopped" | "stream-error"

interface StreamsOptions {
  readonly accountSid: string
  readonly seed: string
  readonly clock: StandInClock
  readonly journal: Journal
  readonly callbacks: Callbacks
  /** Does something later, unless the call is over by then. */
  readonly after: (call: CallRecord, seconds: number, action: () => Promise<void>) => void
  readonly end: (call: CallRecord) => Promise<void>
  /** Asks the host at this address what to do, and does it. */
  readonly run: (call: CallRecord, url: string, method: "GET" | "POST") => Promise<void>
}

/** Documents that a call asks for from within another one; then it ends. No page names a bound. */
const mostRedirects = 20
/** https://www.twilio.com/docs/voice/twiml/pause: a second, where no length is given. */
const standardPauseSeconds = 1
/** Verbs that are taken as done at once when the document goes on behind a stream; sounds have no length here. */
const brief = new Set(["Play", "Say", "Start", "Stop"])

const streamIn = (verb: Element): Element | undefined =>
  verb.name === "Connect" ? verb.children.find(({ name }) => name === "Stream") : undefined

/** https://www.twilio.com/docs/voice/twiml/stream#statuscallbackmethod, …/connect and …/redirect: POST, unless it says GET. */
const methodIn = (element: Element, name: string): "GET" | "POST" =>
  element.attributes.get(name)?.toUpperCase() === "GET" ? "GET" : "POST"

/**
 * What is wrong with the stream itself, so that it is never opened: another `track` than `inbound_track` behind `<Connect>`
 * (https://www.twilio.com/docs/api/errors/31941), another scheme than `wss` (…/31922).
 */
const errorIn = (noun: Element): number | null => {
  const track = noun.attributes.get("track")
  if (track !== undefined && track !== "inbound_track") return 31941
  const url = noun.attributes.get("url") ?? ""
  return URL.canParse(url) && new URL(url).protocol !== "wss:" ? 31922 : null
}

const waysOf = ({ stream_ways }: WholeFate): StreamWays => ({ ...standardWays, ...stream_ways })

/** The parameters of https://www.twilio.com/docs/voice/twiml/stream#statuscallback, and no others. */
const streamParameters = (
  accountSid: string,
  call: CallRecord,
  stream: StreamRecord,
  event: StreamEvent,
  error: number | null,
  now: number,
): Pairs => {
  const ways = waysOf(call.fate)
  const empty: Pairs = ways.no_error_is === "empty" ? [["StreamError", ""]] : []
  return [
    ["AccountSid", accountSid],
    ["CallSid", call.sid],
    ["StreamSid", stream.sid],
    ["StreamName", stream.name],
    ["StreamEvent", event],
    ...(error === null ? empty : [["StreamError", errorText(error, ways)] as const]),
    ["Timestamp", new Date(now).toISOString()],
  ]
}

/** A document that is being carried out, and where it came from; null: with the request. */
interface Course {
  readonly twiml: Twiml
  readonly base: string | null
}

/**
 * What a call does from its first `<Connect><Stream>` on. Until then a document is not carried out: the call talks until its fate ends it. A
 * later document is done from its first verb on.
 */
export class Streams {
  readonly #options: StreamsOptions
  readonly #redirects = new Map<string, number>()
  #streams = 0

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  /** Carries out a document. What stands before the first stream of a call is done at once. */
  async follow(call: CallRecord, twiml: Twiml, base: string | null): Promise<void> {
    const { verbs } = twiml
    const at = call.stream === null ? verbs.findIndex((verb) => streamIn(verb) !== undefined) : 0
    // What still streams does so for a document that is left now.
    await this.stop(call)
    if (at >= 0) await this.#walk(call, verbs.slice(at), { twiml, base })
  }

  /** A stream that is open is over, as its call goes another way. */
  async stop(call: CallRecord): Promise<void> {
    const { stream } = call
    if (stream === null || !stream.isOpen) return
    stream.isOpen = false
    await this.#tell(call, stream, "stream-stopped", null)
  }

  /** The call ends, and so does its stream; it is told here if this is when the call's ways have it told. */
  async stopAtEnd(call: CallRecord, when: StreamWays["stopped_is_told"]): Promise<void> {
    if (waysOf(call.fate).stopped_is_told === when) await this.stop(call)
  }

  /** Does verb by verb. Behind the last one the call ends: https://www.twilio.com/docs/voice/twiml/connect#action. */
  async #walk(call: CallRecord, verbs: ReadonlyArray<Element>, course: Course): Promise<void> {
    if (isOver(call) || call.twiml !== course.twiml) return
    const [verb, ...rest] = verbs
    if (verb === undefined || verb.name === "Hangup") return this.#options.end(call)
    if (brief.has(verb.name)) return this.#walk(call, rest, course)
    if (verb.name === "Pause") {
      const seconds = Number(verb.attributes.get("length") ?? standardPauseSeconds)
      return this.#options.after(call, seconds, () => this.#walk(call, rest, course))
    }
    if (verb.name === "Redirect") return this.#goTo(call, verb.text.trim(), methodIn(verb, "method"), course)
    const noun = streamIn(verb)
    // Any other verb lasts until the call's fate ends it: the stand-in does not carry it out.
    if (noun !== undefined) await this.#open(call, noun, () => this.#leave(call, verb, rest, course))
  }

  async #open(call: CallRecord, noun: Element, leave: () => Promise<void>): Promise<void> {
    const isFirst = call.stream === null
    const stream = this.#streamOf(call, noun)
    call.stream = stream
    // A fate is that of the call's first stream; those that follow do well.
    const own = errorIn(noun)
    if (own !== null) this.#options.journal.warn(own, call.sid, errorText(own, standardWays))
    const error = own ?? (isFirst ? call.fate.stream_error : null)
    const harm = error === null ? "none" : harmOf(error)
    if (error !== null && harm === "unopened") return this.#fail(call, stream, error, leave)
    stream.isOpen = true
    await this.#tell(call, stream, "stream-started", null)
    if (error === null || isOver(call)) return
    this.#options.after(call, call.fate.stream_s, async () => {
      if (!stream.isOpen) return
      if (harm !== "none") return this.#fail(call, stream, error, leave)
      await this.#tell(call, stream, "stream-error", error)
    })
  }

  async #fail(call: CallRecord, stream: StreamRecord, error: number, leave: () => Promise<void>): Promise<void> {
    const ways = waysOf(call.fate)
    const isClosed = harmOf(error) === "closed"
    stream.isOpen = false
    if (isClosed && ways.closed_is === "stream-stopped") await this.#tell(call, stream, "stream-stopped", null)
    else {
      await this.#tell(call, stream, "stream-error", error)
      if (ways.stops_after_error) await this.#tell(call, stream, "stream-stopped", null)
    }
    if (isOver(call) || call.stream !== stream) return
    // A host that closes is settled: https://www.twilio.com/docs/api/errors/31921 "resumes the remaining TwiML".
    await (isClosed || ways.call_then === "goes on" ? leave() : this.#options.end(call))
  }

  /** `<Connect>` is over: its `action` is asked, or the document goes on. https://www.twilio.com/docs/voice/twiml/connect#action. */
  async #leave(call: CallRecord, connect: Element, rest: ReadonlyArray<Element>, course: Course): Promise<void> {
    if (call.twiml !== course.twiml) return
    const action = connect.attributes.get("action")
    if (action === undefined) return this.#walk(call, rest, course)
    await this.#goTo(call, action, methodIn(connect, "method"), course)
  }

  async #goTo(call: CallRecord, to: string, method: "GET" | "POST", { base }: Course): Promise<void> {
    const redirects = (this.#redirects.get(call.sid) ?? 0) + 1
    this.#redirects.set(call.sid, redirects)
    const isAddress = base === null ? URL.canParse(to) : URL.canParse(to, base)
    if (isAddress && redirects <= mostRedirects) {
      return this.#options.run(call, new URL(to, base ?? undefined).href, method)
    }
    this.#options.journal.warn(isAddress ? 12200 : 11100, call.sid, `TwiML leads on to ${to}`)
    await this.#options.end(call)
  }

  #streamOf(call: CallRecord, noun: Element): StreamRecord {
    const sid = sidOf(this.#options.seed, "MZ", this.#streams++)
    const callback = noun.attributes.get("statusCallback") ?? null
    const isAddress = callback !== null && URL.canParse(callback)
    // The page: it "takes an absolute URL".
    if (callback !== null && !isAddress) this.#options.journal.warn(11100, call.sid, `statusCallback ${callback}`)
    return {
      sid,
      // "Defaults to the StreamSid."
      name: noun.attributes.get("name") ?? sid,
      statusUrl: isAddress ? callback : null,
      method: methodIn(noun, "statusCallbackMethod"),
      isOpen: false,
    }
  }

  async #tell(call: CallRecord, stream: StreamRecord, event: StreamEvent, error: number | null): Promise<void> {
    const { accountSid, callbacks, clock } = this.#options
    const { method, statusUrl: url } = stream
    if (url === null) return
    const parameters = streamParameters(accountSid, call, stream, event, error, clock.now())
    await callbacks.notify({ on: `stream:${event}`, call, url, method, parameters })
  }
}
