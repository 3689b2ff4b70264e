import { errorStatuses } from "@carillon/api"
import { openApiDocument } from "@carillon/api/documents"
import { DependencyTimeout, DependencyUnavailable, Plans } from "@carillon/core"
import type { TestWorld } from "@carillon/core/testing"
import { Effect, Layer, References } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { type Answer, makeWorld, organizationId, type Sent, type World } from "../World.ts"
import { placeholders, type WalkedRoute, walkedRoutes } from "./Routes.ts"
import { firstTenant, scenarios, toSent } from "./Scenarios.ts"

const document = openApiDocument()

const sentence = /^[^\n]*[.]$/

/** Holds an answer against the one form of errors, and against what the document declares for the route. */
const expectRefusal = (route: WalkedRoute, answer: Answer, code: keyof typeof errorStatuses, status?: number) => {
  expect([answer.status, answer.json["error"]], `${route.label} ${answer.text}`).toEqual([
    status ?? errorStatuses[code][0],
    code,
  ])
  expect(Object.keys(answer.json)).toEqual(["error", "message"])
  expect(answer.json["message"]).toMatch(sentence)
  const operation = document.paths[route.path]?.[route.method.toLowerCase()]
  expect(Object.keys(operation?.responses ?? {})).toContain(String(answer.status))
}

const schemaOf = (route: WalkedRoute): Readonly<Record<string, unknown>> => {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()]
  const schema = operation?.requestBody?.content["application/json"]?.schema ?? {}
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}

/** Ceilings that the walk does not reach, and none at all. */
const ample = Layer.succeed(Plans, {
  standard: { "calls.create": 1e9, "executions.list": 1e9, "knowledge.upload": 1e9, default: 1e9 },
  exhausted: { "calls.create": 0, "executions.list": 0, "knowledge.upload": 0, default: 0 },
})

let broken = false

const outside = /^(rates|telephony|webhooks|funds|transliterator)\./

/** Every port over rows and lines fails while the test says so; the rate limiter would let everything pass all the same. */
const guarded =
  (away: { readonly failure: DependencyUnavailable | DependencyTimeout | null }): TestWorld.Interposition =>
  (operation, effect) =>
    outside.test(operation)
      ? effect
      : Effect.suspend(() => {
          if (broken) return Effect.die(new Error("A secret of the store."))
          return away.failure === null ? effect : Effect.fail(away.failure)
        })

describe("every stated route", () => {
  let world: World
  beforeAll(async () => {
    world = await makeWorld(ample)
  })
  afterAll(() => world.close())

  it("is walked, and nothing else is", () => {
    expect(walkedRoutes.length).toBeGreaterThanOrEqual(39)
    expect(Object.keys(scenarios).length).toBeGreaterThanOrEqual(walkedRoutes.length)
  })

  it.each(walkedRoutes)("$label answers with each of its success forms", async (route) => {
    const statuses = new Set<number>()
    for (const request of await route.scenario(firstTenant(world))) {
      const answer = await world.send(toSent(route, request))
      expect(answer.status, `${route.label} ${answer.text}`).toBeLessThan(400)
      statuses.add(answer.status)
      const recorded = world.tables
        .auditTrail(organizationId)
        .filter(({ request_id }) => request_id === answer.headers["X-Request-Id"])
      for (const { http_status, outcome } of recorded)
        expect([outcome, http_status]).toEqual(["allowed", answer.status])
      if (answer.status !== 302 && answer.status !== 204) expectDeclared(route.name, answer)
      expect(Object.hasOwn(answer.json, "error") && "execution_id" in answer.json === false).toBe(false)
      expect(answer.headers).toMatchObject({
        "X-RateLimit-Limit": expect.stringMatching(/^\d+$/),
        "X-RateLimit-Remaining": expect.stringMatching(/^\d+$/),
        "X-RateLimit-Reset": expect.stringMatching(/^\d+$/),
        "Cache-Control": "no-store",
      })
    }
    expect(statuses).toEqual(new Set(route.successes))
  })

  it.each(walkedRoutes)("$label refuses what its caller may not do", async (route) => {
    const [request = {}] = await route.scenario(firstTenant(world))
    const sent = toSent(route, request)
    const refused = async (changes: Partial<Sent>, code: keyof typeof errorStatuses) => {
      const answer = await world.send({ ...sent, ...changes })
      expectRefusal(route, answer, code)
      return answer
    }
    await refused({ key: null }, 1100)
    await refused({ key: null, headers: { authorization: "Bearer session" } }, 1101)
    await refused({ key: "gat_unknown" }, 1100)
    await refused({ key: world.mint({ status: "inactive" }) }, 1100)
    await refused({ key: world.mint({ organization_id: null }) }, 1102)
    await refused({ target: `${sent.target.split("?")[0]}?organization_id=org_other` }, 1102)
    const limited = await refused({ key: world.mint({ plan: "exhausted" }) }, 1300)
    expect(Number(limited.headers["Retry-After"])).toBeGreaterThan(0)
    if (route.scope !== null) {
      const { json } = await refused({ key: world.mint({ scopes: [] }) }, 1102)
      expect(json["message"]).toContain(route.scope)
      await refused({ key: world.mint({ scopes: ["webhooks:write"] }) }, 1102)
    } else {
      const open = await world.send({ ...sent, key: world.mint({ scopes: [] }) })
      expect(open.status, `${open.text}`).toBeLessThan(400)
    }
  })

  it.each(walkedRoutes)("$label refuses what it cannot read", async (route) => {
    const [request = {}] = await route.scenario(firstTenant(world))
    const sent = toSent(route, request)
    const refused = async (changes: Partial<Sent>, code: keyof typeof errorStatuses, status?: number) =>
      expectRefusal(route, await world.send({ ...sent, ...changes }), code, status)
    const path = sent.target.split("?")[0] ?? ""
    const parameters = document.paths[route.path]?.[route.method.toLowerCase()]?.parameters ?? []
    const takes = (name: string) => parameters.some((parameter) => parameter.name === name)
    if (takes("page")) {
      for (const query of ["page=0", "page=10001", "page=x", "page=1&page=2"])
        await refused({ target: `${path}?${query}` }, 1001)
    }
    if (takes("page_size")) await refused({ target: `${path}?page_size=101` }, 1001)
    if (takes("from_date")) await refused({ target: `${path}?from_date=2026-01-05T09:00:00` }, 1001)
    for (const word of ["status", "direction", "sort_by", "sort_order", "group_by"]) {
      if (takes(word)) await refused({ target: `${path}?${word}=nonsense` }, 1000)
    }
    if (placeholders(route.path).length > 0) {
      const unknown = route.path.replace(/\{\w+\}/g, "no-such-thing")
      await refused({ target: unknown }, 1200)
      await refused({ target: `${path}/` }, 1200)
    }
    if (route.body === "none" || route.body === "form") return
    const { body: _, ...bodiless } = sent
    const bytes = (text: string) => new TextEncoder().encode(text)
    const json = { headers: { "content-type": "application/json" } }
    const raw = async (changes: Partial<Sent>, code: keyof typeof errorStatuses, status?: number) =>
      expectRefusal(route, await world.send({ ...bodiless, ...changes }), code, status)
    await raw({ ...json, bytes: bytes("{") }, 1000)
    await raw({ ...json, bytes: bytes("[]") }, 1000)
    await raw({ ...json, bytes: bytes("null") }, 1000)
    await raw({ ...json, bytes: bytes("[".repeat(65)) }, 1000)
    await raw({ ...json, bytes: Uint8Array.of(0x22, 0xff, 0x22) }, 1000)
    await raw({ headers: { "content-type": "text/plain" }, bytes: bytes("{}") }, 1000)
    await raw({ ...json, bytes: "oversize" }, 1000, 413)
    if (route.body !== "optional") await raw({ ...json, bytes: null }, 1000)
    const { properties = {}, required = [] } = schemaOf(route)
    if (Array.isArray(required) && required.length > 0) await refused({ body: {} }, 1002)
    if (typeof properties !== "object" || properties === null) return
    const complete = typeof request.body === "object" && request.body !== null ? request.body : {}
    for (const name of Object.keys(properties)) {
      const answer = await world.send({ ...sent, body: { ...complete, [name]: [[[]]] } })
      if (answer.status >= 400) expect([1000, 1001]).toContain(answer.json["error"])
    }
  })
})

/** What a key may do, and what of callee hours can be named, is told without asking anybody. */
const askingNobody: ReadonlySet<string> = new Set(["identity.scopes", "calleeHours.presets"])

describe("without its dependencies", () => {
  const away: { failure: DependencyUnavailable | DependencyTimeout | null } = { failure: null }
  let world: World
  beforeAll(async () => {
    // What dies here is meant to: its reports would only hide the others.
    world = await makeWorld(Layer.merge(ample, Layer.succeed(References.MinimumLogLevel, "None")), guarded(away))
    // From now on the key is cached, and the key store may be away as well.
    await world.send({ target: "/v2/scopes" })
  })
  afterAll(() => world.close())

  it.each(walkedRoutes)("$label says that it cannot", async (route) => {
    const tenant = firstTenant(world)
    const [request = {}] = await route.scenario(tenant)
    const sent = toSent(route, request)
    away.failure = new DependencyUnavailable({ dependency: "call_storage" })
    const unreachable = await world.send(sent)
    away.failure = new DependencyTimeout({ dependency: "call_storage" })
    const silent = await world.send(sent)
    away.failure = null
    if (askingNobody.has(route.name)) {
      expect([unreachable.status, silent.status]).toEqual([200, 200])
      return
    }
    expectRefusal(route, unreachable, 1501)
    expectRefusal(route, silent, 1502)
    const after = await world.send(sent)
    expect(after.status, `${after.text}`).toBeLessThan(400)
  })

  it.each(walkedRoutes)("$label tells nothing of a defect", async (route) => {
    const [request = {}] = await route.scenario(firstTenant(world))
    away.failure = null
    broken = true
    const answer = await world.send(toSent(route, request))
    broken = false
    if (askingNobody.has(route.name)) return
    expectRefusal(route, answer, 1500)
    expect(answer.json["message"]).toBe("An unexpected error occurred.")
  })
})
