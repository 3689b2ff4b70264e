import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { formatKey, hashKey, hasKeyPrefix, keyId, keyIdOfHash, keyPreview } from "../../src/keys/rules/ApiKeyFormat.ts"

const entropy = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe("formatKey", () => {
  it("is the prefix and the base64url of 32 bytes, and loses none of them", () => {
    fc.assert(
      fc.property(entropy, (bytes) => {
        const key = formatKey(bytes)
        assert.match(key, /^gat_[A-Za-z0-9_-]{43}$/)
        assert.strictEqual(key, `gat_${Buffer.from(bytes).toString("base64url")}`)
        assert.isTrue(hasKeyPrefix(key))
      }),
    )
  })

  it("takes no other number of bytes", () => {
    for (const length of [0, 16, 31, 33]) assert.throws(() => formatKey(new Uint8Array(length)), RangeError)
  })
})

describe("keyPreview", () => {
  it("shows the first 12 and the last 4 characters of a key", () => {
    fc.assert(
      fc.property(entropy, (bytes) => {
        const key = formatKey(bytes)
        const preview = keyPreview(key)
        assert.strictEqual(preview.length, 19)
        assert.isTrue(key.startsWith(preview.slice(0, 12)))
        assert.strictEqual(preview.slice(12, 15), "...")
        assert.isTrue(key.endsWith(preview.slice(15)))
      }),
    )
  })

  it("masks from 17 characters on", () => {
    assert.strictEqual(keyPreview("gat_567890123456"), "gat_567890123456")
    assert.strictEqual(keyPreview("gat_5678901234567"), "gat_56789012...4567")
    assert.strictEqual(keyPreview(""), "")
  })
})

describe("hash and id", () => {
  it("are SHA-256 and its first 16 hex characters", () => {
    fc.assert(
      fc.property(fc.oneof(entropy.map(formatKey), fc.string({ unit: "grapheme" })), (key) => {
        const expected = createHash("sha256").update(key, "utf8").digest("hex")
        assert.strictEqual(hashKey(key), expected)
        assert.strictEqual(keyId(key), `key_${expected.slice(0, 16)}`)
        assert.strictEqual(keyIdOfHash(hashKey(key)), keyId(key))
      }),
    )
  })
})

describe("hasKeyPrefix", () => {
  it.each([
    ["gat_x", true],
    ["gat_", true],
    ["GAT_x", false],
    ["gat", false],
    ["xgat_x", false],
    ["", false],
  ])("%j: %s", (credential, expected) => {
    assert.strictEqual(hasKeyPrefix(credential), expected)
  })
})
