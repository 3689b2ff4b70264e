import type { CarrierKind } from "./CarrierKind.ts"
import { liveKitKind } from "./LiveKitKind.ts"
import { telnyxKind } from "./TelnyxKind.ts"
import { twilioKind } from "./TwilioKind.ts"

/** Every kind that there is. */
export const carrierKinds: ReadonlyArray<CarrierKind> = [twilioKind, telnyxKind, liveKitKind]

/** Whether a carrier's name says its kind. */
export const isCarrierKind = (name: string): boolean => carrierKinds.some(({ type }) => type === name)
