import { type CallCaps as Caps, Timestamp } from "@carillon/core/domain"
import type { CallCaps } from "../CallCaps.ts"

/** Call caps as they are answered. */
export const toWireCallCaps = ({ updated_at, ...caps }: Caps): CallCaps => ({
  ...caps,
  updated_at: Timestamp.formatUtc(updated_at),
})
