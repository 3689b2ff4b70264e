import { Organizations, promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeServer } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Effect, Layer } from "effect"

const carrier = promiseCarrier({
  dial: async (call) => ({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})
const storage = MemoryStore.layer(new MemoryTables())

export const carillon = await Carillon.make({
  ports: Layer.mergeAll(storage, MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport()),
})
export const tenant = await carillon.run(
  Effect.flatMap(Organizations, (organizations) =>
    organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } }),
  ),
)
export const server = nodeServer(carillon.handle).listen(Number(process.env["PORT"] ?? 8080))
