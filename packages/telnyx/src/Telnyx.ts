import type { AgentStore, CallStore, Telephony } from "@carillon/core"
import type { Layer } from "effect"
import { carrierLayer } from "./Carrier.ts"
import { Desk } from "./Desk.ts"
import { LegBook } from "./LegBook.ts"
import type { TakesReports } from "./Reporting.ts"
import { settingsOf, type TelnyxOptions } from "./Settings.ts"
import { webhookHandler, type WebhookHandler } from "./Webhooks.ts"

/** Telnyx as a carrier, for one engine. */
export interface Telnyx {
  /** The carrier, as a layer among the other ports; it needs two of them. */
  readonly carrier: Layer.Layer<Telephony, never, CallStore | AgentStore>
  /** Takes Telnyx's webhooks under `publicUrl` and hands what they say to `carillon.report`. */
  readonly webhooks: (report: TakesReports) => WebhookHandler
}

/** Sets the adapter up. Throws `WrongSetting` where an option is wrong. */
export const makeTelnyx = (options: TelnyxOptions): Telnyx => {
  const parts = { settings: settingsOf(options), desk: new Desk(), book: new LegBook() }
  return {
    carrier: carrierLayer(parts),
    webhooks: (report) => webhookHandler({ ...parts, report }),
  }
}
