import { createServer, type Server } from "node:http"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Client } from "./Client.ts"

let client: Client
let servers: Array<Server>

beforeEach(async () => {
  client = await Client.start()
  servers = []
})

afterEach(async () => {
  expect(await client.violations()).toEqual([])
  await client.simulator.close()
  for (const server of servers) server.close().closeAllConnections()
})

type Row = Readonly<Record<string, unknown>>

const url = (name: string) => `https://${name}.inbox.test/in?a=1`
const agentId = () => client.simulator.info.agent_id
const completed = "+999000300000001"

const subscribe = async (name: string, rest: object = {}) => {
  const { body, status } = await client.post("/v2/webhooks", { callback_url: url(name), agent_id: agentId(), ...rest })
  expect(status).toBe(201)
  return String(body["subscription_id"])
}

const inbox = async (name: string): Promise<ReadonlyArray<Row & { readonly payload: Row }>> =>
  (await client.get(`/_sim/inbox/${name}`)).body.data.map((one) => ({
    ...one,
    payload: JSON.parse(String(one["body"])) as Row,
  }))

const deliveries = async (query = ""): Promise<ReadonlyArray<Row>> =>
  (await client.get(`/v2/webhooks/deliveries?page_size=100${query}`)).body.data

const ended = async (number = completed) => {
  const { body } = await client.dial(number)
  await client.idle()
  return body.execution_id
}

describe("events", () => {
  test("come in their order, with one envelope, and agree with the call", async () => {
    await subscribe("all", {
      event_types: [
        "call_ringing",
        "call_started",
        "call_completed",
        "recording_completed",
        "platform_analysis_completed",
        "client_analysis_completed",
        "all_processing_completed",
      ],
    })
    const id = await ended()
    const received = await inbox("all")
    expect(received.map(({ payload }) => payload["event_type"])).toEqual([
      "call_ringing",
      "call_started",
      "call_completed",
      "recording_completed",
      "platform_analysis_completed",
      "client_analysis_completed",
      "all_processing_completed",
    ])
    const keys = received.map(({ payload }) => Object.keys(payload).join())
    expect(new Set(keys).size).toBe(1)
    const call = await client.call(id, "?include_transcript=true")
    const payload = received.at(-1)?.payload ?? {}
    expect(payload).toMatchObject({
      call_id: id,
      status: call.status,
      call_cost: call.cost.total,
      call_duration: call.duration_seconds,
      recording_url: call["recording_url"],
      hangup_by: call["hangup_by"],
      transcript: call["transcript"],
      transcript_status: "available",
      platform_analysis: { summary: call.summary, sentiment: call["sentiment"] },
      platform_analysis_status: "completed",
      client_analysis: call.extracted_data,
      client_analysis_status: "completed",
      calling_source: "api",
      processing_incomplete: false,
      missing_fields: [],
      agent_name: "Demo agent",
      retry_chain: [id],
    })
    expect(payload["workspace_id"]).toBe(payload["organization_id"])
    expect(Object.keys(Object(payload["cost_breakdown"])).sort()).toEqual([
      "llm",
      "network",
      "platform",
      "synthesizer",
      "transcriber",
    ])
    expect(received[2]?.payload).toMatchObject({ processing_incomplete: true, platform_analysis_status: "pending" })
  })

  test("leave incomplete at ten minutes, and are corrected when the rest comes", async () => {
    await subscribe("late", { event_types: ["all_processing_completed", "call_corrected"] })
    const id = await ended("+999400300000001")
    const [incomplete, corrected, ...rest] = (await inbox("late")).map(({ payload }) => payload)
    expect(rest).toEqual([])
    const call = await client.call(id)
    expect(incomplete).toMatchObject({
      event_type: "all_processing_completed",
      processing_incomplete: true,
      missing_fields: ["platform_analysis", "client_analysis"],
      platform_analysis: null,
      platform_analysis_status: "pending",
    })
    expect(Date.parse(String(incomplete?.["timestamp"])) - Date.parse(String(call["completed_at"]))).toBe(600_000)
    expect(corrected).toMatchObject({
      event_type: "call_corrected",
      correction: {
        fields: ["platform_analysis", "client_analysis"],
        previous: { platform_analysis: null, client_analysis: null },
      },
      platform_analysis: { summary: call.summary },
    })
  })

  test("tell of a fact that was corrected", async () => {
    await subscribe("fact", { event_types: ["all_processing_completed", "call_corrected"] })
    const id = await ended("+999410300000001")
    const [first, second] = (await inbox("fact")).map(({ payload }) => payload)
    const { fields, previous } = Object(second?.["correction"])
    expect(fields).toContain("call_duration")
    expect(previous.call_duration).toBe(first?.["call_duration"])
    expect(second?.["call_duration"]).toBe((await client.call(id)).duration_seconds)
    expect(second?.["event_id"]).not.toBe(first?.["event_id"])
  })

  test("come once although every report comes twice and out of order", async () => {
    await subscribe("twice", { event_types: ["call_completed", "all_processing_completed"] })
    await ended("+999240300000001")
    const types = (await inbox("twice")).map(({ payload }) => payload["event_type"])
    expect(new Set(types)).toEqual(new Set(["all_processing_completed", "call_completed"]))
    expect(types).toHaveLength(2)
  })

  test("never say that a busy or unanswered call was started, and have nothing to wait for", async () => {
    await subscribe("busy", { event_types: ["call_started", "call_completed", "all_processing_completed"] })
    await ended("+999010000000001")
    await ended("+999020000000001")
    const received = (await inbox("busy")).map(({ payload }) => payload)
    expect(received.map(({ event_type, status }) => [event_type, status])).toEqual([
      ["call_completed", "busy"],
      ["all_processing_completed", "busy"],
      ["call_completed", "no-answer"],
      ["all_processing_completed", "no-answer"],
    ])
    expect(received[1]).toMatchObject({ processing_incomplete: false, platform_analysis_status: "unavailable" })
  })

  test("are not raised by a call that was canceled before it was dialled", async () => {
    await subscribe("none", { event_types: ["call_completed", "all_processing_completed"] })
    const at = new Date(Date.parse((await client.get("/_sim/clock")).body.now) + 3_600_000).toISOString()
    const { body } = await client.dial(completed, { scheduled_at: at })
    expect((await client.post(`/v2/calls/${body.execution_id}/stop`)).status).toBe(200)
    await client.idle()
    expect(await inbox("none")).toEqual([])
  })
})

describe("routing", () => {
  test("goes from the agent's own to the default to the URL on the agent", async () => {
    const { body: made } = await client.post("/_sim/organizations", {
      webhook_secret: "whsec_organization",
      webhook_default: { callback_url: url("fallback") },
    })
    const [key] = made.keys
    client.key = key?.key ?? ""
    const { body: agent } = await client.post("/v2/agents", {
      display_name: "A",
      status: "ACTIVE",
      integrations: { webhook: { url: url("agent") } },
    })
    const agent_id = String(agent["agent_id"])
    const run = async () => {
      await client.post("/v2/calls", { agent_id, to_number: completed })
      await client.idle()
    }
    const { body: own } = await client.post("/v2/webhooks", { callback_url: url("own"), agent_id, enabled: false })
    const { body: other } = await client.post("/v2/webhooks", {
      callback_url: url("other"),
      agent_id,
      secret: "whsec_other",
    })
    await run()
    await client.send("DELETE", `/v2/webhooks/${String(own["subscription_id"])}`)
    await client.send("DELETE", `/v2/webhooks/${String(other["subscription_id"])}`)
    await run()
    const { body: list } = await client.get("/v2/webhooks")
    await client.send("DELETE", `/v2/webhooks/${String(list.data[0]?.["subscription_id"])}`)
    await run()
    const counts = await Promise.all(
      ["own", "other", "fallback", "agent"].map(async (name) => (await inbox(name)).length),
    )
    expect(counts).toEqual([0, 1, 1, 1])
    const ledger = await deliveries()
    expect(ledger).toMatchObject([
      { subscription_id: null, signed: true, event_type: "all_processing_completed", status: "delivered" },
      { signed: true },
      { subscription_id: other["subscription_id"], signed: true },
    ])
    const [received] = await inbox("agent")
    expect(Object.keys(Object(received?.["headers"]))).toContain("X-Service-Signature")
  })

  test("without any secret is unsigned, and says so", async () => {
    await subscribe("plain")
    await ended()
    expect(await deliveries()).toMatchObject([{ signed: false, status: "delivered" }])
    const [received] = await inbox("plain")
    expect(Object.keys(Object(received?.["headers"]))).not.toContain("X-Service-Signature")
  })
})

describe("deliveries", () => {
  test("are attempted at 0, 5, 30 and 90 seconds with one body, one id and fresh signatures", async () => {
    await subscribe("failing", { secret: "whsec_1" })
    await client.put("/_sim/inbox/failing", { statuses: [500, 302, 404] })
    await ended()
    const received = await inbox("failing")
    const first = Date.parse(String(received[0]?.["received_at"]))
    expect(received.map((one) => Date.parse(String(one["received_at"])) - first)).toEqual([0, 5_000, 30_000, 90_000])
    expect(new Set(received.map((one) => one["body"])).size).toBe(1)
    const header = (name: string) => new Set(received.map((one) => Object(one["headers"])[name]))
    expect([header("X-Service-Delivery-Id").size, header("X-Service-Signature").size]).toEqual([1, 4])
    expect(received.map((one) => one["answered"])).toEqual([500, 302, 404, 404])
    const [delivery] = await deliveries()
    expect(delivery).toMatchObject({
      status: "failed",
      attempt_count: 4,
      max_attempts: 4,
      http_status: 404,
      error_class: "http_error",
      next_attempt_at: null,
      callback_host: "failing.inbox.test",
    })
    const { body: subscription } = await client.get(`/v2/webhooks/${String(delivery?.["subscription_id"])}`)
    expect(subscription["failing_since"]).not.toBeNull()
    expect(subscription["last_failure"]).toMatchObject({ http_status: 404, error_class: "http_error" })
  })

  test("that hang take their thirty seconds each and are over in two minutes", async () => {
    await subscribe("hanging")
    await subscribe("quick")
    await client.put("/_sim/inbox/hanging", { error: "timeout" })
    await ended()
    const [hanging, quick] = [await inbox("hanging"), await inbox("quick")]
    const first = Date.parse(String(quick[0]?.["received_at"]))
    expect(hanging.map((one) => Date.parse(String(one["received_at"])) - first)).toEqual([0, 30_000, 60_000, 90_000])
    const failed = (await deliveries("&status=failed"))[0]
    expect(failed?.["attempts"]).toMatchObject(
      Array.from({ length: 4 }, () => ({ duration_ms: 30_000, error_class: "timeout" })),
    )
  })

  test("stop when their subscription is disabled or deleted, and stay readable", async () => {
    const id = await subscribe("gone")
    await client.put("/_sim/inbox/gone", { status: 500 })
    const { body } = await client.dial(completed)
    await client.advance({ until: { execution_id: body.execution_id, status: "completed" } })
    await client.advance({ by_ms: 8_000 })
    expect((await deliveries())[0]?.["status"]).toBe("retrying")
    await client.send("DELETE", `/v2/webhooks/${id}`)
    await client.idle()
    const [delivery] = await deliveries(`&subscription_id=${id}`)
    expect(delivery).toMatchObject({ status: "failed", subscription_id: id })
    expect(delivery?.["error_message"]).toMatch(/deleted/)
    expect((await inbox("gone")).length).toBeLessThan(4)
  })

  test("stop for good when their subscription is disabled, also where it is enabled before the next attempt", async () => {
    const id = await subscribe("paused")
    await client.put("/_sim/inbox/paused", { statuses: [500, 200] })
    const { body } = await client.dial(completed)
    await client.advance({ until: { execution_id: body.execution_id, status: "completed" } })
    await client.advance({ by_ms: 4_000 })
    expect((await deliveries())[0]).toMatchObject({ status: "retrying", attempt_count: 1 })
    for (const enabled of [false, true]) await client.patch(`/v2/webhooks/${id}`, { enabled })
    await client.idle()
    const [stopped] = await deliveries()
    expect(stopped).toMatchObject({
      status: "failed",
      attempt_count: 1,
      error_message: "The subscription was disabled.",
    })
    expect(await inbox("paused")).toHaveLength(1)
    // What is made from then on goes out: another event, and the same once more.
    await client.post(`/v2/webhooks/deliveries/${String(stopped?.["delivery_id"])}/redeliver`)
    await ended()
    await client.idle()
    expect((await deliveries("&status=delivered")).map(({ attempt_count }) => attempt_count)).toEqual([1, 1])
  })

  test("stop for good also where all of it happens in the millisecond in which they are made", async () => {
    const id = await subscribe("instant", { event_types: ["call_completed"] })
    await client.put("/_sim/inbox/instant", { statuses: [500, 200] })
    const { body } = await client.dial(completed)
    await client.advance({ until: { execution_id: body.execution_id, status: "completed" } })
    const [made] = await deliveries()
    expect(made).toMatchObject({ status: expect.stringMatching(/^(pending|retrying)$/) })
    for (const enabled of [false, true]) await client.patch(`/v2/webhooks/${id}`, { enabled })
    expect((await client.get(`/v2/webhooks/${id}`)).body).toMatchObject({
      enabled: true,
      updated_at: made?.["created_at"],
    })
    await client.idle()
    expect((await deliveries())[0]).toMatchObject({
      status: "failed",
      error_message: "The subscription was disabled.",
    })
    expect((await inbox("instant")).length).toBeLessThan(2)
  })

  test("of a test go to a subscription as it is configured, whatever method the request names", async () => {
    const subscription_id = await subscribe("put", { method_type: "PUT" })
    for (const rest of [{}, { method_type: "POST" }])
      expect((await client.post("/v2/webhooks/test", { subscription_id, ...rest })).status).toBe(202)
    expect((await inbox("put")).map(({ method }) => method)).toEqual(["PUT", "PUT"])
  })

  test("can be sent again: the same event and body under a new id, with what is configured now", async () => {
    const id = await subscribe("before")
    await ended()
    const [delivery] = await deliveries()
    await client.patch(`/v2/webhooks/${id}`, { callback_url: url("after"), method_type: "PUT" })
    const again = await client.post(`/v2/webhooks/deliveries/${String(delivery?.["delivery_id"])}/redeliver`)
    expect([again.status, again.body["event_id"]]).toEqual([202, delivery?.["event_id"]])
    expect(again.body["delivery_id"]).not.toBe(delivery?.["delivery_id"])
    await client.idle()
    const [[one], [two]] = [await inbox("before"), await inbox("after")]
    expect(two?.["body"]).toBe(one?.["body"])
    expect(two?.["method"]).toBe("PUT")
  })

  test("expire after thirty days", async () => {
    await subscribe("old")
    await ended()
    const [delivery] = await deliveries()
    await client.advance({ by: "P29DT23H" })
    expect(await deliveries()).toHaveLength(1)
    await client.advance({ by: "PT2H" })
    expect(await deliveries()).toEqual([])
    expect((await client.get(`/v2/webhooks/deliveries/${String(delivery?.["delivery_id"])}`)).status).toBe(404)
  })
})

describe("destinations", () => {
  test("are judged by what their name resolves to, on each look-up", async () => {
    await client.put("/_sim/dns", {
      records: {
        "mixed.example.com": ["93.184.216.34", "10.0.0.1"],
        "public.example.com": ["93.184.216.34"],
      },
      flip: { "flip.inbox.test": [["93.184.216.34"], ["127.0.0.1"]] },
    })
    const tested = async (host: string) => {
      const { body, status } = await client.post("/v2/webhooks/test", { callback_url: `https://${host}/x` })
      return [status, body.error ?? body["error_class"]]
    }
    expect(await tested("mixed.example.com")).toEqual([400, 1000])
    expect(await tested("public.example.com")).toEqual([202, "dns_error"])
    expect(await tested("unknown.example.com")).toEqual([202, "dns_error"])
    expect(await tested("flip.inbox.test")).toEqual([202, null])
    expect(await tested("flip.inbox.test")).toEqual([400, 1000])
    await subscribe("flip")
    await ended()
    expect(await deliveries()).toMatchObject([{ status: "failed", error_class: "connect_error", http_status: null }])
    expect(await inbox("flip")).toHaveLength(1)
  })

  test("that the command line opens are really called, also while time runs by itself", async () => {
    const bodies: Array<string> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk) => (body += String(chunk)))
      request.on("end", () => {
        bodies.push(body)
        response.writeHead(204).end()
      })
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = Object(server.address())
    const callback_url = `http://127.0.0.1:${port}/hook`
    expect((await client.post("/v2/webhooks/test", { callback_url })).status).toBe(400)
    for (const clock of ["manual", "realtime"] as const) {
      await client.simulator.close()
      client = await Client.start({ clock, allowWebhookHosts: [`127.0.0.1:${port}`] })
      const tested = await client.post("/v2/webhooks/test", { callback_url })
      expect([tested.status, tested.body["delivered"]]).toEqual([202, true])
    }
    expect(bodies.map((body) => JSON.parse(body).test)).toEqual([true, true])
  })
})

describe("faults", () => {
  test("of the webhook store close its routes, and keep events in the outbox", async () => {
    await subscribe("kept")
    await client.put("/_sim/faults", { webhook_store: { mode: "unreachable" } })
    const refused = await client.get("/v2/webhooks")
    expect([refused.status, refused.body.error]).toEqual([503, 1501])
    const { body } = await client.dial(completed)
    await client.advance({ until: { execution_id: body.execution_id, status: "completed" } })
    await client.advance({ by: "PT5M" })
    expect(await inbox("kept")).toEqual([])
    await client.put("/_sim/faults", { webhook_store: null })
    await client.idle()
    expect(await inbox("kept")).toHaveLength(1)
    expect(await deliveries()).toMatchObject([{ status: "delivered", attempt_count: 1 }])
  })

  test("of the webhook store leave the last event of each call the last", async () => {
    const event_types = [
      "call_ringing",
      "call_started",
      "call_completed",
      "recording_completed",
      "platform_analysis_completed",
      "all_processing_completed",
    ]
    await subscribe("last", { event_types })
    // It goes away before a call or in the middle of it, and is there again before its end or after it.
    const outages = [
      [0, 10_000],
      [0, 30_000],
      [4_000, 12_000],
      [10_000, 30_000],
      [0, 200_000],
    ]
    for (const [round, [awayAfterMs, awayMs]] of outages.entries()) {
      for (let nth = 0; nth < 4; nth++) await client.dial(`+9990001000001${round}${nth}`)
      await client.advance({ by_ms: awayAfterMs })
      await client.put("/_sim/faults", { webhook_store: { mode: "error", for_ms: awayMs } })
      await client.idle()
    }
    const typesOf = Map.groupBy(await inbox("last"), ({ payload }) => payload?.["call_id"])
    const told = [...typesOf.values()].map((events) => events.map(({ payload }) => payload?.["event_type"]))
    expect(told).toHaveLength(20)
    for (const types of told) {
      expect(new Set(types)).toEqual(new Set(event_types))
      expect(types).toHaveLength(event_types.length)
      expect(types.at(-1)).toBe("all_processing_completed")
    }
  })

  test("of the network fail attempts", async () => {
    await subscribe("net")
    await client.put("/_sim/faults", { webhook_network: { mode: "unreachable", times: 2 } })
    await ended()
    expect(await deliveries()).toMatchObject([{ status: "delivered", attempt_count: 3 }])
    expect(await inbox("net")).toHaveLength(1)
  })
})

test("the last of many attempts on a contact tells of all of them, oldest first", async () => {
  await subscribe("attempts")
  await client.post("/v2/campaigns", {
    name: "x",
    agent_id: agentId(),
    contacts: [{ to_number: "+999010300000001" }],
    retry_policy: { max_retries: 10, base_delay_minutes: 1 },
  })
  await client.idle()
  const told = (await inbox("attempts")).map(({ payload }) => payload)
  expect(told).toHaveLength(11)
  const last = told.at(-1)
  const ids = told.map(({ call_id }) => call_id)
  expect(last?.["retry_chain"]).toEqual(ids)
  const attempts = last?.["attempts"]
  expect(Array.isArray(attempts) && attempts.map(({ execution_id }) => execution_id)).toEqual(ids)
})
