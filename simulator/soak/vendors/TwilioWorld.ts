import { makeTwilio } from "@carillon/twilio"
import { callbackServer } from "../../../packages/core/test/carrier/CallbackServer.ts"
import type { ProgressEvent } from "../../../packages/twilio/test/standin/Contract.ts"
import type { Fate, Refusal } from "../../../packages/twilio/test/standin/Fate.ts"
import { drawnFaults } from "../../../packages/twilio/test/standin/Faults.ts"
import { startTwilioStandIn } from "../../../packages/twilio/test/standin/StandIn.ts"
import type { Asked } from "../../../packages/twilio/test/standin/Parameters.ts"
import type { OpenVendor, WireLeg, WireRefusal } from "../../src/index.ts"
import { WireLegs } from "./WireLegs.ts"

const standIn = { callsPerSecond: 5, retryAfterSeconds: 2 } as const

/** How far a call has gone when its dial is answered, by its number: its callbacks come first. */
const befores: ReadonlyArray<ProgressEvent | null> = [null, null, "initiated", null, "ringing", "answered", "completed"]

const refusals: Readonly<Record<WireRefusal["refused"], number>> = {
  unreachable: 20500,
  rejected: 20003,
  invalid_destination: 21211,
  insufficient_funds: 20003,
  throttled: 20429,
}

const refusalOf = ({ refused, retryAfterSeconds }: WireRefusal): Refusal => ({
  refused: refusals[refused],
  ...(retryAfterSeconds === null ? {} : { retry_after_s: retryAfterSeconds }),
})

/** Some prices come at once, and some when nobody waits for them any more. */
const pricedAfterSeconds = [3, 8, 400]

const fateOf = ({ course: { result, ring_ms, setup_ms, talk_ms } }: WireLeg, nth: number): Fate => {
  const talk_s = talk_ms / 1000
  const priced_after_s = pricedAfterSeconds[nth % pricedAfterSeconds.length] ?? 0
  const times = { setup_s: setup_ms / 1000, ring_s: ring_ms / 1000, talk_s, priced_after_s }
  switch (result) {
    case "completed":
      return { outcome: "completed", ...times }
    case "voicemail":
      return { outcome: "completed", answered_by: "machine_start", detection_s: Math.min(2, talk_s), ...times }
    case "call-disconnected":
      return { outcome: "completed", stream_error: 31920, ...times }
    case "busy":
    case "no-answer":
      return { outcome: result, ...times }
    case "failed":
    case "error":
      return { outcome: "failed", ...times }
  }
}

const idOf = (asked: Asked): string | null =>
  /execution_id=([^#&]+)/.exec(asked.text("StatusCallback") ?? "")?.[1] ?? null

/** Twilio between an engine and the world's carrier: calls go as the carrier says, and words get lost as the seed has it. */
export const twilioWorld: OpenVendor = async ({ clock, fetch, seed, wire }) => {
  const server = await callbackServer("/twilio")
  const legs = new WireLegs(wire)
  const twilio = await startTwilioStandIn({
    ...standIn,
    clock,
    seed,
    script: ({ asked, nth, to }) => {
      const leg = legs.dial(idOf(asked), to)
      return "refused" in leg ? refusalOf(leg) : fateOf(leg, nth)
    },
    watch: ({ sid }, moment) => legs.watch(sid, moment),
    answersAfter: (to) => befores[Number(to.slice(-4)) % befores.length] ?? null,
    reach: ({ pathname, search }) => new URL(`${server.base}${pathname}${search}`),
    faults: drawnFaults({
      seed,
      requests: { lost_before: 0.04, lost_after: 0.05, too_many: 0.04, error_before: 0.03, error_after: 0.04 },
      callbacks: { lost: 0.05, doubled: 0.05, late: 0.05, reordered: 0.05 },
    }),
  })
  const { accountSid, authToken, url } = twilio
  return {
    start: () =>
      makeTwilio({
        accountSid,
        authToken,
        fetch,
        baseUrl: url,
        publicUrl: "https://voice.example.com/twilio",
        from: "+12125550199",
        voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
        machineDetection: { onMachine: "hang_up" },
      }),
    mount: server.mount,
    close: async () => {
      server.close()
      await twilio.close()
    },
  }
}
