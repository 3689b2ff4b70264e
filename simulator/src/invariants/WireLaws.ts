import type { WiredDial } from "../carrier/Carrier.ts"
import type { Invariants } from "./Invariants.ts"

/** The law of what a vendor's adapter sends, where one stands between the engine and the carrier. */
export const wireLaws = (invariants: Invariants): ((dial: WiredDial) => void) => {
  const s22 = invariants.open({
    name: "S22",
    description:
      "What a vendor is asked to dial is a call that the engine asked for, to its number, and no call twice.",
  })
  return ({ command, execution_id, legs, to_number }) => {
    s22(
      command !== null,
      () => `${to_number} is rung for ${execution_id ?? "nobody"}, which the engine did not ask for`,
    )
    if (command === null) return
    s22(command.to_number === to_number, () => `${to_number} is rung for ${execution_id}, a call to another number`)
    s22(legs === 0, () => `${execution_id} has had ${legs} legs and is dialled once more`)
  }
}
