import { expect, it } from "vitest"
import { nonconformities } from "./Conformity.ts"
import { callFields } from "./Contract.ts"
import type { Fate } from "./Fate.ts"
import { emptyTwiml, stage } from "./Stage.ts"

const script = (fate: Fate) => () => fate

it("leads a call through its phases, in its own time", async () => {
  const fate: Fate = { outcome: "completed", setup_s: 2, ring_s: 6, talk_s: 61, price: 0.028, priced_after_s: 10 }
  const { allEvents, clock, dial, fetch, host } = await stage({ script: script(fate) })
  const start = clock.now()
  const { body } = await dial(allEvents)
  const seen: Array<unknown> = []
  for (const second of [0, 2, 8, 69, 79]) {
    await clock.runTo(start + second * 1000)
    const call = await fetch(body["sid"])
    expect(nonconformities(callFields, call)).toEqual([])
    seen.push([second, call["status"], call["duration"], call["price"], call["end_time"] !== null])
  }
  expect(seen).toEqual([
    [0, "queued", null, null, false],
    [2, "ringing", null, null, false],
    [8, "in-progress", null, null, false],
    [69, "completed", "61", null, true],
    [79, "completed", "61", "-0.02800", true],
  ])
  expect(
    host.heard.map(({ at, parameters }) => [
      (at - start) / 1000,
      parameters["CallStatus"],
      parameters["SequenceNumber"],
    ]),
  ).toEqual([
    [0, "initiated", "0"],
    [2, "ringing", "1"],
    [8, "in-progress", "2"],
    [69, "completed", "3"],
  ])
  expect(host.heard.at(-1)?.parameters).toMatchObject({ CallDuration: "61", Duration: "2", SipResponseCode: "200" })
})

const ends: ReadonlyArray<
  readonly [fate: Fate, form: { readonly [name: string]: string }, status: string, second: number]
> = [
  [{ outcome: "busy", ring_s: 3 }, {}, "busy", 4],
  [{ outcome: "no-answer" }, {}, "no-answer", 61],
  [{ outcome: "no-answer" }, { Timeout: "15" }, "no-answer", 16],
  [{ outcome: "completed", ring_s: 16 }, { Timeout: "15" }, "no-answer", 16],
  [{ outcome: "busy", ring_s: 16 }, { Timeout: "15" }, "no-answer", 16],
  [{ outcome: "failed", setup_s: 2 }, {}, "failed", 2],
  [{ outcome: "canceled", ring_s: 4 }, {}, "canceled", 5],
  [{ outcome: "completed", ring_s: 5, talk_s: 100 }, { TimeLimit: "30" }, "completed", 36],
]

it.each(ends)("ends as its fate and its limits have it: %j %j", async (fate, form, status, second) => {
  const { allEvents, clock, dial, fetch, host } = await stage({ script: script(fate) })
  const start = clock.now()
  const { body } = await dial({ ...allEvents, ...form })
  await clock.runOut()
  const call = await fetch(body["sid"])
  const last = host.heard.at(-1)
  expect([call["status"], last?.parameters["CallStatus"], (last?.at ?? 0) - start]).toEqual([
    status,
    status,
    second * 1000,
  ])
  if (status !== "completed") {
    expect(call).toMatchObject({ duration: null, end_time: null, price: null })
    expect(last?.parameters).toMatchObject({ CallDuration: "0", Duration: "0" })
  }
})

it("dials no more calls in a second than the account has, and says how long a call waits", async () => {
  const { clock, dial, fetch } = await stage({ callsPerSecond: 1 })
  const calls = [await dial(), await dial(), await dial()]
  expect(calls.map(({ body }) => body["queue_time"])).toEqual(["0", "1000", "2000"])
  await clock.advance(1500)
  const statuses = []
  for (const { body } of calls) statuses.push((await fetch(body["sid"]))["status"])
  expect(statuses).toEqual(["ringing", "queued", "queued"])
  const times = []
  for (const { body } of calls) times.push((await fetch(body["sid"]))["start_time"] === null)
  expect(times).toEqual([false, false, true])
})

const hangups = [
  ["queued", 0, "canceled", 200, "canceled"],
  ["queued", 0, "completed", 200, "completed"],
  ["ringing", 2, "canceled", 200, "canceled"],
  ["ringing", 2, "completed", 200, "completed"],
  ["in-progress", 10, "canceled", 200, "in-progress"],
  ["in-progress", 10, "completed", 200, "completed"],
  ["completed", 60, "canceled", 400, "completed"],
  ["completed", 60, "completed", 400, "completed"],
] as const

it.each(hangups)("hangs up a %s call (second %i) by %s: %i, and it is %s", async (phase, second, by, status, after) => {
  const { allEvents, clock, dial, fetch, host, update } = await stage()
  const { body } = await dial(allEvents)
  await clock.runTo(clock.now() + second * 1000 - 1)
  expect((await fetch(body["sid"]))["status"]).toBe(phase)
  const answer = await update(body["sid"], { Status: by })
  expect(answer.status).toBe(status)
  if (status === 400) expect(answer.body).toMatchObject({ code: 21220, status: 400 })
  expect((await fetch(body["sid"]))["status"]).toBe(after)
  await clock.runOut()
  const ended = host.heard.filter(({ parameters }) => parameters["CallDuration"] !== undefined)
  expect(ended.map(({ parameters }) => parameters["CallStatus"])).toEqual([
    after === "in-progress" ? "completed" : after,
  ])
})

it("updates with what an update may have, and nothing else", async () => {
  const { clock, dial, twilio, update } = await stage()
  const { body } = await dial()
  for (const Status of ["ringing", "busy", "stopped"]) {
    expect((await update(body["sid"], { Status })).body).toMatchObject({ code: 20001, status: 400 })
  }
  expect((await update(body["sid"], { Twiml: emptyTwiml })).body["code"]).toBe(21220)
  await clock.advance(7_000)
  const both = { Twiml: emptyTwiml, Url: "http://127.0.0.1/" }
  expect((await update(body["sid"], both)).body["code"]).toBe(20001)
  expect((await update(body["sid"], { Twiml: "<Response><Hangup/></Response>" })).status).toBe(200)
  await clock.advance(0)
  expect(twilio.calls()[0]?.twiml?.verbs.map(({ name }) => name)).toEqual(["Hangup"])
})

it("asks the host what to do once somebody answers", async () => {
  const twiml = '<Response><Connect><Stream url="wss://media.test/"/></Connect></Response>'
  const { clock, dialExactly, host, twilio } = await stage({}, () => ({ status: 200, text: twiml }))
  await dialExactly({ To: "+12125550100", From: "+12125550199", Url: `${host.url}/twiml`, Method: "GET" })
  await clock.advance(7_000)
  expect(host.heard).toMatchObject([
    { method: "GET", path: "/twiml", isSigned: true, parameters: { CallStatus: "in-progress" } },
  ])
  expect(twilio.calls()[0]?.twiml?.verbs[0]?.children[0]?.name).toBe("Stream")
  expect(twilio.warnings()).toEqual([])
})

it("asks the fallback where the host fails, and ends a call that has no instructions", async () => {
  const { clock, dial, fetch, host, twilio } = await stage({}, ({ path }) =>
    path === "/good" ? { status: 200, text: emptyTwiml } : { status: 500, text: "" },
  )
  const bad = await dial({ Url: `${host.url}/bad` })
  const saved = await dial({ Url: `${host.url}/bad`, FallbackUrl: `${host.url}/good` })
  await clock.advance(7_000)
  expect((await fetch(bad.body["sid"]))["status"]).toBe("completed")
  expect((await fetch(saved.body["sid"]))["status"]).toBe("in-progress")
  expect(twilio.warnings().map(({ code }) => code)).toEqual([15003, 15003])
})

it("ends a call whose instructions cannot be read, and warns of those that it skips", async () => {
  const { clock, dial, fetch, host, twilio } = await stage({}, () => ({
    status: 200,
    text: emptyTwiml,
    type: "application/json",
  }))
  const untyped = await dial({ Url: `${host.url}/twiml` })
  const unreadable = await dial({ Twiml: "<Response><Say>" })
  const skipped = await dial({ Twiml: "<Response><Shout/></Response>" })
  await clock.advance(7_000)
  expect((await fetch(untyped.body["sid"]))["status"]).toBe("completed")
  expect((await fetch(unreadable.body["sid"]))["status"]).toBe("completed")
  expect((await fetch(skipped.body["sid"]))["status"]).toBe("in-progress")
  expect(twilio.warnings().map(({ code }) => code)).toEqual([12300, 12100, 12200])
})

it("charges by the minute that was talked, and nothing where nobody answered or the script says so", async () => {
  const { clock, dial, fetch, update } = await stage({
    script: ({ to }) => {
      if (to.endsWith("1")) return { outcome: "busy", price: 1 }
      return { outcome: "completed", talk_s: 300, ...(to.endsWith("2") ? { price: null } : {}) }
    },
  })
  const long = await dial()
  const short = await dial()
  const busy = await dial({ To: "+12125550101" })
  const free = await dial({ To: "+12125550102" })
  await clock.advance(10_000)
  await update(short.body["sid"], { Status: "completed" })
  await clock.runOut()
  const prices = []
  for (const { body } of [long, short, busy, free]) prices.push((await fetch(body["sid"]))["price"])
  expect(prices).toEqual(["-0.07000", "-0.01400", null, null])
})

it.each(["/status", "/twiml"])(
  "goes no further with a call that is hung up while the host is asked at %s",
  async (place) => {
    const twiml = '<Response><Connect><Stream url="wss://media.test/"/></Connect></Response>'
    const staged = await stage({}, async ({ parameters, path }) => {
      if (path === place && parameters["CallStatus"] === "in-progress") {
        expect((await staged.update(parameters["CallSid"], { Status: "completed" })).status).toBe(200)
      }
      return { status: 200, text: twiml }
    })
    const { allEvents, clock, dial, fetch, host, twilio } = staged
    const { body } = await dial({ ...allEvents, Url: `${host.url}/twiml`, Record: "true" })
    await clock.runOut()
    expect(await fetch(body["sid"])).toMatchObject({ status: "completed", duration: "0" })
    expect(twilio.calls()).toMatchObject([{ twiml: null, sequence: 4 }])
    expect(twilio.calls()[0]?.recording?.status).toBe(place === "/status" ? undefined : "absent")
    const last = ["/status", "/status", "/status", ...(place === "/twiml" ? ["/twiml"] : []), "/status"]
    expect(host.heard.map(({ path }) => path)).toEqual(last)
  },
)

it("lets the callee hang up", async () => {
  const { allEvents, clock, dial, host, twilio } = await stage({
    script: script({ outcome: "completed", talk_s: 3_600 }),
  })
  const { body } = await dial(allEvents)
  await twilio.hangUp(String(body["sid"]))
  await clock.advance(16_000)
  await twilio.hangUp(String(body["sid"]))
  expect(host.heard.at(-1)?.parameters).toMatchObject({ CallStatus: "completed", CallDuration: "10" })
})

it("does what the script says of a number, and counts its calls", async () => {
  const { dial } = await stage({
    script: ({ nth, to }) => {
      if (to.endsWith("5")) return { refused: 20005, status: 403 }
      if (to.endsWith("6")) return { refused: 20429, retry_after_s: 2 }
      return to.endsWith("7") && nth === 1 ? { refused: 21215 } : { outcome: "busy" }
    },
  })
  expect((await dial({ To: "+12125550105" })).body).toMatchObject({ code: 20005, status: 403 })
  expect((await dial({ To: "+12125550106" })).headers.get("retry-after")).toBe("2")
  expect((await dial({ To: "+12125550107" })).status).toBe(201)
  expect((await dial({ To: "+12125550107" })).body).toMatchObject({ code: 21215, status: 400 })
  expect((await dial({ To: "+12125550100" })).status).toBe(201)
})

it("is the same world for the same seed", async () => {
  const sids = async (seed: string) => {
    const { dial } = await stage({ seed })
    return [(await dial()).body["sid"], (await dial()).body["sid"], (await dial()).body["account_sid"]]
  }
  expect(await sids("a")).toEqual(await sids("a"))
  expect(await sids("a")).not.toEqual(await sids("b"))
})
