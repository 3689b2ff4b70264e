import { makeTelnyx } from "@carillon/telnyx"
import { callbackServer } from "../../../packages/core/test/carrier/CallbackServer.ts"
import type { Fate, Refusal } from "../../../packages/telnyx/test/standin/Fate.ts"
import { startTelnyxStandIn } from "../../../packages/telnyx/test/standin/StandIn.ts"
import { drawnFaults } from "../../../packages/twilio/test/standin/Faults.ts"
import type { OpenVendor, WireLeg, WireRefusal } from "../../src/index.ts"
import { WireLegs } from "./WireLegs.ts"

const refusals: Readonly<Record<WireRefusal["refused"], number>> = {
  unreachable: 10007,
  rejected: 10010,
  invalid_destination: 10016,
  insufficient_funds: 20100,
  throttled: 10011,
}

const refusalOf = ({ refused, retryAfterSeconds }: WireRefusal): Refusal => ({
  refused: refusals[refused],
  ...(retryAfterSeconds === null ? {} : { retry_after_s: retryAfterSeconds }),
})

/** Some costs come at once, and some when nobody waits for them any more. */
const costedAfterSeconds = [3, 8, 400]

const fateOf = ({ course: { result, ring_ms, setup_ms, talk_ms } }: WireLeg, nth: number): Fate => {
  const talk_s = talk_ms / 1000
  const costed_after_s = costedAfterSeconds[nth % costedAfterSeconds.length] ?? 0
  const times = { ring_s: (setup_ms + ring_ms) / 1000, talk_s, costed_after_s }
  switch (result) {
    case "completed":
    case "call-disconnected":
      return { outcome: "answered", ...times }
    case "voicemail":
      return { outcome: "answered", answered_by: "machine", detection_s: Math.min(2, talk_s), ...times }
    case "busy":
      return { outcome: "busy", ...times }
    case "no-answer":
      return { outcome: "no_answer", ...times }
    case "failed":
    case "error":
      return { outcome: "failed", ...times }
  }
}

/** Telnyx between an engine and the world's carrier: calls go as the carrier says, and words get lost as the seed has it. */
export const telnyxWorld: OpenVendor = async ({ clock, fetch, seed, wire }) => {
  const server = await callbackServer("/telnyx")
  const legs = new WireLegs(wire)
  const telnyx = await startTelnyxStandIn({
    clock,
    seed,
    costWebhooks: true,
    retryAfterSeconds: 2,
    script: ({ asked, nth, to }) => {
      const leg = legs.dial(asked.text("command_id"), to)
      return "refused" in leg ? refusalOf(leg) : fateOf(leg, nth)
    },
    watch: ({ call_control_id }, moment) => legs.watch(call_control_id, moment),
    tellsEarly: (to) => Number(to.slice(-1)) % 3 === 0,
    reach: ({ pathname, search }) => new URL(`${server.base}${pathname}${search}`),
    faults: drawnFaults({
      seed,
      requests: { lost_before: 0.04, lost_after: 0.05, too_many: 0.04, error_before: 0.03, error_after: 0.04 },
      callbacks: { lost: 0.05, doubled: 0.05, late: 0.05, reordered: 0.05 },
    }),
  })
  const { apiKey, connectionId, publicKey, url } = telnyx
  return {
    start: () => {
      const { carrier, webhooks } = makeTelnyx({
        apiKey,
        publicKey,
        connectionId,
        fetch,
        baseUrl: url,
        publicUrl: "https://voice.example.com/telnyx",
        from: "+12125550199",
        voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
        machineDetection: { onMachine: "hang_up" },
      })
      return { carrier, callbacks: webhooks }
    },
    mount: server.mount,
    close: async () => {
      server.close()
      await telnyx.close()
    },
  }
}
