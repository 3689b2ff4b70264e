import { assert, describe, it } from "vitest"
import { routes, routesByScope } from "../src/Routes.ts"

// The routes that the specification does not have, as the decisions write them.
const extensions = [
  "GET /v2/campaigns/{campaign_id}/contacts default calls:read",
  "POST /v2/campaigns/{campaign_id}/contacts default batches:write",
  "GET /v2/campaigns/{campaign_id}/explain default calls:read",
]

// The routes with their buckets and scopes as the specification and the decisions write them.
const stated = [
  "GET /v2/user/me default none",
  "GET /v2/scopes default none",
  "GET /v2/api-keys default none",
  "POST /v2/api-keys default keys:write",
  "DELETE /v2/api-keys/{key_id} default keys:write",
  "POST /v2/agents default agents:write",
  "GET /v2/agents default agents:read",
  "GET /v2/agents/{agent_id} default agents:read",
  "PATCH /v2/agents/{agent_id} default agents:write",
  "GET /v2/agents/{agent_id}/executions executions.list agents:read",
  "POST /v2/calls calls.create calls:write",
  "GET /v2/calls executions.list calls:read",
  "GET /v2/calls/{execution_id} executions.list calls:read",
  "GET /v2/calls/{execution_id}/transcript executions.list calls:read",
  "POST /v2/calls/{execution_id}/stop calls.create calls:write",
  "GET /v2/calls/{execution_id}/recording executions.list calls:read",
  "GET /v2/calls/{execution_id}/timing executions.list calls:read",
  "POST /v2/webhooks default none",
  "GET /v2/webhooks default none",
  "POST /v2/webhooks/test default none",
  "GET /v2/webhooks/deliveries default none",
  "GET /v2/webhooks/deliveries/{delivery_id} default none",
  "POST /v2/webhooks/deliveries/{delivery_id}/redeliver default none",
  "GET /v2/webhooks/{subscription_id} default none",
  "PATCH /v2/webhooks/{subscription_id} default none",
  "DELETE /v2/webhooks/{subscription_id} default none",
  "PATCH /v2/agents/{agent_id}/event-subscriptions default none",
  "GET /v2/audit-logs default audit:read",
  "GET /v2/audit-logs/verify default audit:read",
  "GET /v2/audit-logs/{event_id} default audit:read",
  "POST /v2/campaigns calls.create batches:write",
  "GET /v2/campaigns default calls:read",
  "GET /v2/campaigns/{campaign_id} default calls:read",
  "PATCH /v2/campaigns/{campaign_id} default batches:write",
  "DELETE /v2/campaigns/{campaign_id} default batches:write",
  "GET /v2/campaigns/{campaign_id}/stats default calls:read",
  "POST /v2/campaigns/{campaign_id}/pause default batches:write",
  "POST /v2/campaigns/{campaign_id}/resume default batches:write",
  "POST /v2/campaigns/{campaign_id}/cancel default batches:write",
  "POST /v2/campaigns/{campaign_id}/revive default batches:write",
  "GET /v2/campaigns/{campaign_id}/batches default calls:read",
  "POST /v2/batches calls.create batches:write",
  "POST /v2/batches/upload calls.create batches:write",
  "GET /v2/batches default calls:read",
  "GET /v2/batches/{batch_id} default calls:read",
  "GET /v2/batches/{batch_id}/executions executions.list calls:read",
  "POST /v2/batches/{batch_id}/schedule calls.create batches:write",
  "POST /v2/batches/{batch_id}/stop default batches:write",
  "POST /v2/batches/{batch_id}/pause default batches:write",
  "POST /v2/batches/{batch_id}/resume default batches:write",
  ...extensions,
]

/** Routes that the specification does not know. */
const ours = ["webhooks.delivery", "webhooks.redeliver"]

/** Writes that read no body, or read one only where it is sent. */
const bodies: { readonly [name: string]: string } = { "calls.stop": "optional", "webhooks.redeliver": "none" }

describe("Routes", () => {
  it("are the served routes of the specification with their buckets and scopes", () => {
    const found = routes.map(({ method, path, bucket, scope }) => `${method} ${path} ${bucket} ${scope ?? "none"}`)
    assert.sameMembers(found, stated)
  })

  it("have distinct names, patterns that match their paths, and an origin", () => {
    assert.strictEqual(new Set(routes.map((route) => route.name)).size, routes.length)
    for (const { name, method, path, pattern, origin } of routes) {
      assert.strictEqual(pattern.replace(/:(\w+)/g, "{$1}"), path)
      const isExtension = extensions.some((line) => line.startsWith(`${method} ${path} `))
      assert.strictEqual(origin, isExtension || ours.includes(name) ? "chosen" : "specified")
    }
  })

  it("read a body only where a body is sent, a large one only where there are contacts in it", () => {
    const bodiless = new Set(["pause", "resume", "cancel", "revive"].map((move) => `campaigns.${move}`))
    for (const move of ["stop", "pause", "resume"]) bodiless.add(`batches.${move}`)
    const carriers = ["campaigns.create", "campaigns.append", "batches.create", "batches.upload"]
    for (const { name, method, body, bodyBytes } of routes) {
      const none = method === "GET" || method === "DELETE" || bodiless.has(name)
      assert.strictEqual(body, none ? "none" : (bodies[name] ?? "required"), name)
      assert.strictEqual(bodyBytes, (carriers.includes(name) ? 32 : 1) * 1024 * 1024, name)
    }
  })

  it("honour idempotency keys where something is created that is dialled", () => {
    assert.sameMembers(
      routes.filter(({ idempotent }) => idempotent).map(({ name }) => name),
      ["calls.place", "campaigns.create", "batches.create", "batches.upload"],
    )
  })

  it("are listed under each scope that opens them, and under no other", () => {
    for (const [scope, listed] of routesByScope) {
      const expected = stated.filter((line) => line.endsWith(` ${scope}`)).map((line) => line.split(" ", 2).join(" "))
      assert.sameMembers([...listed], expected)
    }
    assert.strictEqual(routesByScope.size, 8)
  })
})
