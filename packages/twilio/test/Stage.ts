import type { CarrierReport } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { keepsRows } from "../../core/test/carrier/KeptRows.ts"
import { overheard } from "../../core/test/carrier/Overheard.ts"
import { Layer } from "effect"
import { makeTwilio, type Twilio, type TwilioOptions } from "../src/index.ts"
import { accountSid, authToken, FarEnd, publicUrl } from "./FarEnd.ts"

/** An adapter between a far end and whoever takes the reports, on rows in memory. */
export const staged = (options: Partial<TwilioOptions> = {}) => {
  const farEnd = new FarEnd()
  const reports: Array<CarrierReport> = []
  const adapter: Twilio = makeTwilio({
    accountSid,
    authToken,
    publicUrl,
    from: "+15005550006",
    voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
    fetch: farEnd.fetch,
    ...options,
  })
  const tables = new MemoryTables()
  const storage = MemoryStore.layer(tables)
  const { callbacks, handle } = overheard(
    adapter.callbacks(async (report) => {
      reports.push(report)
      return "applied"
    }),
  )
  farEnd.callback = handle
  return {
    adapter,
    callbacks,
    farEnd,
    reports,
    tables,
    keepRow: keepsRows(tables),
    carrier: Layer.provide(adapter.carrier, storage),
  }
}
