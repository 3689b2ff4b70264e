import { Telephony } from "@carillon/core"
import { Effect, Layer } from "effect"

/** A carrier that calls nobody. */
export const nobodyDials = Layer.succeed(Telephony, {
  dial: () => Effect.succeed({ _tag: "Unknown" }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})
