import { type CallRecord, secondsOf } from "../../packages/twilio/test/standin/CallRecord.ts"
import type { ProgressEvent } from "../../packages/twilio/test/standin/Contract.ts"
import type { Fate } from "../../packages/twilio/test/standin/Fate.ts"
import { drawnFaults } from "../../packages/twilio/test/standin/Faults.ts"
import { startTwilioStandIn } from "../../packages/twilio/test/standin/StandIn.ts"
import { drawnFate } from "./Fates.ts"
import type { Leg } from "./Leg.ts"
import type { Stand, StandOptions } from "./Stand.ts"

/** Far more than a campaign of these dials: pace is not what is tried here. */
const callsPerSecond = 1_000
/** The record of a leg's requests, which proves whose it is: sooner than the 15 minutes of Twilio's, as everything here. */
const eventsAfterMs = 1_000
const detectionSeconds = 0.1

const fateOf = (seed: string, to: string, nth: number): Fate => {
  const { costed, outcome, ring, talk } = drawnFate(seed, to, nth)
  const times = { setup_s: 0.05, ring_s: ring, talk_s: talk, priced_after_s: costed, detection_s: detectionSeconds }
  switch (outcome) {
    case "answered":
      return { outcome: "completed", price: 0.014, ...times }
    case "machine":
      return { outcome: "completed", answered_by: "machine_start", price: 0.009, ...times }
    case "no_answer":
      return { outcome: "no-answer", ...times }
    case "busy":
    case "failed":
      return { outcome, ...times }
  }
}

/** How far a call has gone when its dial is answered: some have begun, rung or ended by then, and have been called back about. */
const befores: ReadonlyArray<ProgressEvent | null> = ["completed", "ringing", "initiated", "answered", null, null]

const idOf = (call: CallRecord): string | null =>
  /execution_id=([^#&]+)/.exec(call.asked.text("StatusCallback") ?? "")?.[1] ?? null

const legOf = (call: CallRecord): Leg => {
  const isMachine = call.answeredBy === "machine_start"
  const seconds = secondsOf(call, call.endedAt ?? 0)
  return {
    execution_id: idOf(call),
    to: call.to,
    createdAt: call.createdAt,
    endedAt: call.endedAt,
    wasReached: call.answeredAt !== null && !isMachine,
    statuses: [isMachine ? "no-answer" : call.status],
    seconds: { least: seconds, most: seconds },
    costs: [call.price ?? 0],
  }
}

/** 11200 and 15003: a callback that was not taken, which faults and kills bring about. */
const expectedWarnings: ReadonlySet<number> = new Set([11200, 15003])

/** Twilio. It can be asked about a leg for ever, so every leg's end, time and price become known. */
export const twilioStand = async ({ engine, seed, share, tally }: StandOptions): Promise<Stand> => {
  const drawn = drawnFaults({
    seed,
    requests: { lost_after: share },
    callbacks: { lost: share, doubled: share },
  })
  const standIn = await startTwilioStandIn({
    seed,
    callsPerSecond,
    eventsAfterMs,
    script: ({ nth, to }) => fateOf(seed, to, nth),
    answersAfter: (to) => befores[Number(to.slice(-4)) % befores.length] ?? null,
    reach: ({ pathname, search }) => new URL(`${engine}${pathname}${search}`),
    faults: {
      request: tally.counted("answer", drawn.request),
      callback: tally.counted("callback", drawn.callback),
    },
  })
  const { accountSid, authToken, url } = standIn
  return {
    settings: { carrier: "twilio", url, accountSid, authToken },
    legs: () => standIn.calls().map(legOf),
    complaints: () =>
      standIn.warnings().flatMap(({ code, text }) => (expectedWarnings.has(code) ? [] : [`${code} ${text}`])),
    close: standIn.close,
  }
}
