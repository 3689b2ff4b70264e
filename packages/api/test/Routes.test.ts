import { assert, describe, it } from "vitest"
import { routes, routesByScope } from "../src/Routes.ts"

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
  "POST /v2/knowledge-bases knowledge.upload none",
  "GET /v2/knowledge-bases default none",
  "GET /v2/knowledge-bases/{collection} default none",
  "DELETE /v2/knowledge-bases/{collection} default none",
  "POST /v2/knowledge-bases/{collection}/documents knowledge.upload none",
  "GET /v2/knowledge-bases/{collection}/documents default none",
  "DELETE /v2/knowledge-bases/{collection}/documents/{document_id} default none",
  "POST /v2/knowledge-bases/{collection}/query default none",
]

// The routes that the decisions add.
const chosen = new Set(["knowledge.list", "knowledge.get", "knowledge.remove", "knowledge.query"])

describe("Routes", () => {
  it("are the served routes of the specification with their buckets and scopes", () => {
    const found = routes.map(({ method, path, bucket, scope }) => `${method} ${path} ${bucket} ${scope ?? "none"}`)
    assert.sameMembers(found, stated)
  })

  it("have distinct names, patterns that match their paths, and an origin", () => {
    assert.strictEqual(new Set(routes.map((route) => route.name)).size, routes.length)
    for (const { name, path, pattern, origin } of routes) {
      assert.strictEqual(pattern.replace(/:(\w+)/g, "{$1}"), path)
      assert.strictEqual(origin, chosen.has(name) ? "chosen" : "specified", name)
    }
  })

  it("read a body only where a body is sent, honour idempotency keys on the dial alone", () => {
    for (const { name, method, body, idempotent } of routes) {
      const expected =
        method === "GET" || method === "DELETE" ? "none" : name === "calls.stop" ? "optional" : "required"
      assert.strictEqual(body, expected, name)
      assert.strictEqual(idempotent, name === "calls.place", name)
    }
  })

  it("are listed under each scope that opens them, and under no other", () => {
    for (const [scope, listed] of routesByScope) {
      const expected = stated.filter((line) => line.endsWith(` ${scope}`)).map((line) => line.split(" ", 2).join(" "))
      assert.sameMembers([...listed], expected)
    }
    assert.strictEqual(routesByScope.size, 8)
  })
})
