import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  allows,
  effectiveScopes,
  mint,
  type MintRequest,
  type Scope,
  scopeDescriptions,
  scopes,
  type StoredPolicy,
} from "../../src/keys/rules/ScopePolicy.ts"

const wildcards = ["*", "agents:*", "calls:*", "batches:*", "webhooks:*", "keys:*", "audit:*"]
const strangers = ["", "calls", "calls:", ":", "foo:*", "foo:read", "calls:delete", "CALLS:READ", "calls:read ", "**"]

const listed = (...list: ReadonlyArray<string>): StoredPolicy => ({ scopes: list, keys_write_enabled: false })
const grandfathered = (enabled: boolean): StoredPolicy => ({ scopes: null, keys_write_enabled: enabled })

const withoutKeysWrite: ReadonlyArray<Scope> = scopes.filter((scope) => scope !== "keys:write")

const storedWord = fc.constantFrom<string>(...scopes, ...scopes, ...wildcards, ...strangers)
const policy: fc.Arbitrary<StoredPolicy> = fc.record({
  scopes: fc.option(fc.array(storedWord, { maxLength: 6 })),
  keys_write_enabled: fc.boolean(),
})
const request: fc.Arbitrary<MintRequest> = fc.record({
  scopes: fc.option(fc.array(fc.constantFrom<string>(...scopes, ...wildcards), { maxLength: 5 }), { nil: undefined }),
  grant_api_keys_write: fc.boolean(),
})

describe("the taxonomy", () => {
  it("has eight scopes, each with a description", () => {
    assert.strictEqual(scopes.length, 8)
    assert.deepEqual(Object.keys(scopeDescriptions), [...scopes])
  })
})

describe("allows", () => {
  it("reads a stored list as the specification's table does", () => {
    fc.assert(
      fc.property(policy, fc.constantFrom(...scopes), (stored, scope) => {
        const patterns = stored.scopes?.map((word) => new RegExp(`^${word.replaceAll("*", ".*")}$`)) ?? [/./]
        const isKeysWrite = scope === "keys:write"
        const byName = stored.scopes === null ? stored.keys_write_enabled : stored.scopes.includes(scope)
        const byPattern =
          stored.scopes === null ||
          stored.scopes.some(
            (word, index) => (word === scope || wildcards.includes(word)) && patterns[index]?.test(scope) === true,
          )
        assert.strictEqual(allows(stored, scope), isKeysWrite ? byName : byPattern)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ["a grandfathered key", grandfathered(false), withoutKeysWrite],
    ["a grandfathered key with the host's switch", grandfathered(true), scopes],
    ["[]", listed(), []],
    ["one scope", listed("calls:read"), ["calls:read"]],
    ["a resource's wildcard", listed("calls:*"), ["calls:read", "calls:write"]],
    ["the wildcard", listed("*"), withoutKeysWrite],
    ["keys:*", listed("keys:*"), []],
    ["the wildcard and keys:write", listed("*", "keys:write"), scopes],
    ["words of another time", listed("calls:delete", "sms:*"), []],
    ["a list, whatever the host's switch", { scopes: ["audit:read"], keys_write_enabled: true }, ["audit:read"]],
  ])("%s", (_name, stored, expected) => {
    assert.deepEqual([...effectiveScopes(stored)], [...expected])
  })
})

describe("mint", () => {
  const omitted = (grant = false): MintRequest => ({ scopes: undefined, grant_api_keys_write: grant })
  const asked = (list: ReadonlyArray<string>, grant = false): MintRequest => ({
    scopes: list,
    grant_api_keys_write: grant,
  })
  const minted = (list: ReadonlyArray<string>, source: "explicit" | "inherited") =>
    ({ ok: true, scopes: [...list], scopes_source: source }) as const

  it.each([
    ["inherits all but keys:write", listed("calls:read", "keys:write"), omitted(), minted(["calls:read"], "inherited")],
    [
      "writes the taxonomy out for a grandfathered key",
      grandfathered(true),
      omitted(),
      minted(withoutKeysWrite, "inherited"),
    ],
    ["writes a wildcard out", listed("*", "keys:write"), omitted(), minted(withoutKeysWrite, "inherited")],
    ["leaves dead words behind", listed("sms:*", "keys:write"), omitted(), minted([], "inherited")],
    [
      "adds keys:write on the grant",
      listed("calls:read", "keys:write"),
      omitted(true),
      minted(["calls:read", "keys:write"], "inherited"),
    ],
    ["adds it for a grandfathered key", grandfathered(true), omitted(true), minted(scopes, "inherited")],
    ["mints a key that can do nothing", listed("keys:write"), asked([]), minted([], "explicit")],
    [
      "takes a list as written, grant or not",
      listed("*", "keys:write"),
      asked(["calls:read"], true),
      minted(["calls:read"], "explicit"),
    ],
    ["takes [] as written, grant or not", listed("*", "keys:write"), asked([], true), minted([], "explicit")],
    [
      "passes keys:write on with the grant",
      listed("keys:write"),
      asked(["keys:write"], true),
      minted(["keys:write"], "explicit"),
    ],
    [
      "names each scope once",
      listed("*", "keys:write"),
      asked(["calls:read", "audit:read", "calls:read"]),
      minted(["calls:read", "audit:read"], "explicit"),
    ],
    [
      "passes a wildcard on that is held",
      listed("calls:*", "keys:write"),
      asked(["calls:*"]),
      minted(["calls:*"], "explicit"),
    ],
    ["passes a narrower wildcard on", listed("*", "keys:write"), asked(["calls:*"]), minted(["calls:*"], "explicit")],
    [
      "lets one scope of a wildcard through",
      listed("calls:*", "keys:write"),
      asked(["calls:write"]),
      minted(["calls:write"], "explicit"),
    ],
    [
      "wants the grant for keys:write",
      listed("*", "keys:write"),
      asked(["keys:write"]),
      { ok: false, reason: "grant_required" },
    ],
    [
      "wants the grant of a key that does not hold it",
      listed("calls:read"),
      asked(["keys:write"]),
      { ok: false, reason: "grant_required" },
    ],
    [
      "refuses keys:write unheld",
      listed("*"),
      asked(["keys:write"], true),
      { ok: false, reason: "not_held", missing: ["keys:write"] },
    ],
    [
      "refuses keys:write unheld by inheritance",
      grandfathered(false),
      omitted(true),
      { ok: false, reason: "not_held", missing: ["keys:write"] },
    ],
    [
      "names what is not held",
      listed("calls:read", "keys:write"),
      asked(["calls:write", "calls:read", "audit:read"]),
      { ok: false, reason: "not_held", missing: ["calls:write", "audit:read"] },
    ],
    [
      "refuses a wildcard to all of whose scopes the key has",
      listed("calls:read", "calls:write", "keys:write"),
      asked(["calls:*"]),
      { ok: false, reason: "not_held", missing: ["calls:*"] },
    ],
    [
      "refuses a wider wildcard",
      listed("calls:*", "keys:write"),
      asked(["*"]),
      { ok: false, reason: "not_held", missing: ["*"] },
    ],
    [
      "refuses a grandfathered key's wildcard",
      grandfathered(true),
      asked(["*"]),
      { ok: false, reason: "not_held", missing: ["*"] },
    ],
    [
      "names the unknown before the unheld",
      listed("keys:write"),
      asked(["audit:read", "calls:delete", "nope"]),
      { ok: false, reason: "unknown_scope", unknown: ["calls:delete", "nope"] },
    ],
    [
      "names the unknown before the missing grant",
      listed("keys:write"),
      asked(["keys:write", "nope"]),
      { ok: false, reason: "unknown_scope", unknown: ["nope"] },
    ],
    [
      "does not know what a key stores from another time",
      listed("sms:*", "keys:write"),
      asked(["sms:*"]),
      { ok: false, reason: "unknown_scope", unknown: ["sms:*"] },
    ],
  ])("%s", (_name, minter, wanted, expected) => {
    assert.deepEqual(mint(minter, wanted), expected)
  })

  it.each(strangers)("does not know %j", (stranger) => {
    assert.deepEqual(mint(listed("*"), asked([stranger])), { ok: false, reason: "unknown_scope", unknown: [stranger] })
  })

  it("never gives what the minting key does not have", () => {
    fc.assert(
      fc.property(policy, request, (minter, wanted) => {
        const decision = mint(minter, wanted)
        if (!decision.ok) return
        const child: StoredPolicy = { scopes: decision.scopes, keys_write_enabled: false }
        for (const scope of effectiveScopes(child)) assert.isTrue(allows(minter, scope), scope)
      }),
      { numRuns: 2000 },
    )
  })

  it("never gives more over generations either, and keys:write only by grant", () => {
    fc.assert(
      fc.property(policy, fc.array(request, { maxLength: 6 }), (first, generations) => {
        let minter = first
        for (const wanted of generations) {
          const decision = mint(minter, wanted)
          if (!decision.ok) continue
          if (decision.scopes.includes("keys:write")) assert.isTrue(wanted.grant_api_keys_write)
          minter = { scopes: decision.scopes, keys_write_enabled: true }
        }
        for (const scope of effectiveScopes(minter)) assert.isTrue(allows(first, scope), scope)
      }),
      { numRuns: 1000 },
    )
  })

  it("never trims: it gives all that was asked, or names what it withholds", () => {
    fc.assert(
      fc.property(policy, fc.array(storedWord), fc.boolean(), (minter, list, grant) => {
        const decision = mint(minter, asked(list, grant))
        if (decision.ok) assert.sameMembers([...decision.scopes], [...new Set(list)])
        else if (decision.reason !== "grant_required") {
          const named = decision.reason === "not_held" ? decision.missing : decision.unknown
          assert.isNotEmpty(named)
          for (const scope of named) assert.include(list, scope)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it("refuses inheritance only for the grant", () => {
    fc.assert(
      fc.property(policy, (minter) => {
        assert.deepEqual(
          mint(minter, omitted()),
          minted(
            effectiveScopes(minter).filter((scope) => scope !== "keys:write"),
            "inherited",
          ),
        )
        assert.strictEqual(mint(minter, omitted(true)).ok, allows(minter, "keys:write"))
      }),
    )
  })
})
