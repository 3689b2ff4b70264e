import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { KeyRecord, MintedKey, RevokedKey } from "../../src/Keys.ts"
import { toWireKey, toWireMintedKey, toWireRevokedKey } from "../../src/mapping/Key.ts"
import { assertReads, key } from "./Arbitraries.ts"

describe("keys on the wire", () => {
  it("are read by their schemas", () => {
    fc.assert(
      fc.property(key, (record) => {
        assertReads(KeyRecord, toWireKey(record, "key_0"))
        assertReads(MintedKey, toWireMintedKey({ key: "gat_x", record }))
        assertReads(RevokedKey, toWireRevokedKey(record))
      }),
    )
  })

  it("show the text of a key when it is minted, and its hash never", () => {
    fc.assert(
      fc.property(key, (record) => {
        const hashed = { ...record, hash: "0123456789abcdef" }
        const minted = toWireMintedKey({ key: "gat_secret", record: hashed })
        assert.strictEqual(minted.key, "gat_secret")
        assert.strictEqual(minted.name, toWireKey(record, "key_0").description)
        for (const wire of [minted, toWireKey(hashed, "key_0"), toWireRevokedKey(hashed)]) {
          assert.notInclude(JSON.stringify(wire), hashed.hash)
        }
      }),
    )
  })

  it("know the key that makes the request", () => {
    fc.assert(
      fc.property(key, fc.boolean(), (record, current) => {
        assert.strictEqual(toWireKey(record, current ? record.key_id : `not ${record.key_id}`).is_current, current)
      }),
    )
  })
})
