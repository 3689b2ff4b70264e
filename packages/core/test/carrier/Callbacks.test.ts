import { InvalidField, metersLayer, type MetricRegistry } from "@carillon/core"
import { CarrierName, metrics } from "@carillon/core/ports"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import {
  callbackHandler,
  type CallbackStatus,
  Desk,
  kept,
  noRecording,
  openDesk,
  rowOf,
  tell,
} from "@carillon/core/carrier"
import { Context, Effect, Layer, Logger, Metric, References } from "effect"
import { assert, describe, it, vi } from "vitest"

const report = { execution_id: "exec_1", call_sid: "CA1", at: 5, type: "ringing" } as const

describe("the callbacks of a vendor", () => {
  const handle = callbackHandler({
    topics: {
      status: async (request): Promise<CallbackStatus> => ((await request.text()) === "forged" ? 403 : 200),
      broken: () => Promise.reject(new Error("away")),
    },
    recording: async (_, id, pass) => (pass === "open" ? new Response(id) : noRecording(404)),
  })
  it.each([
    ["POST", "/a/b/status", "real", 200],
    ["POST", "/status?x=1", "real", 200],
    ["POST", "/a/b/status", "forged", 403],
    ["POST", "/broken", "real", 503],
    ["PUT", "/status", "real", 405],
    ["POST", "/toString", "real", 404],
    ["POST", "/status/", "real", 404],
    ["POST", "/recordings/1/open", "", 405],
    ["GET", "/a/recordings/1/shut", null, 404],
    ["GET", "/a/recordings/1/open", null, 200],
  ] as const)("%s %s with %j is answered rightly", async (method, path, body, status) => {
    const answer = await handle(new Request(`https://host.test${path}`, { method, body }))
    assert.strictEqual(answer.status, status)
  })
})

describe("the desk", () => {
  it("takes reports while the engine stands, and has them come again before and after", async () => {
    const desk = new Desk()
    const answers: Array<number> = []
    const told = async () => answers.push(await kept(desk, tell(desk.report, report)))
    const opened = Effect.gen(function* () {
      yield* openDesk(desk)
      yield* Effect.promise(told)
      desk.report = async () => "applied"
      yield* Effect.promise(told)
      desk.report = () => Promise.reject(new InvalidField({ field: "at", reason: "is odd" }))
      yield* Effect.promise(told)
      desk.report = () => Promise.reject(new Error("away"))
      yield* Effect.promise(told)
      assert.isNull(yield* rowOf(desk, "exec_1"))
    })
    await told()
    await opened.pipe(Effect.scoped, Effect.provide(MemoryStore.layer(new MemoryTables())), Effect.runPromise)
    await told()
    assert.deepStrictEqual(answers, [503, 503, 200, 400, 503, 503])
    const away = await Effect.runPromise(Effect.flip(rowOf(desk, "exec_1")))
    assert.isFalse(away.forGood)
  })
})

describe("callbacks that are refused", () => {
  it("are counted by their answer, and told of once a minute, with how many they were", async () => {
    const desk = new Desk()
    const handle = callbackHandler({
      desk,
      topics: {
        status: async (request): Promise<CallbackStatus> => {
          const body = await request.text()
          return body === "forged" ? 403 : body === "odd" ? 400 : body === "away" ? 503 : 200
        },
      },
      recording: async () => noRecording(404),
    })
    const post = (body: string) =>
      Effect.promise(() => handle(new Request("https://host.test/status", { method: "POST", body })))
    const lines: Array<string> = []
    const logger = Logger.make(({ fiber, message }) => {
      lines.push(`${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
    })
    const registry: MetricRegistry = new Map()
    const counted = () =>
      Object.fromEntries(
        Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
          .filter(({ id }) => id === metrics.carrierCallbacks.name)
          .map(({ attributes, state }) => [attributes?.["answer"], Object(state).count]),
      )
    // Nobody is there to count for before the engine stands.
    await Effect.runPromise(post("real"))
    await Effect.gen(function* () {
      yield* openDesk(desk)
      for (const body of ["real", "real", "away", "forged", "forged", "odd"]) yield* post(body)
      yield* Effect.promise(() => vi.waitFor(() => assert.lengthOf(lines, 1)))
    }).pipe(
      Effect.scoped,
      Effect.provide(MemoryStore.layer(new MemoryTables())),
      Effect.provide(Layer.mergeAll(metersLayer(registry), Layer.succeed(CarrierName, "main"), Logger.layer([logger]))),
      Effect.runPromise,
    )
    assert.deepStrictEqual(counted(), { taken: 2, not_kept: 1, forged: 2, malformed: 1 })
    assert.match(lines.join("\n"), /^Callbacks of the carrier are refused: their signatures are wrong.*"main"/)
  })
})
