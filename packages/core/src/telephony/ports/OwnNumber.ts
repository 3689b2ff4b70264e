import { Context } from "effect"

/**
 * The number that a carrier calls from for calls that name none; an adapter provides its own beside its port, so that these calls keep the pace of
 * that number. Null: nobody here knows.
 */
export const OwnNumber = Context.Reference<string | null>("@carillon/core/telephony/OwnNumber", {
  defaultValue: () => null,
})
