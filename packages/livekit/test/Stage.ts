import type { CarrierReport } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { keepsRows } from "../../core/test/carrier/KeptRows.ts"
import { overheard } from "../../core/test/carrier/Overheard.ts"
import { Layer } from "effect"
import { type LiveKitOptions, makeLiveKit } from "../src/index.ts"
import { apiKey, apiSecret, FarEnd, publicUrl, trunkId } from "./FarEnd.ts"

/** An adapter between a far end and whoever takes the reports, on rows in memory. Whoever asks for it closes the far end. */
export const staged = async (options: Partial<LiveKitOptions> = {}) => {
  const farEnd = new FarEnd()
  await farEnd.start()
  const reports: Array<CarrierReport> = []
  const adapter = makeLiveKit({
    url: farEnd.url,
    apiKey,
    apiSecret,
    trunkId,
    agentName: "carillon",
    publicUrl,
    from: "+15005550006",
    acceptAfterMs: 0,
    ...options,
  })
  const tables = new MemoryTables()
  const { callbacks, handle } = overheard(
    adapter.callbacks(async (report) => {
      reports.push(report)
      return "applied"
    }),
  )
  farEnd.callback = handle
  const carrier = Layer.provide(adapter.carrier, MemoryStore.layer(tables))
  return { adapter, callbacks, farEnd, reports, tables, keepRow: keepsRows(tables), carrier }
}
