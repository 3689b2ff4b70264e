import { describe, expect, it } from "vitest"
import type { Fate } from "./Fate.ts"
import { emptyTwiml, type Heard, type HostScript, stage } from "./Stage.ts"
import { otherWays } from "./StreamWays.ts"

interface Staged {
  readonly fate?: Partial<Fate>
  /** The attributes of `<Connect>` and of `<Stream>`, and what stands behind. `HOST` is the host's address. */
  readonly connect?: string
  readonly stream?: string
  readonly behind?: string
  readonly script?: HostScript
}

const isOfStream = (one: Heard) => one.parameters["StreamEvent"] !== undefined

/** A call that is answered at 6 s with a stream to its host. */
const streamed = async ({ behind = "", connect = "", fate = {}, script, stream = "" }: Staged) => {
  const set = await stage({ script: () => ({ outcome: "completed", talk_s: 20, ...fate }) }, script)
  const text = `<Response><Connect ${connect}><Stream url="wss://agent.test/s" statusCallback="HOST/stream" ${stream}/></Connect>${behind}</Response>`
  const from = set.clock.now()
  const { body } = await set.dial({ ...set.allEvents, Twiml: text.replaceAll("HOST", set.host.url) })
  await set.clock.advance(60_000)
  const told = () =>
    set.host.heard
      .filter((one) => isOfStream(one) || one.parameters["CallStatus"] === "completed")
      .map(({ at, parameters }) => [(at - from) / 1000, parameters["StreamEvent"] ?? "completed"])
  const notices = () => set.host.heard.filter(isOfStream)
  return { ...set, from, sid: body["sid"], told, notices }
}

describe("a stream that goes well", () => {
  it("is told as started, and as stopped when the call ends", async () => {
    const { from, notices, sid, told, twilio } = await streamed({})
    expect(told()).toEqual([
      [6, "stream-started"],
      [26, "stream-stopped"],
      [26, "completed"],
    ])
    for (const { isSigned, method } of notices()) expect([isSigned, method]).toEqual([true, "POST"])
    const [first, second] = notices().map(({ parameters }) => parameters)
    const stream = first?.["StreamSid"]
    expect(stream).toMatch(/^MZ[0-9a-f]{32}$/)
    expect(first).toEqual({
      AccountSid: twilio.accountSid,
      CallSid: sid,
      StreamSid: stream,
      StreamName: stream,
      StreamEvent: "stream-started",
      Timestamp: new Date(from + 6000).toISOString(),
    })
    expect(second).toMatchObject({ StreamSid: stream, StreamEvent: "stream-stopped" })
    expect(twilio.warnings()).toEqual([])
  })

  it("bears its name, and is told with the method that was asked for", async () => {
    const { notices } = await streamed({ stream: `name="agent" statusCallbackMethod="GET"` })
    expect(notices().map(({ isSigned, method, parameters }) => [isSigned, method, parameters["StreamName"]])).toEqual([
      [true, "GET", "agent"],
      [true, "GET", "agent"],
    ])
  })

  it("is told to nobody without an absolute statusCallback", async () => {
    const { told, twilio } = await streamed({ stream: "", behind: "" })
    expect(told()).toHaveLength(3)
    expect(twilio.warnings()).toEqual([])
    const bare = await stage()
    await bare.dial({
      Twiml: `<Response><Connect><Stream url="wss://agent.test/s" statusCallback="/stream"/></Connect></Response>`,
    })
    await bare.clock.advance(60_000)
    expect(bare.host.heard).toEqual([])
    expect(bare.twilio.warnings()).toMatchObject([{ code: 11100 }])
  })

  it("is over when the call is given something else to do", async () => {
    const set = await stage()
    const twiml = `<Response><Connect><Stream url="wss://agent.test/s" statusCallback="${set.host.url}/stream"/></Connect></Response>`
    const { body } = await set.dial({ Twiml: twiml })
    await set.clock.advance(10_000)
    await set.update(body["sid"], { Twiml: '<Response><Pause length="60"/></Response>' })
    await set.clock.advance(1)
    expect(set.host.heard.map(({ parameters }) => parameters["StreamEvent"])).toEqual([
      "stream-started",
      "stream-stopped",
    ])
    expect((await set.fetch(body["sid"]))["status"]).toBe("in-progress")
  })
})

describe("a stream that fails", () => {
  const errorsOfOpening = [31901, 31920, 31922, 31941]
  it.each(errorsOfOpening)("with %i was never started", async (code) => {
    const { notices, told } = await streamed({ fate: { stream_error: code } })
    expect(told()).toEqual([
      [6, "stream-error"],
      [6, "completed"],
    ])
    expect(notices()[0]?.parameters["StreamError"]).toMatch(/^Stream - /)
  })

  it.each([31903, 31921, 31924])("with %i was started before", async (code) => {
    const { told } = await streamed({ fate: { stream_error: code, stream_s: 3 } })
    expect(told()).toEqual([
      [6, "stream-started"],
      [9, "stream-error"],
      [9, "completed"],
    ])
  })

  it.each([31950, 31951])("with the warning %i goes on", async (code) => {
    const { told } = await streamed({ fate: { stream_error: code, stream_s: 3 } })
    expect(told()).toEqual([
      [6, "stream-started"],
      [9, "stream-error"],
      [26, "stream-stopped"],
      [26, "completed"],
    ])
  })

  it("is not opened on another track, nor over another scheme", async () => {
    const { notices, twilio } = await streamed({ stream: `track="both_tracks"` })
    expect(twilio.warnings()).toMatchObject([{ code: 31941 }])
    expect(notices().map(({ parameters }) => parameters["StreamError"])).toEqual([
      "Stream - Invalid Track configuration",
    ])
    const set = await stage()
    const twiml = `<Response><Connect><Stream url="https://agent.test/s" statusCallback="${set.host.url}/stream"/></Connect></Response>`
    await set.dial({ Twiml: twiml })
    await set.clock.advance(60_000)
    expect(set.host.heard.map(({ parameters }) => parameters["StreamError"])).toEqual([
      "Stream - WebSocket - URL Schema Not Supported",
    ])
  })

  it("breaks no call that is over", async () => {
    const { told } = await streamed({ fate: { stream_error: 31924, stream_s: 30 } })
    expect(told().map(([, event]) => event)).toEqual(["stream-started", "stream-stopped", "completed"])
  })
})

describe("what stands behind a stream", () => {
  const failed = { stream_error: 31921, stream_s: 1 }
  const endOf = async (staged: Staged) => (await streamed({ fate: failed, ...staged })).told().at(-1)?.[0]

  it("is done when the stream is over, and not before", async () => {
    expect(await endOf({ fate: {}, behind: "<Hangup/>" })).toBe(26)
    expect(await endOf({ behind: "<Hangup/>" })).toBe(7)
    expect(await endOf({ behind: `<Pause length="5"/>` })).toBe(12)
    expect(await endOf({ behind: "<Say>Bye</Say><Pause/><Hangup/>" })).toBe(8)
    expect(await endOf({ behind: "<Gather/>" })).toBe(26)
  })

  it.each([
    ["<Redirect>", { behind: "<Redirect>HOST/next</Redirect>" }],
    ["action", { connect: `action="HOST/next"`, behind: "<Hangup/>" }],
  ])("is asked for: %s", async (_, staged) => {
    const script: HostScript = () => ({ status: 200, text: "<Response><Say>Bye</Say><Hangup/></Response>" })
    const { from, host, told } = await streamed({ fate: failed, script, ...staged })
    expect(host.heard.filter(({ path }) => path === "/next")).toMatchObject([{ at: from + 7000, method: "POST" }])
    expect(told().at(-1)).toEqual([7, "completed"])
  })

  it("may be another stream, which does well", async () => {
    const second = `<Response><Connect><Stream url="wss://agent.test/s"/></Connect></Response>`
    const script: HostScript = () => ({ status: 200, text: second })
    const { told } = await streamed({ fate: failed, script, behind: "<Redirect>HOST/next</Redirect>" })
    expect(told().at(-1)).toEqual([26, "completed"])
  })

  it("ends the call where it leads on for ever", async () => {
    const loop =
      '<Response><Connect><Stream url="https://agent.test/s"/></Connect><Redirect>/again</Redirect></Response>'
    const { host, told, twilio } = await streamed({
      fate: failed,
      behind: "<Redirect>HOST/again</Redirect>",
      script: ({ path }) => ({ status: 200, text: path === "/again" ? loop : emptyTwiml }),
    })
    expect(host.heard.filter(({ path }) => path === "/again")).toHaveLength(20)
    expect(told().at(-1)).toEqual([7, "completed"])
    expect(twilio.warnings().some(({ code }) => code === 12200)).toBe(true)
  })
})

describe("what the pages leave open can be either way", () => {
  const eventsWith = async (staged: Staged) => (await streamed(staged)).told().map(([, event]) => event)

  it("what StreamError says", async () => {
    const textWith = async (error_is: "words" | "code" | "both") => {
      const { notices } = await streamed({ fate: { stream_error: 31920, stream_ways: { error_is } } })
      return notices()[0]?.parameters["StreamError"]
    }
    expect(await textWith("words")).toBe("Stream - WebSocket - Handshake Error")
    expect(await textWith("code")).toBe("31920")
    expect(await textWith("both")).toBe("31920: Stream - WebSocket - Handshake Error")
    const { notices } = await streamed({ fate: { stream_ways: { no_error_is: "empty" } } })
    expect(notices().map(({ parameters }) => parameters["StreamError"])).toEqual(["", ""])
  })

  it("what is told of a stream that failed", async () => {
    const error = { stream_error: 31921 }
    expect(await eventsWith({ fate: { ...error, stream_ways: { stops_after_error: true } } })).toEqual([
      "stream-started",
      "stream-error",
      "stream-stopped",
      "completed",
    ])
    expect(await eventsWith({ fate: { ...error, stream_ways: { closed_is: "stream-stopped" } } })).toEqual([
      "stream-started",
      "stream-stopped",
      "completed",
    ])
  })

  it("what the call does then, unless the host closed the socket itself", async () => {
    const endWith = async (stream_error: number, call_then: "goes on" | "ends") => {
      const fate = { stream_error, stream_s: 0, stream_ways: { call_then } }
      return (await streamed({ fate, behind: `<Pause length="5"/>` })).told().at(-1)?.[0]
    }
    expect(await endWith(31920, "goes on")).toBe(11)
    expect(await endWith(31920, "ends")).toBe(6)
    expect(await endWith(31924, "ends")).toBe(6)
    expect(await endWith(31921, "ends")).toBe(11)
  })

  it("when a stream is told as stopped", async () => {
    expect(await eventsWith({ fate: { stream_ways: { stopped_is_told: "after the end" } } })).toEqual([
      "stream-started",
      "completed",
      "stream-stopped",
    ])
  })

  it("each way is told and comes to an end", async () => {
    for (const stream_ways of otherWays) {
      const events = await eventsWith({ fate: { stream_error: 31924, stream_ways } })
      expect(events).toContain("stream-error")
      expect(events).toContain("completed")
    }
  })
})
