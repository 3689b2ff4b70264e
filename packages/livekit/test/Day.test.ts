import type { Call } from "@carillon/core"
import { CarrierDay } from "@carillon/core/testing"
import { assert } from "vitest"
import { seed } from "../../../scripts/seed.ts"
import { callbackServer, pause } from "../../core/test/carrier/CallbackServer.ts"
import { ManualClock } from "../../twilio/test/standin/Clock.ts"
import { makeLiveKit } from "../src/index.ts"
import { makeReporter, readJob } from "../src/worker.ts"
import type { CallRecord, Moment } from "./standin/Calls.ts"
import type { Fate } from "./standin/Fate.ts"
import { drawnFaults } from "./standin/Faults.ts"
import { type LiveKitStandIn, startLiveKitStandIn } from "./standin/StandIn.ts"

const hour = 3_600_000

const fates: ReadonlyArray<Fate> = [
  { outcome: "answered", talk_s: 45 },
  { outcome: "answered", talk_s: 200, ended_by: "agent_removes" },
  { outcome: "answered", talk_s: 20 },
  { outcome: { code: 486 } },
  { outcome: "unanswered" },
  { outcome: { code: 404 } },
]

/** Whether no worker ever takes the job of a call to this number: nobody speaks with whoever answers, at the third attempt in the evening. */
const isUnspoken = (to: string | undefined): boolean => Number(to?.slice(-4)) % fates.length === 3

const fewAlone = 2

/** An end that was left to the process that had dialled and was dead by then: LiveKit comes again, and is told so. */
const leftToTheDead = "participant_left: 503"

const noParts = { network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 }

/** The voice worker, as its job's metadata tells it to be: it reports the answer, and at the end what was said and what it cost. */
const workerOf = (livekit: () => LiveKitStandIn, base: string, clock: ManualClock) => {
  /** A report that a dead process could not take is told again to the next one. */
  const insists = (report: () => Promise<void>): Promise<void> =>
    report().catch(() => void clock.at(clock.now() + 1_000, () => insists(report)))
  const through: typeof fetch = (input, init) => fetch(String(input).replace("https://voice.example.com", base), init)
  return async ({ call, on }: Moment): Promise<void> => {
    const { apiKey, apiSecret, dispatches } = livekit()
    const job = readJob(dispatches().find(({ room }) => room === call.room)?.metadata ?? "")
    if (job === null) throw new Error("The agent was told nothing.")
    const reporter = makeReporter(job, { apiKey, apiSecret, retriesMs: [10, 20, 40], fetch: through })
    if (on === "answered" && isUnspoken(call.to)) return
    if (on === "answered") return insists(reporter.answered)
    if (call.answeredAt === null || isUnspoken(call.to)) return
    const said = {
      answered_at: call.answeredAt,
      ended_at: call.endedAt ?? Number.NaN,
      hangup_by: call.fate.ended_by === "callee" ? "customer" : "agent",
      machine: false,
      transcript: `Talk of ${call.to}`,
      cost: { total: 0.25, breakdown: { ...noParts, llm: 0.25 } },
    } as const
    await insists(() => reporter.finished(said))
  }
}

/** What a call may be whose leg nobody answered: with its SIP code, with the reason alone, or with neither. */
const unanswered = ({ fate }: CallRecord): ReadonlyArray<string> => {
  if (typeof fate.outcome === "string") return ["no-answer", "error"]
  return fate.outcome.code === 486 ? ["busy", "error"] : ["failed", "no-answer", "error"]
}

/** A call is what its leg was. One that was answered is told of by its worker too, so that nothing of it is lost. */
const checkCall = (call: Call, leg: CallRecord | undefined): void => {
  if (leg === undefined) return assert.strictEqual(call.status, "error")
  if (leg.answeredAt === null) return assert.include(unanswered(leg), call.status)
  // Whoever dialled may have died before it saw that nobody came.
  if (isUnspoken(leg.to)) return assert.include(["error", "completed"], call.status)
  assert.strictEqual(call.status, "completed")
  assert.strictEqual(call.cost?.total, 0.25)
  assert.approximately(call.duration_seconds ?? Number.NaN, leg.fate.talk_s, 2)
}

const open = async (seed: string): Promise<CarrierDay.DayStage> => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 9))
  const server = await callbackServer("/livekit")
  const started: { livekit: LiveKitStandIn | null } = { livekit: null }
  const livekit = await startLiveKitStandIn({
    clock,
    seed,
    agents: ({ metadata }) => (isUnspoken(readJob(metadata)?.to_number) ? { joins_after_s: null } : {}),
    worker: workerOf(() => started.livekit ?? assert.fail("not started"), server.base, clock),
    // Whoever was not reached is, two attempts later at the most, or never.
    script: ({ nth, to }) => fates[(Number(to.slice(-4)) + 2 * nth) % fates.length] ?? { outcome: "answered" },
    webhooks: () => new URL(`${server.base}/livekit/webhook`),
    faults: drawnFaults({
      seed,
      requests: {
        lost_before: 0.04,
        lost_after: 0.05,
        too_many: 0.03,
        unavailable_before: 0.03,
        unavailable_after: 0.04,
      },
      webhooks: { lost: 0.05, doubled: 0.05, late: 0.05, reordered: 0.05 },
    }),
  })
  started.livekit = livekit
  const { apiKey, apiSecret, trunkId, url } = livekit
  return {
    clock,
    // Answers that waited are taken, too.
    pause: pause(2),
    start: () => {
      const { callbacks, carrier } = makeLiveKit({
        url,
        apiKey,
        apiSecret,
        trunkId,
        agentName: "carillon",
        publicUrl: "https://voice.example.com/livekit",
        acceptAfterMs: 0,
      })
      return { carrier, mount: (report) => server.mount(callbacks(report)) }
    },
    legs: () =>
      livekit.calls().map((leg) => ({
        execution_id: leg.identity,
        to_number: leg.to,
        createdAt: leg.createdAt,
        endedAt: leg.endedAt,
        wasReached: leg.answeredAt !== null && !isUnspoken(leg.to),
      })),
    judge: (calls) => {
      const legs = livekit.calls()
      const byId = new Map(legs.map((leg) => [leg.identity, leg]))
      for (const call of calls) checkCall(call, byId.get(call.execution_id))
      const alone = legs.filter(({ answeredAt, to }) => answeredAt !== null && isUnspoken(to))
      const sentOut = alone.filter(
        ({ answeredAt, endedAt, fate }) => (endedAt ?? Infinity) - (answeredAt ?? 0) < fate.talk_s * 1000,
      )
      for (const { identity } of sentOut) {
        assert.strictEqual(calls.find((call) => call.execution_id === identity)?.error, "No agent came into the room.")
      }
      // Of one, the answer may be lost, or who heard it dead; hardly of each of many.
      assert(alone.length <= fewAlone || sentOut.length > 0, "nobody was taken out of a room into which no agent came")
      const unknown = calls.filter(
        ({ execution_id, status, to_number }) => status === "error" && byId.has(execution_id) && !isUnspoken(to_number),
      )
      assert.isBelow(unknown.length, legs.length / 5)
      assert.deepStrictEqual(
        livekit.warnings().filter(({ text }) => text !== leftToTheDead),
        [],
      )
    },
    close: async () => {
      server.close()
      await livekit.close()
    },
  }
}

CarrierDay.suite("a LiveKit", open, {
  contacts: 16,
  morningMs: 8_000,
  eveningMs: 2 * hour,
  // Three of the contacts are never spoken to.
  reached: 6,
  legs: 14,
  seed: String(seed),
})
