import { type DialOutcome, Telephony } from "@carillon/core"
import { Effect, Layer } from "effect"
import type { OpenVendor } from "../../src/index.ts"

type Dial = Telephony["Service"]["dial"]

/** A vendor whose adapter dials otherwise: to see that a day at it finds what is wrong. */
export const planted =
  (vendor: OpenVendor, otherwise: (dial: Dial) => Dial): OpenVendor =>
  async (farEnd) => {
    const opened = await vendor(farEnd)
    const broken = Layer.effect(
      Telephony,
      Effect.map(Telephony, (port) => ({ ...port, dial: otherwise(port.dial) })),
    )
    const start = () => {
      const adapter = opened.start()
      return { ...adapter, carrier: Layer.provide(broken, adapter.carrier) }
    }
    return { ...opened, start }
  }

const unknownIsRefused = (outcome: DialOutcome): DialOutcome =>
  outcome._tag === "Unknown" ? { _tag: "Refused", kind: "unreachable" } : outcome

interface Mistake {
  readonly dial: (dial: Dial) => Dial
  /** The invariant that it breaks. */
  readonly breaks: string
  /** Seeds of days that show it, by vendor. */
  readonly seeds: ReadonlyArray<readonly [vendor: string, seed: number]>
}

/** What an adapter can get wrong with a dial. */
export const mistakes: Readonly<Record<string, Mistake>> = {
  "says that there is no leg where the answer got lost": {
    dial: (dial) => (command) => Effect.map(dial(command), unknownIsRefused),
    breaks: "S9",
    seeds: [
      ["Twilio", 5],
      ["Telnyx", 5],
      ["LiveKit", 4],
    ],
  },
  "dials again where the answer got lost": {
    dial: (dial) => (command) =>
      Effect.flatMap(dial(command), (outcome) =>
        outcome._tag === "Unknown" ? dial(command) : Effect.succeed(outcome),
      ),
    breaks: "S22",
    // The others know a dial that comes again: no second leg is made.
    seeds: [["Twilio", 5]],
  },
  "forgets whose leg it is": {
    dial: (dial) => (command) => dial({ ...command, execution_id: "exec_nobodys" }),
    breaks: "S22",
    seeds: [["Telnyx", 5]],
  },
}
