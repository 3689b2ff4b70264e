import type { Telephony } from "@carillon/core"
import { type AgentStore, type CallStore, OwnNumber } from "@carillon/core/ports"
import { type CallbackHandler, Desk, type TakesReports } from "@carillon/core/carrier"
import { Layer } from "effect"
import { callbacksOf } from "./Callbacks.ts"
import { carrierLayer } from "./Carrier.ts"
import { makeClients } from "./Clients.ts"
import { LegBook } from "./LegBook.ts"
import { isOwnSid } from "./Names.ts"
import { type LiveKitOptions, settingsOf } from "./Settings.ts"

/** LiveKit as a carrier, for one engine. */
export interface LiveKit {
  /** The carrier, as a layer among the other ports; it needs two of them. */
  readonly carrier: Layer.Layer<Telephony, never, CallStore | AgentStore>
  /** Takes LiveKit's webhooks and the worker's reports under `publicUrl` and hands what they say to `carillon.report`. */
  readonly callbacks: (report: TakesReports) => CallbackHandler
}

/** Sets the adapter up. Throws `WrongSetting` where an option is wrong. */
export const makeLiveKit = (options: LiveKitOptions): LiveKit => {
  const settings = settingsOf(options)
  const desk = new Desk(isOwnSid)
  const parts = { settings, desk, book: new LegBook(), clients: makeClients(settings) }
  return {
    carrier: Layer.merge(carrierLayer(parts), Layer.succeed(OwnNumber, parts.settings.from ?? null)),
    callbacks: (report) => {
      desk.report = report
      return callbacksOf(parts)
    },
  }
}
