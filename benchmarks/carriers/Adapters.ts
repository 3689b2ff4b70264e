import type { IncomingMessage, ServerResponse } from "node:http"
import type { CarrierReport, ReportReceipt, Telephony } from "@carillon/core"
import type { AgentStore, CallStore } from "@carillon/core/ports"
import type { CarillonServices } from "@carillon/http"
import { makeLiveKit } from "@carillon/livekit"
import { nodeCallbacks as liveKitCallbacks } from "@carillon/livekit/node"
import { makeTelnyx } from "@carillon/telnyx"
import { nodeWebhooks } from "@carillon/telnyx/node"
import { makeTwilio } from "@carillon/twilio"
import { nodeCallbacks as twilioCallbacks } from "@carillon/twilio/node"
import { Effect, type Layer } from "effect"
import type { EngineSettings } from "./Protocol.ts"
import { callerId, type CarrierSettings } from "./Stand.ts"

type Report = (report: CarrierReport) => Promise<ReportReceipt>
type Mount = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/** An adapter as it is mounted in its host. */
export interface Adapter {
  readonly carrier: Layer.Layer<Telephony, never, CallStore | AgentStore>
  readonly callbacks: (report: Report) => Mount
  /** Asks for costs that never came; how many did. */
  readonly settle: (organizationId: string, from: number) => Effect.Effect<number, unknown, CarillonServices>
}

const nothingToSettle: Adapter["settle"] = () => Effect.succeed(0)
const voice = () => ({ type: "stream", url: "wss://media.example.com/talk" }) as const
/** How long a call waits for its price: once two seconds after its end. */
const priceWaitSeconds = 4

type Of<Name extends CarrierSettings["carrier"]> = Extract<CarrierSettings, { readonly carrier: Name }>

const twilio = ({ accountSid, authToken, url }: Of<"twilio">, base: string): Adapter => {
  const adapter = makeTwilio({
    accountSid,
    authToken,
    baseUrl: url,
    publicUrl: `${base}/twilio`,
    from: callerId,
    voice,
    machineDetection: { onMachine: "hang_up" },
    priceWaitSeconds,
  })
  return {
    carrier: adapter.carrier,
    callbacks: (report) => twilioCallbacks(adapter.callbacks(report), "/twilio"),
    settle: (organization_id, from) => Effect.suspend(() => adapter.settle({ organization_id, from, to: Date.now() })),
  }
}

const telnyx = ({ apiKey, connectionId, publicKey, url }: Of<"telnyx">, base: string): Adapter => {
  const adapter = makeTelnyx({
    apiKey,
    publicKey,
    connectionId,
    baseUrl: url,
    publicUrl: `${base}/telnyx`,
    from: callerId,
    voice,
    machineDetection: { onMachine: "hang_up" },
  })
  return {
    carrier: adapter.carrier,
    callbacks: (report) => nodeWebhooks(adapter.webhooks(report), "/telnyx"),
    settle: nothingToSettle,
  }
}

const livekit = ({ apiKey, apiSecret, trunkId, url }: Of<"livekit">, base: string): Adapter => {
  const adapter = makeLiveKit({
    url,
    apiKey,
    apiSecret,
    trunkId,
    agentName: "carillon",
    publicUrl: `${base}/livekit`,
    acceptAfterMs: 0,
    reportWaitSeconds: 5,
  })
  return {
    carrier: adapter.carrier,
    callbacks: (report) => liveKitCallbacks(adapter.callbacks(report), "/livekit"),
    settle: nothingToSettle,
  }
}

/** Sets up the adapter of the carrier that the engine was told of. */
export const adapterOf = ({ carrier, port }: EngineSettings): Adapter => {
  const base = `http://127.0.0.1:${port}`
  switch (carrier.carrier) {
    case "twilio":
      return twilio(carrier, base)
    case "telnyx":
      return telnyx(carrier, base)
    case "livekit":
      return livekit(carrier, base)
  }
}
