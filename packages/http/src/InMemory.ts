import { type PromiseCarrier, promiseCarrier, type Telephony } from "@carillon/core"
import { type RateStore, type SlotStore, WebhookTransport } from "@carillon/core/ports"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Effect, Layer } from "effect"
import type { Ports } from "./Ports.ts"

/** Connects to nobody: a root that loads without Node has no way out of its own. */
const unsent: Layer.Layer<WebhookTransport> = Layer.sync(WebhookTransport, () => {
  let isTold = false
  const tell = Effect.suspend(() => {
    if (isTold) return Effect.void
    isTold = true
    return Effect.logWarning(
      "Webhooks are not sent: nothing was given to send them with. On Node: inMemory({ carrier, webhooks: nodeWebhookTransport() }), from @carillon/http/webhooks.",
    )
  })
  return { send: () => Effect.as(tell, { _tag: "Failed", error_class: "connect_error" }) }
})

/** What a carrier may ask for: the ports that are rows. */
type Rows = Exclude<Ports, Telephony | WebhookTransport | SlotStore | RateStore>

/** What is not in memory: the carrier as three functions or as the port, which may read rows, and the way out for webhooks. */
export interface Outside<E> {
  /** What dials, hangs up and answers questions: three functions, or a layer. */
  readonly carrier: PromiseCarrier | Layer.Layer<Telephony, E, Rows>
  /** `nodeWebhookTransport()` of `@carillon/http/webhooks`. Without it every attempt fails, and the log says so once. */
  readonly webhooks?: Layer.Layer<WebhookTransport, E>
}

/** Every port in memory, but for the carrier and the way out. */
export const memoryPorts = <E>({ carrier, webhooks = unsent }: Outside<E>): Layer.Layer<Ports, E> =>
  Layer.mergeAll(
    MemorySlots.layer(),
    MemoryRates.layer(),
    "pipe" in carrier ? carrier : promiseCarrier(carrier),
    webhooks,
  ).pipe(Layer.provideMerge(MemoryStore.layer(new MemoryTables())))
