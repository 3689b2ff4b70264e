import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Client } from "./Client.ts"

let client: Client

beforeAll(async () => {
  client = await Client.start()
})

afterAll(async () => {
  expect(await client.violations()).toEqual([])
  await client.simulator.close()
})

let serial = 0
const number = (outcome: string, parameter = "00") => `+999${outcome}${parameter}${String(serial++).padStart(8, "0")}`

/** Dials a magic number, lets everything happen, and reads the call. */
const outcomeOf = async (to_number: string) => {
  const answer = await client.dialThrough(to_number)
  await client.idle()
  const call = answer.body.execution_id === undefined ? null : await client.call(answer.body.execution_id)
  return { answer, call }
}

describe("calls that go their way", () => {
  test.each([
    ["00", "03", { status: "completed", duration_seconds: 30 }],
    ["01", "00", { status: "busy", duration_seconds: 0, hangup_reason: "dial_busy" }],
    ["02", "00", { status: "no-answer", hangup_reason: "dial_no_answer" }],
    ["03", "00", { status: "no-answer", answered_by_voicemail: true, hangup_reason: "voicemail_reached" }],
    ["04", "00", { status: "failed", hangup_reason: "dial_failed" }],
    ["05", "00", { status: "error", hangup_reason: "carrier_error" }],
    ["06", "07", { status: "call-disconnected", duration_seconds: 7 }],
    ["33", "00", { status: "failed", hangup_reason: "invalid_destination" }],
    ["42", "00", { status: "completed", recording_url: null }],
    ["50", "02", { status: "completed", duration_seconds: 120 }],
    // A first attempt is busy, answers not, or fails; later attempts belong to batches.
    ["10", "01", { status: "busy" }],
    ["11", "01", { status: "no-answer" }],
    ["12", "01", { status: "failed" }],
    ["10", "00", { status: "completed" }],
  ])("%s with parameter %s", async (outcome, parameter, expected) => {
    const { answer, call } = await outcomeOf(number(outcome, parameter))
    expect(answer.status).toBe(201)
    expect(answer.body.status).toBe("queued")
    expect(call).toMatchObject({ ...expected, is_terminal: true })
  })

  test("the numbers for people have parameter 1", async () => {
    const { call } = await outcomeOf("+15555550100")
    expect(call).toMatchObject({ status: "completed", duration_seconds: 10 })
    expect((await outcomeOf("+15555550132")).answer.headers.get("retry-after")).toBe("1")
  })

  test("a completed call has a recording, a cost that adds up, a transcript, an analysis and timings", async () => {
    const { call } = await outcomeOf(number("00", "02"))
    expect(call!["recording_url"]).toMatch(/^https:/)
    const { cost } = call!
    const sum = Object.values(cost.breakdown).reduce((total, part) => total + part, 0)
    expect(cost.total).toBeGreaterThan(0)
    expect(cost.total).toBeCloseTo(sum, 6)
    expect(call!.summary).toEqual(expect.any(String))
    expect(Object.keys(call!.extracted_data)).toEqual(["appointment"])
    const id = call!.execution_id
    const transcript = (await client.get(`/v2/calls/${id}/transcript`)).body
    expect(transcript).toMatchObject({ format: "turns", transcript_status: "available" })
    expect(transcript["turn_count"]).toBeGreaterThan(1)
    const timing = (await client.get(`/v2/calls/${id}/timing`)).body
    expect(timing).toMatchObject({ measured: true, not_measured_reason: null })
  })

  test("43: the transcript is one plain string at the source", async () => {
    const { call } = await outcomeOf(number("43"))
    const read = await client.call(call!.execution_id, "?include_transcript=true")
    expect(typeof read["transcript"]).toBe("string")
    const normal = (await client.get(`/v2/calls/${call!.execution_id}/transcript`)).body
    expect(normal["turn_count"]).toBeGreaterThan(1)
  })

  test("an undefined outcome goes by the mix, and the same number goes the same way again", async () => {
    const to = number("99")
    const [first, second] = [await outcomeOf(to), await outcomeOf(to)]
    expect(first.call!["is_terminal"]).toBe(true)
    const { execution_id: _, ...facts } = first.call!
    for (const field of ["status", "duration_seconds", "hangup_by", "summary", "cost"]) {
      expect(second.call![field]).toEqual(facts[field])
    }
  })
})

describe("dials that the carrier refuses", () => {
  test.each([
    ["30", "00", 503, 1501, "unreachable"],
    ["31", "00", 503, 1501, "rejected"],
    ["32", "17", 429, 1300, "throttled"],
  ])("%s", async (outcome, parameter, status, error, result) => {
    const to = number(outcome, parameter)
    const { answer } = await outcomeOf(to)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toBe(error)
    if (outcome === "32") expect(answer.headers.get("retry-after")).toBe(parameter)
    const { data } = await client.legs({ to_number: to })
    expect(data).toMatchObject([{ result, live: false, answered_at: null }])
  })

  test("07: the wallet cannot carry it, and nobody is rung", async () => {
    const to = number("07")
    const { answer } = await outcomeOf(to)
    expect([answer.status, answer.body.error]).toEqual([402, 1400])
    expect((await client.legs({ to_number: to })).data).toEqual([])
  })

  test("07: a contact with it ends once, and nobody is rung", async () => {
    const to = number("07")
    const made = await client.post("/v2/campaigns", {
      name: "Unfunded",
      agent_id: client.simulator.info.agent_id,
      contacts: [{ to_number: to }, { to_number: number("00") }],
      retry_policy: { max_retries: 3, base_delay_minutes: 1 },
    })
    await client.idle()
    const contacts = await client.get(`/v2/campaigns/${String(made.body["campaign_id"])}/contacts`)
    expect(contacts.body.data).toMatchObject([
      { status: "failed", attempts: 1, last_status: "balance-low" },
      { status: "completed", attempts: 1 },
    ])
    expect((await client.legs({ to_number: to })).data).toEqual([])
  })
})

describe("dials whose outcome is unknown", () => {
  test("20: unconfirmed after eight seconds, and live", async () => {
    const { answer, call } = await outcomeOf(number("20"))
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({ status: "queued", dispatch: "pending_confirmation" })
    expect(call!.status).toBe("completed")
  })

  test("21: unconfirmed and never dialled: ends as error and leaves no leg", async () => {
    const to = number("21")
    const { answer, call } = await outcomeOf(to)
    expect(answer.status).toBe(202)
    expect(call!.status).toBe("error")
    expect((await client.legs({ to_number: to })).data).toEqual([])
  })

  test("22: no leg is reported for PP seconds; until then the call cannot be stopped", async () => {
    const { body } = await client.dial(number("22", "20"))
    await client.advance({ by_ms: 19_999 })
    const stop = await client.post(`/v2/calls/${body.execution_id}/stop`)
    expect([stop.status, stop.headers.get("retry-after")]).toEqual([409, "2"])
    await client.advance({ by_ms: 1 })
    expect((await client.call(body.execution_id)).status).toBe("initiated")
    await client.idle()
    expect((await client.call(body.execution_id)).status).toBe("completed")
  })

  test("60: one report and then silence; asked, the carrier says completed", async () => {
    const to = number("60")
    const { body } = await client.dial(to)
    await client.advance({ by_ms: 5_000 })
    expect((await client.call(body.execution_id)).status).toBe("initiated")
    await client.idle()
    expect((await client.call(body.execution_id)).status).toBe("completed")
  })
})

describe("reports that misbehave", () => {
  test("23: the provider refuses a hang-up, and the call goes on", async () => {
    const { body } = await client.dial(number("23"))
    await client.advance({ until: { execution_id: body.execution_id, status: "in-progress" } })
    expect((await client.post(`/v2/calls/${body.execution_id}/stop`)).status).toBe(409)
    await client.idle()
    expect((await client.call(body.execution_id)).status).toBe("completed")
  })

  test("24: doubled and disordered reports come to the same call", async () => {
    const { call } = await outcomeOf(number("24"))
    expect(call).toMatchObject({ status: "completed", answered_by_voicemail: false })
    expect(call!.duration_seconds).toBeGreaterThan(0)
  })

  test("25: the record folds into the surviving one, and the call is listed once", async () => {
    const to = number("25")
    const { answer, call } = await outcomeOf(to)
    expect(call!.execution_id).not.toBe(answer.body.execution_id)
    expect(call!.status).toBe("completed")
    const list = (await client.get(`/v2/calls?to_number=${encodeURIComponent(to)}`)).body
    expect(list.data).toMatchObject([{ execution_id: call!.execution_id }])
    const legs = await client.legs({ execution_id: answer.body.execution_id })
    expect(legs.data).toMatchObject([{ execution_id: call!.execution_id }])
  })

  test("25: the surviving record can be stopped, under either id", async () => {
    const { body } = await client.dial(number("25"))
    const id = body.execution_id
    await client.advance({ until: { execution_id: id, status: "in-progress" } })
    while ((await client.call(id)).execution_id === id) await client.advance({ by_ms: 1_000 })
    expect((await client.post(`/v2/calls/${id}/stop`)).status).toBe(202)
    await client.advance({ by_ms: 300 })
    expect((await client.legs({ execution_id: id })).data).toMatchObject([{ result: "stopped", live: false }])
    await client.idle()
  })

  test("40: the analysis comes more than ten minutes after the end", async () => {
    const { body } = await client.dial(number("40"))
    const id = body.execution_id
    await client.advance({ until: { execution_id: id, status: "completed" } })
    await client.advance({ by: "PT10M" })
    expect((await client.call(id)).summary).toBeNull()
    await client.idle()
    expect((await client.call(id)).summary).toEqual(expect.any(String))
  })

  test("41: a fact is corrected after everything was reported", async () => {
    const { body } = await client.dial(number("41", "00"))
    const id = body.execution_id
    await client.advance({ until: { execution_id: id, status: "completed" } })
    const before = (await client.call(id)).duration_seconds
    await client.idle()
    expect((await client.call(id)).duration_seconds).toBe(before + 1)
  })
})
