import type { Telephony } from "@carillon/core"
import type { AgentStore, CallStore } from "@carillon/core/ports"
import type { CallbackHandler, TakesReports } from "@carillon/core/carrier"
import type { Layer } from "effect"
import type { Wire } from "../carrier/Wire.ts"

/** The world's time as a vendor's stand-in has it, in epoch milliseconds. */
export interface VendorClock {
  readonly now: () => number
  /** Plans something; returns what takes it back. Time goes on when it is over, with its callbacks and their answers. */
  readonly at: (time: number, action: () => Promise<void>) => () => void
}

/** What a vendor's stand-in is given of the world. */
export interface FarEnd {
  /** What faults are drawn from. */
  readonly seed: string
  readonly clock: VendorClock
  /** The world's carrier: it says how each dial goes, and is told what becomes of it. */
  readonly wire: Wire
  /** The adapter's way to its vendor: time stands still until the whole answer is there, and one request goes after the other. */
  readonly fetch: (request: Request) => Promise<Response>
}

/** A vendor's adapter as one process of the engine has it. */
export interface VendorAdapter {
  readonly carrier: Layer.Layer<Telephony, never, CallStore | AgentStore>
  /** Takes the vendor's callbacks; `report` is the engine's. */
  readonly callbacks: (report: TakesReports) => CallbackHandler
}

/** A vendor between the engine and the world's carrier: the adapter on one side, a stand-in of the vendor on the other. */
export interface Vendor {
  /** Sets the adapter up for one more process of the engine. */
  readonly start: () => VendorAdapter
  /** Takes the vendor's callbacks from now on, in the place of what took them before. */
  readonly mount: (handler: CallbackHandler) => void
  /** How many requests it keeps open until something happens to a leg: for them time goes on. None where it is left out. */
  readonly waiting?: () => number
  readonly close: () => Promise<void>
}

/** Opens a vendor on a world. */
export type OpenVendor = (farEnd: FarEnd) => Promise<Vendor>
