import { createServer, type IncomingMessage } from "node:http"
import {
  AgentDispatchClient,
  EgressClient,
  RoomServiceClient,
  ServerError,
  SipClient,
  type WebhookEvent,
  WebhookReceiver,
} from "livekit-server-sdk"
import { onTestFinished } from "vitest"
import { ManualClock } from "../../../twilio/test/standin/Clock.ts"
import { type LiveKitStandInOptions, startLiveKitStandIn } from "./StandIn.ts"

/** A webhook that a host got, as the vendor's receiver read it; one that it refuses fails the test. */
export interface Heard {
  readonly at: number
  readonly type: string
  readonly event: WebhookEvent
}

/** What a host answers a webhook with; null: it cuts the connection. */
export type HostScript = (heard: Heard, nth: number) => number | null

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** A host on this machine that notes what it is told. */
const startHost = async (receiver: () => WebhookReceiver, script: HostScript, now: () => number) => {
  const heard: Array<Heard> = []
  const server = createServer((request, response) => {
    void textOf(request).then(async (text) => {
      const { authorization, "content-type": type } = request.headers
      const event = await receiver().receive(text, authorization)
      const one: Heard = { at: now(), type: type ?? "", event }
      heard.push(one)
      const status = script(one, heard.length - 1)
      if (status === null) return void response.destroy()
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  return { heard, url: `http://127.0.0.1:${port}/livekit` }
}

/** A stand-in in time that the test moves, a host for its webhooks, and the vendor's own clients. */
export const stage = async (options: LiveKitStandInOptions = {}, script: HostScript = () => 200) => {
  const clock = new ManualClock()
  const started: { receiver: WebhookReceiver | null } = { receiver: null }
  const receiver = () => {
    if (started.receiver === null) throw new Error("Nothing was started")
    return started.receiver
  }
  const host = await startHost(receiver, script, clock.now)
  const livekit = await startLiveKitStandIn({ clock, webhooks: () => new URL(host.url), ...options })
  const { apiKey, apiSecret, trunkId, url } = livekit
  started.receiver = new WebhookReceiver(apiKey, apiSecret)
  onTestFinished(() => livekit.close())
  return {
    clock,
    host,
    livekit,
    trunkId,
    rooms: new RoomServiceClient(url, apiKey, apiSecret),
    agents: new AgentDispatchClient(url, apiKey, apiSecret),
    sip: new SipClient(url, apiKey, apiSecret),
    egress: new EgressClient(url, apiKey, apiSecret),
    events: () => host.heard.map(({ event }) => event.event),
  }
}

/** What the vendor's client failed with. */
export const failureOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => null,
    (cause: unknown) => cause,
  )
  if (!(error instanceof ServerError)) throw new Error(`not refused: ${String(error)}`)
  return { status: error.status, code: error.code, metadata: error.metadata }
}

/** Moves time on until a request that waits for it is answered. */
export const until = async <A>(clock: ManualClock, asked: Promise<A>): Promise<A> => {
  const state = { isOpen: true }
  const watched = asked.finally(() => {
    state.isOpen = false
  })
  // Its failure is the caller's to see.
  watched.catch(() => undefined)
  while (state.isOpen) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    if (state.isOpen) await clock.step()
  }
  return watched
}
