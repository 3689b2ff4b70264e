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

/** What an adapter can get wrong with a dial, and the invariant that it breaks. */
export const mistakes: Readonly<Record<string, { readonly dial: (dial: Dial) => Dial; readonly breaks: string }>> = {
  "says that there is no leg where the answer got lost": {
    dial: (dial) => (command) => Effect.map(dial(command), unknownIsRefused),
    breaks: "S9",
  },
  "dials again where the answer got lost": {
    dial: (dial) => (command) =>
      Effect.flatMap(dial(command), (outcome) =>
        outcome._tag === "Unknown" ? dial(command) : Effect.succeed(outcome),
      ),
    breaks: "S22",
  },
  "forgets whose leg it is": {
    dial: (dial) => (command) => dial({ ...command, execution_id: "exec_nobodys" }),
    breaks: "S22",
  },
}
