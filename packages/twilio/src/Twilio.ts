import type { Call, PortError, Telephony } from "@carillon/core"
import { type AgentStore, CallStore, OwnNumber } from "@carillon/core/ports"
import { type CallbackHandler, Desk, type NotTaken, type TakesReports } from "@carillon/core/carrier"
import { Effect, Layer } from "effect"
import { bounds } from "./Bounds.ts"
import { isOwnSid } from "./Calls.ts"
import { callbacksOf } from "./Callbacks.ts"
import { carrierLayer } from "./Carrier.ts"
import { LegBook } from "./LegBook.ts"
import { Prices, settled } from "./Prices.ts"
import { settingsOf, type TwilioOptions } from "./Settings.ts"

/** The ended calls of an organization whose cost never came, by when they were made; epoch milliseconds, inclusive. */
export interface SettledCalls {
  readonly organization_id: string
  readonly from: number
  readonly to: number
}

/** Twilio as a carrier, for one engine. */
export interface Twilio {
  /** The carrier, as a layer among the other ports; it needs two of them. */
  readonly carrier: Layer.Layer<Telephony, never, CallStore | AgentStore>
  /** Takes Twilio's callbacks under `publicUrl` and hands what they say to `carillon.report`. */
  readonly callbacks: (report: TakesReports) => CallbackHandler
  /** Asks Twilio for the costs that a process took with it when it died, and reports them; returns how many. For `carillon.run`. */
  readonly settle: (calls: SettledCalls) => Effect.Effect<number, PortError | NotTaken, CallStore>
}

/** Whether somebody answered, or something: Twilio charges for it then, though a talk of less than half a second lasts 0 s. */
const wasAnswered = ({ answered_at, answered_by_voicemail, duration_seconds, status }: Call): boolean =>
  answered_at !== null || answered_by_voicemail === true || status === "completed" || (duration_seconds ?? 0) > 0

/** Sets the adapter up. Throws `WrongSetting` where an option is wrong. */
export const makeTwilio = (options: TwilioOptions): Twilio => {
  const settings = settingsOf(options)
  const desk = new Desk(isOwnSid)
  const parts = { settings, desk, book: new LegBook(), prices: new Prices(settings) }
  return {
    carrier: Layer.merge(carrierLayer(parts), Layer.succeed(OwnNumber, parts.settings.from ?? null)),
    callbacks: (report) => {
      desk.report = report
      return callbacksOf({ ...parts, report })
    },
    settle: Effect.fnUntraced(function* ({ from, organization_id, to }) {
      const store = yield* CallStore
      const { report } = desk
      if (report === null) return 0
      let count = 0
      for (let page = 1; ; page += 1) {
        const filter = { direction: "outbound", from_date: from, to_date: to } as const
        const { items, total } = yield* store.page(organization_id, filter, { page, page_size: bounds.settledPage })
        const open = items.filter(
          (call) => call.final_report_at !== null && call.cost === null && call.call_sid !== null && wasAnswered(call),
        )
        const asked = yield* Effect.forEach(
          open,
          ({ call_sid, execution_id }) =>
            call_sid === null || !isOwnSid(call_sid)
              ? Effect.succeed(false)
              : settled(settings, report, { execution_id, call_sid }),
          { concurrency: bounds.settledTogether },
        )
        count += asked.filter((was) => was).length
        if (page * bounds.settledPage >= total) return count
      }
    }),
  }
}
