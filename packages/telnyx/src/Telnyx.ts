import type { Telephony } from "@carillon/core"
import { type AgentStore, type CallStore, OwnNumber } from "@carillon/core/ports"
import { type CallbackHandler, Desk, type TakesReports } from "@carillon/core/carrier"
import { Layer } from "effect"
import { carrierLayer } from "./Carrier.ts"
import { EventList } from "./EventList.ts"
import { LegBook } from "./LegBook.ts"
import { settingsOf, type TelnyxOptions } from "./Settings.ts"
import { webhooksOf } from "./Webhooks.ts"

/** Telnyx as a carrier, for one engine. */
export interface Telnyx {
  /** The carrier, as a layer among the other ports; it needs two of them. */
  readonly carrier: Layer.Layer<Telephony, never, CallStore | AgentStore>
  /** Takes Telnyx's webhooks under `publicUrl` and hands what they say to `carillon.report`. */
  readonly webhooks: (report: TakesReports) => CallbackHandler
}

/** Sets the adapter up. Throws `WrongSetting` where an option is wrong. */
export const makeTelnyx = (options: TelnyxOptions): Telnyx => {
  const parts = { settings: settingsOf(options), desk: new Desk(), book: new LegBook(), eventList: new EventList() }
  return {
    carrier: Layer.merge(carrierLayer(parts), Layer.succeed(OwnNumber, parts.settings.from ?? null)),
    webhooks: (report) => webhooksOf({ ...parts, report }),
  }
}
