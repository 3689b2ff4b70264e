import type { Telephony } from "../../telephony/ports/Telephony.ts"
import type { CarrierReport } from "../../telephony/rules/Leg.ts"
import type { DialCommand } from "../../telephony/rules/Dial.ts"
import { Effect } from "effect"
import { Carrier, type Script } from "./Carrier.ts"

/** The engine that hears of a leg which it has dialled. */
export type Hearer = (report: CarrierReport, dialled: DialCommand) => Effect.Effect<unknown, unknown>

const lookMs = 2
/** A carrier says everything until it was heard, whatever the answer is that says it was not. */
const againMs = 20

/** The scripted carrier for engines on a clock that goes by itself: it speaks to the engine that has dialled, and knows what really happened. */
export class LiveCarrier {
  readonly #carrier: Carrier
  readonly #now: () => number
  readonly #hearers = new Map<string, (report: CarrierReport) => Effect.Effect<unknown, unknown>>()
  /** What is still to be said of each leg. */
  readonly #unsaid = new Map<string, Array<CarrierReport>>()
  /** Most legs that were live at once. */
  peak = 0

  constructor(now: () => number, script: (command: DialCommand) => Script) {
    this.#now = now
    this.#carrier = new Carrier(now, script)
  }

  get dials(): ReadonlyArray<DialCommand> {
    return this.#carrier.dials
  }

  /** The calls that were dialled. */
  get ids(): ReadonlySet<string> {
    return new Set(this.dials.map(({ execution_id }) => execution_id))
  }

  get live(): ReadonlyArray<DialCommand> {
    return this.#carrier.live()
  }

  /** No leg is live, and everything was said and taken. */
  get isSilent(): boolean {
    return this.#carrier.next() === null && this.#unsaid.size === 0
  }

  /** The port of one engine. */
  telephony(hearer: Hearer): Telephony["Service"] {
    const port = this.#carrier.telephony(null)
    return {
      ...port,
      dial: (command) =>
        Effect.suspend(() => {
          this.#hearers.set(command.execution_id, (report) => hearer(report, command))
          return Effect.tap(port.dial(command), () =>
            Effect.sync(() => {
              this.peak = Math.max(this.peak, this.live.length)
            }),
          )
        }),
    }
  }

  /** Speaks for as long as it runs. What is said of one leg is said in its order. */
  readonly speaking: Effect.Effect<never> = Effect.gen({ self: this }, function* () {
    for (;;) {
      while ((this.#carrier.next() ?? Infinity) <= this.#now()) {
        const report = this.#carrier.step()
        if (report !== null) yield* this.#queued(report)
      }
      yield* Effect.sleep(lookMs)
    }
  })

  #queued(report: CarrierReport): Effect.Effect<void> {
    const queue = this.#unsaid.get(report.execution_id)
    if (queue !== undefined) return Effect.sync(() => void queue.push(report))
    this.#unsaid.set(report.execution_id, [report])
    return Effect.asVoid(Effect.forkChild(this.#say(report.execution_id)))
  }

  /** Says what is to be said of a leg, and what comes to it meanwhile. */
  readonly #say = Effect.fnUntraced({ self: this }, function* (executionId: string) {
    const hearer = this.#hearers.get(executionId)
    const queue = this.#unsaid.get(executionId)
    if (hearer === undefined || queue === undefined) return yield* Effect.die(new Error(`${executionId} is nobody's.`))
    for (let report = queue[0]; report !== undefined; report = queue[0]) {
      const told = report
      const isTaken = Effect.matchCause(
        Effect.suspend(() => hearer(told)),
        { onSuccess: () => true, onFailure: () => false },
      )
      while (!(yield* isTaken)) yield* Effect.sleep(againMs)
      queue.shift()
      if (queue.length === 0) this.#unsaid.delete(executionId)
    }
  })
}
