import { type ErrorCode, errorStatuses } from "@carillon/api"
import { DependencyTimeout, DependencyUnavailable } from "@carillon/core"
import { type Bucket, SlidingWindow } from "@carillon/core/domain"
import { AgentStore, CallStore, KeyStore, RateStore } from "@carillon/core/ports"
import { codePoint } from "@carillon/core/testing"
import { Effect, ErrorReporter, Layer, Logger } from "effect"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Admission, type Admitted } from "../src/Dispatcher.ts"
import { agentId, type Answer, makeWorld, organizationId, plans, scripted, type Sent, type World } from "./World.ts"

const dial = { method: "POST", target: "/v2/calls", body: { agent_id: agentId, to_number: "+15551234567" } }

/** What every answer under `/v2` must look like, success or failure. */
const expectWellFormed = ({ headers, json, status, text }: Answer) => {
  for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]) {
    expect(headers[name]).toMatch(/^\d+$/)
  }
  expect(headers["X-Request-Id"]).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
  expect(headers["Cache-Control"]).toBe("no-store")
  expect(headers["Content-Type"]).toBe(text === null ? undefined : "application/json")
  if (status < 400) {
    expect(json).not.toHaveProperty("error")
    return
  }
  expect(Object.keys(json).sort()).toEqual(["error", "message"])
  expect(errorStatuses[json["error"] as ErrorCode]).toContain(status)
  expect(json["message"]).toMatch(/^.*\.$/)
  if (status === 429) expect(Number(headers["Retry-After"])).toBeGreaterThan(0)
}

describe("every answer", () => {
  let world: World

  beforeAll(async () => {
    world = await makeWorld()
  })
  afterAll(() => world.close())

  it("is well-formed whatever is sent, and never a 500", async () => {
    const key = world.mint({})
    const path = fc.oneof(
      fc.constantFrom(
        "/v2",
        "/v2/",
        "/v2/calls",
        "/v2/agents",
        "/v2/api-keys",
        "/v2/user/me",
        "/v2/scopes",
        "/v2/nope",
      ),
      fc
        .tuple(
          fc.constantFrom("/v2/calls/", "/v2/agents/", "/v2/api-keys/"),
          fc.oneof(
            fc.string(),
            fc.string({ unit: codePoint }).map(encodeURIComponent),
            fc.constantFrom("%", "%00", "%ff", "..", agentId),
          ),
          fc.constantFrom("", "/stop", "/timing", "/transcript", "/recording", "/executions", "/"),
        )
        .map((parts) => parts.join("")),
      fc.string().map((text) => `/v2/${text}`),
    )
    const query = fc.oneof(
      fc.constant(""),
      fc.string(),
      fc
        .array(
          fc.tuple(
            fc.constantFrom(
              "page",
              "page_size",
              "status",
              "direction",
              "from_date",
              "include_transcript",
              "redirect",
              "sort_by",
              "search",
              "organization_id",
            ),
            fc.oneof(fc.string(), fc.constantFrom("1", "true", "completed", organizationId, "2026-01-05T09:00:00Z")),
          ),
        )
        .map((pairs) => new URLSearchParams(pairs).toString()),
    )
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom(agentId, "+15551234567", "2026-01-05T10:00:00Z", "ACTIVE"))
    const fields = fc.dictionary(
      fc.constantFrom(
        "agent_id",
        "to_number",
        "from_number",
        "variables",
        "metadata",
        "scheduled_at",
        "record",
        "timeout_seconds",
        "display_name",
        "status",
        "configuration",
        "calling_guard",
        "multilingual",
        "conversation_config",
        "labels",
        "name",
        "scopes",
        "reason",
        "__proto__",
      ),
      field,
    )
    const bytes = fc.oneof(
      fc.constant(null),
      fc.constant("oversize" as const),
      fc.uint8Array(),
      fc.oneof(fc.jsonValue(), fields).map((value) => new TextEncoder().encode(JSON.stringify(value))),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "__proto__"),
        path,
        query,
        fc.oneof({ weight: 4, arbitrary: fc.constant(`Bearer ${key}`) }, { weight: 1, arbitrary: fc.string() }),
        fc.oneof({ weight: 4, arbitrary: fc.constant("application/json") }, { weight: 1, arbitrary: fc.string() }),
        fc.string(),
        bytes,
        async (method, path, query, authorization, contentType, id, bytes) => {
          world.clock.now += 1000
          const target = query === "" ? path : `${path}?${query}`
          const headers = { authorization, "content-type": contentType, "x-request-id": id }
          const answer = await world.send({ method, target, key: null, headers, bytes })
          expectWellFormed(answer)
          expect(answer.status).not.toBe(500)
        },
      ),
      { numRuns: 600 },
    )
  })

  it("echoes a sane X-Request-Id and mints one otherwise", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ maxLength: 200 }), fc.stringMatching(/^[A-Za-z0-9._-]{1,140}$/)),
        async (id) => {
          const answer = await world.send({ target: "/v2/scopes", headers: { "x-request-id": id } })
          const echoed = answer.headers["X-Request-Id"]
          if (/^[A-Za-z0-9._-]{1,128}$/.test(id)) expect(echoed).toBe(id)
          else expect(echoed).toMatch(/^req_[0-9a-z]{22}$/)
        },
      ),
    )
    for (const [length, echoed] of [
      [128, true],
      [129, false],
    ] as const) {
      const id = "x".repeat(length)
      const answer = await world.send({ target: "/v2/scopes", headers: { "x-request-id": id } })
      expect(answer.headers["X-Request-Id"] === id).toBe(echoed)
    }
    const minted = await Promise.all([1, 2, 3].map(() => world.send({ target: "/v2/scopes" })))
    expect(new Set(minted.map(({ headers }) => headers["X-Request-Id"])).size).toBe(3)
  })
})

describe("the rate headers", () => {
  it("equal the sliding window's arithmetic, request by request", async () => {
    const requests: ReadonlyArray<{ readonly sent: Sent; readonly bucket: Bucket; readonly counts: boolean }> = [
      { sent: { target: "/v2/calls" }, bucket: "executions.list", counts: true },
      { sent: { target: "/v2/calls/exec_nope" }, bucket: "executions.list", counts: true },
      { sent: { target: "/v2/calls?page=0" }, bucket: "executions.list", counts: true },
      { sent: { ...dial, body: {} }, bucket: "calls.create", counts: true },
      { sent: { method: "POST", target: "/v2/calls/exec_nope/stop" }, bucket: "calls.create", counts: true },
      { sent: { target: "/v2/nope" }, bucket: "default", counts: true },
      { sent: { method: "POST", target: "/v2/api-keys", body: { name: 1 } }, bucket: "default", counts: true },
      { sent: { target: "/v2/calls?organization_id=org_2" }, bucket: "executions.list", counts: false },
      { sent: { target: "/v2/calls", key: null }, bucket: "executions.list", counts: false },
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.constantFrom(...requests), fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 25_000 }))),
          { maxLength: 40 },
        ),
        async (steps) => {
          const world = await makeWorld()
          const key = world.mint({ plan: "small" })
          const windows = new Map<Bucket, SlidingWindow.WindowState>()
          for (const [{ bucket, counts, sent }, pause] of steps) {
            world.clock.now += pause
            const known = sent.key !== null
            const answer = await world.send({ key, ...sent })
            // A caller whom nobody knows has the default plan.
            const limit = known ? plans.small[bucket] : 600
            const state = windows.get(bucket) ?? SlidingWindow.emptyWindow
            const seen = known ? state : SlidingWindow.emptyWindow
            const expected = counts
              ? SlidingWindow.hit(state, limit, world.clock.now)
              : { ...SlidingWindow.peek(seen, limit, world.clock.now), allowed: true, state }
            windows.set(bucket, expected.state)
            expect(answer.headers).toMatchObject({
              "X-RateLimit-Limit": String(limit),
              "X-RateLimit-Remaining": String(expected.remaining),
              "X-RateLimit-Reset": String(expected.resetSeconds),
            })
            expect(answer.status === 429).toBe(!expected.allowed)
            if (expected.allowed) continue
            expect(answer.headers["Retry-After"]).toBe(String(expected.retryAfterSeconds))
            expect(answer.json).toEqual({
              error: 1300,
              message: `Rate limit exceeded: ${limit} requests per minute for this organization. Retry in ${expected.retryAfterSeconds}s.`,
            })
          }
          await world.close()
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe("what the engine depends on", () => {
  const away = { dependency: "call_storage" } as const

  it("is named when it is away, and a write that failed for it is audited", async () => {
    const unreachable = scripted(() => ({
      outcome: { _tag: "Refused", kind: "unreachable" },
      asked: { _tag: "NoAnswer" },
    }))
    const world = await makeWorld(unreachable)
    const answer = await world.send({ ...dial, headers: { "x-request-id": "mine" } })
    expectWellFormed(answer)
    expect([answer.status, answer.json]).toEqual([
      503,
      { error: 1501, message: "Telephony service is temporarily unavailable." },
    ])
    // The dial has a record of its own: that is the only one.
    expect(world.tables.auditTrail(organizationId)).toMatchObject([
      {
        action: "call.create",
        outcome: "failed",
        resource: { type: "call" },
        error_code: 1501,
        http_status: 503,
        request_id: "mine",
      },
    ])
    await world.close()
  })

  it("does not refuse a request when the rate store is away", async () => {
    const gone = Effect.fail(new DependencyUnavailable({ dependency: "rate_limit_store" }))
    const world = await makeWorld(Layer.succeed(RateStore, { hit: () => gone, peek: () => gone }))
    const answer = await world.send({ target: "/v2/calls" })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ "X-RateLimit-Limit": "600", "X-RateLimit-Remaining": "600" })
    await world.close()
  })

  it("answers 1501 for a cold key while the key store is away", async () => {
    const gone = Effect.fail(new DependencyUnavailable({ dependency: "api_key_store" }))
    const world = await makeWorld(
      Layer.succeed(KeyStore, { findByHash: () => gone, find: () => gone, page: () => gone }),
    )
    const answer = await world.send({ target: "/v2/nope" })
    expectWellFormed(answer)
    expect(answer.json).toEqual({ error: 1501, message: "Authentication service is temporarily unavailable." })
    await world.close()
  })

  it("answers 1502 for a store that never answers, and audits no read", async () => {
    const late = Effect.fail(new DependencyTimeout(away))
    const world = await makeWorld(
      Layer.succeed(CallStore, {
        find: () => late,
        locate: () => late,
        media: () => late,
        page: () => late,
        oldest: () => late,
        holding: () => late,
        live: () => late,
        onNumber: () => late,
        watched: () => late,
        holders: () => late,
        due: () => late,
        processing: () => late,
      }),
    )
    const answer = await world.send({ target: "/v2/calls" })
    expect([answer.status, answer.json]).toEqual([
      504,
      { error: 1502, message: "Call storage did not respond in time." },
    ])
    expect(world.tables.auditTrail(organizationId)).toEqual([])
    await world.close()
  })
})

describe("a write that its state does not allow", () => {
  it("is audited as failed", async () => {
    const world = await makeWorld()
    const key = world.mint({})
    const { json } = await world.send({ key, target: "/v2/user/me" })
    const own = (json["developer"] as { key_id: string }).key_id
    const answer = await world.send({ key, method: "DELETE", target: `/v2/api-keys/${own}` })
    expect(answer.json).toEqual({ error: 1201, message: "You cannot revoke the key you are authenticating with." })
    expect(world.tables.auditTrail(organizationId)).toMatchObject([
      { action: "api_key.revoke", outcome: "failed", error_code: 1201, http_status: 409 },
    ])
    await world.send({ key, method: "DELETE", target: "/v2/api-keys/key_nope" })
    expect(world.tables.auditTrail(organizationId).length).toBe(1)
    await world.close()
  })
})

describe("a defect", () => {
  it("is answered with the constant message, reported once and logged, and tells nothing", async () => {
    const reported: Array<unknown> = []
    const logged: Array<string> = []
    const broken = Effect.sync((): never => {
      throw new Error("secret gat_abc +15551234567")
    })
    const world = await makeWorld(
      Layer.mergeAll(
        Layer.succeed(AgentStore, {
          find: () => broken,
          page: () => broken,
          list: () => broken,
          usesKnowledgeBase: () => broken,
        }),
        ErrorReporter.layer([ErrorReporter.make(({ error }) => reported.push(error.message))]),
        Logger.layer([Logger.make(({ message }) => logged.push(String(message)))]),
      ),
    )
    const answer = await world.send({ ...dial, headers: { "x-request-id": "mine" } })
    expectWellFormed(answer)
    expect([answer.status, answer.json]).toEqual([500, { error: 1500, message: "An unexpected error occurred." }])
    expect(reported).toEqual(["secret gat_abc +15551234567"])
    const lines = logged.filter((line) => line.includes("mine") && line.includes("POST /v2/calls"))
    expect(lines.length).toBe(1)
    // What a port of the host throws may name whom it was about.
    expect(lines[0]).toContain("+***********")
    expect(logged.join("\n")).not.toContain("5551234567")
    expect(world.tables.auditTrail(organizationId).at(-1)).toMatchObject({ outcome: "failed", error_code: 1500 })
    expect((await world.send({ target: "/v2/calls" })).status).toBe(200)
    await world.close()
  })

  it("of the admission itself is answered too", async () => {
    const world = await makeWorld(
      Layer.mergeAll(
        Layer.succeed(Admission, () => Effect.die("no")),
        Logger.layer([]),
      ),
    )
    const answer = await world.send({ target: "/v2/calls" })
    expectWellFormed(answer)
    expect(answer.json).toEqual({ error: 1500, message: "An unexpected error occurred." })
    await world.close()
  })
})

describe("an engine that stops", () => {
  it("answers the requests that still wait, and those that come too late", async () => {
    const world = await makeWorld()
    world.write({
      put: "organization",
      row: {
        ...world.tables.organizations.get(organizationId)!,
        revision: 2,
        concurrency: { organization: 1, per_agent: null, enforced: true },
      },
    })
    expect((await world.send(dial)).status).toBe(201)
    const waiting = world.send(dial)
    await world.close()
    const answer = await waiting
    expectWellFormed(answer)
    expect([answer.status, answer.json["error"]]).toEqual([503, 1501])
    const late = await world.send({ target: "/v2/calls" })
    expect([late.status, late.json["error"]]).toEqual([503, 1501])
  })
})

describe("Admission", () => {
  it("lets requests in one at a time, knows them, and holds back everything that they do", async () => {
    const gates: Array<() => void> = []
    const seen: Array<Admitted> = []
    const world = await makeWorld(
      Layer.succeed(Admission, (effect, admitted) =>
        Effect.suspend(() => {
          seen.push(admitted)
          return Effect.andThen(
            Effect.callback<void>((resume) => {
              gates.push(() => resume(Effect.void))
            }),
            effect,
          )
        }),
      ),
    )
    const first = world.send({ ...dial, headers: { "x-request-id": "one" } })
    const second = world.send({ target: "/v2/nope", headers: { "x-request-id": "two" } })
    expect(seen.map(({ request, request_id }) => [request_id, request.method, request.target])).toEqual([
      ["one", "POST", "/v2/calls"],
      ["two", "GET", "/v2/nope"],
    ])
    expect(world.tables.auditTrail(organizationId)).toEqual([])
    for (const open of gates) open()
    expect((await first).status).toBe(201)
    expect((await second).status).toBe(404)
    await world.close()
  })
})
