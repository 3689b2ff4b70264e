import type { OpenVendor } from "../../src/index.ts"
import { twilioWorld } from "./TwilioWorld.ts"

/** A vendor, and what a call there may also be whose leg did not end as that, for the word of it was lost and nobody can ask. */
export interface KnownVendor {
  readonly vendor: OpenVendor
  readonly unknown: ReadonlyArray<string>
}

/** The vendors that days are lived at. */
export const vendors: ReadonlyMap<string, KnownVendor> = new Map([
  // It can be asked about a leg for ever.
  ["Twilio", { vendor: twilioWorld, unknown: [] }],
])
