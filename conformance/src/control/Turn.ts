/**
 * One run at a time where runs would disturb each other: clock, carrier and faults of a control surface are shared by all.
 * The runs queue in an inbox. What it got lies there in one order for everybody, so the first ticket that was not given
 * back has its turn.
 */
import { Client } from "../http/Client.ts"
import { isObject } from "../http/Json.ts"
import { NoAnswer, type Wire } from "../http/Wire.ts"
import { type Control, ControlFailure } from "./Control.ts"
import { makeOrganization } from "./Fixtures.ts"

const inbox = "conformance-turn"

/** Real time between two looks at the queue. */
const lookEveryMs = 250

/** A holder that has shown no sign of life for so long is gone: its run was killed. */
const goneAfterMs = 120_000

/** The holder shows a sign of life this often. */
const beatEveryMs = 10_000

/** How often a ticket is drawn before the run goes on without: the fault of another run may be in the way. */
const drawings = 20

type Kind = "take" | "beat" | "give"

/** A line of the queue: what a run, by its nonce, has said. */
interface Entry {
  readonly nonce: string
  readonly kind: string
}

/** The turn of a run. */
export interface Turn {
  /** Tells the others that this run goes on. */
  readonly beat: () => Promise<void>
  readonly giveBack: () => Promise<void>
}

/** What a run needs to queue. */
export interface TurnParts {
  readonly control: Control
  readonly wire: Wire
  /** Asks when the run was ended early, too. */
  readonly lastWire: Wire
  readonly root: string
  readonly nonce: string
  readonly sleep: (ms: number) => Promise<void>
  /** Told once of each run that is waited for. */
  readonly onWait: (nonce: string) => void
}

/** The run whose turn it is: the first ticket that was not given back, runs that are gone left out. */
export const holderOf = (entries: ReadonlyArray<Entry>, gone: ReadonlySet<string> = new Set()): string | undefined => {
  const given = new Set(entries.filter(({ kind }) => kind === "give").map(({ nonce }) => nonce))
  return entries.find(({ kind, nonce }) => kind === "take" && !given.has(nonce) && !gone.has(nonce))?.nonce
}

const without: Turn = { beat: async () => {}, giveBack: async () => {} }

const entriesOf = async (control: Control): Promise<ReadonlyArray<Entry>> => {
  const { data } = await control.ask("GET", `/inbox/${inbox}`)
  return (Array.isArray(data) ? data : []).filter(isObject).map(({ path }) => {
    const [, nonce = "", kind = ""] = String(path).split("/")
    return { nonce, kind }
  })
}

/** The queue of one server, seen by one run. */
class Queue {
  readonly #parts: TurnParts
  readonly #client: Client

  constructor(parts: TurnParts, key: string) {
    this.#parts = parts
    this.#client = new Client(parts.wire, parts.root, key)
  }

  async say(kind: Kind): Promise<void> {
    const { nonce } = this.#parts
    await this.#client.post("/v2/webhooks/test", { callback_url: `https://${inbox}.inbox.test/${nonce}/${kind}` })
  }

  /** True when the ticket lies in the queue; false when the server cannot deliver one. */
  async drawTicket(): Promise<boolean> {
    const { control, nonce, sleep } = this.#parts
    for (let drawn = 0; drawn < drawings; drawn++) {
      await this.say("take")
      const entries = await entriesOf(control)
      if (entries.some((entry) => entry.nonce === nonce)) return true
      // Nobody else has ever come through: it is not the fault of another run.
      if (entries.length === 0) return false
      await sleep(lookEveryMs)
    }
    return false
  }

  async untilFirst(): Promise<void> {
    const { control, nonce, onWait, sleep } = this.#parts
    const gone = new Set<string>()
    const told = new Set<string>()
    for (let seen = 0, since = Date.now(); ;) {
      const entries = await entriesOf(control)
      const holder = holderOf(entries, gone)
      if (holder === undefined || holder === nonce) return
      if (!told.has(holder)) onWait(holder)
      told.add(holder)
      if (entries.length !== seen) [seen, since] = [entries.length, Date.now()]
      else if (Date.now() - since > goneAfterMs) gone.add(holder)
      await sleep(lookEveryMs)
    }
  }
}

/** Waits for this run's turn. A server that cannot keep the queue is judged without one. */
export const takeTurn = async (parts: TurnParts): Promise<Turn> => {
  try {
    const [made] = (await makeOrganization(parts.control, {})).keys
    if (made === undefined) return without
    const queue = new Queue(parts, made.key)
    if (!(await queue.drawTicket())) return without
    const quietly = (kind: Kind, on: Queue = queue) =>
      on.say(kind).catch((error: unknown) => {
        if (!(error instanceof NoAnswer)) throw error
      })
    const giveBack = () => quietly("give", new Queue({ ...parts, wire: parts.lastWire }, made.key))
    await queue.untilFirst().catch(async (error: unknown) => {
      await giveBack()
      throw error
    })
    let lastBeat = Date.now()
    return {
      beat: async () => {
        if (Date.now() - lastBeat < beatEveryMs) return
        lastBeat = Date.now()
        await quietly("beat")
      },
      giveBack,
    }
  } catch (error) {
    if (error instanceof ControlFailure || error instanceof NoAnswer) return without
    throw error
  }
}
