import { Context } from "effect"

/**
 * What a carrier is called in metrics and logs; an adapter provides its own beside its port. Null: the port is several carriers, each of which has
 * a name and is measured under it.
 */
export const CarrierName = Context.Reference<string | null>("@carillon/core/telephony/CarrierName", {
  defaultValue: () => "carrier",
})

/** What several carriers together are called. */
export const allCarriers = "all carriers"
