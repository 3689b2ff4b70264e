import type { CallRecord } from "../../packages/telnyx/test/standin/CallRecord.ts"
import type { Fate } from "../../packages/telnyx/test/standin/Fate.ts"
import { startTelnyxStandIn, type TelnyxStandIn } from "../../packages/telnyx/test/standin/StandIn.ts"
import { type Told, toldBy } from "../../packages/telnyx/test/standin/Told.ts"
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

/** How a leg ended, as Telnyx knows it. */
const truthOf = ({ answeredAt, fate, verdict }: CallRecord): string => {
  if (answeredAt === null) return ends.get(fate.outcome) ?? "error"
  return verdict === "machine" ? "no-answer" : "completed"
}

/**
 * How a call may have ended. Telnyx lists the events of a leg whose webhooks were lost, so it ended as it did. Only where an answer with that
 * list was lost may the engine have had to do without: then nobody could say how an unanswered leg ended, or who answered.
 */
const statusesOf = (call: CallRecord, heard: Heard, told: Told): ReadonlyArray<string> => {
  const truth = truthOf(call)
  if (told.always) return [truth]
  const isHeard = heard.has("call.hangup")
  if (call.answeredAt === null) return isHeard ? [truth] : [truth, "error"]
  return isHeard || heard.has("call.answered") ? [truth, "completed"] : [truth, "completed", "error"]
}

/**
 * Telnyx shows a call without its times, but its events have them: whoever did not get those has to guess, and is not held to it. An event is
 * written down when it is told, which on a busy machine is a while after it happened.
 */
const lengthOf = (call: CallRecord, heard: Heard, told: Told): Leg["seconds"] => {
  const { answeredAt, endedAt } = call
  if (answeredAt === null || endedAt === null) return null
  const isTimed = heard.has("call.hangup") && (heard.get("call.answered") ?? Infinity) <= endedAt
  if (!told.always && !isTimed) return null
  const toldAt = (event: string, at: number) => call.events.find(({ name }) => name === event)?.at ?? at
  return {
    least: Math.round((endedAt - toldAt("call.answered", answeredAt)) / 1000) - 1,
    most: Math.round((toldAt("call.hangup", endedAt) - answeredAt) / 1000) + 1,
  }
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

/** What a call may have come to cost: a cost is told after the end, and nobody asks for it once the end was kept. */
const costsOf = (call: CallRecord, surely: Heard, possibly: Heard, told: Told): ReadonlyArray<number> => {
  const cost = call.cost ?? 0
  if (surely.has("call.cost")) return [cost]
  const costedAt = call.events.find(({ name }) => name === "call.cost")?.at ?? Infinity
  const isListed = told.lastAt !== null && told.lastAt >= costedAt
  // Nobody told the end but the list, and the cost stood in it by then.
  if (isListed && !possibly.has("call.hangup")) return [cost]
  return isListed || possibly.has("call.cost") ? [0, cost] : [0]
}

/** `possibly` is heard or not: a call may have ended by either. */
const legOf = (call: CallRecord, surely: Heard, possibly: Heard, told: Told): Leg => ({
  execution_id: call.asked.text("command_id"),
  to: call.to,
  createdAt: call.createdAt,
  endedAt: call.endedAt,
  wasReached: call.answeredAt !== null && call.verdict !== "machine",
  statuses: [...new Set([surely, possibly].flatMap((heard) => statusesOf(call, heard, told)))],
  seconds: lengthOf(call, surely, told),
  costs: [...new Set(costsOf(call, surely, possibly, told))],
})

/** Telnyx. What a leg cost is lost with its webhook where the end was heard before: nobody asks for it any more. */
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
    tellsEarly: (to) => Number(to.slice(-4)) % 3 === 0,
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
      const told = toldBy(standIn)
      return standIn.calls().map((call) => {
        const id = call.call_control_id
        return legOf(call, surely.get(id) ?? nothing, possibly.get(id) ?? nothing, told(call))
      })
    },
    complaints: () => standIn.warnings().flatMap(({ text }) => (text.includes("was not taken") ? [] : [text])),
    close: standIn.close,
  }
}
