import { TimeHeap } from "@carillon/core/domain"
import type { CallbackHandler } from "@carillon/core/carrier"
import type { Wire } from "../carrier/Wire.ts"
import { turnOfTheEventLoop } from "../clock/EventLoop.ts"
import type { OpenVendor, Vendor, VendorAdapter, VendorClock } from "./Vendor.ts"

/** As it is before any vendor is open, which may lead its SDK's requests to a line: another world's, or the one that this world had before it began anew. */
const platform: typeof fetch = globalThis.fetch

/** Turns of the event loop in which an answer that has come is taken. */
const turnsForAnAnswer = 2

/** What a line is opened on. */
export interface VendorLineOptions {
  readonly seed: string
  readonly now: () => number
  readonly wire: Wire
}

/** Answers that may have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** The whole answer, read to its end. */
const wholeAnswer = async (send: typeof fetch, request: Request): Promise<Response> => {
  const answer = await send(request)
  const body = await answer.arrayBuffer()
  const { headers, status, statusText } = answer
  return new Response(bodiless.has(status) ? null : body, { headers, status, statusText })
}

/**
 * A vendor on the world's time: what it has planned, what is on its way to it and from it. Its requests and callbacks go over HTTP in real
 * time, in which the world's time stands still.
 */
export class VendorLine {
  readonly #planned = new TimeHeap<() => Promise<void>>()
  readonly #now: () => number
  #plans = 0
  /** Requests of the adapter that have no answer yet. */
  #asked = 0
  /** Callbacks that an adapter has in its hands. */
  #callbacks = 0
  /** The request before: they go one after the other, for on the way they would overtake each other as the machine likes. */
  #before: Promise<unknown> = Promise.resolve()
  #vendor: Vendor | null = null

  private constructor(now: () => number) {
    this.#now = now
  }

  static async open(open: OpenVendor, { now, seed, wire }: VendorLineOptions): Promise<VendorLine> {
    const line = new VendorLine(now)
    line.#vendor = await open({ seed, wire, clock: line.clock, fetch: line.#fetch })
    return line
  }

  readonly clock: VendorClock = {
    now: () => this.#now(),
    at: (time, action) => {
      const key = String(this.#plans++)
      // Whole milliseconds, as a machine's clock has them: what is drawn may fall between two.
      this.#planned.set(key, Math.ceil(Math.max(time, this.#now())), action)
      return () => void this.#planned.delete(key)
    },
  }

  /** When it does something next, or null. */
  next(): number | null {
    return this.#planned.peek()?.at ?? null
  }

  /** The first thing that is due at `now`; null when nothing is. */
  takeDue(now: number): (() => Promise<void>) | null {
    return this.#planned.popDue(now)?.value ?? null
  }

  /** Whether nothing is on its way. */
  get isQuiet(): boolean {
    return this.#asked === this.#kept && this.#callbacks === 0
  }

  /** Requests that the vendor keeps open until something happens. */
  get #kept(): number {
    return this.#opened.waiting?.() ?? 0
  }

  /** Waits for what is on its way now. */
  async settle(): Promise<void> {
    await this.#before
    await turnOfTheEventLoop()
  }

  /** Sets the adapter up for one more process. */
  start(): VendorAdapter {
    return this.#opened.start()
  }

  /** Hands the vendor's callbacks to a process, until it has ended: then nobody takes them. */
  mount(handler: CallbackHandler, ended: Promise<void>): void {
    const gone = ended.then(() => new Response(null, { status: 503 }))
    this.#opened.mount(async (request) => {
      this.#callbacks += 1
      try {
        return await Promise.race([gone, handler(request)])
      } finally {
        this.#callbacks -= 1
      }
    })
  }

  async close(): Promise<void> {
    await this.#opened.close()
  }

  get #opened(): Vendor {
    if (this.#vendor === null) throw new Error("The vendor is not open yet.")
    return this.#vendor
  }

  readonly #fetch = async (request: Request): Promise<Response> => {
    this.#asked += 1
    try {
      // Whoever asks while it is called back is waited for by the request before.
      if (this.#callbacks > 0) return await wholeAnswer(platform, request)
      const sent = this.#before.then(() => this.#send(request))
      this.#before = sent.then(({ isTaken }) => isTaken)
      return await sent.then(({ answer }) => answer)
    } finally {
      this.#asked -= 1
    }
  }

  /** Sends a request; it is taken when whoever asked has its answer and goes on, or when the vendor keeps it open. */
  async #send(request: Request): Promise<{ readonly answer: Promise<Response>; readonly isTaken: Promise<void> }> {
    const kept = this.#kept
    const answer = wholeAnswer(platform, request)
    let isOver = false
    const over = () => {
      isOver = true
    }
    answer.then(over, over)
    const taken = async () => {
      while (!isOver && this.#kept <= kept) await turnOfTheEventLoop()
      for (let turn = 0; turn < turnsForAnAnswer; turn++) await turnOfTheEventLoop()
    }
    return { answer, isTaken: taken() }
  }
}
