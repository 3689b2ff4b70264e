import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { type DialCommand, type MetricRegistry, metersLayer, Telephony } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Context, Effect, Layer, Logger, Metric } from "effect"
import { chosenOf } from "../src/Finding.ts"
import { makeTelnyx, type TelnyxOptions, WrongSetting } from "../src/index.ts"
import { apiKey, connectionId, FarEnd, publicKey, publicUrl } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

type World = ReturnType<typeof staged>

const on = <E>(options: Partial<TelnyxOptions>, test: (world: World) => Effect.Effect<void, E, Telephony>) =>
  Effect.suspend(() => {
    const world = staged(options)
    return Effect.provide(test(world), world.carrier)
  })

const dial = (command: DialCommand) => Effect.flatMap(Telephony, (carrier) => carrier.dial(command))
const find = (id: string) => Effect.flatMap(Telephony, (carrier) => carrier.find(id))
const hangup = (id: string, sid: string | null) => Effect.flatMap(Telephony, (carrier) => carrier.hangup(id, sid))
const unheard = () => commandFor("+12125550102")
const accepted = Effect.fnUntraced(function* ({ farEnd }: World, command = commandFor("+12125550101")) {
  const said = yield* dial(command)
  assert(said._tag === "Accepted")
  const leg = farEnd.legs.at(-1)
  assert(leg !== undefined)
  return { id: command.execution_id, leg, said }
})
const until = ({ farEnd }: World, id: string, phase: "ringing" | "answered" | "ended") =>
  Effect.promise(async () => {
    while (!farEnd.isAt(id, phase) && (await farEnd.step()));
  })

describe("a dial", () => {
  it.effect("says all that Telnyx needs, and by which number it calls", () =>
    on({ machineDetection: { onMachine: "hang_up" }, maxCallSeconds: 600 }, (world) =>
      Effect.gen(function* () {
        const command = commandFor("+12125550101", { timeout_seconds: 45, record: true, from_number: "+12125550177" })
        const { id, leg, said } = yield* accepted(world, command)
        assert.deepStrictEqual(said, { _tag: "Accepted", call_sid: leg.call_control_id })
        assert.deepStrictEqual(leg.asked, {
          connection_id: connectionId,
          to: "+12125550101",
          from: "+12125550177",
          timeout_secs: 45,
          command_id: id,
          client_state: btoa(id),
          webhook_url: `${publicUrl}/events`,
          webhook_url_method: "POST",
          time_limit_secs: 600,
          record: "record-from-answer",
          record_channels: "dual",
          record_format: "mp3",
          answering_machine_detection: "premium",
          stream_url: `wss://media.example.com/talk?execution_id=${id}`,
          stream_track: "inbound_track",
          stream_bidirectional_mode: "rtp",
          stream_bidirectional_codec: "PCMU",
        })
        const hosts = yield* accepted(world)
        assert.deepInclude(hosts.said, { from_number: "+12125550199" })
      }),
    ),
  )

  it.effect("rings as long as Telnyx can", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const seconds: Array<unknown> = []
        for (const timeout_seconds of [1, 5, 600, 900]) {
          const { leg } = yield* accepted(world, commandFor("+12125550101", { timeout_seconds }))
          seconds.push(leg.asked["timeout_secs"])
        }
        assert.deepStrictEqual(seconds, [5, 5, 600, 600])
      }),
    ),
  )

  it.effect.each<Partial<TelnyxOptions>>([
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
      const voice = () => ({ type: "stream", url: "wss://a.example.com" }) as const
      const { carrier } = makeTelnyx({ apiKey, publicKey, connectionId, publicUrl, voice, fetch: farEnd.fetch })
      const layer = Layer.provide(carrier, MemoryStore.layer(new MemoryTables()))
      const said = yield* Effect.provide(dial(commandFor("+12125550101")), layer)
      assert.deepStrictEqual(said, { _tag: "Refused", kind: "rejected" })
      assert.deepStrictEqual(farEnd.seen, [])
    }),
  )

  it.effect("whose answer cannot be read, or is a redirect, is not known", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        for (const answer of [
          () => new Response("{", { status: 200 }),
          () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example.com" } }),
          () => new Response("x".repeat(5 * 1024 * 1024), { status: 200 }),
          () => {
            throw new TypeError("fetch failed", { cause: { code: "UND_ERR_SOCKET" } })
          },
        ]) {
          world.farEnd.fault = answer
          assert.deepStrictEqual(yield* dial(commandFor("+12125550101")), { _tag: "Unknown" })
        }
        world.farEnd.fault = () => {
          throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })
        }
        assert.deepStrictEqual(yield* dial(commandFor("+12125550101")), { _tag: "Refused", kind: "unreachable" })
      }),
    ),
  )

  it.effect("follows no redirect: the API key goes nowhere else", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const server = createServer((request, response) => {
        asked.push(request.url ?? "")
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)))
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const voice = () => ({ type: "stream", url: "wss://a.example.com" }) as const
      const { carrier } = makeTelnyx({
        apiKey,
        publicKey,
        connectionId,
        publicUrl,
        voice,
        baseUrl,
        from: "+12125550199",
      })
      const layer = Layer.provide(carrier, MemoryStore.layer(new MemoryTables()))
      const said = yield* Effect.provide(dial(commandFor("+12125550101")), layer)
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
      assert.deepStrictEqual(said, { _tag: "Unknown" })
      assert.deepStrictEqual(asked, ["/v2/calls"])
    }),
  )
})

describe("a hang-up", () => {
  it.effect("is one word in every phase, and needs no id of Telnyx's", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        for (const phase of ["ringing", "answered"] as const) {
          const { id, leg } = yield* accepted(world)
          yield* until(world, id, phase)
          assert.strictEqual(yield* hangup(id, phase === "ringing" ? null : leg.call_control_id), "Sent")
          yield* until(world, id, "ended")
          assert.strictEqual((yield* find(id))._tag, "Ended")
          // What is over is over.
          assert.strictEqual(yield* hangup(id, null), "Sent")
        }
        assert.strictEqual(yield* hangup("exec_of nobody", null), "Sent")
      }),
    ),
  )

  it.effect("is refused by Telnyx's word alone", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { id, leg } = yield* accepted(world)
        const said: Array<string> = []
        for (const status of [401, 403, 404, 422, 429, 500]) {
          world.farEnd.fault = () => new Response("{}", { status })
          said.push(yield* hangup(id, leg.call_control_id))
        }
        assert.deepStrictEqual(said, ["Refused", "Refused", "Sent", "Sent", "Sent", "Sent"])
      }),
    ),
  )
})

describe("a leg whose answer got lost", () => {
  it.effect("is found among the calls that go on, on whatever page, by its state alone", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const command = unheard()
        world.farEnd.make({ to: command.to_number, client_state: btoa("exec_another") })
        for (let other = 0; other < 260; other += 1) world.farEnd.make({ to: "+12125550101", client_state: "" })
        assert.deepStrictEqual(yield* dial(command), { _tag: "Unknown" })
        const found = yield* find(command.execution_id)
        const [leg] = world.farEnd.of(command.execution_id)
        assert(found._tag === "Live")
        assert.strictEqual(found.call_sid, leg?.call_control_id)
      }),
    ),
  )

  it.effect("is found by its events when it is over, and how it ended", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { farEnd } = world
        const command = commandFor("+12125550103")
        farEnd.fault = ({ path }) => {
          if (path === "/v2/calls") throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } })
          return null
        }
        farEnd.silent = new Set(["call.initiated", "call.hangup"])
        assert.deepStrictEqual(yield* dial(command), { _tag: "Unknown" })
        yield* until(world, command.execution_id, "ended")
        const found = yield* find(command.execution_id)
        assert(found._tag === "Ended")
        assert.deepInclude(found.end, { status: "busy", hangup_reason: "dial_busy" })
      }),
    ),
  )

  it.effect("is none of two: nobody can tell which is the one", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const command = unheard()
        yield* dial(command)
        world.farEnd.make({ ...world.farEnd.legs[0]?.asked })
        assert.deepStrictEqual(yield* find(command.execution_id), { _tag: "Unknown" })
      }),
    ),
  )

  it.effect("is not known where Telnyx lists none, and open where it lists nothing", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const command = unheard()
        yield* dial(command)
        world.farEnd.fault = ({ path }) => (path.endsWith("/active_calls") ? new Response("{}", { status: 500 }) : null)
        assert.deepStrictEqual(yield* find(command.execution_id), { _tag: "NoAnswer" })
        world.farEnd.fault = () => null
        world.farEnd.legs.length = 0
        assert.deepStrictEqual(yield* find(command.execution_id), { _tag: "Unknown" })
      }),
    ),
  )

  it.effect("is open while its events cannot be had, or not all, and no leg of it goes on", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { farEnd } = world
        const command = unheard()
        yield* dial(command)
        farEnd.listsEvents = false
        const live = yield* find(command.execution_id)
        assert(live._tag === "Live", "a leg that goes on is a proof by itself")
        const another = unheard()
        farEnd.silent = new Set(["call.initiated", "call.answered", "call.hangup"])
        yield* dial(another)
        yield* until(world, another.execution_id, "ended")
        assert.deepStrictEqual(yield* find(another.execution_id), { _tag: "NoAnswer" })
        farEnd.listsEvents = true
        const data = [{ name: "call.initiated", type: "webhook", call_leg_id: "another's" }]
        farEnd.fault = ({ path }) =>
          path === "/v2/call_events" ? Response.json({ data, meta: { total_pages: 1_000 } }) : null
        assert.deepStrictEqual(yield* find(another.execution_id), { _tag: "NoAnswer" })
        farEnd.fault = () => null
        assert.strictEqual((yield* find(another.execution_id))._tag, "Ended")
      }),
    ),
  )

  it.effect("is open where a full page says nothing of others", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const command = unheard()
        yield* dial(command)
        const data = Array.from({ length: 20 }, (_, nth) => ({ call_control_id: `v3:${nth}`, call_leg_id: `${nth}` }))
        world.farEnd.fault = ({ path }) => (path.endsWith("/active_calls") ? Response.json({ data }) : null)
        assert.deepStrictEqual(yield* find(command.execution_id), { _tag: "NoAnswer" })
        const pages: Array<string | null> = []
        world.farEnd.fault = ({ path, query }) => {
          if (!path.endsWith("/active_calls")) return null
          pages.push(query.get("page[after]"))
          const after = pages.length < 3 ? `cursor-${pages.length}` : null
          return Response.json({ data, meta: { cursors: { after } } })
        }
        assert.deepStrictEqual(yield* find(command.execution_id), { _tag: "Unknown" })
        assert.deepStrictEqual(pages, [null, "cursor-1", "cursor-2"])
      }),
    ),
  )

  it("is chosen where it is the only one", () => {
    const one = { call_sid: "v3:1", leg_id: "1" }
    assert.deepStrictEqual(chosenOf([one]), { _tag: "Leg", ...one })
    assert.deepStrictEqual(chosenOf([]), { _tag: "None" })
    assert.deepStrictEqual(chosenOf([one, { call_sid: "v3:2", leg_id: "2" }]), { _tag: "None" })
  })
})

describe("a leg of which no webhook came", () => {
  const all = new Set(["call.initiated", "call.answered", "call.hangup", "call.cost"])

  it.effect("is found at each phase, and for as long as Telnyx shows it", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        world.farEnd.silent = all
        const { id, leg } = yield* accepted(world, commandFor("+12125550100"))
        assert.deepInclude(yield* find(id), { _tag: "Live", phase: "initiated" })
        yield* until(world, id, "ringing")
        assert.deepInclude(yield* find(id), { _tag: "Live", phase: "ringing" })
        yield* until(world, id, "answered")
        assert.deepInclude(yield* find(id), { _tag: "Live", phase: "answered" })
        yield* until(world, id, "ended")
        const found = yield* find(id)
        assert(found._tag === "Ended")
        assert.deepInclude(found.end, { status: "completed", duration_seconds: 15, hangup_by: "customer" })
        assert.strictEqual(found.call_sid, leg.call_control_id)
      }),
    ),
  )

  it.effect("was a conversation where it was answered, and otherwise ends without a cause when nobody says one", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { farEnd } = world
        farEnd.listsEvents = false
        farEnd.silent = new Set(["call.hangup", "call.cost"])
        const talked = yield* accepted(world, commandFor("+12125550100"))
        const busy = yield* accepted(world, commandFor("+12125550103"))
        yield* until(world, talked.id, "ended")
        yield* until(world, busy.id, "ended")
        const found = yield* find(talked.id)
        assert(found._tag === "Ended")
        assert.deepInclude(found.end, { status: "completed", duration_seconds: 15 })
        assert.deepStrictEqual(yield* find(busy.id), { _tag: "NoAnswer" })
        farEnd.now += 5 * 60_000
        const given = yield* find(busy.id)
        assert(given._tag === "Ended")
        assert.deepInclude(given.end, { status: "error", hangup_reason: "carrier_error" })
        const gone = yield* accepted(world, commandFor("+12125550103"))
        yield* until(world, gone.id, "ended")
        farEnd.now += 11 * 60_000
        // Telnyx shows it no more, and its events cannot be had: that is no word on the leg.
        assert.deepStrictEqual(yield* find(gone.id), { _tag: "NoAnswer" })
        farEnd.listsEvents = true
        assert.deepInclude(yield* find(gone.id), { _tag: "Ended" })
      }),
    ),
  )
})

describe("a list of events that is refused", () => {
  const overheard = () => {
    const lines: Array<string> = []
    return { lines, logger: Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]) }
  }
  const mistakes = (registry: MetricRegistry) =>
    Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
      .filter(({ id }) => id === "carillon.carrier.mistakes")
      .map(({ attributes, state }) => [attributes?.["carrier"], attributes?.["operation"], Reflect.get(state, "count")])

  it.effect("is told once as a mistake, is waited for in bounded time, and is told of when it is back", () => {
    const world = staged()
    const { farEnd } = world
    const registry: MetricRegistry = new Map()
    const { lines, logger } = overheard()
    return Effect.gen(function* () {
      farEnd.silent = new Set(["call.initiated", "call.answered", "call.hangup"])
      farEnd.refusesEvents = true
      // One whose dial's answer got lost, one that Telnyx has named.
      const lost = unheard()
      yield* dial(lost)
      yield* until(world, lost.execution_id, "ended")
      const gone = yield* accepted(world, commandFor("+12125550103"))
      yield* until(world, gone.id, "ended")
      farEnd.now += 11 * 60_000
      for (const id of [lost.execution_id, gone.id]) assert.deepStrictEqual(yield* find(id), { _tag: "NoAnswer" })
      farEnd.now += 89_999
      for (const id of [lost.execution_id, gone.id]) assert.deepStrictEqual(yield* find(id), { _tag: "NoAnswer" })
      farEnd.now += 1
      for (const id of [lost.execution_id, gone.id]) assert.deepStrictEqual(yield* find(id), { _tag: "Unknown" })
      const told = lines.filter((line) => line.includes("list of events"))
      assert.lengthOf(told, 1)
      assert.include(told[0] ?? "", "refuses the list of events (403, code 10010)")
      assert.deepStrictEqual(mistakes(registry), [["carrier", "find", 1]])
      farEnd.refusesEvents = false
      assert.strictEqual((yield* find(gone.id))._tag, "Ended")
      assert.include(lines.at(-1) ?? "", "again")
    }).pipe(Effect.provide(Layer.mergeAll(world.carrier, logger).pipe(Layer.provideMerge(metersLayer(registry)))))
  })

  it.effect("is not one that is away, however long", () =>
    on({}, (world) =>
      Effect.gen(function* () {
        const { farEnd } = world
        farEnd.silent = new Set(["call.initiated", "call.answered", "call.hangup"])
        farEnd.listsEvents = false
        const lost = unheard()
        yield* dial(lost)
        yield* until(world, lost.execution_id, "ended")
        for (let hour = 0; hour < 3; hour += 1) {
          farEnd.now += 3_600_000
          assert.deepStrictEqual(yield* find(lost.execution_id), { _tag: "NoAnswer" })
        }
      }),
    ),
  )
})

describe("what is secret", () => {
  it.effect("is in no log and no error", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ cause, message }) => void lines.push(message, cause))
    return on(
      { voice: () => Promise.reject(new Error(`a mistake with +12125550101`)), facts: () => Promise.reject(apiKey) },
      (world) =>
        Effect.gen(function* () {
          yield* dial(commandFor("+12125550101"))
          world.farEnd.fault = () => new Response("{}", { status: 401 })
          yield* hangup("exec_1", "v3:1")
          const text = JSON.stringify(lines)
          assert.isNotEmpty(lines)
          assert.notInclude(text, apiKey)
          assert.notInclude(text, "+12125550101")
        }),
    ).pipe(Effect.provide(Logger.layer([logger])))
  })

  it("is not told by a wrong setting", () => {
    const voice = () => ({ type: "stream", url: "wss://a.example.com" }) as const
    const right = { apiKey, publicKey, connectionId, publicUrl, voice }
    const wrong: ReadonlyArray<readonly [string, Partial<TelnyxOptions>]> = [
      ["apiKey", { apiKey: "" }],
      ["apiKey", { apiKey: "a secret with spaces" }],
      ["publicKey", { publicKey: "a secret" }],
      ["publicKey", { publicKey: btoa("too short") }],
      ["connectionId", { connectionId: "" }],
      ["publicUrl", { publicUrl: "http://voice.example.com" }],
      ["publicUrl", { publicUrl: "https://voice.example.com?x=1" }],
      ["baseUrl", { baseUrl: "https://user:secret@api.example.com" }],
      ["maxCallSeconds", { maxCallSeconds: 14_401 }],
      ["webhookAgeSeconds", { webhookAgeSeconds: 0 }],
      ["webhookAgeSeconds", { webhookAgeSeconds: 3_601 }],
    ]
    for (const [name, options] of wrong) {
      try {
        makeTelnyx({ ...right, ...options })
        assert.fail(`${name} was taken`)
      } catch (error) {
        assert.instanceOf(error, WrongSetting)
        assert.include(error.message, name)
        assert.notInclude(error.message, "secret")
      }
    }
  })
})
