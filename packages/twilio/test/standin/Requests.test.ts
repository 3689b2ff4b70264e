import fc from "fast-check"
import { expect, it } from "vitest"
import { nonconformities } from "./Conformity.ts"
import { callFields, createParameters, errorFields } from "./Contract.ts"
import { readParameters } from "./Parameters.ts"
import { emptyTwiml, type Form, stage } from "./Stage.ts"

const good = { To: "+12125550100", From: "+12125550199", Twiml: emptyTwiml }
const { From, To, Twiml } = good

const refusals: ReadonlyArray<readonly [code: number, status: number, form: Form]> = [
  [21201, 400, { From, Twiml }],
  [21201, 400, { ...good, To: "" }],
  [21213, 400, { To, Twiml }],
  [21205, 400, { To, From }],
  [21205, 400, { To, From, Url: "/twiml" }],
  [21205, 400, { To, From, Url: "ftp://host.test/" }],
  [21205, 400, { ...good, FallbackUrl: "nothing" }],
  [21206, 400, { ...good, SendDigits: "1 2" }],
  [21208, 400, { ...good, Timeout: "0" }],
  [21208, 400, { ...good, Timeout: "601" }],
  [21208, 400, { ...good, Timeout: "1.5" }],
  [21209, 400, { ...good, Method: "PUT" }],
  [21209, 400, { ...good, StatusCallbackMethod: "post" }],
  [21210, 400, { ...good, From: "+12125550198" }],
  [21211, 400, { ...good, To: "2125550100" }],
  [21211, 400, { ...good, To: "+1 212 555 0100" }],
  [21212, 400, { ...good, From: "nobody" }],
  [21212, 400, { ...good, From: "client:somebody" }],
  [21212, 400, { ...good, From: "+15005550001" }],
  [21214, 400, { ...good, To: "+15005550002" }],
  [21215, 400, { ...good, To: "+15005550003" }],
  [21216, 400, { ...good, To: "+15005550004" }],
  [21217, 400, { ...good, To: "+15005550001" }],
  [21218, 400, { To, From, ApplicationSid: `AP${"0".repeat(32)}` }],
  [21218, 400, { To, From, ApplicationSid: "AP0" }],
  [21219, 400, { ...good, To: "+12125550101" }],
  [21609, 400, { ...good, StatusCallback: "https://my_host.test/" }],
  [21609, 400, { ...good, AsyncAmdStatusCallback: "host.test/amd" }],
  [21609, 400, { ...good, RecordingStatusCallback: "host.test/recording" }],
  [20001, 400, { ...good, Record: "yes" }],
  [20001, 400, { ...good, MachineDetection: "enable" }],
  [20001, 400, { ...good, MachineDetectionSilenceTimeout: "1999" }],
  [20001, 400, { ...good, AsyncAmd: "True" }],
  [20001, 400, { ...good, RecordingChannels: "stereo" }],
  [20001, 400, { ...good, Byoc: "BY1" }],
  [20001, 400, { ...good, Twiml: "x".repeat(4001) }],
]

it("refuses each wrong call with its error, in Twilio's form, and places none", async () => {
  const { clock, dialExactly, twilio } = await stage({
    numbers: [From],
    verified: [To, "+15005550001", "+15005550002", "+15005550003", "+15005550004"],
  })
  for (const [code, status, form] of refusals) {
    const answer = await dialExactly(form)
    expect([form, answer.status, answer.body["code"]]).toEqual([form, status, code])
    expect(answer.body["status"]).toBe(status)
    expect(answer.body["more_info"]).toBe(`https://www.twilio.com/docs/errors/${code}`)
    expect(nonconformities(errorFields, answer.body)).toEqual([])
  }
  expect(twilio.calls()).toEqual([])
  expect(clock.next()).toBeNull()
})

it("takes each good call, and answers as the document says", async () => {
  const { dialExactly, twilio } = await stage({ numbers: [From] })
  const forms: ReadonlyArray<Form> = [
    good,
    { To, From, Url: "https://host.test/twiml?a=b#rc=3" },
    { ...good, To: "sip:agent@host.test" },
    { ...good, To: "client:somebody" },
    { ...good, From: "+15005550006" },
    { ...good, Timeout: "600", TimeLimit: "60", SendDigits: "ww12#", Record: "true", RecordingTrack: "both" },
    { ...good, MachineDetection: "DetectMessageEnd", MachineDetectionTimeout: "30", AsyncAmd: "false" },
  ]
  for (const form of forms) {
    const answer = await dialExactly(form)
    expect([form, answer.status]).toEqual([form, 201])
    expect(nonconformities(callFields, answer.body)).toEqual([])
    expect(answer.body).toMatchObject({ status: "queued", direction: "outbound-api", to: form["To"], start_time: null })
  }
  expect(new Set(twilio.calls().map(({ sid }) => sid)).size).toBe(forms.length)
  expect(twilio.warnings()).toEqual([])
})

it("ignores what it does not know, and warns of it", async () => {
  const { dial, get, twilio } = await stage()
  expect((await dial({ StatusCalback: "https://host.test/" })).status).toBe(201)
  expect((await get("/Calls.json?Number=1")).status).toBe(200)
  expect(twilio.warnings().map(({ code, text }) => [code, text])).toEqual([
    [20001, "unknown: StatusCalback"],
    [20001, "unknown: Number"],
  ])
})

it("takes a call with wrong events, sends none of them, and warns", async () => {
  const { allEvents, clock, dial, host, twilio } = await stage()
  expect((await dial({ ...allEvents, StatusCallbackEvent: "initiated ringing answered completed" })).status).toBe(201)
  await clock.runOut()
  expect(host.heard).toEqual([])
  expect(twilio.warnings().map(({ code }) => code)).toEqual([21626])
})

it("lets nobody in without the account's credentials", async () => {
  const { account, ask, twilio } = await stage()
  const wrong = ["", "Bearer x", `Basic ${btoa(`${twilio.accountSid}:wrong`)}`, `Basic ${btoa(`:${twilio.authToken}`)}`]
  for (const authorization of wrong) {
    const answer = await ask("POST", `${account}/Calls.json`, good, authorization)
    expect([answer.status, answer.body["code"]]).toEqual([401, 20003])
    expect(answer.headers.get("www-authenticate")).toContain("Basic")
  }
  expect(twilio.calls()).toEqual([])
})

it("knows no other accounts, calls and ways", async () => {
  const { account, ask, get } = await stage()
  const nobody = `CA${"0".repeat(32)}`
  for (const path of [
    `/Calls/${nobody}.json`,
    `/Calls/${nobody}/Recordings.json`,
    "/Calls/CA1.json",
    "/Messages.json",
  ]) {
    expect((await get(path)).body).toMatchObject({ code: 20404, status: 404 })
  }
  expect((await get(`/2010-04-01/Accounts/AC${"0".repeat(32)}/Calls.json`)).status).toBe(404)
  expect((await ask("PUT", `${account}/Calls.json`, good)).body).toMatchObject({ code: 20004, status: 405 })
})

it("reads forms alone: JSON is as if nothing had been sent", async () => {
  const { account, twilio } = await stage()
  const headers = {
    authorization: `Basic ${btoa(`${twilio.accountSid}:${twilio.authToken}`)}`,
    "content-type": "application/json",
  }
  const init = { method: "POST", headers, body: JSON.stringify(good) }
  expect(await (await fetch(`${twilio.url}${account}/Calls.json`, init)).json()).toMatchObject({ code: 21201 })
})

it("reads any form without failing, and what it takes is as the contract has it", () => {
  const name = fc.oneof(fc.constantFrom(...Object.keys(createParameters)), fc.constantFrom("toString", "__proto__", ""))
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom("true", "5", "GET", "https://h.test/", "+12125550100", "Enable", "-1", "1e3", "ringing"),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
      const reading = readParameters(createParameters, new URLSearchParams(pairs))
      if (!reading.ok) return
      const { asked } = reading.value
      const timeout = asked.number("Timeout")
      expect(timeout === null || (timeout >= 1 && timeout <= 600)).toBe(true)
      expect([null, "GET", "POST"]).toContain(asked.text("Method"))
      expect([null, "Enable", "DetectMessageEnd"]).toContain(asked.text("MachineDetection"))
    }),
  )
})
