import { makeReporter, readJob } from "@carillon/livekit/worker"
import type { CallRecord, Moment } from "../../packages/livekit/test/standin/Calls.ts"
import type { Fate } from "../../packages/livekit/test/standin/Fate.ts"
import { drawnFaults } from "../../packages/livekit/test/standin/Faults.ts"
import { type LiveKitStandIn, startLiveKitStandIn } from "../../packages/livekit/test/standin/StandIn.ts"
import { draw } from "../../packages/twilio/test/standin/Chance.ts"
import { drawnFate } from "./Fates.ts"
import type { Leg } from "./Leg.ts"
import { callerId, type Stand, type StandOptions } from "./Stand.ts"

const trunkId = "ST_soak"
const sipCodes = { busy: 486, no_answer: 480, failed: 404 } as const

const fateOf = (seed: string, to: string, nth: number): Fate => {
  const { outcome, ring, talk } = drawnFate(seed, to, nth)
  const times = { setup_s: 0.05, ring_s: ring, talk_s: talk }
  // The worker is who hears a machine; here it is a callee like any other.
  if (outcome === "answered" || outcome === "machine") return { outcome: "answered", ...times }
  return { outcome: { code: sipCodes[outcome] }, ...times }
}

const noParts = { network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 }
const costOfCall = 0.25
/** As the reporter's own, but sooner and for longer than a process is away, so that one that is back hears of a leg before it asks about it. */
const retriesMs = [200, 400, 800, 1_600, ...Array.from({ length: 20 }, () => 3_000)]

/** The way from the worker to the engine: a request is lost on it, or its answer, which makes the worker say it again. */
const lossyFetch = ({ seed, share, tally }: StandOptions): typeof fetch => {
  let nth = 0
  return async (input, init) => {
    const drawn = draw(seed, "report", nth++)
    tally.add("reports")
    if (drawn < share) {
      tally.add("report lost")
      throw new TypeError("The soak has lost this report.")
    }
    const answer = await fetch(input, init)
    if (drawn >= 2 * share) return answer
    tally.add("report doubled")
    await answer.body?.cancel()
    throw new TypeError("The soak has lost the answer to this report.")
  }
}

/** The voice worker, as its job's metadata tells it to be: it reports the answer, and at the end what was said and what it cost. */
const workerOf = (standIn: () => LiveKitStandIn | null, through: typeof fetch, unheard: (what: string) => void) => {
  const tell = async ({ call, on }: Moment): Promise<void> => {
    const jobs = standIn()
    const job = readJob(jobs?.dispatches().findLast(({ room }) => room === call.room)?.metadata ?? "")
    if (jobs === null || job === null) throw new Error("The agent was told nothing.")
    const { apiKey, apiSecret } = jobs
    const reporter = makeReporter(job, { apiKey, apiSecret, retriesMs, fetch: through })
    if (on === "answered") return reporter.answered()
    if (call.answeredAt === null || call.endedAt === null) return
    await reporter.finished({
      answered_at: call.answeredAt,
      ended_at: call.endedAt,
      hangup_by: "customer",
      machine: false,
      transcript: `Talk of ${call.to}`,
      cost: { total: costOfCall, breakdown: { ...noParts, llm: costOfCall } },
    })
  }
  return (moment: Moment): Promise<void> =>
    tell(moment).catch((error: unknown) => unheard(`${moment.on}: ${String(error)}`))
}

/** With its SIP code, with the reason alone, or with neither: the code is known to the process alone whose request was open. */
const unanswered = ({ fate }: CallRecord): ReadonlyArray<string> => {
  if (typeof fate.outcome === "string") return ["no-answer", "error"]
  return fate.outcome.code === sipCodes.busy ? ["busy", "error"] : ["failed", "no-answer", "error"]
}

const legOf = (call: CallRecord): Leg => {
  const { answeredAt, endedAt } = call
  const seconds = answeredAt === null || endedAt === null ? null : (endedAt - answeredAt) / 1000
  return {
    execution_id: call.identity,
    to: call.to,
    createdAt: call.createdAt,
    endedAt,
    wasReached: answeredAt !== null,
    statuses: answeredAt === null ? unanswered(call) : ["completed"],
    // LiveKit tells the end in whole seconds, and a busy process hears of the answer late.
    seconds: seconds === null ? null : { least: seconds - 2, most: seconds + 2 },
    costs: [answeredAt === null ? 0 : costOfCall],
  }
}

/** LiveKit and its voice worker. It forgets a leg with its end, and the worker's reports are sent until they are kept. */
export const liveKitStand = async (options: StandOptions): Promise<Stand> => {
  const { engine, seed, share, tally } = options
  const started: { standIn: LiveKitStandIn | null } = { standIn: null }
  const unheard: Array<string> = []
  const drawn = drawnFaults({ seed, requests: { lost_after: share }, webhooks: { lost: share, doubled: share } })
  const standIn = await startLiveKitStandIn({
    seed,
    trunks: [{ id: trunkId, numbers: [callerId] }],
    worker: workerOf(
      () => started.standIn,
      lossyFetch(options),
      (what) => unheard.push(what),
    ),
    agents: () => ({ joins_after_s: 0.05 }),
    script: ({ nth, to }) => fateOf(seed, to, nth),
    webhooks: () => new URL(`${engine}/livekit/webhook`),
    faults: {
      request: tally.counted("answer", drawn.request),
      webhook: tally.counted("callback", drawn.webhook),
    },
  })
  started.standIn = standIn
  const { apiKey, apiSecret, url } = standIn
  return {
    settings: { carrier: "livekit", url, apiKey, apiSecret, trunkId },
    legs: () => standIn.calls().map(legOf),
    complaints: () => [
      ...unheard,
      ...standIn
        .warnings()
        .flatMap(({ text, what }) =>
          what === "webhook_not_taken" || what === "gone_before_answer" ? [] : [`${what}: ${text}`],
        ),
    ],
    close: standIn.close,
  }
}
