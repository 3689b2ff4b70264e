// One engine for each process of Next. Development reloads modules, so it is kept where a reload finds it again.
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"

const start = async () => {
  const carillon = await Carillon.inMemory({
    carrier: {
      dial: async (call) => ({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
      hangup: async () => "Sent",
      find: async () => ({ _tag: "NoAnswer" }),
    },
    webhooks: nodeWebhookTransport(),
  })
  const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
  // With NEXT_MANUAL_SIG_HANDLE=true Next leaves the signal to us.
  process.once("SIGTERM", () => void carillon.close().then(() => process.exit(0)))
  return { carillon, key }
}

type Started = Awaited<ReturnType<typeof start>>

declare global {
  var carillonEngine: Promise<Started> | undefined
}

export const engine = (globalThis.carillonEngine ??= start())
