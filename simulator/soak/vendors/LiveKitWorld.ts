import { makeLiveKit } from "@carillon/livekit"
import { makeReporter, readJob } from "@carillon/livekit/worker"
import { callbackServer } from "../../../packages/core/test/carrier/CallbackServer.ts"
import type { Moment } from "../../../packages/livekit/test/standin/Calls.ts"
import type { Fate, Refusal } from "../../../packages/livekit/test/standin/Fate.ts"
import { drawnFaults } from "../../../packages/livekit/test/standin/Faults.ts"
import { type LiveKitStandIn, startLiveKitStandIn } from "../../../packages/livekit/test/standin/StandIn.ts"
import type { Course, FarEnd, OpenVendor, WireLeg, WireRefusal } from "../../src/index.ts"
import { WireLegs } from "./WireLegs.ts"

const publicUrl = "https://voice.example.com"

/** LiveKit refuses no number by itself: what is wrong with one, the trunk says, and then there was a leg. */
const refusals: Readonly<Record<WireRefusal["refused"], Refusal["refused"]>> = {
  unreachable: "unavailable",
  rejected: "permission_denied",
  invalid_destination: "invalid_argument",
  insufficient_funds: "permission_denied",
  throttled: "resource_exhausted",
}

const fateOf = ({ course: { result, ring_ms, setup_ms, talk_ms } }: WireLeg): Fate => {
  const times = { setup_s: setup_ms / 1000, ring_s: ring_ms / 1000, talk_s: talk_ms / 1000 }
  switch (result) {
    case "completed":
    case "voicemail":
      return { outcome: "answered", ...times }
    case "call-disconnected":
      return { outcome: "answered", ended_by: "media", ...times }
    case "busy":
      return { outcome: { code: 486 }, ...times }
    case "no-answer":
      return { outcome: "unanswered", ...times }
    case "failed":
    case "error":
      return { outcome: { code: 404 }, ...times }
  }
}

const noParts = { network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 }
const saidAgainMs = 1_000

interface Worker {
  readonly clock: FarEnd["clock"]
  readonly base: string
  readonly livekit: () => LiveKitStandIn
  readonly courseOf: (id: string) => Course | null
}

/** The voice worker, as its job's metadata tells it to be: it reports the answer, and at the end what was said and what it cost. */
const workerOf = ({ base, clock, courseOf, livekit }: Worker) => {
  /** A report that a dead process could not take is told again to the next one. */
  const insists = (report: () => Promise<void>): Promise<void> =>
    report().catch(() => void clock.at(clock.now() + saidAgainMs, () => insists(report)))
  const through: typeof fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    return fetch(`${base}${pathname}`, init)
  }
  return async ({ call, on }: Moment): Promise<void> => {
    const { apiKey, apiSecret, dispatches } = livekit()
    const job = readJob(dispatches().find(({ room }) => room === call.room)?.metadata ?? "")
    if (job === null) throw new Error("The agent was told nothing.")
    const reporter = makeReporter(job, { apiKey, apiSecret, retriesMs: [], fetch: through })
    if (on === "answered") return insists(reporter.answered)
    const { answeredAt: answered_at, endedAt } = call
    if (answered_at === null) return
    const said = {
      answered_at,
      ended_at: endedAt ?? clock.now(),
      hangup_by: "customer",
      machine: courseOf(call.id)?.result === "voicemail",
      transcript: `Talk of ${call.to}`,
      cost: { total: 0.25, breakdown: { ...noParts, llm: 0.25 } },
    } as const
    await insists(() => reporter.finished(said))
  }
}

/** The platform's `fetch` while another one stands in its place, and the way of each address that has one of its own. */
const diverted: { platform: typeof fetch | null; readonly ways: Map<string, FarEnd["fetch"]> } = {
  platform: null,
  ways: new Map(),
}

/** LiveKit's SDK asks by the platform's `fetch` alone: what goes to this address goes another way, until the function is called. A world that begins anew opens the next vendor before it closes the last one. */
const divert = (url: string, way: FarEnd["fetch"]): (() => void) => {
  const { ways } = diverted
  const platform = (diverted.platform ??= globalThis.fetch)
  const { origin } = new URL(url)
  ways.set(origin, way)
  globalThis.fetch = (input, init) => {
    const request = new Request(input, init)
    return (ways.get(new URL(request.url).origin) ?? platform)(request)
  }
  return () => {
    ways.delete(origin)
    if (ways.size > 0) return
    globalThis.fetch = platform
    diverted.platform = null
  }
}

/** LiveKit between an engine and the world's carrier, with the voice worker: calls go as the carrier says, and words get lost as the seed has it. */
export const liveKitWorld: OpenVendor = async ({ clock, fetch, seed, wire }) => {
  const server = await callbackServer("/livekit")
  const legs = new WireLegs(wire)
  const started: { livekit: LiveKitStandIn | null } = { livekit: null }
  const opened = () => {
    if (started.livekit === null) throw new Error("The stand-in is not open yet.")
    return started.livekit
  }
  const livekit = await startLiveKitStandIn({
    clock,
    seed,
    script: ({ asked, to }) => {
      const leg = legs.dial(asked.participantIdentity, to)
      return "refused" in leg ? { refused: refusals[leg.refused] } : fateOf(leg)
    },
    watch: ({ id }, moment) => legs.watch(id, moment),
    worker: workerOf({ clock, base: server.base, livekit: opened, courseOf: (id) => legs.courseOf(id) }),
    webhooks: () => new URL(`${server.base}/livekit/webhook`),
    retryAfterSeconds: 2,
    faults: drawnFaults({
      seed,
      requests: {
        lost_before: 0.04,
        lost_after: 0.05,
        too_many: 0.04,
        unavailable_before: 0.03,
        unavailable_after: 0.04,
      },
      webhooks: { lost: 0.05, doubled: 0.05, late: 0.05, reordered: 0.05 },
    }),
  })
  started.livekit = livekit
  const { apiKey, apiSecret, trunkId, url } = livekit
  const restore = divert(url, fetch)
  return {
    start: () =>
      makeLiveKit({
        url,
        apiKey,
        apiSecret,
        trunkId,
        agentName: "carillon",
        publicUrl: `${publicUrl}/livekit`,
        acceptAfterMs: 0,
      }),
    mount: server.mount,
    waiting: livekit.waiting,
    close: async () => {
      restore()
      server.close()
      await livekit.close()
    },
  }
}
