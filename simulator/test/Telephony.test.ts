import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Client } from "./Client.ts"

let client: Client

beforeEach(async () => {
  client = await Client.start()
})

afterEach(async () => {
  expect(await client.violations()).toEqual([])
  await client.simulator.close()
})

const rules = (...list: ReadonlyArray<object>) => client.put("/_sim/telephony/rules", { rules: list })
const ordinary = "+12125550100"

const finished = async (to_number: string, rest: object = {}) => {
  const { body } = await client.dial(to_number, rest)
  await client.idle()
  return client.call(body.execution_id)
}

describe("rules", () => {
  test("the first that matches wins, and beats magic, which beats the default", async () => {
    await client.put("/_sim/telephony/rules", {
      rules: [
        { match: { to_number: "+999020000000001" }, outcome: { result: "busy" } },
        { match: { to_prefix: "+99902" }, outcome: { result: "failed" } },
      ],
      default: { result: "no-answer" },
    })
    expect((await finished("+999020000000001")).status).toBe("busy")
    expect((await finished("+999020000000002")).status).toBe("failed")
    expect((await finished("+999010000000001")).status).toBe("busy")
    expect((await finished(ordinary)).status).toBe("no-answer")
    await rules()
    expect((await finished("+999020000000001")).status).toBe("no-answer")
  })

  test("a rule serves as often as it says", async () => {
    await rules({ outcome: { result: "busy" }, times: 2 }, { outcome: { result: "failed" } })
    const seen = [await finished(ordinary), await finished(ordinary), await finished(ordinary)]
    expect(seen.map(({ status }) => status)).toEqual(["busy", "busy", "failed"])
  })

  test("a rule for an agent leaves the others alone; one for a later attempt does not match a direct dial", async () => {
    const { agent_id } = client.simulator.info
    await rules(
      { match: { agent_id: "agt_other" }, outcome: { result: "busy" } },
      { match: { attempt: 1 }, outcome: { result: "error" } },
      { match: { agent_id, attempt: 0 }, outcome: { result: "failed" } },
    )
    expect((await finished(ordinary)).status).toBe("failed")
  })

  test("a rule for its number takes the empty wallet of 07 away", async () => {
    expect((await client.dial("+999070000000001")).status).toBe(402)
    await rules({ match: { to_prefix: "+99907" }, outcome: { result: "busy" } })
    expect((await finished("+999070000000001")).status).toBe("busy")
  })

  test("a mix for everything that has no rule", async () => {
    await client.put("/_sim/telephony/rules", { rules: [], default: { mix: { busy: 1, failed: 0 } } })
    for (let serial = 0; serial < 5; serial++) expect((await finished(`+1212555010${serial}`)).status).toBe("busy")
  })

  test("a world may start with another mix", async () => {
    const other = await Client.start({ mix: { voicemail: 3 } })
    const { body } = await other.dial(ordinary)
    await other.idle()
    expect(await other.call(body.execution_id)).toMatchObject({ status: "no-answer", answered_by_voicemail: true })
  })

  test.each([
    [{ rules: [{ outcome: {} }] }, 400, "rules[0].outcome.result"],
    [{ rules: [{ outcome: { result: "well" } }] }, 422, "rules[0].outcome.result"],
    [{ rules: [{ outcome: { result: "busy", ring_ms: -1 } }] }, 422, "rules[0].outcome.ring_ms"],
    [{ rules: [{ outcome: { result: "busy" }, times: 0 }] }, 422, "rules[0].times"],
    [{ rules: [], default: { mix: { busy: 0 } } }, 422, "default.mix"],
    [{}, 400, "rules"],
  ])("refuses %j", async (body, status, field) => {
    const answer = await client.put("/_sim/telephony/rules", body)
    expect(answer.status).toBe(status)
    expect(answer.body.message).toContain(`'${field}'`)
  })
})

describe("outcomes", () => {
  test("every field of an outcome reaches the call", async () => {
    await rules({
      outcome: {
        result: "completed",
        ring_ms: 3_000,
        talk_ms: 12_500,
        processing_ms: 1_000,
        hangup_by: "agent",
        recording: false,
        sentiment: "negative",
        transcript: [
          { role: "agent", content: "Hello" },
          { role: "user", content: "Goodbye" },
        ],
        cost: { total: 2.5, breakdown: { llm: 2, telephony: 0.5 } },
        turns: [{ heard_ms: 100, first_token_ms: 200, first_audio_ms: 50 }, { first_token_ms: 300 }],
      },
    })
    const call = await finished(ordinary)
    expect(call).toMatchObject({
      status: "completed",
      duration_seconds: 12.5,
      hangup_by: "agent",
      hangup_reason: "agent_hangup",
      recording_url: null,
      sentiment: "negative",
      cost: { total: 2.5, breakdown: { llm: 2, telephony: 0.5, network: 0 } },
    })
    const timing = (await client.get(`/v2/calls/${call.execution_id}/timing`)).body
    expect(timing).toMatchObject({
      measured: true,
      turns: [
        { heard: { final_transcript_ms: 100 }, round_trip_ms: 350 },
        { round_trip_ms: null, round_trip_missing: ["heard", "spoke"] },
      ],
    })
    const { data } = await client.legs()
    const [leg] = data
    const [placed, answered, ended] = [leg!["placed_at"], leg!["answered_at"], leg!["ended_at"]].map((time) =>
      Date.parse(String(time)),
    )
    expect(ended! - answered!).toBe(12_500)
    expect(answered! - placed!).toBeGreaterThanOrEqual(3_200)
    expect(answered! - placed!).toBeLessThanOrEqual(3_600)
  })

  test("a phone that rings longer than the call's patience is not answered, at that moment", async () => {
    await rules({ outcome: { result: "completed", ring_ms: 60_000 } })
    const call = await finished(ordinary, { timeout_seconds: 7 })
    expect(call).toMatchObject({ status: "no-answer", duration_seconds: 0 })
    const [leg] = (await client.legs()).data
    const rang = Date.parse(String(leg!["ended_at"])) - Date.parse(String(leg!["placed_at"]))
    expect(rang).toBeGreaterThanOrEqual(7_200)
    expect(rang).toBeLessThanOrEqual(7_600)
  })

  test("a voicemail box that is let talk was answered first", async () => {
    await rules({ outcome: { result: "voicemail", talk_ms: 5_000 } })
    const { body } = await client.dial(ordinary)
    expect(await client.advance({ until: { execution_id: body.execution_id, status: "in-progress" } })).toMatchObject({
      reached: true,
    })
    await client.idle()
    expect(await client.call(body.execution_id)).toMatchObject({ status: "no-answer", answered_by_voicemail: true })
  })

  test("an acknowledgement that is late holds the answer, one that is too late leaves it unconfirmed", async () => {
    await rules(
      { outcome: { result: "busy", ack_delay_ms: 3_000 }, times: 1 },
      { outcome: { result: "busy", ack_delay_ms: 9_000 } },
    )
    expect((await client.dialThrough(ordinary)).status).toBe(201)
    expect((await client.dialThrough(ordinary)).status).toBe(202)
    await client.idle()
  })

  test("a stop ends the leg, and the line is free after the final report", async () => {
    const { body } = await client.dial("+999500500000001")
    await client.advance({ until: { execution_id: body.execution_id, status: "in-progress" } })
    const stop = await client.post(`/v2/calls/${body.execution_id}/stop`, { reason: "enough" })
    expect(stop.body).toMatchObject({ status: "stopped", reason: "enough" })
    const stats = async () => (await client.get("/_sim/stats")).body
    expect(await stats()).toMatchObject({ live: 1, slots: { platform: 1 }, calls_by_status: { stopped: 1 } })
    await client.idle()
    expect(await stats()).toMatchObject({ live: 0, live_peak: 1, slots: { platform: 0 } })
    expect(await client.call(body.execution_id)).toMatchObject({ status: "stopped", hangup_reason: "user_request" })
    expect((await client.legs()).data).toMatchObject([{ result: "stopped", live: false }])
  })
})

describe("legs", () => {
  test("show a number of the organization where the dial named none, and the one it named otherwise", async () => {
    const { body } = await client.post("/_sim/organizations", { phone_numbers: ["+12125550151", "+12125550152"] })
    client.key = body.keys[0]!.key
    const agent = await client.post("/v2/agents", { display_name: "A", status: "ACTIVE" })
    const dial = (rest: object) => client.dial(ordinary, { agent_id: agent.body["agent_id"], ...rest })
    const drawn = await dial({})
    expect(body.phone_numbers).toContain((await client.call(drawn.body.execution_id))["from_number"])
    const named = await dial({ from_number: "+12125550152" })
    const { data } = await client.legs({ execution_id: named.body.execution_id })
    expect(data).toMatchObject([{ from_number: "+12125550152" }])
  })

  test("are found by what they are for, and by whether they live", async () => {
    const { agent_id } = client.simulator.info
    const first = await client.dial("+999500100000001")
    await client.dial("+999300000000001")
    expect((await client.legs()).data).toHaveLength(2)
    expect((await client.legs({ agent_id })).data).toHaveLength(2)
    expect((await client.legs({ agent_id: "agt_x" })).data).toEqual([])
    expect((await client.legs({ execution_id: first.body.execution_id })).data).toHaveLength(1)
    expect((await client.get("/_sim/telephony/legs?to_number=+999500100000001")).body.data).toHaveLength(1)
    expect((await client.legs({ live: "true" })).data).toMatchObject([{ result: null, live: true, ended_at: null }])
    expect((await client.legs({ live: "false" })).data).toMatchObject([{ result: "unreachable" }])
    expect((await client.get("/_sim/telephony/legs?live=maybe")).status).toBe(422)
  })

  test("peak_live is that of the legs asked for", async () => {
    for (const serial of [1, 2, 3]) await client.dial(`+9990001000000${serial.toString().padStart(2, "0")}`)
    await client.idle()
    await client.dial("+999000100000001")
    expect((await client.legs()).peak_live).toBe(3)
    expect((await client.legs({ to_number: "+999000100000001" })).peak_live).toBe(1)
  })

  test("only so many that are over are remembered", async () => {
    const small = await Client.start({ retention: 3, limits: "off" })
    for (let serial = 0; serial < 10; serial++) await small.dial(`+99901000000000${serial}`)
    expect((await small.legs()).data).toHaveLength(10)
    await small.idle()
    expect((await small.legs()).data).toHaveLength(3)
    expect((await small.get("/_sim/stats")).body["calls_by_status"]).toEqual({ busy: 10 })
    expect(await small.violations()).toEqual([])
  })
})

describe("calls that arrive", () => {
  const arrive = (rest: object = {}) => {
    const { agent_id, organization_id } = client.simulator.info
    return client.post("/_sim/inbound", {
      organization_id,
      agent_id,
      from_number: "+12125550100",
      to_number: "+12125550199",
      ...rest,
    })
  }

  test("run their course and take no line", async () => {
    for (let nth = 0; nth < 20; nth++) await client.dial(`+9995000500000${String(nth).padStart(2, "0")}`)
    const { body, status } = await arrive({ outcome: { result: "completed", talk_ms: 4_000 } })
    expect(status).toBe(201)
    expect(await client.call(body.execution_id)).toMatchObject({ direction: "inbound", status: "initiated" })
    expect((await client.get("/_sim/stats")).body).toMatchObject({ live: 20, slots: { platform: 20 } })
    await client.idle()
    expect(await client.call(body.execution_id)).toMatchObject({
      status: "completed",
      duration_seconds: 4,
      from_number: "+12125550100",
      to_number: "+12125550199",
    })
    expect((await client.get("/_sim/stats")).body).toMatchObject({ live: 0, live_peak: 20 })
    expect((await client.legs()).data).toHaveLength(20)
  })

  test("at the same moment from the same number are two calls", async () => {
    const outcome = { result: "completed" }
    const calls = [await arrive({ outcome }), await arrive({ outcome })]
    await client.idle()
    const read = await Promise.all(calls.map(({ body }) => client.call(body.execution_id)))
    expect(read.map(({ status }) => status)).toEqual(["completed", "completed"])
    expect(new Set(read.map((call) => call["recording_url"])).size).toBe(2)
    expect(new Set(read.map(({ duration_seconds }) => duration_seconds)).size).toBe(2)
  })

  test("can be hung up", async () => {
    const { body } = await arrive({ outcome: { result: "completed", talk_ms: 600_000 } })
    await client.advance({ until: { execution_id: body.execution_id, status: "in-progress" } })
    expect((await client.post(`/v2/calls/${body.execution_id}/stop`)).status).toBe(202)
    await client.idle()
    expect((await client.call(body.execution_id)).status).toBe("stopped")
  })

  test("are refused where there is nobody to take them", async () => {
    expect((await arrive({ agent_id: "agt_x" })).status).toBe(404)
    expect((await arrive({ agent_id: undefined })).status).toBe(404)
    expect((await arrive({ outcome: { result: "rejected" } })).body.message).toContain("'outcome.result'")
    expect((await arrive({ from_number: "12" })).status).toBe(422)
    await client.put("/_sim/faults", { call_store: { mode: "error" } })
    expect((await arrive()).body.error).toBe(1501)
    await client.put("/_sim/faults", {})
  })
})
