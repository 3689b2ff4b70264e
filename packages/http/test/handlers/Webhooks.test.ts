import { type WebhookAnswer, WebhookTransport } from "@carillon/core/ports"
import { Effect, Layer } from "effect"
import Stripe from "stripe"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { agentId, keyRow, makeWorld, organizationId, start, type World } from "../World.ts"

let world: World
let answer: WebhookAnswer
const sent: Array<Parameters<WebhookTransport["Service"]["send"]>[0]> = []

beforeEach(async () => {
  answer = { _tag: "Answered", http_status: 204 }
  sent.length = 0
  world = await makeWorld(
    Layer.succeed(WebhookTransport, {
      send: (request) =>
        Effect.sync(() => {
          sent.push(request)
          return answer
        }),
    }),
  )
})
afterEach(() => world.close())

const post = (target: string, body: object) => world.send({ method: "POST", target: `/v2/webhooks${target}`, body })
const patch = (target: string, body: object) => world.send({ method: "PATCH", target: `/v2${target}`, body })
const hook = "https://hooks.example.com/in"

const subscribe = async (body: object = {}) => {
  const created = await post("", { callback_url: hook, agent_id: agentId, ...body })
  expect(created.status).toBe(201)
  return String(created.json["subscription_id"])
}

describe("subscriptions", () => {
  it("are created, read, changed and deleted, and never show their secrets", async () => {
    const created = await post("", {
      callback_url: hook,
      agent_id: agentId,
      secret: "whsec_hidden",
      headers: { authorization: "Bearer hidden-too", "X-Tenant": "7" },
      event_types: [],
    })
    expectDeclared("webhooks.create", created)
    expect(created.json).toMatchObject({
      agent_id: agentId,
      method_type: "POST",
      event_types: ["all_processing_completed"],
      enabled: true,
      has_secret: true,
      header_names: ["authorization", "X-Tenant"],
      failing_since: null,
      last_failure: null,
    })
    const id = String(created.json["subscription_id"])
    const read = await world.send({ target: `/v2/webhooks/${id}` })
    expectDeclared("webhooks.get", read)
    const changed = await patch(`/webhooks/${id}`, {
      enabled: false,
      method_type: "PUT",
      secret: null,
      description: "x",
    })
    expectDeclared("webhooks.update", changed)
    expect(changed.json).toMatchObject({
      enabled: false,
      method_type: "PUT",
      has_secret: false,
      header_names: ["authorization", "X-Tenant"],
    })
    const list = await world.send({ target: `/v2/webhooks?agent_id=${agentId}` })
    expectDeclared("webhooks.list", list)
    expect(list.json["data"]).toMatchObject([{ subscription_id: id }])
    expect([created, read, changed, list].map(({ text }) => text).join()).not.toContain("hidden")
    const removed = await world.send({ method: "DELETE", target: `/v2/webhooks/${id}` })
    expect([removed.status, removed.text, removed.headers["Content-Type"]]).toEqual([204, null, undefined])
    const again = await world.send({ method: "DELETE", target: `/v2/webhooks/${id}` })
    expect([again.status, again.json["error"]]).toEqual([404, 1200])
    expect((await world.send({ target: `/v2/webhooks/${id}` })).status).toBe(404)
  })

  it("have one default for the organization, and any number for an agent", async () => {
    const first = await subscribe({ agent_id: null })
    const second = await post("", { callback_url: hook })
    expect([second.status, second.json["error"]]).toEqual([409, 1201])
    await world.send({ method: "DELETE", target: `/v2/webhooks/${first}` })
    expect((await post("", { callback_url: hook })).status).toBe(201)
    await subscribe()
    await subscribe()
  })

  it("get their event types from the agent's route", async () => {
    expect((await patch(`/agents/${agentId}/event-subscriptions`, { event_types: ["call_started"] })).status).toBe(404)
    await subscribe()
    await subscribe()
    const set = await patch(`/agents/${agentId}/event-subscriptions`, {
      event_types: ["call_started", "call_ringing", "call_started"],
    })
    expectDeclared("webhooks.event_subscriptions", set)
    expect(set.json["event_types"]).toEqual(["call_started", "call_ringing"])
    const list = await world.send({ target: "/v2/webhooks" })
    expect(list.json["data"]).toMatchObject([set.json, set.json].map(({ event_types }) => ({ event_types })))
    expect((await patch("/agents/agt_nobody/event-subscriptions", { event_types: [] })).status).toBe(404)
  })

  it.each<[string, object, number, number]>([
    ["no URL", { callback_url: undefined }, 400, 1002],
    ["a long URL", { callback_url: `${hook}/${"a".repeat(2048)}` }, 422, 1001],
    ["a URL of a wrong type", { callback_url: 7 }, 422, 1001],
    ["a loopback URL", { callback_url: "http://127.1/x" }, 400, 1000],
    ["a metadata URL", { callback_url: "http://169.254.169.254/latest" }, 400, 1000],
    ["a local name", { callback_url: "https://localhost/x" }, 400, 1000],
    ["another scheme", { callback_url: "ftp://hooks.example.com" }, 400, 1000],
    ["credentials", { callback_url: "https://user:pw@hooks.example.com" }, 400, 1000],
    ["an unknown event", { event_types: ["call_dreamt"] }, 400, 1000],
    ["an unknown method", { method_type: "GET" }, 400, 1000],
    ["a reserved header", { headers: { "X-Service-Signature": "forged" } }, 400, 1000],
    ["a header of several lines", { headers: { "x-a": "b\r\nHost: evil" } }, 400, 1000],
    ["a header that is no string", { headers: { "x-a": 1 } }, 422, 1001],
    ["an unknown agent", { agent_id: "agt_nobody" }, 404, 1200],
  ])("are refused with %s", async (_, body, status, code) => {
    const refused = await post("", { callback_url: hook, agent_id: agentId, ...body })
    expect([refused.status, refused.json["error"]]).toEqual([status, code])
    expect((await world.send({ target: "/v2/webhooks" })).json["data"]).toEqual([])
    const id = await subscribe()
    if (status === 400 && code === 1000) expect((await patch(`/webhooks/${id}`, body)).status).toBe(400)
  })

  it("belong to one organization", async () => {
    const id = await subscribe()
    const text = `gat_${"z".repeat(43)}`
    world.write({ put: "api_key", row: keyRow(text, { organization_id: "org_2" }) })
    for (const method of ["GET", "DELETE", "PATCH"]) {
      const target = `/v2/webhooks/${id}`
      const foreign = await world.send({
        key: text,
        method,
        target,
        ...(method === "PATCH" ? { body: { enabled: true } } : {}),
      })
      expect([method, foreign.status]).toEqual([method, 404])
    }
  })
})

describe("the callback URL of an agent", () => {
  it("is judged like any other", async () => {
    const create = (url: string) =>
      world.send({
        method: "POST",
        target: "/v2/agents",
        body: { display_name: "A", integrations: { webhook: { url } } },
      })
    expect((await create("http://10.0.0.1/x")).json["error"]).toBe(1000)
    expect((await create(hook)).status).toBe(201)
  })
})

describe("the test of a webhook", () => {
  it("sends one signed event and tells what came of it", async () => {
    const secret = "whsec_once"
    const tested = await post("/test", {
      callback_url: hook,
      secret,
      agent_id: "agt_any",
      headers: { "x-one": "1" },
      event_type: "call_started",
    })
    expectDeclared("webhooks.test", tested)
    expect(tested.status).toBe(202)
    expect(tested.json).toMatchObject({
      accepted: true,
      delivered: true,
      http_status: 204,
      error_class: null,
      signed: true,
      callback_host: "hooks.example.com",
    })
    const [request] = sent
    const headers = new Map(request?.headers)
    expect(tested.json["sent_header_names"]).toEqual([...headers.keys()])
    expect(tested.json["body"]).toBe(request?.body)
    Stripe.webhooks.constructEvent(
      request?.body ?? "",
      headers.get("X-Service-Signature") ?? "",
      secret,
      300,
      undefined,
      start,
    )
    const payload = JSON.parse(request?.body ?? "")
    expect(payload).toMatchObject({
      test: true,
      event_type: "call_started",
      agent_id: "agt_any",
      event_id: tested.json["event_id"],
    })
    expect(request?.timeoutMs).toBe(10_000)
    expect((await world.send({ target: "/v2/webhooks/deliveries" })).json["data"]).toEqual([])
  })

  it("uses what is stored for a subscription, and sends it nowhere else", async () => {
    const id = await subscribe({ secret: "whsec_stored", headers: { authorization: "Bearer s" }, method_type: "PUT" })
    const tested = await post("/test", { subscription_id: id })
    expect(tested.json).toMatchObject({ delivered: true, signed: true, method_type: "PUT" })
    expect(sent[0]?.headers).toContainEqual(["authorization", "Bearer s"])
    const elsewhere = await post("/test", { subscription_id: id, callback_url: "https://other.example.com/" })
    expect([elsewhere.status, elsewhere.json["error"], sent.length]).toEqual([400, 1000, 1])
    expect((await post("/test", { subscription_id: id, callback_url: hook })).status).toBe(202)
    expect((await post("/test", { subscription_id: "sub_nobody" })).status).toBe(404)
  })

  it("says in the test of a correction what was corrected, and in no other", async () => {
    const keysOf = async (event_type: string) => {
      const tested = await post("/test", { callback_url: hook, event_type })
      return JSON.parse(String(tested.json["body"])).correction
    }
    expect(await keysOf("call_corrected")).toEqual({ fields: ["call_duration"], previous: { call_duration: 41 } })
    expect(await keysOf("call_completed")).toBeUndefined()
  })

  it("tells failures without failing itself", async () => {
    answer = { _tag: "Answered", http_status: 302 }
    expect((await post("/test", { callback_url: hook })).json).toMatchObject({
      delivered: false,
      http_status: 302,
      error_class: "http_error",
      signed: false,
    })
    answer = { _tag: "Failed", error_class: "dns_error" }
    expect((await post("/test", { callback_url: hook })).json).toMatchObject({
      delivered: false,
      http_status: null,
      error_class: "dns_error",
    })
    answer = { _tag: "Refused" }
    expect((await post("/test", { callback_url: hook })).json["error"]).toBe(1000)
  })

  it.each<[object, number, number]>([
    [{}, 400, 1000],
    [{ callback_url: hook, event_type: "all" }, 400, 1000],
    [{ callback_url: hook, method_type: "DELETE" }, 400, 1000],
    [{ callback_url: hook, headers: { Host: "evil" } }, 400, 1000],
    [{ callback_url: "http://[::1]/" }, 400, 1000],
  ])("refuses %o and sends nothing", async (body, status, code) => {
    const refused = await post("/test", body)
    expect([refused.status, refused.json["error"], sent.length]).toEqual([status, code, 0])
  })
})

describe("the audit trail", () => {
  it("lists every write with its chain, and verifies", async () => {
    const id = await subscribe()
    await patch(`/webhooks/${id}`, { enabled: false })
    await world.send({ method: "DELETE", target: `/v2/webhooks/${id}` })
    const denied = world.mint({ scopes: ["audit:read"] })
    expect((await world.send({ key: denied, target: "/v2/calls" })).status).toBe(403)
    const list = await world.send({ target: "/v2/audit-logs" })
    expectDeclared("audit.list", list)
    const data = list.json["data"] as ReadonlyArray<{
      readonly action: string
      readonly event_id: string
      readonly hash: string
    }>
    expect(data.map(({ action }) => action)).toEqual([
      "scope.denied",
      "webhook.delete",
      "webhook.update",
      "webhook.create",
    ])
    const one = await world.send({ target: `/v2/audit-logs/${data[0]?.event_id}` })
    expectDeclared("audit.get", one)
    expect(one.json).toEqual(data[0])
    const verified = await world.send({
      target: `/v2/audit-logs/verify?expected_count=4&expected_head=${data[0]?.hash}`,
    })
    expectDeclared("audit.verify", verified)
    expect(verified.json).toMatchObject({ valid: true, checked: 4, head_hash: data[0]?.hash, broken_at: null })
    expect((await world.send({ target: "/v2/audit-logs/verify?expected_count=5" })).json).toMatchObject({
      valid: false,
      reason: "tail_missing",
    })
    world.tables.auditTrail(organizationId).splice(1, 1)
    expect((await world.send({ target: "/v2/audit-logs/verify" })).json).toMatchObject({ valid: false, reason: "gap" })
    expect((await world.send({ target: "/v2/audit-logs?outcome=denied" })).json["data"]).toHaveLength(1)
    expect((await world.send({ target: "/v2/audit-logs?outcome=maybe" })).json["error"]).toBe(1000)
    expect((await world.send({ target: "/v2/audit-logs/aud_nobody" })).status).toBe(404)
    expect((await world.send({ key: world.mint({ scopes: [] }), target: "/v2/audit-logs" })).status).toBe(403)
  })
})
