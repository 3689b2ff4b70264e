import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "../../scripts/servers/FreePort.ts"
import { EngineProcess } from "./EngineProcess.ts"
import { faultsOf, type Left } from "./Judge.ts"
import type { EngineSettings } from "./Protocol.ts"
import { Reader } from "./Reader.ts"
import { type CarrierName, type Stand, Tally } from "./Stand.ts"
import { stands } from "./Stands.ts"

export interface DayOptions {
  readonly carrier: CarrierName
  readonly contacts: number
  readonly seed: string
  /** The share of answers that are lost, and of callbacks that are lost and that come twice, each. */
  readonly share: number
  readonly lines: number
  /** An empty database. */
  readonly postgres: string
  /** When the day is given up. */
  readonly maxMs: number
  readonly say: (line: string) => void
}

/** What a day has come to. */
export interface DayOutcome {
  readonly faults: ReadonlyArray<string>
  readonly complaints: ReadonlyArray<string>
  readonly left: Left
  readonly drawn: Readonly<Record<string, number>>
  /** Legs that were there when the engine was killed, each time. */
  readonly liveAtKill: ReadonlyArray<number>
  readonly wallMs: number
}

const balance = 10_000
const maxRetries = 2
/** The engine is killed once so many legs were dialled, as shares of the contacts, or every contact has ended; then nobody is there for so long. */
const killsAt = [0.4, 1]
const awayMs = 500
const lookMs = 250
/** Of the calls that hold up a day that is given up, how many are named. */
const shownCalls = 20
/** Costs that come late, and what still asks for them: how often the carrier is asked for the rest, and how long between. */
const settlings = 6
const settleMs = 3_000

const numberOf = (nth: number): string => `+1646${String(2_000_000 + nth)}`

/** A campaign whose engine may be killed at any moment. */
class Day {
  readonly #options: DayOptions
  readonly #stand: Stand
  readonly #settings: EngineSettings
  readonly #started = Date.now()
  readonly liveAtKill: Array<number> = []
  #engine: EngineProcess
  #openCalls: () => Promise<ReadonlyArray<string>> = async () => []

  private constructor(options: DayOptions, stand: Stand, settings: EngineSettings, engine: EngineProcess) {
    this.#options = options
    this.#stand = stand
    this.#settings = settings
    this.#engine = engine
  }

  static async open(options: DayOptions, stand: Stand, port: number): Promise<Day> {
    const settings: EngineSettings = { postgres: options.postgres, port, carrier: stand.settings }
    return new Day(options, stand, settings, await EngineProcess.start(settings))
  }

  close(): Promise<void> {
    return this.#engine.kill()
  }

  async #checkTime(what: string): Promise<void> {
    if (Date.now() - this.#started < this.#options.maxMs) return
    const open = (await this.#openCalls()).slice(0, shownCalls)
    throw new Error(
      [`${what} after ${this.#seconds()} s; the engine's last words:`, this.#engine.log, ...open].join("\n"),
    )
  }

  async run(): Promise<Left> {
    const { contacts, lines, say } = this.#options
    const opened = await this.#engine.ask({ type: "open", lines, balance }, "opened")
    const { agent_id, key, organization_id } = opened
    const reader = new Reader(`http://127.0.0.1:${this.#settings.port}`, key)
    const numbers = Array.from({ length: contacts }, (_, nth) => numberOf(nth))
    const campaignId = await reader.createCampaign({
      name: "Reminders",
      agent_id,
      contacts: numbers.map((to_number) => ({ to_number })),
      retry_policy: { max_retries: maxRetries, base_delay_minutes: 0, respect_working_hours: false },
    })
    this.#openCalls = async () =>
      (await reader.calls(campaignId)).flatMap(({ execution_id, is_terminal, status, to_number }) =>
        is_terminal ? [] : [`${execution_id} to ${to_number} is ${status}`],
      )
    const isOver = async () => {
      const { outcome_counts } = await reader.stats(campaignId)
      return outcome_counts.completed + outcome_counts.failed === contacts
    }
    for (const share of killsAt) await this.#killAt(share * contacts, isOver)
    await this.#until("The campaign goes on", isOver)
    say(`every contact has ended after ${this.#seconds()} s`)
    const show = () => this.#engine.ask({ type: "show", organization_id }, "shown")
    await this.#until("Lines are in use", async () => (await show()).lines === 0)
    await this.#settled(organization_id)
    const shown = await show()
    return {
      numbers,
      maxRetries,
      legs: this.#stand.legs(),
      calls: await reader.calls(campaignId),
      contacts: await reader.contacts(campaignId),
      stats: await reader.stats(campaignId),
      usage: await reader.usage(this.#started),
      paid: balance - shown.balance,
      lines: shown.lines,
    }
  }

  #seconds(): number {
    return Math.round((Date.now() - this.#started) / 1000)
  }

  async #until(otherwise: string, isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      await this.#checkTime(otherwise)
      await sleep(lookMs)
    }
  }

  /** A call that was committed before a kill and not dialled has no leg: a campaign may be over with fewer legs than contacts. */
  async #killAt(legs: number, isOver: () => Promise<boolean>): Promise<void> {
    const { say } = this.#options
    const isTime = async () => this.#stand.legs().length >= legs || (await isOver())
    await this.#until(`Fewer than ${legs} legs were dialled`, isTime)
    const before = this.#stand.legs()
    await this.#engine.kill()
    const live = before.filter(({ endedAt }) => endedAt === null).length
    this.liveAtKill.push(live)
    say(`SIGKILL after ${this.#seconds()} s, with ${before.length} legs dialled, ${live} of them live`)
    await sleep(awayMs)
    this.#engine = await EngineProcess.start(this.#settings)
  }

  /** Prices come a while after the end, and those that the dead waited for are asked for again; answers are lost here, too. */
  async #settled(organization_id: string): Promise<void> {
    let came = 0
    for (let time = 0; time < settlings; time += 1) {
      await sleep(settleMs)
      came += (await this.#engine.ask({ type: "settle", organization_id, from: this.#started }, "settled")).count
    }
    if (came > 0) this.#options.say(`${came} costs were asked for afterwards`)
  }
}

/** Runs a campaign through a carrier's adapter against its stand-in, with what goes wrong drawn by the seed, and judges what it leaves. */
export const carrierDay = async (options: DayOptions): Promise<DayOutcome> => {
  const { carrier, seed, share } = options
  const tally = new Tally()
  const port = await freePort()
  const stand = await stands[carrier]({ seed, engine: `http://127.0.0.1:${port}`, share, tally })
  const started = performance.now()
  try {
    const day = await Day.open(options, stand, port)
    try {
      const left = await day.run()
      const wallMs = performance.now() - started
      const complaints = stand.complaints()
      return { faults: faultsOf(left), complaints, left, drawn: tally.counts, liveAtKill: day.liveAtKill, wallMs }
    } finally {
      await day.close()
    }
  } finally {
    await stand.close()
  }
}
