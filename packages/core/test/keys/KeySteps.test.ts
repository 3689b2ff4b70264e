import { type ApiKey, Forbidden, InvalidField, KeyInactive, NotFound, StateConflict } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { put, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { mintKey } from "../../src/keys/steps/MintKey.ts"
import { keptText } from "../../src/keys/rules/KeptText.ts"
import { revokeKey, takeKey } from "../../src/keys/steps/RevokeKey.ts"
import { sampleCaller, sampleKey } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id, { key_id: "key_own", scopes: null, keys_write_enabled: true })
const own: ApiKey = { ...caller.key, revision: 4 }
const other = sampleKey(organization_id, { key_id: "key_other", hash: "other", revision: 2 })
const sources = sourcesOn({ put: "api_key", row: own }, { put: "api_key", row: other })
const inactive = sourcesOn({ put: "api_key", row: { ...own, status: "inactive" } }, { put: "api_key", row: other })
const rests = { kind: "api_key", id: "key_own", revision: 4 } as const
const at = momentAt(5_000)

describe("a key is revoked", () => {
  it("by a caller whose own key stands", () => {
    const reading = revokeKey.reads({ caller, key_id: "key_other" })
    assert.deepStrictEqual(Result.getOrThrow(readOn(sources, reading)), {
      view: other,
      expected: [rests, { kind: "api_key", id: "key_other", revision: 2 }],
    })
    for (const stored of [inactive, sourcesOn({ put: "api_key", row: other })]) {
      const read = readOn(stored, revokeKey.reads({ caller, key_id: "key_other" }))
      assert.deepStrictEqual(read, Result.fail(new KeyInactive()))
    }
  })

  it("once, at the moment of the decision", () => {
    const change = put("api_key", other, { ...other, status: "inactive", revoked_at: 5_000 })
    const audit = [{ action: "api_key.revoke", resource: { type: "api_key", id: "key_other" } }]
    const outcome = write([change], { audit, reply: change.row })
    assert.deepStrictEqual(revokeKey.decide({ caller, key_id: "key_other" }, other, at), outcome)
    assert.deepStrictEqual(takeKey.decide({ organization_id, key_id: "key_other" }, other, at), outcome)
    const gone = { ...other, status: "inactive" } as const
    assert.deepStrictEqual(revokeKey.decide({ caller, key_id: "key_other" }, gone, at), unchanged(gone))
  })

  it("neither by itself, nor in another organization", () => {
    const refusalOf = (keyId: string, of = caller) => readOn(sources, revokeKey.reads({ caller: of, key_id: keyId }))
    assert.deepStrictEqual(
      refusalOf("key_own"),
      Result.fail(new StateConflict({ message: "You cannot revoke the key you are authenticating with." })),
    )
    const notFound = Result.fail(new NotFound({ message: "API key not found." }))
    assert.deepStrictEqual(refusalOf("key_unknown"), notFound)
    const stranger = sourcesOn(
      { put: "api_key", row: own },
      { put: "api_key", row: { ...other, organization_id: "org_two" } },
    )
    assert.deepStrictEqual(readOn(stranger, revokeKey.reads({ caller, key_id: "key_other" })), notFound)
    assert.deepStrictEqual(readOn(stranger, takeKey.reads({ organization_id, key_id: "key_other" })), notFound)
  })
})

describe("a key is made", () => {
  const kept = keptText("gat_a-key-that-somebody-holds")
  const inputOf = (scopes?: ReadonlyArray<string>) => ({ caller, kept, request: { name: "Another", scopes } })

  it("by a caller whose own key stands and holds what it gives", () => {
    const read = readOn(sources, mintKey.reads(inputOf(["calls:read"])))
    const { expected, view } = Result.getOrThrow(read)
    assert.deepStrictEqual(expected, [rests])
    const { answer, audit } = mintKey.decide(inputOf(["calls:read"]), view, at)
    assert.deepInclude(Result.getOrThrow(replied(answer)), {
      ...kept,
      organization_id,
      revision: 1,
      description: "Another",
      scopes: ["calls:read"],
      created_at: 5_000,
      developer: own.developer,
    })
    const resource = { type: "api_key", id: kept.key_id }
    assert.deepStrictEqual(audit, [{ resource, details: { scopes: ["calls:read"] } }])
    assert.deepStrictEqual(readOn(inactive, mintKey.reads(inputOf())), Result.fail(new KeyInactive()))
  })

  it("of nothing that may not be given, whatever became of the caller's key", () => {
    const refused = (scopes: ReadonlyArray<string>) =>
      Result.getOrThrow(Result.flip(readOn(inactive, mintKey.reads(inputOf(scopes)))))
    assert.instanceOf(refused(["calls:ring"]), InvalidField)
    assert.instanceOf(refused(["keys:write"]), InvalidField)
    assert.instanceOf(refused(["calls:*"]), Forbidden)
  })
})
