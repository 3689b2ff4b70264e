import { assert, it } from "@effect/vitest"
import { type CarrierReport, Telephony } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Effect, Layer } from "effect"
import { onTestFinished } from "vitest"
import { callbackServer } from "../../core/test/carrier/CallbackServer.ts"
import { makeTwilio } from "../src/index.ts"
import { commandFor } from "./Samples.ts"
import { ManualClock } from "./standin/Clock.ts"
import { startTwilioStandIn } from "./standin/StandIn.ts"
import { harmOf, otherWays, type StreamWays } from "./standin/StreamWays.ts"

/** One error of each harm, and none. */
const errors = [null, 31902, 31903, 31921, 31951]
const ways: ReadonlyArray<Partial<StreamWays>> = [{}, ...otherWays]
const cases = ways.flatMap((way) => errors.map((error) => ({ way, error })))
const numberOf = (nth: number) => `+1212555${String(nth).padStart(4, "0")}`

/** An adapter at a stand-in; the last four digits of a number are its case. */
const opened = async () => {
  const clock = new ManualClock(Date.now())
  const server = await callbackServer("/twilio")
  const twilio = await startTwilioStandIn({
    clock,
    callsPerSecond: 1_000,
    script: ({ to }) => {
      const { error = null, way = {} } = cases[Number(to.slice(-4))] ?? {}
      return { outcome: "completed", talk_s: 30, stream_error: error, stream_ways: way }
    },
    reach: ({ pathname, search }) => new URL(`${server.base}${pathname}${search}`),
  })
  const { accountSid, authToken, url } = twilio
  const adapter = makeTwilio({
    accountSid,
    authToken,
    baseUrl: url,
    publicUrl: "https://voice.example.com/twilio",
    from: "+12125550199",
    voice: () => ({ type: "stream", url: "wss://media.example.com/talk" }),
    priceWaitSeconds: 0,
  })
  const reports: Array<CarrierReport> = []
  server.mount(adapter.callbacks(async (report) => reports.push(report)))
  onTestFinished(async () => {
    server.close()
    await twilio.close()
  })
  return { carrier: Layer.provide(adapter.carrier, MemoryStore.layer(new MemoryTables())), clock, reports, twilio }
}

/** How a call with this error ends: one that its host closes, or that goes on with a warning, is a talk like any other. */
const endOf = (error: number | null) => {
  const harm = error === null ? "none" : harmOf(error)
  return harm === "unopened" || harm === "broken" ? "call-disconnected" : "completed"
}

it.live("a stream is understood however Twilio tells of it", () =>
  Effect.gen(function* () {
    const { carrier, clock, reports, twilio } = yield* Effect.promise(opened)
    const commands = cases.map((_, nth) => commandFor(numberOf(nth)))
    const said = Effect.gen(function* () {
      const { dial } = yield* Telephony
      const dialled = yield* Effect.forEach(commands, dial, { concurrency: 10 })
      assert.isTrue(dialled.every(({ _tag }) => _tag === "Accepted"))
      yield* Effect.promise(() => clock.advance(120_000))
    })
    yield* Effect.provide(said, carrier)
    const ends = commands.map(({ execution_id }, nth) => {
      const end = reports.find((report) => report.execution_id === execution_id && "end" in report)
      return { ...cases[nth], status: end !== undefined && "end" in end ? end.end.status : null }
    })
    assert.deepStrictEqual(
      ends,
      cases.map(({ error, way }) => ({ way, error, status: endOf(error) })),
    )
    assert.isTrue(twilio.calls().every(({ status }) => status === "completed"))
    assert.deepStrictEqual(twilio.warnings(), [])
  }),
)
