import { liveKitStand } from "./LiveKitStand.ts"
import type { CarrierName, Stand, StandOptions } from "./Stand.ts"
import { telnyxStand } from "./TelnyxStand.ts"
import { twilioStand } from "./TwilioStand.ts"

/** Starts the stand-in of each carrier. */
export const stands: { readonly [name in CarrierName]: (options: StandOptions) => Promise<Stand> } = {
  twilio: twilioStand,
  telnyx: telnyxStand,
  livekit: liveKitStand,
}
