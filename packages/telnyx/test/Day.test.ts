import type { Call } from "@carillon/core"
import { CarrierDay } from "@carillon/core/testing"
import { assert } from "vitest"
import { seed } from "../../../scripts/seed.ts"
import { callbackServer, pause } from "../../core/test/carrier/CallbackServer.ts"
import { ManualClock } from "../../twilio/test/standin/Clock.ts"
import { drawnFaults } from "../../twilio/test/standin/Faults.ts"
import { makeTelnyx } from "../src/index.ts"
import { type CallRecord, secondsOf } from "./standin/CallRecord.ts"
import type { Fate } from "./standin/Fate.ts"
import type { Warning } from "./standin/Journal.ts"
import { type Told, toldBy } from "./standin/Told.ts"
import { startTelnyxStandIn, type TelnyxStandIn } from "./standin/StandIn.ts"

const hour = 3_600_000

const fates: ReadonlyArray<Fate> = [
  { outcome: "answered", talk_s: 45, cost: 0.02, costed_after_s: 8 },
  { outcome: "answered", talk_s: 200, cost: 0.08, costed_after_s: 400 },
  { outcome: "answered", talk_s: 20, answered_by: "machine", cost: 0.014 },
  { outcome: "busy" },
  { outcome: "no_answer" },
  { outcome: "failed" },
]

const ends = { busy: "busy", no_answer: "no-answer", failed: "failed" } as const

/** What a host was told of a leg, and took. */
const heardOf = (telnyx: TelnyxStandIn, leg: CallRecord): ReadonlySet<string> =>
  new Set(
    telnyx
      .webhooks()
      .flatMap(({ call_control_id, event_type, status }) =>
        call_control_id === leg.call_control_id && status === 200 ? [event_type] : [],
      ),
  )

/** How a leg ended, as Telnyx knows it. */
const truthOf = ({ answeredAt, fate: { outcome }, verdict }: CallRecord): string => {
  if (answeredAt === null) return outcome in ends ? Reflect.get(ends, outcome) : "error"
  return verdict === "machine" ? "no-answer" : "completed"
}

/** How a call may have ended: as its leg did, unless a list of events was asked for and did not come. */
const endsOf = (leg: CallRecord, heard: ReadonlySet<string>, isTold: boolean): ReadonlyArray<string> => {
  const truth = truthOf(leg)
  if (isTold) return [truth]
  const isHeard = heard.has("call.hangup")
  if (leg.answeredAt === null) return isHeard ? [truth] : [truth, "error"]
  return isHeard || heard.has("call.answered") ? [truth, "completed"] : [truth, "completed", "error"]
}

/** A call is what its leg was, at its cost and of its length. */
const checkCall = (
  telnyx: TelnyxStandIn,
  told: (leg: CallRecord) => Told,
  call: Call,
  leg: CallRecord | undefined,
): void => {
  if (leg === undefined || call.call_sid === null) return assert.strictEqual(call.status, "error")
  assert.strictEqual(call.call_sid, leg.call_control_id)
  const heard = heardOf(telnyx, leg)
  const isTold = told(leg).always
  assert.include(endsOf(leg, heard, isTold), call.status)
  if (heard.has("call.cost")) assert.strictEqual(call.cost?.total, leg.cost)
  const end = leg.endedAt ?? 0
  const isTimed = telnyx
    .webhooks()
    .some(
      ({ at, call_control_id, event_type, status }) =>
        call_control_id === leg.call_control_id && event_type === "call.answered" && status === 200 && at < end,
    )
  if (leg.answeredAt === null) return
  const seconds = secondsOf(leg, end)
  if (isTold) return assert.approximately(call.duration_seconds ?? Number.NaN, seconds, 1)
  if (!isTimed || !heard.has("call.hangup")) return
  // Whoever did not hear the answer itself counts from when it was kept, which here is up to a minute late.
  assert.isAtMost(call.duration_seconds ?? Number.NaN, seconds + 1)
  assert.isAtLeast(call.duration_seconds ?? Number.NaN, Math.max(0, seconds - 60))
}

/** A dying process answers 503, and the next one takes what comes again. A cost may come again before the end of its call is known, for the last time. */
const isMadeGood = (telnyx: TelnyxStandIn, { call_control_id, text }: Warning): boolean => {
  const [, event] = /^(\S+) was not taken: 503$/.exec(text) ?? []
  if (event === "call.cost") return true
  return telnyx
    .webhooks()
    .some((sent) => sent.call_control_id === call_control_id && sent.event_type === event && sent.status === 200)
}

const legOf = (telnyx: TelnyxStandIn, told: (leg: CallRecord) => Told, leg: CallRecord): CarrierDay.DayLeg => {
  const heard = heardOf(telnyx, leg)
  const isKnown = heard.has("call.answered") || heard.has("call.hangup") || told(leg).always
  return {
    execution_id: leg.asked.text("command_id"),
    to_number: leg.to,
    createdAt: leg.createdAt,
    endedAt: leg.endedAt,
    wasReached: leg.answeredAt !== null && leg.verdict !== "machine" && isKnown,
  }
}

const open = async (seed: string): Promise<CarrierDay.DayStage> => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 9))
  const server = await callbackServer("/telnyx")
  const telnyx = await startTelnyxStandIn({
    clock,
    seed,
    costWebhooks: true,
    retryAfterSeconds: 2,
    // Whoever was not reached is, two attempts later at the most, or never.
    script: ({ nth, to }) => fates[(Number(to.slice(-4)) + 2 * nth) % fates.length] ?? { outcome: "answered" },
    reach: ({ pathname, search }) => new URL(`${server.base}${pathname}${search}`),
    tellsEarly: (to) => Number(to.slice(-1)) % 3 === 0,
    faults: drawnFaults({
      seed,
      requests: { lost_before: 0.04, lost_after: 0.05, too_many: 0.03, error_before: 0.03, error_after: 0.04 },
      callbacks: { lost: 0.05, doubled: 0.05, late: 0.05, reordered: 0.05 },
    }),
  })
  const { apiKey, connectionId, publicKey, url } = telnyx
  const told = toldBy(telnyx)
  return {
    clock,
    pause: pause(1),
    start: () => {
      const { carrier, webhooks } = makeTelnyx({
        apiKey,
        publicKey,
        connectionId,
        baseUrl: url,
        publicUrl: "https://voice.example.com/telnyx",
        from: "+12125550199",
        voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
        machineDetection: { onMachine: "hang_up" },
      })
      return { carrier, mount: (report) => server.mount(webhooks(report)) }
    },
    legs: () => telnyx.calls().map((leg) => legOf(telnyx, told, leg)),
    judge: (calls) => {
      const byId = new Map(telnyx.calls().map((leg) => [leg.asked.text("command_id"), leg]))
      for (const call of calls) checkCall(telnyx, told, call, byId.get(call.execution_id))
      assert.deepStrictEqual(
        telnyx.warnings().filter((warning) => !isMadeGood(telnyx, warning)),
        [],
      )
    },
    close: async () => {
      server.close()
      await telnyx.close()
    },
  }
}

CarrierDay.suite("a Telnyx", open, {
  contacts: 30,
  morningMs: 90_000,
  eveningMs: 8 * hour,
  reached: 15,
  legs: 35,
  seed: String(seed),
})
