import { assert, describe, it } from "@effect/vitest"
import { type CarrierReport, InvalidField, Telephony } from "@carillon/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sentSlowly, slowCallback } from "../../core/test/carrier/SlowBody.ts"
import { bounds } from "../src/Bounds.ts"
import { type HostFacts, makeTwilio, type TwilioOptions } from "../src/index.ts"
import { accountSid, authToken, FarEnd, publicUrl, recordingSid } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

type World = ReturnType<typeof staged>

/** A leg that was dialled, on a far end that is moved by hand. */
const dialled = Effect.fnUntraced(function* ({ farEnd }: World, changes: Parameters<typeof commandFor>[1] = {}) {
  const command = commandFor("+12125550100", changes)
  const { dial } = yield* Telephony
  assert.strictEqual((yield* dial(command))._tag, "Accepted")
  const leg = farEnd.of(command.execution_id)[0]
  assert(leg !== undefined)
  return { id: command.execution_id, leg }
})

/** Runs a test on an adapter with these options, in virtual time. */
const on = <E>(options: Partial<TwilioOptions>, test: (world: World) => Effect.Effect<void, E, Telephony>) =>
  Effect.suspend(() => {
    const world = staged(options)
    return Effect.provide(test(world), world.carrier)
  })

const until = ({ farEnd }: World, id: string, status: string) =>
  Effect.promise(async () => {
    while (!farEnd.isAt(id, status) && (await farEnd.step()));
  })

const typesOf = (reports: ReadonlyArray<CarrierReport>) => reports.map(({ type }) => type)
const hour = 3_600_000

describe("status callbacks", () => {
  it.effect("tell each phase and the end, with the carrier's own time", () =>
    on({ priceWaitSeconds: 0 }, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        yield* until(world, id, "completed")
        assert.deepStrictEqual(typesOf(world.reports), ["initiated", "ringing", "answered", "final"])
        for (const { call_sid, execution_id } of world.reports)
          assert.deepStrictEqual({ call_sid, execution_id }, { call_sid: leg.sid, execution_id: id })
        const last = world.reports.at(-1)
        assert(last?.type === "final")
        assert.strictEqual(last.at, Math.floor(world.farEnd.now / 1000) * 1000)
        assert.deepInclude(last.end, { status: "completed", duration_seconds: 15 })
        assert.deepStrictEqual(world.farEnd.statuses, [200, 200, 200, 200])
      }),
    ),
  )

  it.effect("with a status that nobody knows end nothing", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        const parameters = { CallSid: leg.sid, CallStatus: "paused" }
        const answer = yield* Effect.promise(() => world.farEnd.call(leg.asked.get("StatusCallback") ?? "", parameters))
        assert.strictEqual(answer, 200)
        assert.deepStrictEqual(world.reports, [])
      }),
    ),
  )

  it.effect("are answered 200 only when what they say is kept", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        const answers: Array<number> = []
        const faults = [new Error("away"), new InvalidField({ field: "at", reason: "is odd" }), null]
        for (const fault of faults) {
          world.farEnd.callback = world.adapter.callbacks(() =>
            fault === null ? Promise.resolve("applied") : Promise.reject(fault),
          )
          answers.push(yield* Effect.promise(() => world.farEnd.callStatus(leg, "ringing")))
        }
        assert.deepStrictEqual(answers, [503, 400, 200])
      }),
    ),
  )

  it.effect("are refused where Twilio has not signed them so, before anything is read of them", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        const url = `${publicUrl}/status?execution_id=${id}`
        const send = (address: string, body: string, headers: Record<string, string> = {}) =>
          Effect.promise(() => world.farEnd.callback(new Request(address, { method: "POST", body, headers })))
        const body = `CallSid=${leg.sid}&CallStatus=completed`
        assert.strictEqual((yield* send(url, body)).status, 403)
        assert.strictEqual((yield* send(url, body, { "x-twilio-signature": "AAAA" })).status, 403)
        assert.strictEqual((yield* send(`${publicUrl}/elsewhere`, body)).status, 404)
        const signature = btoa("x".repeat(20))
        assert.strictEqual((yield* send(url, body, { "x-twilio-signature": signature })).status, 403)
        const many = (count: number) => Array.from({ length: count }, (_, nth) => `p${nth}`).join("&")
        const most = bounds.callbackParameters
        assert.strictEqual((yield* send(url, many(most), { "x-twilio-signature": signature })).status, 403)
        assert.strictEqual((yield* send(url, many(most + 1), { "x-twilio-signature": signature })).status, 413)
        const long = "x".repeat(70_000)
        assert.strictEqual((yield* send(url, long)).status, 403)
        assert.strictEqual((yield* send(url, long, { "x-twilio-signature": signature })).status, 413)
        const read = yield* Effect.promise(() => world.farEnd.callback(new Request(url)))
        assert.strictEqual(read.status, 405)
        // A genuine one, replayed against another call.
        const seen: Array<Request> = []
        const callback = world.farEnd.callback
        world.farEnd.callback = (request) => {
          seen.push(request.clone())
          return callback(request)
        }
        yield* Effect.promise(() => world.farEnd.callStatus(leg, "ringing"))
        const [genuine] = seen
        assert(genuine !== undefined)
        const other = genuine.url.replace(id, "exec_other")
        const text = yield* Effect.promise(() => genuine.text())
        const headers = { "x-twilio-signature": genuine.headers.get("x-twilio-signature") ?? "" }
        assert.strictEqual((yield* send(other, text, headers)).status, 403)
        assert.deepStrictEqual(typesOf(world.reports), ["ringing"])
      }),
    ),
  )

  it.effect(
    "of strangers are read only where they may be signed, within the room that there is, and take none of Twilio's own",
    () =>
      on({}, (world) =>
        Effect.gen(function* () {
          const { id, leg } = yield* dialled(world)
          const callback = world.adapter.callbacks(async (report) => {
            world.reports.push(report)
            return "applied"
          })
          world.farEnd.callback = callback
          const url = `${publicUrl}/status?execution_id=${id}`
          for (const header of [null, "", "AAAA", "no base64 !", btoa("x".repeat(21))]) {
            const unread = slowCallback(url, header === null ? {} : { "x-twilio-signature": header }, 1)
            assert.strictEqual((yield* Effect.promise(() => callback(unread.request))).status, 403)
            assert.strictEqual(unread.reads(), 0)
          }
          const forged = () => slowCallback(url, { "x-twilio-signature": btoa("x".repeat(20)) }, bounds.callbackBytes)
          const slow = yield* Effect.promise(() => sentSlowly(callback, 700, forged))
          assert.isAbove(slow.refused.length, 0)
          assert.deepStrictEqual(new Set(slow.refused), new Set([503]))
          assert.strictEqual(yield* Effect.promise(() => world.farEnd.callStatus(leg, "ringing")), 200)
          assert.deepStrictEqual(new Set(yield* Effect.promise(slow.end)), new Set([403, 503]))
          assert.deepStrictEqual(typesOf(world.reports), ["ringing"])
        }),
      ),
  )

  it.effect.each(["", "CallSid=nonsense"])("that are signed and name no call (%j) are malformed", (text) =>
    on({}, (world) =>
      Effect.gen(function* () {
        yield* dialled(world)
        const parameters = { CallStatus: "ringing", ...Object.fromEntries(new URLSearchParams(text)) }
        for (const query of ["?execution_id=exec_1", "", "?execution_id=%0A"]) {
          const answer = yield* Effect.promise(() => world.farEnd.call(`${publicUrl}/status${query}`, parameters))
          assert.strictEqual(answer, 400)
        }
      }),
    ),
  )

  it("are not kept while no engine runs", async () => {
    const farEnd = new FarEnd()
    const adapter = makeTwilio({
      accountSid,
      authToken,
      publicUrl,
      voice: () => ({ type: "stream", url: "wss://media.example.com" }),
    })
    farEnd.callback = adapter.callbacks(() => Promise.resolve("applied"))
    const parameters = { CallSid: `CA${"1".repeat(32)}`, CallStatus: "ringing" }
    assert.strictEqual(await farEnd.call(`${publicUrl}/status?execution_id=exec_1`, parameters), 503)
  })
})

describe("the price, which comes later", () => {
  it.effect("is waited for before the final word, and asked for more than once", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id } = yield* dialled(world)
        yield* until(world, id, "completed")
        assert.strictEqual(world.reports.at(-1)?.type, "ended")
        yield* TestClock.adjust(2_000)
        assert.strictEqual(world.reports.at(-1)?.type, "ended")
        world.farEnd.now += world.farEnd.priceAfterMs
        yield* TestClock.adjust(3_000)
        const last = world.reports.at(-1)
        assert(last?.type === "final")
        assert.deepInclude(last.facts.cost, { total: 0.014 })
      }),
    ),
  )

  it.effect("is a correction once it was waited for long enough", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id } = yield* dialled(world)
        yield* until(world, id, "completed")
        yield* TestClock.adjust(20_000)
        const final = world.reports.at(-1)
        assert(final?.type === "final")
        assert.isNull(final.facts.cost)
        world.farEnd.now += hour
        yield* TestClock.adjust(60_000)
        const last = world.reports.at(-1)
        assert(last?.type === "corrected")
        assert.strictEqual(last.facts.cost?.total, 0.014)
        const { length } = world.reports
        yield* TestClock.adjust(24 * hour)
        assert.lengthOf(world.reports, length)
      }),
    ),
  )

  it.effect("is not waited for while nobody answers the question for it", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id } = yield* dialled(world)
        yield* until(world, id, "completed")
        world.farEnd.fault = () => new Response("", { status: 503 })
        yield* TestClock.adjust(2_000)
        const final = world.reports.at(-1)
        assert(final?.type === "final")
        assert.isNull(final.facts.cost)
        world.farEnd.fault = () => null
        world.farEnd.now += hour
        yield* TestClock.adjust(60_000)
        const last = world.reports.at(-1)
        assert(last?.type === "corrected")
        assert.strictEqual(last.facts.cost?.total, 0.014)
      }),
    ),
  )

  it.effect("is said by correction where somebody was faster with the end", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id } = yield* dialled(world)
        world.farEnd.callback = world.adapter.callbacks(async (report) => {
          world.reports.push(report)
          return report.type === "final" ? "repeated" : "applied"
        })
        yield* until(world, id, "completed")
        world.farEnd.now += hour
        yield* TestClock.adjust(2_000)
        assert.deepStrictEqual(typesOf(world.reports).slice(-3), ["ended", "final", "corrected"])
      }),
    ),
  )

  it.effect("of a call that nobody answered is not waited for", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id } = yield* dialled(world, { to_number: "+12125550103" })
        yield* until(world, id, "busy")
        assert.strictEqual(world.reports.at(-1)?.type, "final")
      }),
    ),
  )

  it.effect("and what was said come from the host, whose mistakes take no call its end", () => {
    const cost = {
      total: 2,
      breakdown: { llm: 1, network: 0, platform: 0, synthesizer: 0, telephony: 1, transcriber: 0 },
    }
    const answers: ReadonlyArray<readonly [() => HostFacts, HostFacts]> = [
      [
        () => ({ cost, media: { transcript: "Hello.", setup: null, turns: null } }),
        { cost, media: { transcript: "Hello.", setup: null, turns: null } },
      ],
      [
        () => {
          throw new Error("a mistake")
        },
        { cost: null, media: null },
      ],
    ]
    return Effect.forEach(answers, ([facts, told]) =>
      on({ priceWaitSeconds: 0, facts }, (world) =>
        Effect.gen(function* () {
          const { id } = yield* dialled(world)
          yield* until(world, id, "completed")
          const last = world.reports.at(-1)
          assert(last?.type === "final")
          assert.deepStrictEqual(last.facts, { ...told, recording_url: null })
        }),
      ),
    )
  })

  it.effect("that the engine will not have is left out of the end", () =>
    on(
      { priceWaitSeconds: 0, facts: () => ({ cost: null, media: { transcript: "x", setup: null, turns: null } }) },
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* dialled(world)
          world.farEnd.callback = world.adapter.callbacks(async (report) => {
            if (report.type === "final" && report.facts.media !== null)
              throw new InvalidField({ field: "facts.media", reason: "is odd" })
            world.reports.push(report)
          })
          yield* until(world, id, "completed")
          assert.strictEqual(world.reports.at(-1)?.type, "final")
          assert.strictEqual(world.farEnd.statuses.at(-1), 200)
        }),
    ),
  )
})

describe("who answered", () => {
  const detection = (onMachine: "hang_up" | "go_on") => ({ machineDetection: { onMachine }, priceWaitSeconds: 0 })

  it.live(
    "a hang-up that Twilio never answers is given up, and the callback is answered",
    () => {
      const held: { world: World | null } = { world: null }
      const fetch = (request: Request): Promise<Response> =>
        request.method === "POST" && !request.url.endsWith("/Calls.json")
          ? new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("late"))))
          : (held.world?.farEnd.fetch(request) ?? Promise.reject(new Error("no far end")))
      return on({ ...detection("hang_up"), fetch }, (world) =>
        Effect.gen(function* () {
          held.world = world
          const { id, leg } = yield* dialled(world)
          yield* until(world, id, "in-progress")
          assert.strictEqual(yield* Effect.promise(() => world.farEnd.callVerdict(leg, "machine_start")), 200)
        }),
      )
    },
    bounds.callbackQuestionMs * 4,
  )

  it.effect("a machine is hung up on, and the call was not answered", () =>
    on(detection("hang_up"), (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        yield* until(world, id, "in-progress")
        yield* Effect.promise(() => world.farEnd.callVerdict(leg, "machine_start"))
        assert.deepInclude(
          [...(world.farEnd.seen.findLast(({ method }) => method === "POST")?.form ?? [])],
          ["Status", "completed"],
        )
        yield* until(world, id, "completed")
        const last = world.reports.at(-1)
        assert(last?.type === "final")
        assert.deepInclude(last.end, {
          status: "no-answer",
          answered_by_voicemail: true,
          hangup_reason: "voicemail_reached",
        })
      }),
    ),
  )

  it.effect.each(["machine_end_beep", "human"])("%s is talked to where the host wants it so", (verdict) =>
    on(detection("go_on"), (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        yield* until(world, id, "in-progress")
        yield* Effect.promise(() => world.farEnd.callVerdict(leg, verdict))
        assert.notInclude(
          world.farEnd.seen.flatMap(({ form }) => [...form.keys()]),
          "Status",
        )
        yield* until(world, id, "completed")
        const last = world.reports.at(-1)
        assert(last?.type === "final")
        assert.strictEqual(last.end.answered_by_voicemail, verdict !== "human")
      }),
    ),
  )

  it.effect("is asked for where the verdict went to another process", () =>
    on(detection("go_on"), (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        yield* until(world, id, "in-progress")
        leg.answeredBy = "machine_start"
        yield* until(world, id, "completed")
        const last = world.reports.at(-1)
        assert(last?.type === "final")
        assert.strictEqual(last.end.status, "no-answer")
      }),
    ),
  )

  it.effect("comes late and still completes what is known, as an end that changes no status", () =>
    on(detection("go_on"), (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        yield* until(world, id, "completed")
        const final = world.reports.at(-1)
        assert(final?.type === "final")
        assert.isNull(final.end.answered_by_voicemail)
        yield* Effect.promise(() => world.farEnd.callVerdict(leg, "machine_start"))
        const last = world.reports.at(-1)
        assert(last?.type === "ended")
        assert.isTrue(last.end.answered_by_voicemail)
      }),
    ),
  )

  it.effect("does not hold up the end where Twilio does not say", () =>
    on(detection("go_on"), (world) =>
      Effect.gen(function* () {
        const { id } = yield* dialled(world)
        yield* until(world, id, "in-progress")
        world.farEnd.fault = ({ method }) => (method === "GET" ? new Response(null, { status: 503 }) : null)
        yield* until(world, id, "completed")
        assert.strictEqual(world.reports.at(-1)?.type, "final")
      }),
    ),
  )
})

describe("the stream to the voice", () => {
  it.effect("that failed cuts the call off, and the callee is hung up on", () =>
    on({ priceWaitSeconds: 0 }, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        yield* until(world, id, "in-progress")
        const StreamError = "31920: Stream - WebSocket - Handshake Error"
        const failed = () => Effect.promise(() => world.farEnd.callStream(leg, "stream-error", { StreamError }))
        assert.strictEqual(yield* failed(), 200)
        const told = world.reports.at(-1)
        assert(told?.type === "ended")
        assert.deepInclude(told.end, { status: "call-disconnected", hangup_reason: "carrier_error" })
        assert.include(told.end.error ?? "", "31920")
        assert.strictEqual(told.call_sid, leg.sid)
        assert.strictEqual(world.farEnd.seen.at(-1)?.form.get("Status"), "completed")
        // One that comes when all is over hangs up nobody.
        yield* until(world, id, "completed")
        const asked = world.farEnd.seen.filter(({ form }) => form.has("Status")).length
        assert.strictEqual(yield* failed(), 200)
        assert.strictEqual(world.farEnd.seen.filter(({ form }) => form.has("Status")).length, asked)
      }),
    ),
  )

  it.effect("that began, stopped, was closed by its host, or has an error that nobody knows ends nothing", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        yield* until(world, id, "in-progress")
        const before = [world.reports.length, world.farEnd.seen.length]
        const events = [
          ["stream-started", ""],
          ["stream-stopped", ""],
          ["stream-error", "31921: Stream - WebSocket - Close Error"],
          ["stream-error", "Odd."],
          ["stream-odd", "31920"],
        ] as const
        for (const [event, StreamError] of events) {
          assert.strictEqual(yield* Effect.promise(() => world.farEnd.callStream(leg, event, { StreamError })), 200)
        }
        assert.deepStrictEqual([world.reports.length, world.farEnd.seen.length], before)
      }),
    ),
  )
})

describe("recordings", () => {
  it.effect("are told when they are whole, by an address that opens them and shows no secret", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world, { record: true })
        yield* Effect.promise(() => world.farEnd.callRecording(leg, recordingSid, "in-progress"))
        assert.deepStrictEqual(world.reports, [])
        yield* Effect.promise(() => world.farEnd.callRecording(leg, recordingSid))
        const [report] = world.reports
        assert(report?.type === "corrected")
        const address = report.facts.recording_url ?? ""
        assert.isTrue(address.startsWith(`${publicUrl}/recordings/${recordingSid}/`))
        for (const secret of [authToken, accountSid, btoa(`${accountSid}:${authToken}`)])
          assert.notInclude(address, secret)

        world.farEnd.fault = () =>
          new Response("sound", { headers: { "content-type": "audio/mpeg", "twilio-secret": "x" } })
        const heard = yield* Effect.promise(() => world.farEnd.callback(new Request(address)))
        assert.strictEqual(heard.status, 200)
        assert.strictEqual(yield* Effect.promise(() => heard.text()), "sound")
        assert.sameMembers([...heard.headers.keys()], ["cache-control", "content-type"])
        assert.isTrue(world.farEnd.seen.at(-1)?.path.endsWith(`/Recordings/${recordingSid}.mp3`))

        const { length } = world.farEnd.seen
        const others = [
          address.slice(0, -1),
          address.replace(recordingSid, `RE${"0".repeat(32)}`),
          `${publicUrl}/recordings/../x`,
        ]
        for (const other of others) {
          const { status } = yield* Effect.promise(() => world.farEnd.callback(new Request(other)))
          assert.strictEqual(status, 404)
        }
        assert.lengthOf(world.farEnd.seen, length, "Twilio was asked by somebody without a pass")
      }),
    ),
  )

  it.effect("that Twilio does not give are not there", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world, { record: true })
        yield* Effect.promise(() => world.farEnd.callRecording(leg, recordingSid))
        const [report] = world.reports
        assert(report?.type === "corrected")
        const address = report.facts.recording_url ?? ""
        for (const [theirs, ours] of [
          [404, 404],
          [401, 502],
          [500, 502],
        ] as const) {
          world.farEnd.fault = () => new Response("account AC…", { status: theirs })
          const answer = yield* Effect.promise(() => world.farEnd.callback(new Request(address)))
          assert.strictEqual(answer.status, ours)
          assert.strictEqual(yield* Effect.promise(() => answer.text()), "")
        }
      }),
    ),
  )

  it.effect("are found with the leg", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id } = yield* dialled(world, { record: true })
        yield* until(world, id, "completed")
        const found = yield* (yield* Telephony).find(id)
        assert(found._tag === "Ended")
        assert.include(found.facts.recording_url, recordingSid)
      }),
    ),
  )
})
