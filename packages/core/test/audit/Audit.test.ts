import { Audit } from "@carillon/core"
import { AuditChain } from "@carillon/core/domain"
import { AuditStore } from "@carillon/core/ports"
import { MemoryStore } from "@carillon/core/memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { caller, organizationId, World } from "../../src/testing/world/World.ts"

const trailOf = Effect.fnUntraced(function* (world: World) {
  const store = Context.get(yield* Layer.build(MemoryStore.layer(world.tables)), AuditStore)
  return yield* store.after(organizationId, 0, 1_000)
})

describe("Audit", () => {
  it.effect("records a denial of scope and a failed write in the organization's chain", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const audit = world.service(Audit)
      yield* audit.denied(caller, { action: "scope.denied", route: "POST /v2/calls", scope: "calls:write" })
      world.now += 1_000
      yield* audit.failed(caller, { action: "call.create", route: "POST /v2/calls", code: 1501, status: 503 })
      const [denied, failed, ...others] = yield* trailOf(world)
      assert.deepInclude(denied, {
        sequence: 1,
        action: "scope.denied",
        resource: { type: "route", id: "POST /v2/calls" },
        outcome: "denied",
        error_code: 1102,
        http_status: 403,
        actor: { type: "api_key", key_id: caller.key.key_id },
        request_id: caller.request_id,
        details: { scope: "calls:write" },
      })
      assert.deepInclude(failed, { sequence: 2, outcome: "failed", error_code: 1501, http_status: 503, details: {} })
      assert.isEmpty(others)
    }),
  )

  it.effect("makes one chain of everything that happens in an organization, and it verifies", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const audit = world.service(Audit)
      const denying = audit.denied(caller, { action: "scope.denied", route: "GET /v2/calls", scope: "calls:read" })
      yield* world.placed()
      yield* Effect.all([denying, denying, denying], { concurrency: 3 })
      const { call } = yield* world.placed({ scheduled_at: world.now + 120_000 })
      yield* world.stop(call.execution_id)
      yield* world.advance(0)
      const trail = yield* trailOf(world)
      assert.strictEqual(trail.length, 6)
      assert.strictEqual(new Set(trail.map((record) => record.event_id)).size, 6)
      assert.deepInclude(AuditChain.verifyChain(trail), { valid: true, checked: 6 })
    }),
  )

  it.effect("puts the entry of an allowed write into nothing by itself", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const before = world.commits.length
      const entry = world
        .service(Audit)
        .allowed(caller, { action: "call.stop", resource: { type: "call", id: "exec_1" } })
      assert.deepInclude(entry, { outcome: "allowed", error_code: null, http_status: null, details: {} })
      assert.strictEqual(world.commits.length, before)
    }),
  )
})
