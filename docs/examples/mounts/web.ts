// The engine wherever `Request` and `Response` are spoken: `npm install @carillon/core @carillon/http effect`. In Bun
// `Bun.serve({ fetch })`, in Deno `Deno.serve(fetch)`, in Next `export { fetch as GET, fetch as POST, … }` of `app/v2/[...path]/route.ts`.
import { Organizations, Telephony } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Effect, Layer } from "effect"

const carrier = Layer.succeed(Telephony, {
  dial: (call) => Effect.succeed({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})
const storage = MemoryStore.layer(new MemoryTables())

const carillon = await Carillon.make({
  ports: Layer.mergeAll(storage, MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport()),
})
export const { key } = await carillon.run(
  Effect.flatMap(Organizations, (organizations) =>
    organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } }),
  ),
)

export const fetch = webHandler(carillon.handle)
/** What runs comes to its end; call it when the server has stopped listening. */
export const stop = (): Promise<void> => carillon.close()
