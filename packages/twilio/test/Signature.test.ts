import * as fc from "fast-check"
import twilio from "twilio"
import { assert, describe, it } from "vitest"
import { expectLinear } from "../../../scripts/Linear.ts"
import { isSigned, signedText } from "../src/Signature.ts"

const token = fc.string({ minLength: 1, maxLength: 40 })
const word = fc.string({ unit: "grapheme", maxLength: 12 })
const parameters = fc.array(fc.tuple(word, word), { maxLength: 8 })
const url = fc
  .record({
    scheme: fc.constantFrom("https", "http"),
    port: fc.constantFrom("", ":443", ":80", ":8443"),
    path: fc.constantFrom("/twilio/status", "/", "/a/b"),
    id: fc.stringMatching(/^[a-z0-9_]{1,12}$/),
  })
  .map(({ id, path, port, scheme }) => `${scheme}://voice.example.com${port}${path}?execution_id=${id}`)

/** As Twilio's SDK takes parameters: a list where a name comes several times. */
const grouped = (pairs: URLSearchParams): Record<string, string | Array<string>> => {
  const all: Record<string, string | Array<string>> = Object.create(null)
  for (const name of new Set(pairs.keys())) {
    const values = pairs.getAll(name)
    all[name] = values.length === 1 ? (values[0] ?? "") : values
  }
  return all
}

describe("signatures", () => {
  it("are those that Twilio's SDK makes, whatever is signed", async () => {
    await fc.assert(
      fc.asyncProperty(token, url, parameters, async (secret, address, pairs) => {
        const sent = new URLSearchParams(pairs)
        const signature = twilio.getExpectedTwilioSignature(secret, address, grouped(sent))
        assert.isTrue(await isSigned(secret, signature, address, sent))
      }),
      { numRuns: 200 },
    )
  })

  it("are judged as Twilio's SDK judges them, genuine or not", async () => {
    const change = fc.constantFrom("none", "token", "url", "name", "value", "more", "port", "signature")
    await fc.assert(
      fc.asyncProperty(token, url, parameters, change, async (secret, address, pairs, what) => {
        const signed = new URLSearchParams(pairs)
        const signature = twilio.getExpectedTwilioSignature(secret, address, grouped(signed))
        const sent = new URLSearchParams(signed)
        if (what === "more") sent.append("More", "1")
        if (what === "name") sent.append("", "x")
        if (what === "value") for (const name of [...sent.keys()].slice(0, 1)) sent.set(name, "changed")
        const asked =
          what === "url" ? `${address}0` : what === "port" ? address.replace("example.com:443", "example.com") : address
        const key = what === "token" ? `${secret}x` : secret
        const header = what === "signature" ? `A${signature.slice(1)}` : signature
        assert.strictEqual(
          await isSigned(key, header, asked, sent),
          twilio.validateRequest(key, header, asked, grouped(sent)),
        )
      }),
      { numRuns: 200 },
    )
  })

  it("are of a text that takes linear time to make, though anybody may send what it is made of", () => {
    expectLinear(2_000, (size) => {
      const names = new URLSearchParams(
        Array.from({ length: size }, (_, nth) => [nth.toString(36), "x"] as [string, string]),
      )
      const values = new URLSearchParams(
        Array.from({ length: size }, (_, nth) => ["x", nth.toString(36)] as [string, string]),
      )
      return () => {
        signedText("https://voice.example.com/", names)
        signedText("https://voice.example.com/", values)
      }
    })
  })

  it.each([null, "", "no base64 !", "AAAA", "x".repeat(10_000)])("a header %j is none", async (header) => {
    assert.isFalse(await isSigned("token", header, "https://voice.example.com/", new URLSearchParams()))
  })
})
