import { Redis, type RedisOptions } from "ioredis"
import { type BreakerState, closed, observe } from "./Breaker.ts"
import { redisLimits } from "./RedisLimits.ts"
import { type Script, script } from "./Script.ts"

/** Why there is no answer: Redis is not there or did not want to, or it was asked and has not said. */
export type Silence = "unavailable" | "timeout"

/** What became of Redis: its connection broke, it stopped answering, or it answers again. */
export type LinkNews = "lost" | "silent" | "back"

export type Answered = (reply: unknown) => void
export type Silent = (silence: Silence) => void

/** As any script of ours it may write, so whatever holds those up holds up the probe. */
const probe = script("probe", "return redis.call('EXISTS', KEYS[1])")

/**
 * One connection that fails fast. Nothing is queued while it is down, nothing is sent twice, an answer has a tenth of a second, and
 * where answers stay away only probes are sent until they come again.
 */
export class Link {
  readonly #client: Redis
  readonly #probeKey: string
  readonly #answerMs: number
  #runId: string | null = null
  #breaker: BreakerState = closed
  #probing: NodeJS.Timeout | undefined
  #probesInVain = 0
  #isGathering = false
  /** What begins once the questions that are being gathered have left. */
  #onceSent: Array<() => void> = []
  readonly #listeners = new Set<() => void>()
  /** Whether Redis answered when something was last told of it. */
  #isToldUp = false
  #isClosed = false
  /** Hears what becomes of Redis, each change once. */
  onNews: (news: LinkNews) => void = ignore

  constructor(url: string, prefix: string, answerMs: number) {
    this.#answerMs = answerMs
    this.#probeKey = `${prefix}:probe`
    this.#client = new Redis(url, { ...options, enableOfflineQueue: false })
    this.#client.on("error", ignore)
    this.#client.on("ready", () => void this.#greet())
    this.#client.on("close", () => {
      this.#runId = null
      this.#tellDown("lost")
    })
  }

  /** Which run of which server answers; null while none does. A restart, a failover or another server makes another one. */
  get runId(): string | null {
    return this.#runId
  }

  /** Whether a question would be sent now. */
  get isUp(): boolean {
    return this.#runId !== null && !this.#breaker.open
  }

  /** Calls back whenever Redis answers after it did not. */
  onUp(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  connect(): void {
    // A failure is told by the events, and the client goes on trying.
    this.#client.connect().catch(ignore)
  }

  /** Calls back once: with the reply, or with why there is none in time. */
  ask(
    asked: Script,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>,
    on: Answered,
    off: Silent,
  ): void {
    if (!this.isUp) return off("unavailable")
    this.#guarded(asked, keys, args, on, off)
  }

  /** Sends without waiting for an answer, behind whatever was sent before, also where answers stay away. */
  tell(told: Script, keys: ReadonlyArray<string>, args: ReadonlyArray<string | number>): void {
    if (this.#runId !== null) this.#evaluate(told, keys, args).catch(ignore)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#probing)
    this.#client.disconnect()
  }

  #guarded(
    asked: Script,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>,
    on: Answered,
    off: Silent,
  ): void {
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    const end = (): boolean => {
      if (isOver) return false
      isOver = true
      clearTimeout(timer)
      return true
    }
    const lapse = () => {
      if (!end()) return
      this.#observe(false)
      off("timeout")
    }
    const wait = () => {
      // The answer may lie in the socket of a process that was busy: one more turn of the event loop reads it.
      if (!isOver) timer = setTimeout(() => setImmediate(lapse), this.#answerMs)
    }
    const answered = this.#evaluate(asked, keys, args)
    // A question that has not left yet cannot be answered, however busy this process is.
    if (this.#isGathering) this.#onceSent.push(wait)
    else wait()
    answered.then(
      (reply) => {
        if (!end()) return
        this.#observe(true)
        on(reply)
      },
      (error: unknown) => {
        if (!end()) return
        // A refusal is an answer, too; a connection that broke is none.
        if (isReply(error)) this.#observe(true)
        off("unavailable")
      },
    )
  }

  /** What is asked in one turn of the event loop leaves in one write, and is answered in one: a system call costs more than a script. */
  #gather(): void {
    const { stream } = this.#client
    if (this.#isGathering || stream === undefined) return
    this.#isGathering = true
    stream.cork()
    setImmediate(() => {
      this.#isGathering = false
      stream.uncork()
      const sent = this.#onceSent
      this.#onceSent = []
      for (const begin of sent) begin()
    })
  }

  #evaluate(asked: Script, keys: ReadonlyArray<string>, args: ReadonlyArray<string | number>): Promise<unknown> {
    this.#gather()
    return this.#client.evalsha(asked.sha1, keys.length, ...keys, ...args).catch((error: unknown) => {
      if (!isReply(error) || !error.message.startsWith("NOSCRIPT")) throw error
      return this.#client.eval(asked.lua, keys.length, ...keys, ...args)
    })
  }

  async #greet(): Promise<void> {
    const info = await this.#client.info("server").catch(() => "")
    const [, runId] = /^run_id:(\S+)/m.exec(info) ?? []
    if (runId === undefined || this.#client.status !== "ready") return
    this.#runId = runId
    if (this.isUp) this.#tellUp()
  }

  #observe(answered: boolean): void {
    const wasOpen = this.#breaker.open
    this.#breaker = observe(this.#breaker, answered)
    if (this.#breaker.open === wasOpen) return
    if (this.#breaker.open) {
      this.#probesInVain = 0
      this.#tellDown("silent")
      this.#probeLater()
    } else if (this.#runId !== null) this.#tellUp()
  }

  #probeLater(): void {
    this.#probing = setTimeout(() => this.#probe(), redisLimits.probeMs).unref()
  }

  #probe(): void {
    const again = () => {
      if (this.#breaker.open) this.#probeLater()
    }
    if (this.#runId === null) return again()
    const failed: Silent = () => {
      this.#probesInVain += 1
      // A connection whose answers are lost on the way looks alive to this side.
      if (this.#probesInVain % redisLimits.probesToReconnect === 0) this.#client.disconnect(true)
      again()
    }
    this.#guarded(probe, [this.#probeKey], [], again, failed)
  }

  #tellDown(news: LinkNews): void {
    if (!this.#isToldUp || this.#isClosed) return
    this.#isToldUp = false
    this.onNews(news)
  }

  #tellUp(): void {
    if (!this.#isToldUp) this.onNews("back")
    this.#isToldUp = true
    for (const listener of this.#listeners) listener()
  }
}

/** Whether it is Redis that refuses, and not the connection that broke. */
const isReply = (error: unknown): error is Error => error instanceof Error && error.name === "ReplyError"

const ignore = (): void => undefined

/** What both connections of a process have in common. */
const options = {
  lazyConnect: true,
  connectTimeout: redisLimits.connectMs,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // A server that was demoted answers, but with nothing else.
  reconnectOnError: (error) => error.message.startsWith("READONLY"),
  retryStrategy: (times) => Math.min(redisLimits.reconnectMinMs * 2 ** times, redisLimits.reconnectMaxMs),
} satisfies RedisOptions

/** A connection that listens to one channel for as long as it is not closed, and comes back by itself. */
export class Subscription {
  readonly #client: Redis

  constructor(url: string, channel: string, listener: (message: string) => void) {
    this.#client = new Redis(url, { ...options, maxRetriesPerRequest: null })
    this.#client.on("error", ignore)
    this.#client.on("message", (_channel, message) => listener(message))
    this.#client.subscribe(channel).catch(ignore)
  }

  close(): void {
    this.#client.disconnect()
  }
}
