import { Context } from "effect"

/** What a carrier is called in metrics and logs; an adapter provides its own beside its port. */
export const CarrierName = Context.Reference<string>("@carillon/core/telephony/CarrierName", {
  defaultValue: () => "carrier",
})
