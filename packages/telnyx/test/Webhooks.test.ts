import { assert, describe, it } from "@effect/vitest"
import { type CarrierReport, DependencyUnavailable, InvalidField, Telephony } from "@carillon/core"
import { CallStore } from "@carillon/core/ports"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Effect, Layer } from "effect"
import { bounds } from "../src/Bounds.ts"
import { makeTelnyx, type TelnyxOptions } from "../src/index.ts"
import { stateOf, stateOfOtherLeg } from "../src/State.ts"
import { sentSlowly, slowCallback } from "../../core/test/carrier/SlowBody.ts"
import { apiKey, connectionId, FarEnd, type Leg, publicKey, publicUrl, signed } from "./FarEnd.ts"
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

const on = <E>(options: Partial<TelnyxOptions>, test: (world: World) => Effect.Effect<void, E, Telephony>) =>
  Effect.suspend(() => {
    const world = staged(options)
    return Effect.provide(test(world), world.carrier)
  })

const toTheEnd = ({ farEnd }: World) =>
  Effect.promise(async () => {
    while (await farEnd.step());
  })
const tell = ({ farEnd }: World, leg: Leg, name: string, fields: Readonly<Record<string, unknown>> = {}) =>
  Effect.promise(() => farEnd.tell(name, farEnd.payload(leg, fields)))
const typesOf = (reports: ReadonlyArray<CarrierReport>) => reports.map(({ type }) => type)
const commands = ({ farEnd }: World) =>
  farEnd.seen.flatMap(({ body, path }) =>
    path.includes("/actions/") ? [{ action: path.split("/").at(-1), body }] : [],
  )
const hangup = { hangup_cause: "normal_clearing", hangup_source: "callee", sip_hangup_cause: "200" }

describe("webhooks", () => {
  it.effect("tell each phase and the end with Telnyx's own time, and the cost when it comes", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        const made = world.farEnd.now
        yield* toTheEnd(world)
        assert.deepStrictEqual(typesOf(world.reports), ["initiated", "answered", "final", "corrected"])
        for (const { call_sid, execution_id } of world.reports)
          assert.deepStrictEqual({ call_sid, execution_id }, { call_sid: leg.call_control_id, execution_id: id })
        const [, , last, cost] = world.reports
        assert(last?.type === "final" && cost?.type === "corrected")
        assert.strictEqual(last.at, made + 21_000)
        assert.deepInclude(last.end, { status: "completed", duration_seconds: 15, hangup_by: "customer" })
        assert.deepStrictEqual(last.facts, { recording_url: null, cost: null, media: null })
        assert.deepInclude(cost.facts.cost, { total: 0.014 })
        assert.deepStrictEqual(world.farEnd.statuses, [200, 200, 200, 200])
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
          world.farEnd.webhook = world.adapter.webhooks(() =>
            fault === null ? Promise.resolve("applied") : Promise.reject(fault),
          )
          answers.push(yield* tell(world, leg, "call.initiated"))
        }
        assert.deepStrictEqual(answers, [503, 400, 200])
      }),
    ),
  )

  it.effect("are refused where Telnyx has not signed them so, or so long ago", () =>
    on({ webhookAgeSeconds: 60 }, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        const { farEnd } = world
        const data = { event_type: "call.hangup", payload: farEnd.payload(leg, hangup) }
        const body = JSON.stringify({ data })
        const send = (headers: Record<string, string>, text = body, path = "/events") =>
          Effect.promise(() => farEnd.webhook(new Request(publicUrl + path, { method: "POST", headers, body: text })))
        const statuses: Array<number> = []
        const genuine = signed(body, farEnd.now)
        for (const headers of [
          {},
          { ...genuine, "telnyx-signature-ed25519": "AAAA" },
          { ...genuine, "telnyx-timestamp": String(Math.floor(farEnd.now / 1000) + 1) },
          signed(body, farEnd.now - 62_000),
          signed(body, farEnd.now + 62_000),
        ]) {
          statuses.push((yield* send(headers)).status)
        }
        assert.deepStrictEqual(statuses, [403, 403, 403, 403, 403])
        assert.strictEqual((yield* send(genuine, `${body} `)).status, 403)
        assert.strictEqual((yield* send(genuine, "x".repeat(300_000))).status, 413)
        assert.strictEqual((yield* send(genuine, body, "/elsewhere")).status, 404)
        assert.strictEqual(
          (yield* Effect.promise(() => farEnd.webhook(new Request(`${publicUrl}/events`)))).status,
          405,
        )
        assert.deepStrictEqual(world.reports, [])
        // The same one later is a replay; at once, it is a webhook that comes twice.
        assert.strictEqual((yield* send(genuine)).status, 200)
        assert.strictEqual((yield* send(genuine)).status, 200)
        farEnd.now += 62_000
        assert.strictEqual((yield* send(genuine)).status, 403)
        assert.deepStrictEqual(typesOf(world.reports), ["final", "final"])
      }),
    ),
  )

  it.effect(
    "of strangers are read only where they may be signed, within the room that there is, and take none of Telnyx's own",
    () =>
      on({}, (world) =>
        Effect.gen(function* () {
          const { leg } = yield* dialled(world)
          const { farEnd } = world
          const url = `${publicUrl}/events`
          farEnd.webhook = world.adapter.webhooks(async (report) => {
            world.reports.push(report)
            return "applied"
          })
          const genuine = signed("", farEnd.now)
          for (const headers of [
            {},
            { ...genuine, "telnyx-signature-ed25519": "" },
            { ...genuine, "telnyx-signature-ed25519": btoa("x".repeat(63)) },
            { ...genuine, "telnyx-timestamp": "soon" },
            signed("", farEnd.now - 3_600_000),
          ]) {
            const unread = slowCallback(url, headers, 1)
            assert.strictEqual((yield* Effect.promise(() => farEnd.webhook(unread.request))).status, 403)
            assert.strictEqual(unread.reads(), 0)
          }
          const forged = () => slowCallback(url, genuine, bounds.webhookBytes)
          const slow = yield* Effect.promise(() => sentSlowly(farEnd.webhook, 200, forged))
          assert.isAbove(slow.refused.length, 0)
          assert.deepStrictEqual(new Set(slow.refused), new Set([503]))
          assert.strictEqual(yield* tell(world, leg, "call.answered"), 200)
          assert.deepStrictEqual(new Set(yield* Effect.promise(slow.end)), new Set([403, 503]))
          assert.deepStrictEqual(typesOf(world.reports), ["answered"])
        }),
      ),
  )

  it.effect.each(["{", "[]", '{"data":{}}', '{"data":{"event_type":"call.hangup","payload":1}}'])(
    "that are signed and are none (%j) are malformed",
    (body) =>
      on({}, ({ farEnd }) =>
        Effect.gen(function* () {
          const headers = signed(body, farEnd.now)
          const request = new Request(`${publicUrl}/events`, { method: "POST", headers, body })
          assert.strictEqual((yield* Effect.promise(() => farEnd.webhook(request))).status, 400)
        }),
      ),
  )

  it.effect("of other legs, and of events that nobody needs, are answered and say nothing", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        const other = { call_control_id: "v3:another" }
        assert.strictEqual(yield* tell(world, leg, "call.hangup", { ...hangup, ...other }), 200)
        assert.strictEqual(yield* tell(world, leg, "call.hangup", { ...hangup, client_state: stateOfOtherLeg }), 200)
        assert.strictEqual(yield* tell(world, leg, "call.hangup", { ...hangup, client_state: null }), 200)
        assert.strictEqual(yield* tell(world, leg, "streaming.started"), 200)
        assert.deepStrictEqual(world.reports, [])
        const { find } = yield* Telephony
        assert.strictEqual((yield* find(id))._tag, "Live")
      }),
    ),
  )

  it.effect("are read although their fields are of other types than the document says", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        const odd = { result: { digits: "1" }, status: [], start_time: 0, to: ["+1"], cost_parts: 1 }
        assert.strictEqual(yield* tell(world, leg, "call.gather.ended", odd), 200)
        assert.strictEqual(yield* tell(world, leg, "call.hangup", { ...odd, ...hangup, sip_hangup_cause: 200 }), 200)
        assert.strictEqual(
          yield* tell(world, leg, "call.cost", { total_cost: 0.5, cost_parts: [{ currency: 1 }] }),
          200,
        )
        const [last, cost] = world.reports
        assert(last?.type === "final" && cost?.type === "corrected")
        assert.deepInclude(cost.facts.cost, { total: 0.5 })
      }),
    ),
  )

  it("are not kept while no engine runs", async () => {
    const farEnd = new FarEnd()
    const voice = () => ({ type: "stream", url: "wss://media.example.com" }) as const
    const adapter = makeTelnyx({ apiKey, publicKey, connectionId, publicUrl, voice, fetch: farEnd.fetch })
    farEnd.webhook = adapter.webhooks(() => Promise.resolve("applied"))
    const payload = { call_control_id: "v3:1", call_leg_id: "1", client_state: btoa("exec_1") }
    assert.strictEqual(await farEnd.tell("call.initiated", payload), 503)
  })
})

describe("an end", () => {
  it.effect("that comes before the answer is told by Telnyx's list of events", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { farEnd } = world
        yield* dialled(world)
        farEnd.silent = new Set(["call.initiated", "call.answered"])
        yield* toTheEnd(world)
        const [last] = world.reports
        assert(last?.type === "final")
        assert.deepInclude(last.end, { status: "completed", duration_seconds: 15 })
      }),
    ),
  )

  it.effect("is told without its length where nobody knows when it began", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { farEnd } = world
        yield* dialled(world)
        farEnd.listsEvents = false
        farEnd.silent = new Set(["call.answered", "call.cost"])
        yield* toTheEnd(world)
        const last = world.reports.at(-1)
        assert(last?.type === "final")
        assert.deepInclude(last.end, { status: "completed", duration_seconds: null })
      }),
    ),
  )

  it.effect("has its length when the answer is heard after it", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { farEnd } = world
        const { leg } = yield* dialled(world)
        farEnd.listsEvents = false
        const answered = farEnd.now
        farEnd.now += 30_000
        yield* tell(world, leg, "call.hangup", hangup)
        const occurred_at = new Date(answered).toISOString()
        yield* Effect.promise(() => farEnd.tell("call.answered", farEnd.payload(leg), { occurred_at }))
        assert.deepStrictEqual(typesOf(world.reports), ["final", "answered", "corrected"])
        const last = world.reports.at(-1)
        assert(last?.type === "corrected")
        assert.deepStrictEqual(last.end, { duration_seconds: 30 })
      }),
    ),
  )

  it.effect("has the cost that was heard before it", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        // Nobody knows yet that it is over, so the cost is asked for again.
        assert.strictEqual(yield* tell(world, leg, "call.cost", { status: "success", total_cost: "-0.25" }), 503)
        assert.strictEqual(yield* tell(world, leg, "call.hangup", hangup), 200)
        const [last] = world.reports
        assert(last?.type === "final")
        assert.deepInclude(last.facts.cost, { total: 0.25 })
      }),
    ),
  )

  it.effect("costs nothing that Telnyx does not know", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        for (const cost of [
          { status: "error", total_cost: "1" },
          { status: "success", total_cost: null },
          { status: "success", total_cost: "much" },
        ]) {
          assert.strictEqual(yield* tell(world, leg, "call.cost", cost), 200)
        }
        assert.deepStrictEqual(world.reports, [])
      }),
    ),
  )

  it.effect("asks the host for its facts, and goes without them where they are wrong", () =>
    on({ facts: () => Promise.reject(new Error("a mistake")) }, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        assert.strictEqual(yield* tell(world, leg, "call.hangup", hangup), 200)
        const [last] = world.reports
        assert(last?.type === "final")
        assert.deepStrictEqual(last.facts, { recording_url: null, cost: null, media: null })
      }),
    ),
  )
})

describe("who answered", () => {
  const events = [
    ["call.machine.premium.detection.ended", "premium"],
    ["call.machine.detection.ended", "detect"],
  ] as const
  it.effect.each(events)("%s: a machine is hung up on, and nobody was reached", ([name, mode]) =>
    on({ machineDetection: { onMachine: "hang_up", mode } }, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        assert.strictEqual(leg.asked["answering_machine_detection"], mode)
        yield* Effect.promise(() => world.farEnd.happens(leg, "call.answered"))
        yield* tell(world, leg, name, { result: "machine" })
        assert.deepStrictEqual(commands(world), [{ action: "hangup", body: {} }])
        yield* toTheEnd(world)
        const last = world.reports.find(({ type }) => type === "final")
        assert(last?.type === "final")
        assert.deepInclude(last.end, {
          status: "no-answer",
          hangup_reason: "voicemail_reached",
          answered_by_voicemail: true,
        })
      }),
    ),
  )

  it.effect("is spoken to where the host wants it so, and humans are in any case", () =>
    on({ machineDetection: { onMachine: "go_on" } }, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        yield* tell(world, leg, "call.machine.premium.detection.ended", { result: "machine" })
        yield* tell(world, leg, "call.machine.premium.detection.ended", { result: "human_business" })
        assert.deepStrictEqual(commands(world), [])
      }),
    ),
  )

  it.effect("is told after the end, too", () =>
    on({ machineDetection: { onMachine: "hang_up" } }, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        yield* tell(world, leg, "call.answered")
        yield* tell(world, leg, "call.hangup", hangup)
        yield* tell(world, leg, "call.machine.premium.detection.ended", { result: "machine" })
        const last = world.reports.at(-1)
        assert(last?.type === "ended")
        assert.deepInclude(last.end, { answered_by_voicemail: true })
        assert.deepStrictEqual(commands(world), [])
      }),
    ),
  )
})

describe("a stream that fails", () => {
  it.effect("leaves the callee with nobody: they are hung up on, and the call was cut off", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        yield* Effect.promise(() => world.farEnd.happens(leg, "call.answered"))
        assert.strictEqual(yield* tell(world, leg, "streaming.failed", { failure_reason: "connection_failed" }), 200)
        const cut = world.reports.at(-1)
        assert(cut?.type === "ended")
        assert.deepInclude(cut.end, { status: "call-disconnected", hangup_reason: "carrier_error" })
        assert.deepStrictEqual(commands(world), [{ action: "hangup", body: {} }])
        // How long it was is said by the end of the leg; what it was is said already.
        yield* toTheEnd(world)
        const last = world.reports.find(({ type }) => type === "final")
        assert(last?.type === "final" && last.end.duration_seconds !== null)
      }),
    ),
  )

  it.effect("changes nothing of a call that is over", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        yield* tell(world, leg, "call.answered")
        yield* tell(world, leg, "call.hangup", hangup)
        assert.strictEqual(yield* tell(world, leg, "streaming.failed"), 200)
        assert.deepStrictEqual(typesOf(world.reports), ["answered", "final"])
        assert.deepStrictEqual(commands(world), [])
      }),
    ),
  )
})

describe("a voice that is fetched after the answer", () => {
  const voice = () => ({ type: "sip", address: "sip:agent@voice.example.com" }) as const
  it.effect("is at a SIP address, and the far leg is nobody's", () =>
    on({ voice }, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        yield* tell(world, leg, "call.answered")
        assert.deepStrictEqual(commands(world), [
          {
            action: "transfer",
            body: {
              to: "sip:agent@voice.example.com",
              command_id: `${id}-transfer`,
              target_leg_client_state: stateOfOtherLeg,
              custom_headers: [{ name: "X-Execution-Id", value: id }],
            },
          },
        ])
      }),
    ),
  )

  it.effect.each([
    [503, 503],
    [429, 503],
    [422, 200],
  ] as const)("a transfer that is answered %i lets the webhook be answered %i", ([refused, answered]) =>
    on({ voice }, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* dialled(world)
        world.farEnd.fault = ({ path }) => (path.endsWith("/transfer") ? new Response("{}", { status: refused }) : null)
        assert.strictEqual(yield* tell(world, leg, "call.answered"), answered)
      }),
    ),
  )

  it.live(
    "a transfer that is never answered is given up, and the webhook comes again",
    () => {
      const held: { world: World | null } = { world: null }
      const fetch = (request: Request): Promise<Response> =>
        request.url.endsWith("/transfer")
          ? new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("late"))))
          : (held.world?.farEnd.fetch(request) ?? Promise.reject(new Error("no far end")))
      return on({ voice, fetch }, (world) =>
        Effect.gen(function* () {
          held.world = world
          const { leg } = yield* dialled(world)
          assert.strictEqual(yield* tell(world, leg, "call.answered"), 503)
        }),
      )
    },
    bounds.webhookQuestionMs * 4,
  )

  it.effect("is hung up once a file was played", () =>
    on({ voice: () => ({ type: "audio", url: "https://a.example.com/hello.mp3" }) }, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* dialled(world)
        assert.strictEqual(
          leg.asked["client_state"],
          stateOf({ execution_id: id, deed: { type: "hang_up_after_audio" } }),
        )
        yield* tell(world, leg, "call.answered")
        assert.deepStrictEqual(commands(world), [])
        yield* tell(world, leg, "call.playback.ended")
        assert.deepStrictEqual(commands(world), [{ action: "hangup", body: {} }])
      }),
    ),
  )
})

describe("webhooks while the rows are away", () => {
  it.effect("are kept where they can be, and come again where they cannot", () =>
    Effect.gen(function* () {
      const farEnd = new FarEnd()
      const reports: Array<CarrierReport> = []
      const voice = () => ({ type: "stream", url: "wss://media.example.com" }) as const
      const adapter = makeTelnyx({ apiKey, publicKey, connectionId, publicUrl, voice, fetch: farEnd.fetch })
      farEnd.webhook = adapter.webhooks(async (report) => reports.push(report))
      farEnd.now = 0
      const away = Layer.effect(
        CallStore,
        Effect.map(CallStore, (store) =>
          CallStore.of({
            ...store,
            locate: () => Effect.fail(new DependencyUnavailable({ dependency: "call_storage" })),
          }),
        ),
      )
      const storage = MemoryStore.layer(new MemoryTables())
      const layer = adapter.carrier.pipe(Layer.provide(away), Layer.provide(storage))
      const statuses = yield* Effect.provide(
        Effect.promise(async () => {
          const named = { call_control_id: "v3:1", call_leg_id: "leg-1", client_state: btoa("exec_1") }
          const { call_control_id: _, ...recorded } = named
          return [
            await farEnd.tell("call.initiated", named),
            await farEnd.tell("call.recording.saved", recorded),
            await farEnd.tell("call.cost", { ...named, total_cost: "1" }),
            await farEnd.tell("call.hangup", { ...named, ...hangup }),
          ]
        }),
        layer,
      )
      assert.deepStrictEqual(statuses, [200, 503, 503, 200])
      assert.deepStrictEqual(typesOf(reports), ["initiated", "final"])
    }),
  )
})

describe("a recording", () => {
  const heard = (world: World, url: string, headers: Record<string, string> = {}, method = "GET") =>
    Effect.promise(() => world.farEnd.webhook(new Request(url, { method, headers })))

  it.effect("is had at the mount, from Telnyx's storage as it is named just then, without credentials", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { farEnd } = world
        const { leg } = yield* dialled(world, { record: true })
        assert.deepInclude(leg.asked, { record: "record-from-answer", record_format: "mp3" })
        const { call_control_id: _, ...payload } = farEnd.payload(leg)
        assert.strictEqual(yield* Effect.promise(() => farEnd.tell("call.recording.saved", payload)), 200)
        const [told] = world.reports
        assert(told?.type === "corrected")
        assert.deepInclude(told, { call_sid: leg.call_control_id })
        const url = told.facts.recording_url ?? ""
        assert.isTrue(url.startsWith(`${publicUrl}/recordings/${leg.call_leg_id}/`))
        assert.strictEqual((yield* heard(world, url)).status, 404)
        farEnd.recordings = [{ status: "completed", download_urls: { mp3: "https://storage.example.com/r.mp3" } }]
        const answer = yield* heard(world, url)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(yield* Effect.promise(() => answer.text()), "sound")
        assert.isFalse(answer.headers.has("x-account"))
        const ranges: Array<string | null> = []
        farEnd.storage = async (request) => {
          ranges.push(request.headers.get("range"))
          return new Response("so", { status: 206 })
        }
        assert.strictEqual((yield* heard(world, url, { range: "bytes=0-1" })).status, 206)
        assert.deepStrictEqual(ranges, ["bytes=0-1"])
        farEnd.storage = () => Promise.reject(new Error("away"))
        assert.strictEqual((yield* heard(world, url)).status, 502)
        assert.strictEqual((yield* heard(world, url, {}, "POST")).status, 405)
        assert.strictEqual((yield* heard(world, `${url}x`)).status, 404)
        assert.strictEqual((yield* heard(world, url.replace(leg.call_leg_id, "another"))).status, 404)
      }),
    ),
  )
})
