import type { OpenVendor } from "../../src/index.ts"
import { liveKitWorld } from "./LiveKitWorld.ts"
import { telnyxWorld } from "./TelnyxWorld.ts"
import type { Unheard } from "./Truth.ts"
import { twilioWorld } from "./TwilioWorld.ts"

/** A vendor, and what is not known for certain of its legs. */
export interface KnownVendor {
  readonly vendor: OpenVendor
  readonly unheard: Unheard
}

/** The vendors that days are lived at. */
export const vendors: ReadonlyMap<string, KnownVendor> = new Map<string, KnownVendor>([
  // It can be asked about a leg for ever.
  ["Twilio", { vendor: twilioWorld, unheard: () => [] }],
  // It lists the events of a leg; where that answer is lost too, nobody can say how the leg ended, or that a machine was left.
  ["Telnyx", { vendor: telnyxWorld, unheard: (result) => (result === "stopped" ? ["error", "completed"] : ["error"]) }],
  // It forgets a leg with its end, and only who waits for the answer to its dial hears the SIP code.
  [
    "LiveKit",
    { vendor: liveKitWorld, unheard: (result) => (result === "failed" ? ["no-answer", "error"] : ["error"]) },
  ],
])
