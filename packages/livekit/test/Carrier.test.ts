import { Telephony } from "@carillon/core"
import { EncodedFileOutput, S3Upload } from "livekit-server-sdk"
import { Effect } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { type LiveKitOptions, makeLiveKit, WrongSetting } from "../src/index.ts"
import { readJob } from "../src/worker.ts"
import { apiKey, apiSecret, publicUrl, trunkId } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

type World = Awaited<ReturnType<typeof staged>>

const on = async <E>(
  options: Partial<LiveKitOptions>,
  test: (world: World, carrier: Telephony["Service"]) => Effect.Effect<void, E>,
) => {
  const world = await staged(options)
  onTestFinished(() => world.farEnd.close())
  await Effect.runPromise(
    Effect.scoped(
      Effect.provide(
        Effect.flatMap(Telephony, (carrier) => test(world, carrier)),
        world.carrier,
      ),
    ),
  )
}

const output = new EncodedFileOutput({
  filepath: "calls/{room_name}",
  output: { case: "s3", value: new S3Upload({ bucket: "b", accessKey: "AKIA", secret: "a-storage-secret" }) },
})
const recording = { output: () => output, open: async () => new Response("sound") }

describe("a dial", () => {
  it("makes a room, puts the agent into it with all that it must know, and calls the callee into it", () =>
    on({ maxCallSeconds: 900 }, ({ farEnd }, { dial }) =>
      Effect.gen(function* () {
        const call = commandFor("+12125550100", {
          timeout_seconds: 75,
          prompt: "Be brief.",
          variables: { name: "Ada" },
          campaign_id: "cmp_1",
        })
        assert.deepStrictEqual(yield* dial(call), { _tag: "Accepted", call_sid: "SCL_1" })
        const id = call.execution_id
        const room = farEnd.rooms.get(`call-${id}`)
        assert(room !== undefined)
        assert.strictEqual(room.metadata, JSON.stringify({ execution_id: id }))
        assert.isUndefined(room.egress)
        const [dispatch] = farEnd.dispatches
        assert.deepInclude(dispatch, { agentName: "carillon", room: `call-${id}` })
        const job = readJob(dispatch?.metadata ?? "")
        assert.deepInclude(job, {
          execution_id: id,
          callee: id,
          prompt: "Be brief.",
          campaign_id: "cmp_1",
          report_url: `${publicUrl}/report`,
        })
        assert.deepStrictEqual(job?.variables, { name: "Ada" })
        const [leg] = farEnd.legs
        assert(leg !== undefined)
        const { request } = leg
        assert.deepInclude(request, {
          sipTrunkId: trunkId,
          sipCallTo: "+12125550100",
          sipNumber: "+15005550006",
          roomName: `call-${id}`,
          participantIdentity: id,
          waitUntilAnswered: true,
          hidePhoneNumber: true,
        })
        assert.deepStrictEqual({ ...request.participantAttributes }, { "carillon.execution_id": id })
        assert.strictEqual(request.ringingTimeout?.seconds, 75n)
        assert.strictEqual(request.maxCallDuration?.seconds, 975n)
      }),
    ))

  it("asks with no more rights than each request needs", () =>
    on({}, ({ farEnd }, { dial, hangup }) =>
      Effect.gen(function* () {
        const call = commandFor("+12125550101")
        yield* dial(call)
        yield* hangup(call.execution_id, null)
        const room = `call-${call.execution_id}`
        const grantsOf = (method: string) => farEnd.seen.find((seen) => seen.method === method)?.grants
        assert.deepInclude(grantsOf("RoomService/CreateRoom"), { video: { roomCreate: true } })
        assert.deepInclude(grantsOf("SIP/CreateSIPParticipant"), { sip: { call: true } })
        assert.deepInclude(grantsOf("RoomService/RemoveParticipant"), { video: { roomAdmin: true, room } })
      }),
    ))

  it("is recorded by the room itself, and not at all where there is no place for a recording", async () => {
    const call = commandFor("+12125550100", { record: true })
    await on({ recording }, ({ farEnd }, { dial }) =>
      Effect.gen(function* () {
        yield* dial(call)
        const egress = farEnd.rooms.get(`call-${call.execution_id}`)?.egress?.room
        assert(egress !== undefined)
        assert.isTrue(egress.audioOnly)
        assert.strictEqual(egress.fileOutputs[0]?.filepath, "calls/{room_name}")
      }),
    )
    await on({}, ({ farEnd }, { dial }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* dial(call))._tag, "Accepted")
        assert.isUndefined(farEnd.rooms.get(`call-${call.execution_id}`)?.egress)
      }),
    )
  })

  it("asks for no leg where the agent could not be had, and leaves no room", () =>
    on({}, ({ farEnd }, { dial }) =>
      Effect.gen(function* () {
        farEnd.fault = (method, response) => {
          if (method !== "AgentDispatchService/CreateDispatch") return false
          response.writeHead(503, { "content-type": "application/json" }).end('{"code":"unavailable","msg":""}')
          return true
        }
        assert.deepStrictEqual(yield* dial(commandFor("+12125550100")), { _tag: "Refused", kind: "unreachable" })
        assert.isEmpty(farEnd.legs)
        assert.strictEqual(farEnd.rooms.size, 0)
      }),
    ))

  it("is sent once, whatever becomes of its answer", () =>
    on({}, ({ farEnd }, { dial }) =>
      Effect.gen(function* () {
        farEnd.fault = (method, response) => {
          if (method !== "SIP/CreateSIPParticipant") return false
          response.writeHead(503, { "content-type": "application/json" }).end('{"code":"unavailable","msg":""}')
          return true
        }
        assert.deepStrictEqual(yield* dial(commandFor("+12125550100")), { _tag: "Unknown" })
        const asked = farEnd.seen.filter(({ method }) => method === "SIP/CreateSIPParticipant")
        assert.strictEqual(asked.length, 1)
      }),
    ))

  it("is not sent where the worker would be told what is no JSON, or too much", async () => {
    const configurations = [() => ({ at: 1n }), () => "x".repeat(70_000)]
    for (const configuration of configurations) {
      await on({ configuration }, ({ farEnd }, { dial }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* dial(commandFor("+12125550100")), { _tag: "Refused", kind: "rejected" })
          assert.isEmpty(farEnd.seen)
        }),
      )
    }
  })
})

describe("a question", () => {
  it("has one leg for an answer only: two that have the id are none, and nobody asked is no answer", () =>
    on({}, ({ farEnd }, { dial, find }) =>
      Effect.gen(function* () {
        const call = commandFor("+12125550101")
        yield* dial(call)
        const [leg] = farEnd.legs
        assert(leg !== undefined)
        assert.strictEqual((yield* find(call.execution_id))._tag, "Live")
        const { request } = leg
        const another = request.clone()
        another.participantIdentity = "somebody"
        farEnd.legs.push({ ...leg, id: "other", request: another, plan: [] })
        assert.deepStrictEqual(yield* find(call.execution_id), { _tag: "Unknown" })
        farEnd.legs.pop()
        leg.status = "hangup"
        assert.deepStrictEqual(yield* find(call.execution_id), { _tag: "NoAnswer" })
        farEnd.fault = (_, response) => {
          response.writeHead(500).end()
          return true
        }
        assert.deepStrictEqual(yield* find(call.execution_id), { _tag: "NoAnswer" })
      }),
    ))

  it("finds each phase in LiveKit's words", () =>
    on({}, ({ farEnd }, { dial, find }) =>
      Effect.gen(function* () {
        const call = commandFor("+12125550101")
        yield* dial(call)
        const phases = { dialing: "initiated", ringing: "ringing", automation: "answered", active: "answered" } as const
        for (const [status, phase] of Object.entries(phases)) {
          const [leg] = farEnd.legs
          if (leg !== undefined) leg.status = status
          assert.deepInclude(yield* find(call.execution_id), { _tag: "Live", phase })
        }
      }),
    ))
})

it("refuses settings that it cannot work with, and names none of their values", () => {
  const good = { url: "wss://p.livekit.cloud", apiKey, apiSecret, trunkId, agentName: "a", publicUrl }
  makeLiveKit(good)
  const wrong: ReadonlyArray<Partial<LiveKitOptions>> = [
    { url: "http://p.livekit.cloud" },
    { url: "wss://p.livekit.cloud?x=1" },
    { publicUrl: "wss://voice.example.com" },
    { publicUrl: "https://a:b@voice.example.com" },
    { apiSecret: "" },
    { trunkId: " " },
    { agentName: "" },
    { maxCallSeconds: 0 },
    { reportWaitSeconds: 21 },
    { acceptAfterMs: 4_001 },
    { roomPrefix: "a b" },
  ]
  for (const changes of wrong) {
    assert.throws(() => makeLiveKit({ ...good, ...changes }), WrongSetting)
  }
})
