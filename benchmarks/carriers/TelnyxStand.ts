import { type CallRecord, secondsOf } from "../../packages/telnyx/test/standin/CallRecord.ts"
import type { Fate } from "../../packages/telnyx/test/standin/Fate.ts"
import { startTelnyxStandIn, type TelnyxStandIn } from "../../packages/telnyx/test/standin/StandIn.ts"
import type { WebhookEntry } from "../../packages/telnyx/test/standin/Journal.ts"
import { drawnFaults } from "../../packages/twilio/test/standin/Faults.ts"
import { drawnFate } from "./Fates.ts"
import type { Leg } from "./Leg.ts"
import type { Stand, StandOptions } from "./Stand.ts"

const dialsPerSecond = 1_000
const detectionSeconds = 0.1

const fateOf = (seed: string, to: string, nth: number): Fate => {
  const { costed, outcome, ring, talk } = drawnFate(seed, to, nth)
  const times = { ring_s: ring, talk_s: talk, costed_after_s: costed, detection_s: detectionSeconds }
  switch (outcome) {
    case "answered":
      return { outcome: "answered", cost: 0.016, ...times }
    case "machine":
      return { outcome: "answered", answered_by: "machine", cost: 0.008, ...times }
    default:
      return { outcome, ...times }
  }
}

const ends: ReadonlyMap<string, string> = new Map([
  ["busy", "busy"],
  ["no_answer", "no-answer"],
  ["failed", "failed"],
])

/** The kinds of webhooks of a leg that the host took, and when it did first. */
type Heard = ReadonlyMap<string, number>

const detected = "call.machine.premium.detection.ended"

/**
 * How a call may have ended. This stand-in lists no events, so that nobody can say how a leg ended whose end was told to nobody: then it is
 * `error`, unless it was answered.
 */
const statusesOf = (call: CallRecord, heard: Heard): ReadonlyArray<string> => {
  const isHeard = heard.has("call.hangup")
  if (call.answeredAt === null) return [(isHeard ? ends.get(call.fate.outcome) : undefined) ?? "error"]
  if (!isHeard && !heard.has("call.answered")) return ["error"]
  if (call.verdict === "machine") return heard.has(detected) ? ["no-answer", "completed"] : ["completed"]
  return ["completed"]
}

/** Telnyx shows a call without its times: who heard the answer or the end late, or not, has to guess, and is not held to it. */
const lengthOf = (call: CallRecord, heard: Heard): Leg["seconds"] => {
  const { answeredAt, endedAt } = call
  if (answeredAt === null || endedAt === null || !heard.has("call.hangup")) return null
  if ((heard.get("call.answered") ?? Infinity) > endedAt) return null
  const seconds = secondsOf(call, endedAt)
  return { least: seconds - 1, most: seconds + 1 }
}

/** What the host certainly heard, or what it may have heard: a webhook that was sent and not answered may have been kept all the same. */
const heardOf = (standIn: TelnyxStandIn, isHeard: (entry: WebhookEntry) => boolean): ReadonlyMap<string, Heard> => {
  const all = new Map<string, Map<string, number>>()
  for (const entry of standIn.webhooks().filter(isHeard)) {
    const { at, call_control_id, event_type } = entry
    const heard = all.get(call_control_id) ?? new Map<string, number>()
    if (!heard.has(event_type)) heard.set(event_type, at)
    all.set(call_control_id, heard)
  }
  return all
}

const nothing: Heard = new Map()

const costOf = ({ cost }: CallRecord, heard: Heard): number => (heard.has("call.cost") ? (cost ?? 0) : 0)

/** `possibly` is heard or not: a call may have ended by either. */
const legOf = (call: CallRecord, surely: Heard, possibly: Heard): Leg => ({
  execution_id: call.asked.text("command_id"),
  to: call.to,
  createdAt: call.createdAt,
  endedAt: call.endedAt,
  wasReached: call.answeredAt !== null && call.verdict !== "machine",
  statuses: [...new Set([surely, possibly].flatMap((heard) => statusesOf(call, heard)))],
  seconds: lengthOf(call, surely),
  costs: [...new Set([surely, possibly].map((heard) => costOf(call, heard)))],
})

/** Telnyx. What it tells in webhooks alone is lost with them: how an unanswered leg ended, and what a leg cost. */
export const telnyxStand = async ({ engine, seed, share, tally }: StandOptions): Promise<Stand> => {
  const drawn = drawnFaults({
    seed,
    requests: { lost_after: share },
    callbacks: { lost: share, doubled: share },
  })
  const standIn = await startTelnyxStandIn({
    seed,
    dialsPerSecond,
    costWebhooks: true,
    script: ({ nth, to }) => fateOf(seed, to, nth),
    reach: ({ pathname, search }) => new URL(`${engine}${pathname}${search}`),
    faults: {
      request: tally.counted("answer", drawn.request),
      callback: tally.counted("callback", drawn.callback),
    },
  })
  const { apiKey, connectionId, publicKey, url } = standIn
  return {
    settings: { carrier: "telnyx", url, apiKey, publicKey, connectionId },
    legs: () => {
      const surely = heardOf(standIn, ({ status }) => status === 200)
      const possibly = heardOf(standIn, ({ fault }) => fault !== "lost")
      return standIn.calls().map((call) => {
        const id = call.call_control_id
        return legOf(call, surely.get(id) ?? nothing, possibly.get(id) ?? nothing)
      })
    },
    complaints: () => standIn.warnings().flatMap(({ text }) => (text.includes("was not taken") ? [] : [text])),
    close: standIn.close,
  }
}
