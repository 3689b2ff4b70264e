import type { CarrierReport, ReportReceipt, Telephony } from "@carillon/core"
import type { AgentStore, CallStore } from "@carillon/core/ports"
import type { Config, Layer } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { SettingBook } from "../settings/SettingBook.ts"

/** A handler of `node:http` that passes on what is not its own. */
export type Callbacks = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/** A carrier that is made: its port, and what takes its callbacks. */
export interface MadeCarrier {
  readonly port: Layer.Layer<Telephony, never, CallStore | AgentStore>
  readonly callbacks: (report: (report: CarrierReport) => Promise<ReportReceipt>) => Callbacks
}

/** Where the carrier reaches its callbacks: from outside, and the path of that as it arrives here. */
export interface CallbackPlace {
  readonly url: string
  readonly path: string
}

/** Makes the carrier. Throws where its adapter cannot work with what was set. */
export type MakeCarrier = (place: CallbackPlace) => MadeCarrier

/** A kind of carrier: its settings, and how it is made of them. One more carrier is one more of these. */
export interface CarrierKind {
  readonly type: string
  readonly declare: (book: SettingBook) => Config.Config<MakeCarrier>
}
