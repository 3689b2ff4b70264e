import { ScopePolicy } from "@carillon/core/domain"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Identity, Scopes } from "../../src/Identity.ts"
import { toWireIdentity, toWireScopes } from "../../src/mapping/Identity.ts"
import { assertReads, concurrency, figures, key } from "./Arbitraries.ts"

const caller = fc.record({ organization_id: fc.string(), key, request_id: fc.string() })
const organization = fc.record({ plan: fc.string(), rate_limit_tier: fc.string() })
const rates = fc.record({
  "calls.create": figures,
  "executions.list": figures,
  "knowledge.upload": figures,
  default: figures,
})

describe("the identity on the wire", () => {
  it("is read by its schema and carries the live figures of every bucket", () => {
    fc.assert(
      fc.property(caller, organization, rates, concurrency, (caller, organization, rates, concurrency) => {
        const wire = toWireIdentity(caller, organization, rates, concurrency)
        assertReads(Identity, wire)
        assert.deepStrictEqual(wire.rate_limits["calls.create"], {
          limit: rates["calls.create"].limit,
          remaining: rates["calls.create"].remaining,
          reset: rates["calls.create"].resetSeconds,
          window_seconds: 60,
        })
        assert.deepStrictEqual(wire.concurrency, concurrency)
      }),
    )
  })
})

describe("the scopes on the wire", () => {
  it("are read by their schema and agree with the scope policy", () => {
    fc.assert(
      fc.property(caller, (caller) => {
        const wire = toWireScopes(caller)
        assertReads(Scopes, wire)
        assert.deepStrictEqual(
          wire.scopes.map(({ scope }) => scope),
          [...ScopePolicy.scopes],
        )
        assert.deepStrictEqual(
          wire.scopes.filter(({ granted }) => granted).map(({ scope }) => scope),
          [...ScopePolicy.effectiveScopes(caller.key)],
        )
        assert.deepStrictEqual(
          wire.key.granted,
          wire.scopes.filter(({ granted }) => granted).map(({ scope }) => scope),
        )
        assert.strictEqual(wire.key.grandfathered, caller.key.scopes === null)
      }),
    )
  })

  it("list the routes that they open", () => {
    fc.assert(
      fc.property(caller, (caller) => {
        const routes = new Map(toWireScopes(caller).scopes.map(({ scope, routes }) => [scope, routes]))
        assert.deepStrictEqual(routes.get("calls:write"), [
          "POST /v2/calls",
          "POST /v2/calls/{execution_id}/stop",
          "POST /v2/suppressions",
        ])
      }),
      { numRuns: 1 },
    )
  })
})
