import { expect, it } from "vitest"
import type { Fate, Verdict } from "./Fate.ts"
import { deliveryOf } from "./Overrides.ts"
import { emptyTwiml, stage } from "./Stage.ts"

const fine = { status: 200, text: emptyTwiml }

it("signs all that it sends, over the URL as it was given, by GET and by POST", async () => {
  for (const method of ["GET", "POST"]) {
    const { allEvents, clock, dial, host } = await stage()
    await dial({ ...allEvents, StatusCallbackMethod: method, Url: `${host.url}/twiml`, Method: method })
    await clock.runOut()
    expect(host.heard.map((heard) => [heard.method, heard.path, heard.isSigned])).toEqual(
      ["/status", "/status", "/status", "/twiml", "/status"].map((path) => [method, path, true]),
    )
    expect(host.heard[0]?.parameters).toMatchObject({ execution: "e1", CallbackSource: "call-progress-events" })
    expect(host.heard[0]?.parameters["Timestamp"]).toBe("Mon, 05 Jan 2026 09:00:00 +0000")
  }
})

it("reaches a public URL through the tunnel, and signs the public one", async () => {
  const seen: Array<string> = []
  const { clock, dial, host, twilio } = await stage({
    reach: (url) => {
      seen.push(url.href)
      return new URL(`${hostUrl}${url.pathname}${url.search}`)
    },
  })
  const hostUrl = host.url
  await dial({ StatusCallback: "https://calls.test:8443/status?a=1#rc=0" })
  await clock.runOut()
  expect(seen).toEqual(["https://calls.test:8443/status?a=1#rc=0"])
  expect(host.heard).toHaveLength(1)
  // The host saw another URL than was signed.
  expect(host.heard[0]?.isSigned).toBe(false)
  expect(twilio.callbacks()[0]?.status).toBe(200)
})

it("tells of a call before the answer to its dial, as far as it is wanted", async () => {
  const order = async (fate: Fate, last: "initiated" | "ringing" | "answered" | "completed") => {
    const told: Array<string> = []
    const { allEvents, clock, dial } = await stage(
      { script: () => fate, answersAfter: () => last },
      ({ parameters }) => {
        told.push(parameters["CallStatus"] ?? "")
        return fine
      },
    )
    const { body } = await dial(allEvents)
    // The answer shows the call as it was made.
    told.push(`answer: ${String(body["status"])}`)
    await clock.runOut()
    return told.join(", ")
  }
  const answered: Fate = { outcome: "completed" }
  expect(await order(answered, "initiated")).toBe("initiated, answer: queued, ringing, in-progress, completed")
  expect(await order(answered, "answered")).toBe("initiated, ringing, in-progress, answer: queued, completed")
  expect(await order(answered, "completed")).toBe("initiated, ringing, in-progress, completed, answer: queued")
  expect(await order({ outcome: "busy" }, "ringing")).toBe("initiated, ringing, answer: queued, busy")
  expect(await order({ outcome: "busy" }, "completed")).toBe("initiated, ringing, busy, answer: queued")
  expect(await order({ outcome: "failed" }, "answered")).toBe("initiated, failed, answer: queued")
})

it("tells nothing before the answer of a call that waits for its turn", async () => {
  const { allEvents, dial, host } = await stage({ callsPerSecond: 1, answersAfter: () => "completed" })
  await dial(allEvents)
  const first = host.heard.length
  await dial(allEvents)
  expect(first).toBe(4)
  expect(host.heard).toHaveLength(first)
})

it("calls back on this machine alone", async () => {
  const { clock, dial } = await stage()
  await dial({ StatusCallback: "https://calls.test/status" })
  await expect(clock.runOut()).rejects.toThrow("on this machine alone")
})

it("tells the end alone where no events were asked for, and those that were", async () => {
  const told = async (StatusCallbackEvent: ReadonlyArray<string>) => {
    const { clock, dial, host } = await stage()
    await dial({ StatusCallback: `${host.url}/s`, StatusCallbackEvent })
    await clock.runOut()
    return host.heard.map(({ parameters }) => [parameters["CallStatus"], parameters["SequenceNumber"]])
  }
  expect(await told([])).toEqual([["completed", "3"]])
  expect(await told(["answered"])).toEqual([["in-progress", "2"]])
})

const detections: ReadonlyArray<readonly [mode: string, says: Verdict, heard: Verdict]> = [
  ["Enable", "human", "human"],
  ["Enable", "machine_end_beep", "machine_start"],
  ["DetectMessageEnd", "machine_end_beep", "machine_end_beep"],
  ["DetectMessageEnd", "machine_start", "machine_end_other"],
  ["Enable", "fax", "fax"],
]

it.each(detections)("detects in the background: %s hears %s as %s", async (MachineDetection, answered_by, heard) => {
  const fate: Fate = { outcome: "completed", ring_s: 5, talk_s: 30, answered_by, detection_s: 4 }
  const { allEvents, clock, dial, fetch, host } = await stage({ script: () => fate })
  const form = { MachineDetection, AsyncAmd: "true", AsyncAmdStatusCallback: `${host.url}/amd` }
  const { body } = await dial({ ...allEvents, ...form, Url: `${host.url}/twiml` })
  await clock.advance(6_000)
  expect((await fetch(body["sid"]))["answered_by"]).toBeNull()
  expect(host.heard.at(-1)?.path).toBe("/twiml")
  await clock.advance(4_000)
  expect(host.heard.at(-1)).toMatchObject({
    path: "/amd",
    isSigned: true,
    parameters: { CallSid: body["sid"], AnsweredBy: heard, MachineDetectionDuration: "4000" },
  })
  expect((await fetch(body["sid"]))["answered_by"]).toBe(heard)
  await clock.runOut()
  expect(host.heard.at(-1)?.parameters).toMatchObject({ CallStatus: "completed", AnsweredBy: heard })
})

it("waits in the foreground for what is found, and asks then what to do", async () => {
  const fate: Fate = { outcome: "completed", talk_s: 60, detection_s: 40, answered_by: "human" }
  const { clock, dial, host } = await stage({ script: () => fate })
  await dial({ MachineDetection: "Enable", MachineDetectionTimeout: "10", Url: `${host.url}/twiml` })
  await clock.advance(15_999)
  expect(host.heard).toEqual([])
  await clock.advance(1)
  expect(host.heard.map(({ parameters }) => parameters["AnsweredBy"])).toEqual(["unknown"])
})

it("detects nothing where digits are sent or it was not asked for, and warns where it has no URL", async () => {
  const { clock, dial, host, twilio } = await stage()
  const amd = { MachineDetection: "Enable", AsyncAmd: "true" }
  await dial({ AsyncAmd: "true", AsyncAmdStatusCallback: `${host.url}/amd` })
  await dial({ ...amd, SendDigits: "1", AsyncAmdStatusCallback: `${host.url}/amd` })
  await dial(amd)
  await clock.runOut()
  expect(host.heard).toEqual([])
  expect(twilio.calls().map(({ answeredBy }) => answeredBy)).toEqual([null, null, "human"])
  expect(twilio.warnings().map(({ code }) => code)).toEqual([21262])
})

it("sends again by the overrides alone, with the same token", async () => {
  const attempts = async (overrides: string, answers: ReadonlyArray<typeof fine | null>) => {
    const { clock, dial, host, twilio } = await stage({}, (_, nth) => {
      const answer = answers[nth]
      return answer === undefined ? fine : answer
    })
    await dial({ StatusCallback: `${host.url}/s${overrides}` })
    await clock.runOut()
    expect(new Set(host.heard.map(({ token }) => token)).size).toBe(1)
    expect(host.heard.every(({ isSigned }) => isSigned)).toBe(true)
    expect(twilio.callbacks().map(({ attempt }) => attempt)).toEqual(host.heard.map((_, nth) => nth))
    return host.heard.length
  }
  const bad = { status: 503, text: "" }
  expect(await attempts("", [bad])).toBe(1)
  // Where nothing is said, a broken connection is tried once more.
  expect(await attempts("", [null])).toBe(2)
  expect(await attempts("#rc=0", [null])).toBe(1)
  expect(await attempts("#rc=3&rp=5xx", [bad, bad])).toBe(3)
  expect(await attempts("#rc=2&rp=all", [bad, null, bad])).toBe(3)
  expect(await attempts("#rc=2&rp=4xx", [bad, bad])).toBe(1)
})

it("takes overrides within their bounds", () => {
  const of = (overrides: string) => deliveryOf(new URL(`https://h.test/x#${overrides}`))
  expect(of("")).toEqual({ retries: 1, policy: new Set(["ct"]), readTimeoutMs: 15_000, totalMs: 15_000 })
  expect(of("rc=5&rp=4xx,5xx,nonsense&rt=100&tt=200")).toEqual({
    retries: 5,
    policy: new Set(["4xx", "5xx"]),
    readTimeoutMs: 100,
    totalMs: 200,
  })
  expect(of("rc=6&rt=1&tt=x")).toEqual(of(""))
})
