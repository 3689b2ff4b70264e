import type { CarrierReport } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { keepsRows } from "../../core/test/carrier/KeptRows.ts"
import { overheard } from "../../core/test/carrier/Overheard.ts"
import { Clock, Effect, Layer } from "effect"
import { makeTelnyx, type Telnyx, type TelnyxOptions } from "../src/index.ts"
import { apiKey, connectionId, FarEnd, publicKey, publicUrl } from "./FarEnd.ts"

/** The engine's time is the far end's: webhooks are judged by it. */
const clockOf = (farEnd: FarEnd): Clock.Clock => ({
  currentTimeMillisUnsafe: () => farEnd.now,
  currentTimeMillis: Effect.sync(() => farEnd.now),
  currentTimeNanosUnsafe: () => BigInt(farEnd.now) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(farEnd.now) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(farEnd.now) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(farEnd.now) * 1_000_000n),
  sleep: () => Effect.never,
})

/** An adapter between a far end and whoever takes the reports, on rows in memory. */
export const staged = (options: Partial<TelnyxOptions> = {}) => {
  const farEnd = new FarEnd()
  const reports: Array<CarrierReport> = []
  const adapter: Telnyx = makeTelnyx({
    apiKey,
    publicKey,
    connectionId,
    publicUrl,
    from: "+12125550199",
    voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
    fetch: farEnd.fetch,
    ...options,
  })
  const tables = new MemoryTables()
  const storage = MemoryStore.layer(tables)
  const { callbacks, handle } = overheard(
    adapter.webhooks(async (report) => {
      reports.push(report)
      return "applied"
    }),
  )
  farEnd.webhook = handle
  const clock = Layer.succeed(Clock.Clock, clockOf(farEnd))
  // For whoever asks the carrier, too.
  const carrier = adapter.carrier.pipe(Layer.provide(storage), Layer.provideMerge(clock))
  return { adapter, callbacks, farEnd, reports, tables, keepRow: keepsRows(tables), carrier }
}
