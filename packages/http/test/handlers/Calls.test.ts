import { type CarrierReport, DependencyUnavailable, Engine, type LegEnd } from "@carillon/core"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { agentId, type Answer, makeWorld, organizationId, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const dial = { agent_id: agentId, to_number: "+15551234567" }

const place = (body: object): Promise<Answer> => world.send({ method: "POST", target: "/v2/calls", body })

const placed = async (body: object = dial): Promise<string> => {
  const { json } = await place(body)
  return String(json["execution_id"])
}

const stop = (id: string, body?: object): Promise<Answer> =>
  world.send({ method: "POST", target: `/v2/calls/${id}/stop`, ...(body === undefined ? {} : { body }) })

const get = (target: string): Promise<Answer> => world.send({ target })

const report = (report: CarrierReport): Promise<unknown> =>
  world.runtime.runPromise(Effect.flatMap(Engine, (engine) => engine.report(report)))

const ended: LegEnd = {
  status: "completed",
  duration_seconds: 12,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_hangup",
  error: null,
}

const live = async (id: string) => {
  for (const type of ["initiated", "ringing", "answered"] as const) {
    await report({ execution_id: id, at: (world.clock.now += 1000), call_sid: "leg_1", type })
  }
}

const final = (id: string, recording_url: string | null) =>
  report({
    execution_id: id,
    at: (world.clock.now += 1000),
    call_sid: "leg_1",
    type: "final",
    end: ended,
    facts: {
      recording_url,
      cost: null,
      media: {
        transcript: [
          { role: "agent", content: "Hello", start_ms: 0, end_ms: 900 },
          { role: "user", content: "Hi", start_ms: 1000, end_ms: 1500 },
        ],
        setup: null,
        turns: [
          { final_transcript_ms: 100, first_token_ms: 200, last_token_ms: 400, first_audio_ms: 300, complete_ms: 900 },
        ],
      },
    },
  })

describe("POST /v2/calls", () => {
  it("answers 201 queued", async () => {
    const answer = await place({
      ...dial,
      variables: { a: 1, b: 2 },
      metadata: { b: 3 },
      from_number: null,
      nope: true,
    })
    expect(answer.status).toBe(201)
    expectDeclared("calls.place", answer)
    expect(answer.json).toMatchObject({
      status: "queued",
      agent_id: agentId,
      to_number: dial.to_number,
      from_number: null,
    })
    const call = await get(`/v2/calls/${String(answer.json["execution_id"])}`)
    expect(call.json).toMatchObject({
      variables: { a: 1, b: 3 },
      status: "queued",
      is_terminal: false,
      scheduled_at: null,
    })
    expectDeclared("calls.get", call)
  })

  it("answers 202 scheduled, in UTC", async () => {
    const answer = await place({ ...dial, scheduled_at: "2026-01-05T16:00:00+05:30" })
    expect(answer.status).toBe(202)
    expectDeclared("calls.place", answer)
    expect(answer.json).toMatchObject({ status: "scheduled", scheduled_at: "2026-01-05T10:30:00.000Z" })
  })

  it.each<[string, object]>([
    ["scheduled_at", { scheduled_at: "2026-01-05T16:00:00" }],
    ["scheduled_at", { scheduled_at: "2026-01-05T09:01:59Z" }],
    ["scheduled_at", { scheduled_at: "2026-02-05T09:00:00Z" }],
    ["timeout_seconds", { timeout_seconds: 4 }],
    ["timeout_seconds", { timeout_seconds: 121 }],
    ["timeout_seconds", { timeout_seconds: null }],
    ["to_number", { to_number: "+123456" }],
    ["to_number", { to_number: "" }],
    ["from_number", { from_number: "+15550000000" }],
    ["variables", { variables: null }],
    ["record", { record: "yes" }],
  ])("names %s in %o", async (field, fields) => {
    const { json, status } = await place({ ...dial, ...fields })
    expect([status, json["error"]]).toEqual([422, 1001])
    expect(json["message"]).toMatch(new RegExp(`^Invalid value for '${field}': .*\\.$`))
    expect(json["message"]).not.toMatch(/\d{7}/)
  })

  it("answers 402 for an empty wallet and keeps the record", async () => {
    world.write({ put: "debit", organization_id: organizationId, amount: 1_000_000 })
    const answer = await place(dial)
    expect([answer.status, answer.json]).toEqual([
      402,
      { error: 1400, message: "Insufficient credits to place this call." },
    ])
    const { json } = await get("/v2/calls?status=balance-low")
    expect(json["pagination"]).toMatchObject({ total: 1 })
  })
})

describe("POST /v2/calls/{execution_id}/stop", () => {
  it("cancels what is booked: 200, and no second time", async () => {
    const id = await placed({ ...dial, scheduled_at: "2026-01-05T10:00:00Z" })
    const answer = await stop(id)
    expect(answer.status).toBe(200)
    expectDeclared("calls.stop", answer)
    expect(answer.json).toEqual({
      execution_id: id,
      status: "canceled",
      canceled_before_dial: true,
      scheduled_at: "2026-01-05T10:00:00.000Z",
    })
    const again = await stop(id)
    expect([again.status, again.json]).toEqual([
      409,
      { error: 1201, message: "This call already ended (status=canceled)." },
    ])
  })

  it("asks to retry while the call is being placed", async () => {
    const answer = await stop(await placed())
    expect([answer.status, answer.headers["Retry-After"], answer.json]).toEqual([
      409,
      "2",
      { error: 1201, message: "The call is still being placed. Retry in a moment." },
    ])
  })

  it("hangs up a live call: 202 with the reason", async () => {
    const id = await placed()
    await live(id)
    const answer = await stop(id, { reason: "wrong number" })
    expect(answer.status).toBe(202)
    expectDeclared("calls.stop", answer)
    expect(answer.json).toMatchObject({ execution_id: id, status: "stopped", reason: "wrong number" })
    const other = await placed()
    await live(other)
    expect((await stop(other)).json).toMatchObject({ reason: "user_request" })
  })
})

describe("a call that was recorded", () => {
  it.each(["recordings/2026/a.wav", "javascript:alert(document.domain)"])("has no recording at %s", async (url) => {
    const id = await placed()
    await live(id)
    await final(id, url)
    const read = await get(`/v2/calls/${id}`)
    expect(read.json).toMatchObject({ status: "completed", recording_url: null })
    for (const query of ["", "?redirect=true"]) {
      const answer = await get(`/v2/calls/${id}/recording${query}`)
      expect([answer.status, answer.json?.["error"]]).toEqual([404, 1200])
    }
  })

  it.each(["recordings/2026/a.wav", "javascript:alert(document.domain)"])(
    "sends nobody to %s, which an earlier release has kept, and shows it",
    async (recording_url) => {
      const id = await placed()
      await live(id)
      await final(id, "https://audio.example.test/a.wav")
      const call = world.tables.calls.get(id)
      if (call === undefined) throw new Error(`There is no call ${id}.`)
      world.write({ put: "call", row: { ...call, revision: call.revision + 1, recording_url } })
      expect((await get(`/v2/calls/${id}/recording`)).json).toMatchObject({ recording_url })
      const redirect = await get(`/v2/calls/${id}/recording?redirect=true`)
      expect([redirect.status, redirect.json?.["error"], redirect.headers["Location"]]).toEqual([404, 1200, undefined])
    },
  )

  it("answers recording, transcript and timing as the contract declares", async () => {
    const id = await placed()
    await live(id)
    await final(id, "https://audio.example.test/ä b.wav?x=1")
    const recording = await get(`/v2/calls/${id}/recording`)
    expectDeclared("calls.recording", recording)
    expect(recording.json).toEqual({
      execution_id: id,
      recording_url: "https://audio.example.test/ä b.wav?x=1",
      content_type: "audio/wav",
      expires_at: null,
    })
    const redirect = await get(`/v2/calls/${id}/recording?redirect=true`)
    expect([redirect.status, redirect.text, redirect.headers["Location"]]).toEqual([
      302,
      null,
      "https://audio.example.test/%C3%A4%20b.wav?x=1",
    ])
    expect(redirect.headers["X-RateLimit-Limit"]).toBe("600")
    const transcript = await get(`/v2/calls/${id}/transcript`)
    expectDeclared("calls.transcript", transcript)
    expect(transcript.json).toMatchObject({ turn_count: 2, transcript_status: "available" })
    const timing = await get(`/v2/calls/${id}/timing`)
    expectDeclared("calls.timing", timing)
    expect(timing.json).toMatchObject({ measured: true, not_measured_reason: null })
  })

  it("carries its transcript only when asked", async () => {
    const id = await placed()
    await live(id)
    await final(id, null)
    const turns = [
      { role: "agent", content: "Hello" },
      { role: "user", content: "Hi" },
    ]
    for (const target of [`/v2/calls/${id}`, "/v2/calls", `/v2/agents/${agentId}/executions`]) {
      const without = await get(target)
      const call = (answer: Answer) => (Array.isArray(answer.json["data"]) ? answer.json["data"][0] : answer.json)
      expect(call(without)).not.toHaveProperty("transcript")
      expect(call(await get(`${target}?include_transcript=true`))).toMatchObject({ transcript: turns })
    }
    const recording = await get(`/v2/calls/${id}/recording`)
    expect([recording.status, recording.json]).toEqual([
      404,
      { error: 1200, message: "No recording is available for this execution." },
    ])
  })
})

describe("lists of calls", () => {
  it("filter, page and declare themselves", async () => {
    for (let nth = 0; nth < 5; nth++) {
      world.clock.now += 1000
      await place({
        ...dial,
        to_number: `+1555000000${nth}`,
        ...(nth < 2 ? { scheduled_at: "2026-01-06T09:00:00Z" } : {}),
      })
    }
    const numbers = async (target: string) => {
      const answer = await get(target)
      expectDeclared(target.startsWith("/v2/calls") ? "calls.list" : "agents.executions", answer)
      const { data, pagination } = answer.json
      return [Array.isArray(data) ? data.map((call) => Object(call).to_number.slice(-1)).join("") : "", pagination]
    }
    expect(await numbers("/v2/calls?page=2&page_size=2")).toEqual([
      "21",
      { page: 2, page_size: 2, total: 5, total_pages: 3, has_more: true },
    ])
    for (const list of ["/v2/calls", `/v2/agents/${agentId}/executions`]) {
      expect((await numbers(`${list}?status=scheduled`))[0]).toBe("10")
      expect((await numbers(`${list}?status=scheduled,voicemail,queued`))[0]).toBe("43210")
      expect((await numbers(`${list}?status=voicemail`))[0]).toBe("")
      expect((await numbers(`${list}?direction=inbound`))[0]).toBe("")
      expect((await numbers(`${list}?from_date=2026-01-05T14:30:03%2B05:30&to_date=2026-01-05T09:00:04Z`))[0]).toBe(
        "32",
      )
    }
    expect((await numbers("/v2/calls?to_number=%2B15550000003"))[0]).toBe("3")
    expect((await numbers("/v2/calls?agent_id=agt_other"))[0]).toBe("")
  })

  it("of an unknown agent are 404", async () => {
    const answer = await get("/v2/agents/agt_nope/executions")
    expect([answer.status, answer.json]).toEqual([404, { error: 1200, message: "Agent not found." }])
  })
})

describe("a call of nobody", () => {
  it("is 404 on every route", async () => {
    for (const tail of ["", "/transcript", "/recording", "/timing"]) {
      const answer = await get(`/v2/calls/exec_nope${tail}`)
      expect([answer.status, answer.json]).toEqual([404, { error: 1200, message: "Call not found." }])
    }
  })

  it("is 404 to another organization, though it exists", async () => {
    const id = await placed()
    const key = world.mint({ organization_id: "org_2" })
    for (const tail of ["", "/transcript", "/recording", "/timing"]) {
      expect((await world.send({ key, target: `/v2/calls/${id}${tail}` })).json["error"]).toBe(1200)
    }
    expect((await world.send({ key, method: "POST", target: `/v2/calls/${id}/stop` })).json["error"]).toBe(1200)
  })
})

describe("the currency of a call", () => {
  const euros = () => {
    const row = world.tables.organizations.get(organizationId)
    if (row === undefined) throw new Error("The world has no organization.")
    world.write({
      put: "organization",
      row: { ...row, revision: row.revision + 1, wallet: { ...row.wallet, currency: "EUR" } },
    })
  }

  it("is the organization's from the start, alone and in every list, whether or not it has cost anything", async () => {
    euros()
    const { execution_id: costly } = (await place(dial)).json
    const { execution_id: live } = (await place({ ...dial, to_number: "+15551234568" })).json
    const call = world.tables.calls.get(String(costly))
    if (call === undefined) throw new Error("There is no such call.")
    const breakdown = { llm: 1, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 }
    const cost = { total: 1, currency: "EUR", breakdown }
    world.write({ put: "call", row: { ...call, revision: call.revision + 1, cost } })
    for (const id of [costly, live]) {
      for (const query of ["", "?include_transcript=true"]) {
        expect((await get(`/v2/calls/${String(id)}${query}`)).json["cost"]).toMatchObject({ currency: "EUR" })
      }
    }
    for (const list of ["/v2/calls", "/v2/calls?include_transcript=true", `/v2/agents/${agentId}/executions`]) {
      const { data } = (await get(list)).json
      expect(data).toMatchObject([{ cost: { currency: "EUR" } }, { cost: { currency: "EUR" } }])
    }
  })

  it("is asked once for a list, and for nothing where each call has a cost", async () => {
    const asked: Array<string> = []
    const watched = await makeWorld(undefined, (operation, effect) => {
      asked.push(operation)
      return effect
    })
    const send = (body: object) => watched.send({ method: "POST", target: "/v2/calls", body })
    for (const nth of [1, 2, 3]) await send({ ...dial, to_number: `+1555123456${nth}` })
    const reads = async () => {
      asked.length = 0
      await watched.send({ target: "/v2/calls" })
      return asked.filter((operation) => operation === "accounts.organization").length
    }
    expect(await reads()).toBe(1)
    const cost = {
      total: 1,
      currency: "USD",
      breakdown: { llm: 1, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
    }
    for (const { execution_id } of watched.tables.calls.page(organizationId, {}, { page: 1, page_size: 9 }).items) {
      const call = watched.tables.calls.get(execution_id)
      if (call !== undefined) watched.write({ put: "call", row: { ...call, revision: call.revision + 1, cost } })
    }
    expect(await reads()).toBe(0)
    await watched.close()
  })

  it("is told as in most accounts while the account cannot be read", async () => {
    let isAway = false
    const failing = await makeWorld(undefined, (operation, effect) =>
      isAway && operation === "accounts.organization"
        ? Effect.fail(new DependencyUnavailable({ dependency: "account_service" }))
        : effect,
    )
    await failing.send({ method: "POST", target: "/v2/calls", body: dial })
    isAway = true
    const { json, status } = await failing.send({ target: "/v2/calls" })
    expect([status, json["data"]]).toMatchObject([200, [{ cost: { currency: "USD" } }]])
    await failing.close()
  })
})
