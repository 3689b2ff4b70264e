import { openApiDocument } from "@carillon/api/documents"
import { Plans } from "@carillon/core"
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Answer, makeWorld, seed, send, start, type World } from "../World.ts"
import { placeholders, type WalkedRoute, walkedRoutes } from "./Routes.ts"
import { firstTenant, type Tenant, toSent } from "./Scenarios.ts"

// What another tenant has and what nobody has must be answered alike, byte by byte, or ids could be probed.

const document = openApiDocument()

const ample = Layer.succeed(Plans, {
  standard: { "calls.create": 1e9, "executions.list": 1e9, "knowledge.upload": 1e9, default: 1e9 },
})

const otherOrganization = "org_2"

/** Furnishes a second tenant as the first one is. */
const secondTenant = (world: World): Tenant => {
  for (const change of seed) {
    if (change.put === "organization") {
      world.write({ put: "organization", row: { ...change.row, organization_id: otherOrganization } })
    }
    if (change.put === "agent") {
      world.write({ put: "agent", row: { ...change.row, organization_id: otherOrganization, agent_id: "agt_2" } })
    }
  }
  const key = world.mint({ organization_id: otherOrganization })
  return {
    world,
    organization_id: otherOrganization,
    agent_id: "agt_2",
    send: (sent) => send(world.handle, { key, ...sent }),
  }
}

/** An id that nobody has, of the form of one that somebody has. */
const nobodys = (id: string): string => id.replace(/[0-9a-z]{1,8}$/i, (tail) => "0".repeat(tail.length) + "x")

const perRequest = new Set(["X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset"])

/** Everything of an answer but what differs from request to request. */
const essence = ({ headers, status, text }: Answer) => ({
  status,
  text,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !perRequest.has(name))),
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const idFields = (body: unknown): ReadonlyArray<string> =>
  isRecord(body) ? Object.keys(body).filter((name) => name.endsWith("_id") && typeof body[name] === "string") : []

describe("what another tenant has", () => {
  let world: World
  let own: Tenant
  let other: Tenant
  beforeAll(async () => {
    world = await makeWorld(ample)
    own = firstTenant(world)
    other = secondTenant(world)
  })
  afterAll(() => world.close())

  const withIds = walkedRoutes.filter(({ path }) => placeholders(path).length > 0)

  it.each(withIds)("$label: is as unknown in the path as what nobody has", async (route: WalkedRoute) => {
    const [mine = {}] = await route.scenario(own)
    const [theirs = {}] = await route.scenario(other)
    const names = placeholders(route.path)
    // Each placeholder by itself, and all of them.
    for (const strange of [...names.map((name) => [name]), names]) {
      const ids = (valueOf: (name: string) => string) =>
        Object.fromEntries(
          names.map((name) => [name, strange.includes(name) ? valueOf(name) : (mine.ids?.[name] ?? "")]),
        )
      const theirId = (name: string) => theirs.ids?.[name] ?? ""
      const foreign = await own.send(toSent(route, { ...mine, ids: ids(theirId) }))
      const random = await own.send(toSent(route, { ...mine, ids: ids((name) => nobodys(theirId(name))) }))
      expect([foreign.status, foreign.json["error"]], `${route.label} ${foreign.text}`).toEqual([404, 1200])
      expect(essence(foreign)).toEqual(essence(random))
    }
    // It was there all the time, and nobody has touched it.
    const after = await other.send(toSent(route, theirs))
    expect(after.status, `${route.label} ${after.text}`).toBeLessThan(400)
  })

  it.each(walkedRoutes.filter(({ body }) => body !== "none" && body !== "form"))(
    "$label: is as unknown in the body as what nobody has",
    async (route) => {
      const [mine = {}] = await route.scenario(own)
      const [theirs = {}] = await route.scenario(other)
      for (const field of idFields(mine.body)) {
        const id = isRecord(theirs.body) ? String(theirs.body[field]) : ""
        const body = (value: string) => ({ ...mine, body: { ...Object(mine.body), [field]: value } })
        const foreign = await own.send(toSent(route, body(id)))
        const random = await own.send(toSent(route, body(nobodys(id))))
        expect(foreign.status, `${route.label} ${foreign.text}`).toBeGreaterThanOrEqual(400)
        expect(essence(foreign)).toEqual(essence(random))
      }
    },
  )

  const filtered = walkedRoutes.flatMap((route) =>
    (document.paths[route.path]?.[route.method.toLowerCase()]?.parameters ?? [])
      .filter(({ in: place, name }) => place === "query" && name.endsWith("_id") && name !== "organization_id")
      .map(({ name }) => ({ ...route, name, of: route })),
  )

  it.each(filtered)("$label: is not found by $name either", async ({ name, of: route }) => {
    const { json } = await other.send({
      method: "POST",
      target: "/v2/calls",
      body: { agent_id: other.agent_id, to_number: "+15555550100" },
    })
    const id = String(json[name] ?? `${name}_of_theirs`)
    const [mine = {}] = await route.scenario(own)
    const foreign = await own.send(toSent(route, { ...mine, query: `${name}=${id}` }))
    const random = await own.send(toSent(route, { ...mine, query: `${name}=${nobodys(id)}` }))
    // A filter finds nothing; whose hours are asked for is not there.
    expect(foreign.status).toBe(route.path === "/v2/callee-hours" ? 404 : 200)
    expect(essence(foreign)).toEqual(essence(random))
  })

  it("never shows in a list", async () => {
    for (const route of walkedRoutes) {
      if (route.method !== "GET" || placeholders(route.path).length > 0) continue
      const mine = await own.send(toSent(route, {}))
      expect(mine.text, `${route.label}`).not.toContain(otherOrganization)
      expect(mine.text, `${route.label}`).not.toContain(other.agent_id)
    }
    expect(world.clock.now).toBe(start)
  })
})
