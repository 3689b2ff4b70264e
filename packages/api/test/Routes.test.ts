import { Result, type Schema, SchemaAST } from "effect"
import { assert, describe, it } from "vitest"
import { decoder } from "../src/Decoding.ts"
import { routes, routesByScope } from "../src/Routes.ts"
import { statedRoutes } from "./StatedRoutes.ts"

const label = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

describe("Routes", () => {
  it("are the routes of the specification and the decisions, with their buckets, scopes, origins and idempotency", () => {
    const words = ({
      bucket,
      idempotent,
      method,
      origin,
      path,
      scope,
    }: Omit<(typeof statedRoutes)[number], "successes" | "body">) =>
      `${method} ${path} ${bucket} ${scope ?? "none"} ${origin} ${idempotent ? "idempotent" : ""}`
    assert.sameMembers(routes.map(words), statedRoutes.map(words))
  })

  it("have distinct names and patterns that match their paths", () => {
    assert.strictEqual(new Set(routes.map((route) => route.name)).size, routes.length)
    assert.strictEqual(new Set(statedRoutes.map(label)).size, statedRoutes.length)
    for (const { path, pattern } of routes) assert.strictEqual(pattern.replace(/:(\w+)/g, "{$1}"), path)
  })

  it("read a body only where a body is sent", () => {
    for (const stated of statedRoutes) {
      const route = routes.find((candidate) => label(candidate) === label(stated))
      const reads = stated.body === "none" || stated.body === "optional" ? stated.body : "required"
      assert.strictEqual(route?.body, reads, label(stated))
    }
  })

  it("declare the success statuses that are stated", () => {
    for (const stated of statedRoutes) {
      const route = routes.find((candidate) => label(candidate) === label(stated))
      assert.sameMembers([...(route?.successStatuses ?? [])], [...stated.successes], label(stated))
    }
  })

  it("read a large body only where there are contacts or files in it", () => {
    const contacts = ["campaigns.create", "campaigns.append", "batches.create", "batches.upload", "suppressions.add"]
    const uploads = ["knowledge.create", "knowledge.upload"]
    for (const { bodyBytes, name, needsContentLength } of routes) {
      const mebibytes = contacts.includes(name) ? 32 : uploads.includes(name) ? 50 : 1
      assert.strictEqual(bodyBytes, mebibytes * 1024 * 1024, name)
      assert.strictEqual(needsContentLength, uploads.includes(name), name)
    }
  })

  it("gather rows where they answer with pages, to explain a campaign and to report usage, which take no body", () => {
    for (const { body, endpoint, gathersRows, method, name } of routes) {
      const answers = [...endpoint.success].map(({ ast }) =>
        SchemaAST.isObjects(ast) ? ast.propertySignatures.map((property) => property.name) : [],
      )
      const isPage = answers.some((fields) => fields.includes("data") && fields.includes("pagination"))
      const others = ["campaigns.explain", "usage.get"]
      assert.strictEqual(gathersRows, isPage || others.includes(name), name)
      if (gathersRows) assert.deepStrictEqual([method, body], ["GET", "none"], name)
    }
  })

  it("honour idempotency keys where something is created that is dialled", () => {
    assert.sameMembers(
      routes.filter(({ idempotent }) => idempotent).map(({ name }) => name),
      ["calls.place", "campaigns.create", "campaigns.append", "batches.create", "batches.upload"],
    )
  })

  it("are listed under each scope that opens them, and under no other", () => {
    for (const [scope, listed] of routesByScope) {
      if (scope === "webhooks:write") continue
      assert.sameMembers([...listed], statedRoutes.filter((route) => route.scope === scope).map(label))
    }
    assert.strictEqual(routesByScope.size, 8)
  })

  it("are listed under webhooks:write where they write webhooks, which gates none of them yet", () => {
    const writes = statedRoutes.filter(
      ({ method, path }) => method !== "GET" && /^\/v2\/webhooks|\/event-subscriptions$/.test(path),
    )
    assert.isAbove(writes.length, 0)
    assert.isTrue(writes.every(({ scope }) => scope === null))
    assert.sameMembers([...(routesByScope.get("webhooks:write") ?? [])], writes.map(label))
  })

  it("look at no contact of a body: fifty thousand of them would hold up everybody else meanwhile", () => {
    const unread = new Proxy<Array<unknown>>([null], {
      get: (list, member, receiver): unknown => {
        if (member === "0" || member === "length") throw new Error("The contacts are looked at.")
        return Reflect.get(list, member, receiver)
      },
    })
    const base = { name: "x", agent_id: "agt_1", start_time: "2026-11-25T09:00:00Z" }
    const reading: Array<string> = []
    for (const { endpoint, name } of routes) {
      const schema = endpoint.payload.get("application/json")?.schemas[0]
      if (schema === undefined) continue
      const decoded = decoder(schema as Schema.Decoder<{ readonly contacts?: unknown }>)({ ...base, contacts: unread })
      if (Result.isFailure(decoded) || decoded.success.contacts === undefined) continue
      assert.strictEqual(decoded.success.contacts, unread, name)
      reading.push(name)
    }
    assert.sameMembers(reading, ["campaigns.create", "campaigns.append", "batches.create"])
  })
})
