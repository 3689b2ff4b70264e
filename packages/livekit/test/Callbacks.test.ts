import { type CarrierReport, InvalidField, Telephony } from "@carillon/core"
import { CallStore } from "@carillon/core/ports"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { sampleCall } from "@carillon/core/testing"
import { EgressInfo, EgressStatus, FileInfo, Job, JobState, JobStatus, Room, WebhookEvent } from "@livekit/protocol"
import { Effect, Layer } from "effect"
import { AccessToken } from "livekit-server-sdk"
import { assert, describe, it, onTestFinished } from "vitest"
import { type LiveKitOptions, makeLiveKit } from "../src/index.ts"
import { makeReporter, readJob, ReportRefused } from "../src/worker.ts"
import { sentSlowly, slowCallback } from "../../core/test/carrier/SlowBody.ts"
import { bounds } from "../src/Bounds.ts"
import { apiKey, apiSecret, publicUrl } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

type World = Awaited<ReturnType<typeof staged>>

/** A leg that was dialled, on a far end that is moved by hand. */
const dialled = async (
  options: Partial<LiveKitOptions>,
  test: (world: World, id: string, find: Telephony["Service"]["find"]) => Promise<void>,
  to = "+12125550101",
  record = false,
) => {
  const world = await staged({ reportWaitSeconds: 0, ...options })
  onTestFinished(() => world.farEnd.close())
  const call = commandFor(to, { record })
  await Effect.gen(function* () {
    const { dial, find } = yield* Telephony
    assert.strictEqual((yield* dial(call))._tag, "Accepted")
    yield* Effect.promise(() => test(world, call.execution_id, find))
  }).pipe(Effect.provide(world.carrier), Effect.scoped, Effect.runPromise)
}

const typesOf = (reports: ReadonlyArray<CarrierReport>) => reports.map(({ type }) => type)
const legOf = ({ farEnd }: World) => farEnd.legs[0] ?? assert.fail("no leg")

const until = async ({ farEnd }: World, id: string, status: string) => {
  while (!farEnd.isAt(id, status) && (await farEnd.step()));
}

/** What a worker reports with, over the mount itself. */
const workerOf = (world: World, secret = apiSecret) => {
  const job = readJob(world.farEnd.dispatches[0]?.metadata ?? "") ?? assert.fail("no job")
  const seen: Array<Request> = []
  const through: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    seen.push(request.clone())
    return world.farEnd.callback(request)
  }
  const options = { apiKey, apiSecret: secret, retriesMs: [1, 1], fetch: through }
  return { job, seen, reporter: makeReporter(job, options) }
}

const cost = {
  total: 0.3,
  breakdown: { llm: 0.1, network: 0, platform: 0, synthesizer: 0.1, telephony: 0.05, transcriber: 0.05 },
}

const finished = {
  answered_at: 1_000,
  ended_at: 61_000,
  hangup_by: null,
  machine: null,
  transcript: null,
  cost: null,
} as const

describe("a process that took over from the one that dialled", () => {
  /** A leg that another process has dialled, of whose answer the rows know nothing yet. */
  const takenOver = (test: (world: World, id: string, find: Telephony["Service"]["find"]) => Promise<void>) =>
    dialled({}, async (first, id) => {
      await until(first, id, "active")
      const second = makeLiveKit({
        url: first.farEnd.url,
        apiKey,
        apiSecret,
        trunkId: "ST_1",
        agentName: "carillon",
        publicUrl,
        reportWaitSeconds: 0,
        agentWaitSeconds: 1,
      })
      const reports: Array<CarrierReport> = []
      first.farEnd.callback = second.callbacks(async (report) => {
        reports.push(report)
        return "applied"
      })
      const row = sampleCall("org_1", {
        execution_id: id,
        dial: "accepted",
        status: "initiated",
        call_sid: "SCL_1",
      })
      const locate = { locate: () => Effect.succeed(row) }
      const reads = Layer.succeed(CallStore, locate as never)
      const layer = second.carrier.pipe(Layer.provide(reads), Layer.provide(MemoryStore.layer(new MemoryTables())))
      await Effect.gen(function* () {
        const { find } = yield* Telephony
        yield* Effect.promise(() => test({ ...first, reports }, id, find))
      }).pipe(Effect.provide(layer), Effect.scoped, Effect.runPromise)
    })

  it("knows by LiveKit's own word that somebody had answered, and how long by the worker's", () =>
    takenOver(async (world) => {
      const { reporter } = workerOf(world)
      assert.strictEqual(await world.farEnd.left(legOf(world), 1), 200)
      const end = world.reports.at(-1)
      assert(end?.type === "final")
      assert.deepInclude(end.end, { status: "completed", duration_seconds: null })
      await reporter.finished({ ...finished, cost })
      const last = world.reports.at(-1)
      assert(last?.type === "corrected")
      assert.deepStrictEqual(last.end, { duration_seconds: 60 })
    }))

  it("takes a callee out of the room whom it finds there alone, once an agent has had its time", async () => {
    const sentOut = ({ farEnd }: World) => farEnd.seen.some(({ method }) => method === "RoomService/RemoveParticipant")
    await takenOver(async (world, id, find) => {
      world.farEnd.agentsJoin = false
      assert.strictEqual((await Effect.runPromise(find(id)))._tag, "Live")
      while (!sentOut(world)) await new Promise((resolve) => setTimeout(resolve, 5))
      assert.deepStrictEqual(typesOf(world.reports), ["ended"])
      await world.farEnd.step()
      const last = world.reports.at(-1)
      assert(last?.type === "final")
      assert.deepInclude(last.end, { status: "error", error: "No agent came into the room." })
    })
  })

  it("waits for the worker before its final word, where the worker was faster", () =>
    takenOver(async (world) => {
      await workerOf(world).reporter.finished({ ...finished, cost })
      const last = world.reports.find(({ type }) => type === "final")
      assert(last?.type === "final")
      assert.deepInclude(last.end, { status: "completed", duration_seconds: 60 })
    }))
})

describe("webhooks", () => {
  it("tell the end of a leg once, with the time and the reason that LiveKit gives", () =>
    dialled({}, async (world, id) => {
      await until(world, id, "active")
      const leg = legOf(world)
      assert.strictEqual(await world.farEnd.left(leg, 1), 200)
      assert.strictEqual(await world.farEnd.left(leg, 1), 200)
      assert.deepStrictEqual(typesOf(world.reports), ["answered", "final"])
      const last = world.reports.at(-1)
      assert(last?.type === "final")
      assert.strictEqual(last.at, world.farEnd.now)
      assert.deepInclude(last.end, { status: "completed", hangup_by: "customer" })
    }))

  it("of an end whose SIP code is still to come are told to come again, and the code counts", () =>
    dialled({}, async (world, id) => {
      const leg = legOf(world)
      // The reason alone would be busy.
      assert.strictEqual(await world.farEnd.webhook(world.farEnd.eventOf("participant_left", leg, 12)), 503)
      assert.isEmpty(world.reports)
      leg.plan = [[world.farEnd.now, { to: "refused", sip: 403, reason: 12 }]]
      await world.farEnd.step()
      assert.strictEqual(world.farEnd.statuses.at(-1), 200)
      const [only] = world.reports
      assert(only?.type === "final" && world.reports.length === 1)
      assert.strictEqual(only.execution_id, id)
      assert.deepInclude(only.end, { status: "error", error: "The trunk forbids the call (SIP 403)." })
    }))

  it("come before the answer of their request where that got lost, and count then", () =>
    dialled({}, async (world) => {
      const leg = legOf(world)
      assert.strictEqual(await world.farEnd.webhook(world.farEnd.eventOf("participant_left", leg, 12)), 503)
      leg.response?.destroy()
      while (world.reports.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      assert.deepInclude(world.reports[0], { type: "final" })
      assert(world.reports[0]?.type === "final" && world.reports[0].end.status === "busy")
    }))

  it("of others' rooms, of others in the room, and of what nobody knows, change nothing", () =>
    dialled({}, async (world) => {
      const { farEnd } = world
      const leg = legOf(world)
      const others = farEnd.eventOf("participant_left", leg, 1)
      if (others.room !== undefined) others.room.name = "lobby"
      const agents = farEnd.eventOf("participant_left", leg, 1)
      if (agents.participant !== undefined) agents.participant.identity = "agent-1"
      const unknown = farEnd.eventOf("participant_left", leg, 1)
      if (unknown.room !== undefined) unknown.room.name = "call-exec_of_nobody"
      if (unknown.participant !== undefined) unknown.participant.identity = "exec_of_nobody"
      const events = [others, agents, unknown, farEnd.eventOf("track_published", leg), farEnd.eventOf("new_kind", leg)]
      for (const event of events) assert.strictEqual(await farEnd.webhook(event), 200)
      assert.isEmpty(world.reports)
    }))

  it("of an agent that died take the callee out, and the call is an error; of one that did well they take nobody", () =>
    dialled({}, async (world, id) => {
      await until(world, id, "active")
      const { farEnd } = world
      const jobEnded = (status: JobStatus) =>
        farEnd.webhook(
          new WebhookEvent({
            event: "agent_job_ended",
            job: new Job({ room: new Room({ name: `call-${id}` }), state: new JobState({ status }) }),
          }),
        )
      const removals = () => farEnd.seen.filter(({ method }) => method === "RoomService/RemoveParticipant").length
      assert.strictEqual(await jobEnded(JobStatus.JS_SUCCESS), 200)
      assert.strictEqual(removals(), 0)
      assert.strictEqual(await jobEnded(JobStatus.JS_FAILED), 200)
      assert.strictEqual(removals(), 1)
      await farEnd.step()
      const last = world.reports.at(-1)
      assert(last?.type === "final")
      assert.deepInclude(last.end, { status: "error", error: "The agent failed." })
    }))

  it("tell of a callee who was taken out because no agent came, and the call is an error that says so", () =>
    dialled({ agentWaitSeconds: 1 }, async (world, id) => {
      world.farEnd.agentsJoin = false
      await until(world, id, "active")
      const removals = () => world.farEnd.seen.filter(({ method }) => method === "RoomService/RemoveParticipant").length
      while (removals() === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.deepStrictEqual(typesOf(world.reports), ["answered", "ended"])
      await world.farEnd.step()
      const last = world.reports.at(-1)
      assert(last?.type === "final")
      assert.deepInclude(last.end, { status: "error", error: "No agent came into the room." })
    }))

  it("take out such a callee also where the answer of their request got lost, once somebody asks", () =>
    dialled({ agentWaitSeconds: 1 }, async (world, id, find) => {
      world.farEnd.agentsJoin = false
      legOf(world).response?.destroy()
      await until(world, id, "active")
      assert.strictEqual((await Effect.runPromise(find(id)))._tag, "Live")
      const isSentOut = () => world.farEnd.seen.some(({ method }) => method === "RoomService/RemoveParticipant")
      while (!isSentOut()) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.deepStrictEqual(typesOf(world.reports), ["ended"])
      await world.farEnd.step()
      const last = world.reports.at(-1)
      assert(last?.type === "final")
      assert.deepInclude(last.end, { status: "error", error: "No agent came into the room." })
    }))

  it("leave a callee in the room to whom an agent has spoken, and take out one whose agent has not come by then", async () => {
    const isSentOut = ({ farEnd }: World) =>
      farEnd.seen.some(({ method }) => method === "RoomService/RemoveParticipant")
    await dialled({ agentWaitSeconds: 1 }, async (world, id) => {
      world.farEnd.agentsJoin = false
      world.farEnd.jobs = [JobStatus.JS_FAILED, JobStatus.JS_SUCCESS]
      await until(world, id, "active")
      const isAsked = () => world.farEnd.seen.some(({ method }) => method === "AgentDispatchService/ListDispatch")
      while (!isAsked()) await new Promise((resolve) => setTimeout(resolve, 10))
      await new Promise((resolve) => setTimeout(resolve, 50))
      assert.deepStrictEqual(typesOf(world.reports), ["answered"])
      assert.isFalse(isSentOut(world))
    })
    await dialled({ agentWaitSeconds: 1 }, async (world, id) => {
      world.farEnd.agentsJoin = false
      world.farEnd.jobs = [JobStatus.JS_PENDING, JobStatus.JS_RUNNING]
      await until(world, id, "active")
      while (!isSentOut(world)) await new Promise((resolve) => setTimeout(resolve, 10))
    })
  })

  it("are kept waiting for where the end cannot be reported, and it is then", () =>
    dialled({ agentWaitSeconds: 1 }, async (world, id, find) => {
      world.farEnd.agentsJoin = false
      let failures = 0
      const reports: Array<CarrierReport> = []
      world.farEnd.callback = world.adapter.callbacks(async (report) => {
        if (report.type === "ended" && failures++ === 0) throw new Error("away")
        reports.push(report)
      })
      await until(world, id, "active")
      while (failures === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.deepStrictEqual(typesOf(reports), ["answered"])
      assert.strictEqual((await Effect.runPromise(find(id)))._tag, "Live")
      while (reports.length === 1) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.deepStrictEqual(typesOf(reports), ["answered", "ended"])
    }))

  it("leave a callee alone with whom somebody is, be it late", () =>
    dialled({ agentWaitSeconds: 1 }, async (world, id) => {
      world.farEnd.agentsJoin = false
      await until(world, id, "active")
      world.farEnd.agentsJoin = true
      const looks = () => world.farEnd.seen.filter(({ method }) => method === "RoomService/ListParticipants").length
      const before = looks()
      while (looks() === before) await new Promise((resolve) => setTimeout(resolve, 10))
      await new Promise((resolve) => setTimeout(resolve, 50))
      assert.deepStrictEqual(typesOf(world.reports), ["answered"])
    }))

  it("are refused where LiveKit has not signed them so", () =>
    dialled({}, async (world) => {
      const { farEnd } = world
      const event = farEnd.eventOf("participant_left", legOf(world), 1)
      const changed = (headers: (given: Headers) => void) => (request: Request) => {
        const given = new Headers(request.headers)
        headers(given)
        return new Request(request, { headers: given })
      }
      const changes: ReadonlyArray<(request: Request) => Request> = [
        changed((headers) => headers.delete("authorization")),
        changed((headers) => headers.set("authorization", `Bearer ${headers.get("authorization")}`)),
        changed((headers) => headers.set("authorization", "a.b.c")),
        (request) =>
          new Request(request, { method: "POST", body: `${event.toJsonString()} `, headers: request.headers }),
      ]
      for (const change of changes) assert.strictEqual(await farEnd.webhook(event, change), 401)
      const body = "x".repeat(300_000)
      const send = (path: string, init: RequestInit) => farEnd.callback(new Request(`${publicUrl}${path}`, init))
      assert.strictEqual((await send("/webhook", { method: "POST", body })).status, 401)
      const token = new AccessToken(apiKey, apiSecret, { ttl: 300 })
      token.sha256 = "of something"
      const headers = { authorization: await token.toJwt() }
      assert.strictEqual((await send("/webhook", { method: "POST", body, headers })).status, 413)
      assert.strictEqual((await send("/webhook", {})).status, 405)
      assert.strictEqual((await send("/elsewhere", { method: "POST" })).status, 404)
      assert.isEmpty(world.reports)
    }))

  it("are read of nobody who has not got the secret, and within the room that there is", () =>
    dialled({}, async (world, id) => {
      await until(world, id, "active")
      world.farEnd.callback = world.adapter.callbacks(async (report) => {
        world.reports.push(report)
        return "applied"
      })
      const bearer = async (secret: string, hash?: string, ttl = 60, identity = "carillon-report") => {
        const token = new AccessToken(apiKey, secret, { ttl, identity })
        if (hash !== undefined) token.sha256 = hash
        return { authorization: `Bearer ${await token.toJwt()}` }
      }
      const bare = ({ authorization }: { readonly authorization: string }) => ({
        authorization: authorization.slice(7),
      })
      const forged = await bearer(`${apiSecret}x`, "of something")
      const unread = [
        ["/webhook", {}],
        ["/webhook", bare(forged)],
        ["/webhook", bare(await bearer(apiSecret))],
        ["/webhook", bare(await bearer(apiSecret, "of something", -120))],
        ["/report", {}],
        ["/report", forged],
        ["/report", await bearer(apiSecret)],
        ["/report", await bearer(apiSecret, "of something", 3_600)],
        ["/report", await bearer(apiSecret, "of something", 60, "somebody")],
      ] as const
      for (const [path, headers] of unread) {
        const callback = slowCallback(publicUrl + path, headers, 1)
        assert.strictEqual((await world.farEnd.callback(callback.request)).status, 401)
        assert.strictEqual(callback.reads(), 0)
      }
      const genuine = await bearer(apiSecret, "of something")
      const slow = await sentSlowly(world.farEnd.callback, 20, () =>
        slowCallback(`${publicUrl}/report`, genuine, bounds.reportBytes),
      )
      assert.isAbove(slow.refused.length, 0)
      assert.deepStrictEqual(new Set(slow.refused), new Set([503]))
      assert.strictEqual(await world.farEnd.left(legOf(world), 1), 200)
      assert.deepStrictEqual(new Set(await slow.end()), new Set([401, 503]))
      assert.deepStrictEqual(typesOf(world.reports), ["answered", "final"])
    }))

  it("are answered 200 only when what they say is kept", () =>
    dialled({}, async (world, id) => {
      await until(world, id, "active")
      const answers: Array<number> = []
      const faults = [new Error("away"), new InvalidField({ field: "at", reason: "is odd" }), null]
      for (const fault of faults) {
        world.farEnd.callback = world.adapter.callbacks(() =>
          fault === null ? Promise.resolve("applied") : Promise.reject(fault),
        )
        answers.push(await world.farEnd.left(legOf(world), 1))
      }
      assert.deepStrictEqual(answers, [503, 400, 200])
    }))

  it("find nobody home before the engine has started", async () => {
    const good = { url: "wss://p.livekit.cloud", apiKey, apiSecret, trunkId: "ST_1", agentName: "a", publicUrl }
    const handle = makeLiveKit(good).callbacks(async () => "applied")
    const world = await staged()
    onTestFinished(() => world.farEnd.close())
    world.farEnd.callback = handle
    assert.strictEqual(await world.farEnd.webhook(new WebhookEvent({ event: "room_started" })), 503)
  })
})

describe("recordings", () => {
  const open = async ({ filename }: { readonly filename: string }) => new Response(`sound of ${filename}`)
  const recording = { output: () => assert.fail("not asked"), open }

  it("are had at the mount, by whoever has the address, from the host's own storage", () =>
    dialled({ recording }, async (world, id) => {
      await until(world, id, "active")
      const file = new FileInfo({ filename: "calls/1.ogg", location: "https://storage.example.com/calls/1.ogg" })
      const info = new EgressInfo({
        egressId: "EG_abc",
        roomName: `call-${id}`,
        status: EgressStatus.EGRESS_COMPLETE,
        fileResults: [file],
      })
      world.farEnd.egress.push(info)
      const event = new WebhookEvent({ event: "egress_ended", egressInfo: info, createdAt: 5n })
      assert.strictEqual(await world.farEnd.webhook(event), 200)
      const told = world.reports.at(-1)
      assert(told?.type === "corrected")
      const url = told.facts.recording_url ?? ""
      assert.isTrue(url.startsWith(`${publicUrl}/recordings/EG_abc/`))
      assert.notInclude(url, "storage")
      const read = (address: string) => world.farEnd.callback(new Request(address))
      assert.strictEqual(await (await read(url)).text(), "sound of calls/1.ogg")
      assert.strictEqual((await read(`${url.slice(0, -4)}AAAA`)).status, 404)
      assert.strictEqual((await read(url.replace("EG_abc", "EG_abd"))).status, 404)
      assert.strictEqual((await read(url.replace("EG_abc", ".."))).status, 404)
    }))

  it("that failed, or of a call that nobody answered, are told of by nobody", () =>
    dialled({ recording }, async (world, id) => {
      const info = { egressId: "EG_abc", roomName: `call-${id}`, fileResults: [new FileInfo({ filename: "a" })] }
      for (const status of [EgressStatus.EGRESS_FAILED, EgressStatus.EGRESS_COMPLETE]) {
        const egressInfo = new EgressInfo({ ...info, status })
        assert.strictEqual(await world.farEnd.webhook(new WebhookEvent({ event: "egress_ended", egressInfo })), 200)
      }
      assert.isEmpty(world.reports)
    }))
})

describe("the worker's reports", () => {
  it("tell the phases, and close the call with transcript and cost", () =>
    dialled({ reportWaitSeconds: 20 }, async (world, id) => {
      const { reporter } = workerOf(world)
      await reporter.ringing()
      await until(world, id, "active")
      await reporter.answered()
      await world.farEnd.left(legOf(world), 1)
      await reporter.finished({ ...finished, hangup_by: "customer", machine: false, transcript: "Hello.", cost })
      await reporter.analysis({ summary: "Short.", sentiment: "positive", extracted_data: { ok: true } })
      const types = ["ringing", "answered", "answered", "ended", "final", "corrected", "analysis"]
      assert.deepStrictEqual(typesOf(world.reports), types)
      const final = world.reports.find(({ type }) => type === "final")
      assert(final?.type === "final")
      assert.strictEqual(final.facts.media?.transcript, "Hello.")
      assert.deepStrictEqual(final.facts.cost, cost)
    }))

  it("end a call of which LiveKit's own webhook got lost, and that one changes nothing when it comes", () =>
    dialled({}, async (world, id) => {
      await until(world, id, "active")
      await workerOf(world).reporter.finished({ ...finished, hangup_by: "agent", transcript: "Bye." })
      assert.deepStrictEqual(typesOf(world.reports), ["answered", "final"])
      const last = world.reports.at(-1)
      assert(last?.type === "final")
      assert.deepInclude(last.end, { status: "completed", hangup_by: "agent", duration_seconds: 60 })
      assert.strictEqual(await world.farEnd.left(legOf(world), 5), 200)
      assert.strictEqual(world.reports.length, 2)
    }))

  it("of a machine end a call as nobody reached, before and after its end", async () => {
    await dialled({ onMachine: "hang_up" }, async (world, id) => {
      await until(world, id, "active")
      const { reporter } = workerOf(world)
      for (const verdict of ["uncertain", "machine-ivr", "human"] as const) await reporter.machine(verdict)
      assert.notInclude(
        world.farEnd.seen.map(({ method }) => method),
        "RoomService/RemoveParticipant",
      )
      await reporter.machine("machine-vm")
      assert.include(
        world.farEnd.seen.map(({ method }) => method),
        "RoomService/RemoveParticipant",
      )
      await world.farEnd.step()
      const last = world.reports.at(-1)
      assert(last?.type === "final")
      assert.deepInclude(last.end, { status: "no-answer", answered_by_voicemail: true })
    })
    await dialled({}, async (world, id) => {
      await until(world, id, "active")
      await world.farEnd.left(legOf(world), 1)
      await workerOf(world).reporter.machine("machine-unavailable")
      const last = world.reports.at(-1)
      assert(last?.type === "ended")
      assert.deepInclude(last.end, { status: "no-answer", hangup_reason: "voicemail_reached" })
    })
  })

  it("are taken once, however often they are sent", () =>
    dialled({}, async (world, id) => {
      await until(world, id, "active")
      const { reporter, seen } = workerOf(world)
      await reporter.answered()
      const [genuine] = seen
      assert(genuine !== undefined)
      const before = world.reports.length
      assert.strictEqual((await world.farEnd.callback(genuine)).status, 200)
      assert.strictEqual(world.reports.length, before)
    }))

  it("are sent again until they are kept, and given up where they are refused", () =>
    dialled({}, async (world) => {
      const { farEnd } = world
      const { reporter, seen } = workerOf(world)
      const genuine = farEnd.callback
      let failures = 2
      farEnd.callback = (request) =>
        failures-- > 0 ? Promise.resolve(new Response(null, { status: 503 })) : genuine(request)
      await reporter.ringing()
      assert.strictEqual(seen.length, 3)
      assert.deepStrictEqual(typesOf(world.reports), ["ringing"])
      const refused = workerOf(world, "another-secret-that-is-long-enough-too")
      await refused.reporter.ringing().then(
        () => assert.fail("taken"),
        (error: unknown) => assert.instanceOf(error, ReportRefused),
      )
      assert.strictEqual(refused.seen.length, 1)
    }))

  it("are refused without their own token, with another body, or one that is good for too long", () =>
    dialled({}, async (world) => {
      const { job } = workerOf(world)
      const body = JSON.stringify({
        version: 1,
        report_id: "r1",
        execution_id: job.execution_id,
        at: Date.now(),
        type: "ringing",
      })
      const hashOf = async (text: string) => {
        const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
        return btoa(String.fromCharCode(...new Uint8Array(hash)))
      }
      const send = async (identity: string | undefined, ttl: number, sent: string, signed = sent) => {
        const token = new AccessToken(apiKey, apiSecret, { ttl, ...(identity === undefined ? {} : { identity }) })
        token.sha256 = await hashOf(signed)
        const headers = { authorization: `Bearer ${await token.toJwt()}` }
        return (await world.farEnd.callback(new Request(job.report_url, { method: "POST", body: sent, headers })))
          .status
      }
      assert.strictEqual(await send(undefined, 60, body), 401)
      assert.strictEqual(await send("somebody", 60, body), 401)
      assert.strictEqual(await send("carillon-report", 3_600, body), 401)
      assert.strictEqual(await send("carillon-report", 60, `${body} `, body), 401)
      assert.strictEqual(await send("carillon-report", -120, body), 401)
      for (const wrong of [
        "{}",
        "no JSON",
        body.replace("ringing", "exploded"),
        body.replace('"version":1', '"version":2'),
      ]) {
        assert.strictEqual(await send("carillon-report", 60, wrong), 400)
      }
      assert.isEmpty(world.reports)
      assert.strictEqual(await send("carillon-report", 60, body), 200)
      assert.deepStrictEqual(typesOf(world.reports), ["ringing"])
    }))

  it("that hold what the engine will not have end the call all the same", () =>
    dialled({}, async (world, id) => {
      await until(world, id, "active")
      const taken: Array<CarrierReport> = []
      world.farEnd.callback = world.adapter.callbacks(async (report) => {
        if (report.type === "final" && report.facts.media !== null) {
          throw new InvalidField({ field: "facts", reason: "is odd" })
        }
        taken.push(report)
      })
      await workerOf(world).reporter.finished({ ...finished, transcript: "Odd." })
      assert.deepStrictEqual(typesOf(taken), ["final"])
    }))
})

it("a call whose worker says nothing gives its line back after its time", () =>
  dialled({ reportWaitSeconds: 1 }, async (world, id, find) => {
    await until(world, id, "active")
    await world.farEnd.left(legOf(world), 1)
    assert.deepStrictEqual(typesOf(world.reports), ["answered", "ended"])
    assert.strictEqual((await Effect.runPromise(find(id)))._tag, "Ended")
    while (world.reports.length < 3) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepStrictEqual(typesOf(world.reports), ["answered", "ended", "final"])
  }))
