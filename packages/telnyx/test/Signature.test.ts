import { generateKeyPairSync } from "node:crypto"
import { bytesOf } from "@carillon/core/carrier"
import * as fc from "fast-check"
import Telnyx from "telnyx"
import { assert, describe, it } from "vitest"
import { isReplay, isSigned } from "../src/Signature.ts"
import { publicKey, signed } from "./FarEnd.ts"

const sdk = new Telnyx({ apiKey: "KEY", publicKey })
const encoder = new TextEncoder()
const keyOf = (text: string) => {
  const bytes = bytesOf(text)
  assert(bytes !== null)
  return bytes
}

/** Whether Telnyx's own SDK takes a webhook for genuine. */
const sdkTakes = (body: string, headers: Record<string, string>, key = publicKey) =>
  sdk.webhooks.unwrap(body, { headers, key }).then(
    () => true,
    () => false,
  )

const takes = (body: string, headers: Record<string, string>, key = publicKey) =>
  isSigned({
    publicKey: keyOf(key),
    signature: headers["telnyx-signature-ed25519"] ?? null,
    timestamp: headers["telnyx-timestamp"] ?? null,
    body: encoder.encode(body),
  })

const otherKey = generateKeyPairSync("ed25519")
  .publicKey.export({ type: "spki", format: "der" })
  .subarray(-32)
  .toString("base64")

describe("signatures", () => {
  it("are judged as Telnyx's SDK judges them, genuine or not", async () => {
    const body = fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ unit: "grapheme", maxLength: 20 }))
    const change = fc.constantFrom("none", "body", "timestamp", "signature", "no signature", "key")
    await fc.assert(
      fc.asyncProperty(body, change, async (fields, what) => {
        const text = JSON.stringify(fields)
        const headers = signed(text, Date.now())
        const sent = what === "body" ? `${text} ` : text
        if (what === "timestamp") headers["telnyx-timestamp"] = String(Number(headers["telnyx-timestamp"]) + 1)
        if (what === "signature") headers["telnyx-signature-ed25519"] = btoa("x".repeat(64))
        if (what === "no signature") delete headers["telnyx-signature-ed25519"]
        const key = what === "key" ? otherKey : publicKey
        const judged = await takes(sent, headers, key)
        assert.strictEqual(judged, await sdkTakes(sent, headers, key))
        assert.strictEqual(judged, what === "none")
      }),
      { numRuns: 60 },
    )
  })

  it.each(["", "no base64 !", "AAAA", "x".repeat(10_000)])("a signature %j is none", async (signature) => {
    const headers = { ...signed("{}", Date.now()), "telnyx-signature-ed25519": signature }
    assert.isFalse(await takes("{}", headers))
  })

  it("are refused when they are old, or of a time to come", () => {
    const now = 1_700_000_000_000
    const at = (seconds: number) => isReplay(String(now / 1000 + seconds), now, 300_000)
    assert.deepStrictEqual([-301, -300, 0, 300, 301].map(at), [true, false, false, false, true])
    for (const header of [null, "", "soon", "-1", "1e9", "1700000000.5", "9".repeat(20)]) {
      assert.isTrue(isReplay(header, now, 300_000), String(header))
    }
  })
})
