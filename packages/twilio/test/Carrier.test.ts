import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { type Call, type DialCommand, type PageRequest, Telephony } from "@carillon/core"
import { CallStore } from "@carillon/core/ports"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Effect, Layer, Logger } from "effect"
import { makeTwilio, type TwilioOptions, WrongSetting } from "../src/index.ts"
import { accountSid, authToken, FarEnd, publicUrl } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

type World = ReturnType<typeof staged>

const on = <E>(options: Partial<TwilioOptions>, test: (world: World) => Effect.Effect<void, E, Telephony>) =>
  Effect.suspend(() => {
    const world = staged(options)
    return Effect.provide(test(world), world.carrier)
  })

const dial = (command: DialCommand) => Effect.flatMap(Telephony, (carrier) => carrier.dial(command))
const hangup = (id: string, sid: string | null) => Effect.flatMap(Telephony, (carrier) => carrier.hangup(id, sid))
const accepted = Effect.fnUntraced(function* ({ farEnd }: World, command = commandFor("+12125550101")) {
  const said = yield* dial(command)
  assert(said._tag === "Accepted")
  const leg = farEnd.legs.at(-1)
  assert(leg !== undefined)
  return { id: command.execution_id, leg, said }
})
const until = ({ farEnd }: World, id: string, status: string) =>
  Effect.promise(async () => {
    while (!farEnd.isAt(id, status) && (await farEnd.step()));
  })
const endings = ({ farEnd }: World) => farEnd.seen.flatMap(({ form }) => form.get("Status") ?? [])

describe("a dial", () => {
  it.effect("calls from the number of the call, else from the host's, and says so", () =>
    on({ from: "+15005550006" }, (world) =>
      Effect.gen(function* () {
        const own = yield* accepted(world, commandFor("+12125550101", { from_number: "+12125550199" }))
        assert.deepStrictEqual(own.said, { _tag: "Accepted", call_sid: own.leg.sid })
        assert.strictEqual(own.leg.from, "+12125550199")
        const hosts = yield* accepted(world)
        assert.deepStrictEqual(hosts.said, { _tag: "Accepted", call_sid: hosts.leg.sid, from_number: "+15005550006" })
      }),
    ),
  )

  it.effect("rings as long as the call says, in both of Twilio's words for the callbacks", () =>
    on({ machineDetection: { onMachine: "hang_up" }, maxCallSeconds: 600 }, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* accepted(world, commandFor("+12125550101", { timeout_seconds: 45, record: true }))
        const urlOf = (topic: string) => `${publicUrl}/${topic}?execution_id=${id}#rc=5&rp=ct,rt,5xx`
        assert.sameDeepMembers(
          [...leg.asked].filter(([name]) => name !== "Twiml"),
          [
            ["To", "+12125550101"],
            ["From", "+15005550006"],
            ["Timeout", "45"],
            ["StatusCallback", urlOf("status")],
            ["StatusCallbackMethod", "POST"],
            ["StatusCallbackEvent", "initiated"],
            ["StatusCallbackEvent", "ringing"],
            ["StatusCallbackEvent", "answered"],
            ["StatusCallbackEvent", "completed"],
            ["TimeLimit", "600"],
            ["Record", "true"],
            ["RecordingStatusCallback", urlOf("recording")],
            ["RecordingStatusCallbackMethod", "POST"],
            ["RecordingStatusCallbackEvent", "completed"],
            ["MachineDetection", "Enable"],
            ["AsyncAmd", "true"],
            ["AsyncAmdStatusCallback", urlOf("amd")],
            ["AsyncAmdStatusCallbackMethod", "POST"],
          ],
        )
      }),
    ),
  )

  it.effect("tells the voice of the call", () =>
    on(
      { voice: (call) => ({ type: "stream", url: "wss://a.example.com", parameters: { to: call.to_number } }) },
      (world) =>
        Effect.gen(function* () {
          const { id, leg } = yield* accepted(world)
          assert.include(leg.asked.get("Twiml"), `<Parameter name="to" value="+12125550101"/>`)
          assert.include(leg.asked.get("Twiml"), `<Parameter name="execution_id" value="${id}"/>`)
        }),
    ),
  )

  it.effect.each<Partial<TwilioOptions>>([
    { voice: () => Promise.reject(new Error("a mistake")) },
    { voice: () => ({ type: "stream", url: "nowhere" }) },
  ])("is not sent where nobody would speak", (options) =>
    on(options, (world) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* dial(commandFor("+12125550101")), { _tag: "Refused", kind: "rejected" })
        assert.deepStrictEqual(world.farEnd.seen, [])
      }),
    ),
  )

  it.effect("is not sent without a number to call from", () =>
    Effect.gen(function* () {
      const farEnd = new FarEnd()
      const { carrier } = makeTwilio({
        accountSid,
        authToken,
        publicUrl,
        fetch: farEnd.fetch,
        voice: () => ({ type: "stream", url: "wss://a.example.com" }),
      })
      const layer = Layer.provide(carrier, MemoryStore.layer(new MemoryTables()))
      const said = yield* Effect.provide(dial(commandFor("+12125550101")), layer)
      assert.deepStrictEqual(said, { _tag: "Refused", kind: "rejected" })
      assert.deepStrictEqual(farEnd.seen, [])
    }),
  )

  it.live("is refused where nothing listens, and not known where the connection broke", () =>
    Effect.gen(function* () {
      const server = createServer((request) => request.socket.destroy())
      yield* Effect.promise(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)))
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const said = () => {
        const world = staged({ baseUrl, fetch: globalThis.fetch })
        return Effect.provide(dial(commandFor("+12125550101")), world.carrier)
      }
      assert.deepStrictEqual(yield* said(), { _tag: "Unknown" })
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      assert.deepStrictEqual(yield* said(), { _tag: "Refused", kind: "unreachable" })
    }),
  )

  it.live("follows nobody elsewhere with the credentials", () =>
    Effect.gen(function* () {
      let elsewhere = 0
      const server = createServer((request, response) => {
        if (request.url === "/elsewhere") elsewhere += 1
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)))
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const world = staged({ baseUrl, fetch: globalThis.fetch })
      assert.deepStrictEqual(yield* Effect.provide(dial(commandFor("+12125550101")), world.carrier), {
        _tag: "Unknown",
      })
      server.closeAllConnections()
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      assert.strictEqual(elsewhere, 0)
    }),
  )

  it.effect("is not known where Twilio's answer cannot be read", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        for (const body of ["", "<html>", "{}", '{"sid":7}']) {
          world.farEnd.fault = () => new Response(body, { status: 201 })
          assert.deepStrictEqual(yield* dial(commandFor("+12125550101")), { _tag: "Unknown" })
        }
      }),
    ),
  )
})

describe("a hang-up", () => {
  it.effect.each([
    ["queued", "canceled"],
    ["ringing", "canceled"],
    ["in-progress", "completed"],
  ])("of a leg that is %s says %s", ([status, word]) =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* accepted(world)
        if (status !== "queued") yield* until(world, id, status ?? "")
        assert.strictEqual(yield* hangup(id, leg.sid), "Sent")
        assert.deepStrictEqual(endings(world), [word])
      }),
    ),
  )

  it.effect("of a leg that is answered in that moment still ends it", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* accepted(world)
        yield* until(world, id, "ringing")
        // Between the question and the hang-up.
        world.farEnd.fault = ({ method, path }) => {
          if (method === "GET" && path.includes(leg.sid) && leg.answeredAt === null) {
            leg.status = "in-progress"
            leg.answeredAt = world.farEnd.now
            return Response.json({ sid: leg.sid, status: "ringing" })
          }
          return null
        }
        assert.strictEqual(yield* hangup(id, leg.sid), "Sent")
        assert.deepStrictEqual(endings(world), ["canceled", "completed"])
        assert.strictEqual(leg.plan[0]?.[1], "completed")
      }),
    ),
  )

  it.effect("of a leg that is over, or that Twilio does not have, asks for nothing", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* accepted(world, commandFor("+12125550100"))
        yield* until(world, id, "completed")
        assert.strictEqual(yield* hangup(id, leg.sid), "Sent")
        assert.deepStrictEqual(endings(world), [])
        assert.strictEqual(yield* hangup("exec_nobody", null), "Sent")
        assert.strictEqual(yield* hangup("exec_nobody", `CA${"9".repeat(32)}`), "Sent")
      }),
    ),
  )

  it.effect("is refused where the account may not, and sent where nobody can say", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* accepted(world)
        for (const [status, said] of [
          [401, "Refused"],
          [403, "Refused"],
          [429, "Sent"],
          [500, "Sent"],
        ] as const) {
          world.farEnd.fault = ({ method }) => (method === "POST" ? new Response("{}", { status }) : null)
          assert.strictEqual(yield* hangup(id, leg.sid), said)
        }
      }),
    ),
  )
})

describe("the options", () => {
  const right: TwilioOptions = {
    accountSid,
    authToken,
    publicUrl,
    voice: () => ({ type: "stream", url: "wss://a.example.com" }),
  }
  it.each<Partial<TwilioOptions>>([
    { accountSid: "AC1" },
    { authToken: "" },
    { publicUrl: "http://voice.example.com" },
    { publicUrl: "https://voice.example.com/?a=1" },
    { publicUrl: "https://voice.example.com/#a" },
    { publicUrl: "https://u:p@voice.example.com/" },
    { publicUrl: "voice.example.com" },
    { baseUrl: "ftp://api.twilio.com" },
    { maxCallSeconds: 0 },
    { maxCallSeconds: 1.5 },
    { priceWaitSeconds: 21 },
    { priceWaitSeconds: -1 },
  ])("%j are wrong", (wrong) => {
    assert.throws(() => makeTwilio({ ...right, ...wrong }), WrongSetting)
  })

  it("are right where they are", () => {
    for (const more of [
      {},
      { publicUrl: "http://localhost:8080/twilio/" },
      { maxCallSeconds: 86_400, priceWaitSeconds: 0 },
    ])
      assert.isObject(makeTwilio({ ...right, ...more }))
  })
})

describe("what is secret", () => {
  it.effect("is in no line of the log, whatever fails", () => {
    const lines: Array<string> = []
    const logger = Logger.layer([
      Logger.make(({ cause, message }) => void lines.push(JSON.stringify([message, String(cause)]))),
    ])
    const number = "+12125550101"
    const spoken = (to: string) => new Error(`Nobody speaks with ${to}.`)
    return Effect.gen(function* () {
      for (const status of [400, 401, 403, 404, 429, 500]) {
        const world = staged()
        const text = `The number ${number} of ${accountSid} with ${authToken}`
        world.farEnd.fault = () => Response.json({ code: 21211, message: text }, { status })
        yield* Effect.provide(dial(commandFor(number)), world.carrier)
      }
      const world = staged({ voice: ({ to_number }) => Promise.reject(spoken(to_number)) })
      yield* Effect.provide(dial(commandFor(number)), world.carrier)
      assert.isAbove(lines.length, 5)
      for (const line of lines)
        for (const secret of [number.slice(1), authToken, accountSid]) assert.notInclude(line, secret)
    }).pipe(Effect.provide(logger))
  })
})

describe("what a dead process left", () => {
  it.effect("is settled: the prices of calls whose end was reported without", () =>
    on({ priceWaitSeconds: 0 }, (world) =>
      Effect.gen(function* () {
        const { leg } = yield* accepted(world, commandFor("+12125550100"))
        yield* until(world, leg.asked.get("StatusCallback")?.match(/exec_\d+/)?.[0] ?? "", "completed")
        world.farEnd.now += 3_600_000
        const row = (execution_id: string, changes: Partial<Call> = {}) => ({
          execution_id,
          call_sid: leg.sid,
          cost: null,
          final_report_at: 1,
          status: "no-answer" as const,
          answered_at: null,
          answered_by_voicemail: null,
          duration_seconds: 15,
          ...changes,
        })
        // A minute is charged for a talk of less than half a second, which lasts 0 s.
        const short = { duration_seconds: 0 } as const
        const open = [
          ...Array.from({ length: 101 }, (_, n) => row(`exec_open_${n}`)),
          row("exec_short", { ...short, status: "completed" }),
          row("exec_machine", { ...short, answered_by_voicemail: true }),
          row("exec_cut", { ...short, answered_at: 1 }),
        ]
        const rows = [
          ...open,
          row("exec_live", { final_report_at: null }),
          row("exec_free", { status: "busy", duration_seconds: 0 }),
          row("exec_gone", { call_sid: `CA${"9".repeat(32)}` }),
        ]
        const page = (_: string, __: unknown, { page: nth, page_size }: PageRequest) =>
          Effect.succeed({ items: rows.slice((nth - 1) * page_size, nth * page_size), total: rows.length })
        const pages = { page }
        const store = Layer.succeed(CallStore, pages as never)
        world.reports.length = 0
        const settling = world.adapter.settle({ organization_id: "org_1", from: 0, to: 1 })
        assert.strictEqual(yield* Effect.provide(settling, store), open.length)
        assert.sameMembers(
          world.reports.map(({ execution_id }) => execution_id),
          open.map(({ execution_id }) => execution_id),
        )
        for (const report of world.reports) {
          assert(report.type === "corrected")
          assert.strictEqual(report.facts.cost?.total, 0.014)
        }
      }),
    ),
  )
})

describe("another process", () => {
  it.effect("finds and hangs up by the SID on the row, which outlives the one that dialled", () =>
    Effect.gen(function* () {
      const first = staged()
      const { id, leg } = yield* Effect.provide(accepted(first), first.carrier)
      const adapter = makeTwilio({
        accountSid,
        authToken,
        publicUrl,
        fetch: first.farEnd.fetch,
        voice: () => ({ type: "stream", url: "wss://a.example.com" }),
      })
      const row = { execution_id: id, to_number: leg.to, call_sid: leg.sid, record: false, answered_by_voicemail: null }
      const reads = { locate: () => Effect.succeed(row) }
      const rows = Layer.succeed(CallStore, reads as never)
      const layer = adapter.carrier.pipe(Layer.provide(rows), Layer.provide(MemoryStore.layer(new MemoryTables())))
      yield* Effect.gen(function* () {
        const found = yield* Effect.flatMap(Telephony, ({ find }) => find(id))
        assert.deepStrictEqual(found, { _tag: "Live", call_sid: leg.sid, phase: "initiated" })
        yield* hangup(id, null)
        assert.strictEqual(leg.plan[0]?.[1], "canceled")
      }).pipe(Effect.provide(layer))
    }),
  )
})
