import { type PromiseCarrier, promiseCarrier, type Telephony } from "@carillon/core"
import type { WebhookTransport } from "@carillon/core/ports"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Context, Layer } from "effect"
import { Carillon } from "../../src/Carillon.ts"

// Each of these forgets something; `Forgotten.test.ts` reads what the compiler says of it.
declare const carrier: PromiseCarrier
declare const transport: Layer.Layer<WebhookTransport, "no way out">
class Line extends Context.Service<Line, { readonly wire: string }>()("@host/Line") {}
declare const onALine: Layer.Layer<Telephony, never, Line>

const rows = MemoryStore.layer(new MemoryTables())
const counters = Layer.merge(MemorySlots.layer(), MemoryRates.layer())

export const noCarrier = Carillon.make({ ports: Layer.mergeAll(rows, counters, transport) })
export const noWayOut = Carillon.make({ ports: Layer.mergeAll(rows, counters, promiseCarrier(carrier)) })
export const neither = Carillon.make({ ports: Layer.mergeAll(rows, counters) })
export const noRates = Carillon.make({
  ports: Layer.mergeAll(rows, MemorySlots.layer(), promiseCarrier(carrier), transport),
})
export const noLine = Carillon.make({ ports: Layer.mergeAll(rows, counters, onALine, transport) })
export const whole = Carillon.make({ ports: Layer.mergeAll(rows, counters, promiseCarrier(carrier), transport) })
