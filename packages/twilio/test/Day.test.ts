import type { Call } from "@carillon/core"
import { CarrierDay } from "@carillon/core/testing"
import { assert } from "vitest"
import { seed } from "../../../scripts/seed.ts"
import { callbackServer, pause } from "../../core/test/carrier/CallbackServer.ts"
import { makeTwilio } from "../src/index.ts"
import { type CallRecord, secondsOf } from "./standin/CallRecord.ts"
import { ManualClock } from "./standin/Clock.ts"
import type { ProgressEvent } from "./standin/Contract.ts"
import type { Fate } from "./standin/Fate.ts"
import { drawnFaults } from "./standin/Faults.ts"
import { startTwilioStandIn } from "./standin/StandIn.ts"

const hour = 3_600_000

const fates: ReadonlyArray<Fate> = [
  { outcome: "completed", talk_s: 45, price: 0.02, priced_after_s: 8 },
  { outcome: "completed", talk_s: 200, price: 0.08, priced_after_s: 400 },
  { outcome: "completed", talk_s: 20, answered_by: "machine_start", price: 0.014 },
  { outcome: "busy" },
  { outcome: "no-answer" },
  { outcome: "failed" },
  // Nobody spoke with whoever answered.
  { outcome: "completed", talk_s: 30, stream_error: 31920, price: 0.014 },
]

const befores: ReadonlyArray<ProgressEvent | null> = [
  null,
  "completed",
  "initiated",
  "completed",
  "ringing",
  null,
  "answered",
]

const idOf = (leg: CallRecord) => /execution_id=([^#]+)#/.exec(leg.asked.text("StatusCallback") ?? "")?.[1] ?? null

/** How a call may have ended. One whose stream failed is known to have only where Twilio's word of it came, and before that of the end. */
const statusesOf = ({ answeredBy, fate, status }: CallRecord): ReadonlyArray<string> => {
  if (answeredBy === "machine_start") return ["no-answer"]
  return status === "completed" && fate.stream_error !== null ? ["call-disconnected", "completed"] : [status]
}

/** A call is what its leg was, at its price. One of which nothing that Twilio said ever arrived is known to nobody. */
const checkCall = (call: Call, leg: CallRecord | undefined): void => {
  if (leg === undefined || call.call_sid === null) return assert.strictEqual(call.status, "error")
  assert.strictEqual(call.call_sid, leg.sid)
  assert.include(statusesOf(leg), call.status)
  if (leg.status === "completed") assert.approximately(call.duration_seconds ?? Number.NaN, secondsOf(leg, 0), 1)
  if (leg.price !== null) assert.strictEqual(call.cost?.total, leg.price)
}

const open = async (seed: string): Promise<CarrierDay.DayStage> => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 9))
  const server = await callbackServer("/twilio")
  const twilio = await startTwilioStandIn({
    clock,
    seed,
    callsPerSecond: 1,
    // Whoever was not reached is, two attempts later at the most, or never.
    script: ({ nth, to }) => fates[(Number(to.slice(-4)) + 2 * nth) % fates.length] ?? { outcome: "completed" },
    // Some dials are answered only when their call rings, was answered, or is over.
    answersAfter: (to) => befores[Number(to.slice(-4)) % befores.length] ?? null,
    reach: ({ pathname, search }) => new URL(`${server.base}${pathname}${search}`),
    faults: drawnFaults({
      seed,
      requests: { lost_before: 0.04, lost_after: 0.05, too_many: 0.03, error_before: 0.03, error_after: 0.04 },
      callbacks: { lost: 0.05, doubled: 0.05, late: 0.05, reordered: 0.05 },
    }),
  })
  const { accountSid, authToken, url } = twilio
  return {
    clock,
    pause: pause(1),
    start: () => {
      const { callbacks, carrier, settle } = makeTwilio({
        accountSid,
        authToken,
        baseUrl: url,
        publicUrl: "https://voice.example.com/twilio",
        from: "+12125550199",
        voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
        machineDetection: { onMachine: "hang_up" },
      })
      return { carrier, mount: (report) => server.mount(callbacks(report)), settle }
    },
    legs: () =>
      twilio.calls().map((leg) => ({
        execution_id: idOf(leg),
        to_number: leg.to,
        createdAt: leg.createdAt,
        endedAt: leg.endedAt,
        wasReached: leg.status === "completed" && leg.answeredBy !== "machine_start" && leg.fate.stream_error === null,
      })),
    judge: (calls) => {
      const byId = new Map(twilio.calls().map((leg) => [idOf(leg), leg]))
      for (const call of calls) checkCall(call, byId.get(call.execution_id))
      const unspoken = calls.filter(({ status }) => status === "call-disconnected")
      assert.isNotEmpty(unspoken, "nobody was told of a stream that failed")
      const early = twilio.callbacks().filter(({ at, call_sid, on }) => {
        const leg = twilio.calls().find(({ sid }) => sid === call_sid)
        return on === "status:completed" && at === leg?.createdAt
      })
      assert.isAbove(early.length, 2, "hardly any call was over before its dial was answered")
      // 11200: what the drawn faults did to the callbacks themselves. 15003: a dying process answered 503.
      assert.deepStrictEqual(
        twilio.warnings().filter(({ code }) => code !== 11200 && code !== 15003),
        [],
      )
    },
    close: async () => {
      server.close()
      await twilio.close()
    },
  }
}

CarrierDay.suite("a Twilio", open, {
  contacts: 30,
  morningMs: 90_000,
  eveningMs: 8 * hour,
  reached: 15,
  legs: 35,
  seed: String(seed),
})
