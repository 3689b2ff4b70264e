import { Timestamp } from "@carillon/core/domain"

/** A moment as an answer writes it, or null. */
export const optionalUtc = (ms: number | null): string | null => (ms === null ? null : Timestamp.formatUtc(ms))
