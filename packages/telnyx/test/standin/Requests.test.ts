import fc from "fast-check"
import { expect, it } from "vitest"
import { actionParameters, dialParameters } from "./Contract.ts"
import { readParameters } from "./Parameters.ts"
import { codeOf, type Fields, stage, under } from "./Stage.ts"

const refusals: ReadonlyArray<readonly [code: string, status: number, pointer: string, body: Fields]> = [
  ["10004", 422, "/to", { to: undefined }],
  ["10004", 422, "/from", { from: "" }],
  ["10004", 422, "/connection_id", { connection_id: null }],
  ["10016", 422, "/to", { to: "2125550100" }],
  ["10016", 422, "/from", { from: "somebody" }],
  ["10017", 422, "/connection_id", { connection_id: "1" }],
  ["10010", 403, "/from", { from: "+12125550198" }],
  ["10003", 422, "/webhook_url", { webhook_url: "ftp://host.test/" }],
  ["10003", 422, "/stream_url", { stream_url: "https://media.test/" }],
  ["10015", 422, "/client_state", { client_state: "not Base64" }],
  ["10015", 422, "/timeout_secs", { timeout_secs: 4 }],
  ["10015", 422, "/timeout_secs", { timeout_secs: 601 }],
  ["10015", 422, "/timeout_secs", { timeout_secs: "30" }],
  ["10015", 422, "/time_limit_secs", { time_limit_secs: 14_401 }],
  ["10015", 422, "/answering_machine_detection", { answering_machine_detection: "yes" }],
  ["10015", 422, "/record", { record: true }],
  ["10015", 422, "/to", { to: ["+12125550100"] }],
]

it("refuses each wrong dial with its error, in Telnyx's form, and places none", async () => {
  const { clock, dial, standard, telnyx } = await stage({ numbers: ["+12125550199"] })
  for (const [code, status, pointer, body] of refusals) {
    const answer = await dial(body)
    expect([body, answer.status, answer.body["errors"]]).toEqual([
      body,
      status,
      [expect.objectContaining({ code, source: { pointer } })],
    ])
  }
  expect(telnyx.calls()).toEqual([])
  expect(clock.next()).toBeNull()
  expect((await dial(standard)).status).toBe(200)
})

it("takes a good dial, and answers as the document says", async () => {
  const { dial, telnyx } = await stage()
  const state = Buffer.from("e1").toString("base64")
  const answer = await dial({ client_state: state, timeout_secs: 60, webhook_url: "https://host.test/x?a=b" })
  expect(answer.status).toBe(200)
  const [call] = telnyx.calls()
  expect(answer.body).toEqual({
    data: {
      call_control_id: call?.call_control_id,
      call_leg_id: call?.call_leg_id,
      call_session_id: call?.call_session_id,
      client_state: state,
      is_alive: false,
      record_type: "call",
    },
  })
  expect(telnyx.warnings()).toEqual([])
})

it("knows a command_id for a minute, and what it began", async () => {
  const { clock, dial, telnyx } = await stage()
  const first = await dial({ command_id: "c1" })
  await clock.advance(59_000)
  expect(await dial({ command_id: "c1" })).toMatchObject({ body: first.body })
  await clock.advance(2_000)
  await dial({ command_id: "c1" })
  await dial({ command_id: "c2" })
  expect(telnyx.calls()).toHaveLength(3)
})

it("refuses dials beyond its rate over five seconds", async () => {
  const { clock, dial } = await stage({ dialsPerSecond: 1 })
  for (let nth = 0; nth < 5; nth += 1) expect((await dial()).status).toBe(200)
  const answer = await dial()
  expect([answer.status, codeOf(answer), answer.headers.get("x-ratelimit-reset")]).toEqual([429, "90103", "1"])
  await clock.advance(5_000)
  expect((await dial()).status).toBe(200)
})

it("lets nobody in without the key", async () => {
  const { ask, standard, telnyx } = await stage()
  const answer = await ask("POST", "/v2/calls", standard, "KEY0")
  expect([answer.status, codeOf(answer)]).toEqual([401, "10009"])
  expect(telnyx.calls()).toEqual([])
})

it("knows no other calls, commands and ways", async () => {
  const { act, ask, dialled } = await stage()
  const id = await dialled()
  const paths = [
    await ask("GET", "/v2/calls/v3:nobody"),
    await ask("GET", "/v2/calls"),
    await ask("DELETE", `/v2/calls/${id}`),
    await act("v3:nobody", "hangup"),
    await act(id, "explode"),
    await ask("GET", "/v2/connections/1/active_calls"),
    await ask("GET", "/v2/messages"),
  ]
  for (const answer of paths) expect([answer.status, codeOf(answer)]).toEqual([404, "10005"])
})

it("ignores what it does not know, and warns of it", async () => {
  const { dial, telnyx } = await stage()
  expect((await dial({ webhookurl: "https://host.test/" })).status).toBe(200)
  expect(telnyx.warnings()).toEqual([{ call_control_id: null, text: "unknown: webhookurl" }])
})

it("answers what is no JSON with 400", async () => {
  const { telnyx } = await stage()
  const headers = { authorization: `Bearer ${telnyx.apiKey}`, "content-type": "application/json" }
  const answer = await fetch(`${telnyx.url}/v2/calls`, { method: "POST", headers, body: "{" })
  expect(answer.status).toBe(400)
})

it("reads any body without failing, and what it takes is as the contract has it", () => {
  const name = fc.oneof(fc.constantFrom(...Object.keys(dialParameters.rules)), fc.constantFrom("toString", "__proto__"))
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom("+12125550100", 5, true, "premium", "PCMU", null))
  fc.assert(
    fc.property(fc.dictionary(name, value), (body) => {
      const reading = readParameters(dialParameters, { connection_id: "1", from: "2", to: "3", ...body })
      if (!reading.ok) return
      const timeout = reading.value.asked.number("timeout_secs")
      expect(timeout === null || (timeout >= 5 && timeout <= 600)).toBe(true)
      expect([null, "premium", "detect", "detect_beep", "detect_words", "greeting_end", "disabled"]).toContain(
        reading.value.asked.text("answering_machine_detection"),
      )
    }),
  )
})

it("lists the calls that are not over, by pages", async () => {
  const { act, ask, clock, dialled, telnyx } = await stage({ listedAfterMs: 1_000 })
  const ids = [await dialled(), await dialled({ client_state: "ZTI=" }), await dialled()]
  const list = (query = "") => ask("GET", `/v2/connections/${telnyx.connectionId}/active_calls${query}`)
  expect((await list()).body["data"]).toEqual([])
  await clock.advance(1_000)
  await act(ids[0] ?? "", "hangup")
  const { body } = await list("?page[size]=1&page[number]=1")
  expect(body["data"]).toEqual([
    expect.objectContaining({ call_control_id: ids[1], client_state: "ZTI=", record_type: "call", call_duration: 0 }),
  ])
  expect(body["meta"]).toEqual({ page_number: 1, page_size: 1, total_pages: 2, total_results: 2 })
})

it("has a table for each command that it serves", () => {
  expect(Object.keys(actionParameters)).toContain("hangup")
  for (const { required, rules } of Object.values(actionParameters)) {
    for (const name of required) expect(Object.keys(rules)).toContain(name)
  }
})

it("shows the status of a call for ten minutes after its end", async () => {
  const { act, ask, clock, dialled, statusOf } = await stage()
  const id = await dialled()
  expect(await statusOf(id)).toMatchObject({ is_alive: true, call_duration: 0, record_type: "call" })
  await act(id, "hangup")
  await clock.advance(600_000)
  expect(await statusOf(id)).toMatchObject({ is_alive: false, end_time: "2026-01-05T09:00:00.000Z" })
  await clock.advance(1)
  const gone = await ask("GET", `/v2/calls/${id}`)
  expect([gone.status, under(gone.body, "data")]).toEqual([404, {}])
})
