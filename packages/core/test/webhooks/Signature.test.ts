import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import Stripe from "stripe"
import { assert, describe, it } from "vitest"
import { codePoint } from "../../src/testing/CodePoint.ts"
import {
  parseSignatureHeader,
  type ReceivedDelivery,
  sign,
  type Verification,
  verify,
} from "../../src/webhooks/rules/Signature.ts"

const secret = fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 })
const seconds = fc.integer({ min: 0, max: 4_000_000_000 })
const body = fc.oneof(fc.string({ unit: "grapheme" }), fc.json(), fc.uint8Array({ maxLength: 200 }))

const shown = (verification: Verification): string => (verification.ok ? "ok" : verification.reason)

const signed = (over: Partial<ReceivedDelivery> = {}): ReceivedDelivery => ({
  header: sign("whsec_test", 1_700_000_000, '{"event_id":"evt_1"}'),
  body: '{"event_id":"evt_1"}',
  secrets: ["whsec_test"],
  nowSeconds: 1_700_000_000,
  ...over,
})

const genuine = "0344289cae2f5eb6d2640d79205fa65017efc017e224155b7ef95f784061172c"

describe("sign", () => {
  it("gives the published vector", () => {
    assert.strictEqual(sign("whsec_test", 1_700_000_000, '{"event_id":"evt_1"}'), `t=1700000000,v1=${genuine}`)
  })

  it("signs with each of more secrets than it keeps, again and again", () => {
    for (let round = 0; round < 2; round++) {
      for (let nth = 0; nth < 600; nth++) {
        const expected = createHmac("sha256", `whsec_${nth}`).update("1.body").digest("hex")
        assert.strictEqual(sign(`whsec_${nth}`, 1, "body"), `t=1,v1=${expected}`)
      }
    }
  })

  it("is HMAC-SHA256 over the timestamp, a dot and the raw body", () => {
    fc.assert(
      fc.property(secret, seconds, body, (key, t, raw) => {
        const expected = createHmac("sha256", Buffer.from(key, "utf8")).update(`${t}.`).update(raw).digest("hex")
        assert.strictEqual(sign(key, t, raw), `t=${t},v1=${expected}`)
      }),
    )
  })

  it("signs a text as its UTF-8 bytes", () => {
    fc.assert(
      fc.property(secret, seconds, fc.string({ unit: "grapheme" }), (key, t, raw) => {
        assert.strictEqual(sign(key, t, raw), sign(key, t, Buffer.from(raw, "utf8")))
      }),
    )
  })
})

describe("against Stripe's own verifier", () => {
  const printable = fc.stringMatching(/^whsec_[!-~]{1,40}$/)
  const stripeAccepts = (header: string, raw: string, key: string, now: number): boolean => {
    try {
      Stripe.webhooks.constructEvent(raw, header, key, 300, undefined, now * 1000)
      return true
    } catch {
      return false
    }
  }
  const event = fc.record({ id: fc.string({ unit: "grapheme" }), object: fc.constant("event"), data: fc.jsonValue() })

  it("is accepted there, and accepts what is signed there", () => {
    fc.assert(
      fc.property(printable, seconds, event, (key, t, content) => {
        const raw = JSON.stringify(content)
        assert.isTrue(stripeAccepts(sign(key, t, raw), raw, key, t))
        const theirs = Stripe.webhooks.generateTestHeaderString({ payload: raw, secret: key, timestamp: t || 1 })
        assert.strictEqual(shown(verify({ header: theirs, body: raw, secrets: [key], nowSeconds: t })), "ok")
      }),
    )
  })

  it("refuses what is refused there: another body, another secret, a stale time", () => {
    const lateness = fc.integer({ min: 0, max: 600 })
    fc.assert(
      fc.property(
        printable,
        printable,
        seconds,
        lateness,
        event,
        fc.boolean(),
        (key, other, t, late, content, tamper) => {
          const raw = JSON.stringify(content)
          const header = sign(other, t, tamper ? `${raw} ` : raw)
          const ours = verify({ header, body: raw, secrets: [key], nowSeconds: t + late })
          assert.strictEqual(ours.ok, stripeAccepts(header, raw, key, t + late))
        },
      ),
    )
  })
})

describe("verify", () => {
  it("accepts what was signed, as text or bytes, at any time within the tolerance", () => {
    const drift = fc.integer({ min: -300, max: 300 })
    fc.assert(
      fc.property(secret, seconds, fc.string({ unit: "grapheme" }), drift, (key, t, raw, late) => {
        const delivery = { header: sign(key, t, raw), secrets: [key], nowSeconds: t + late }
        assert.deepEqual(verify({ ...delivery, body: raw }), { ok: true, timestampSeconds: t })
        assert.deepEqual(verify({ ...delivery, body: Buffer.from(raw, "utf8") }), { ok: true, timestampSeconds: t })
      }),
    )
  })

  it("refuses every change of one bit of the body, the signature or the secret, and another time", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(secret, seconds, bytes, fc.nat(), fc.nat({ max: 7 }), (key, t, raw, at, bit) => {
        const flip = (source: Uint8Array): Uint8Array =>
          source.map((byte, index) => (index === at % source.length ? byte ^ (1 << bit) : byte))
        const header = sign(key, t, raw)
        const mac = Buffer.from(header.slice(header.indexOf("v1=") + 3), "hex")
        const delivery = { header, body: raw, secrets: [key], nowSeconds: t }
        const forged = `t=${t},v1=${Buffer.from(flip(mac)).toString("hex")}`
        assert.strictEqual(shown(verify(delivery)), "ok")
        assert.strictEqual(shown(verify({ ...delivery, body: flip(raw) })), "mismatch")
        assert.strictEqual(shown(verify({ ...delivery, header: forged })), "mismatch")
        assert.strictEqual(shown(verify({ ...delivery, secrets: [`${key}x`] })), "mismatch")
        assert.strictEqual(shown(verify({ ...delivery, header: header.replace(`t=${t}`, `t=${t + 1}`) })), "mismatch")
      }),
    )
  })

  it("accepts any of several secrets against any of several signatures", () => {
    const secrets = fc.uniqueArray(secret, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(secrets, secrets, seconds, (signing, accepted, t) => {
        const parts = signing.map((key) => sign(key, t, "{}").split(",")[1])
        const verification = verify({
          header: [`t=${t}`, ...parts].join(","),
          body: "{}",
          secrets: accepted,
          nowSeconds: t,
        })
        assert.strictEqual(
          verification.ok,
          signing.some((key) => accepted.includes(key)),
        )
      }),
    )
  })

  it.each([
    [300, "ok"],
    [301, "stale"],
    [-300, "ok"],
    [-301, "future"],
  ])("%d seconds late is %s", (late, expected) => {
    assert.strictEqual(shown(verify(signed({ nowSeconds: 1_700_000_000 + late }))), expected)
  })

  it("obeys another tolerance", () => {
    assert.strictEqual(shown(verify(signed({ nowSeconds: 1_700_000_011, toleranceSeconds: 10 }))), "stale")
    assert.strictEqual(shown(verify(signed({ nowSeconds: 1_699_999_989, toleranceSeconds: 10 }))), "future")
    assert.strictEqual(shown(verify(signed({ nowSeconds: 1_700_000_000, toleranceSeconds: 0 }))), "ok")
  })

  it("says stale only of a genuine signature", () => {
    assert.strictEqual(shown(verify(signed({ nowSeconds: 1_800_000_000, secrets: ["other"] }))), "mismatch")
  })

  it("accepts nothing without a secret", () => {
    const unsigned = sign("", 1_700_000_000, '{"event_id":"evt_1"}')
    for (const secrets of [[], [""]]) {
      assert.strictEqual(shown(verify(signed({ secrets }))), "mismatch")
      assert.strictEqual(shown(verify(signed({ header: unsigned, secrets }))), "mismatch")
    }
  })

  it.each([
    [`t=1700000000,v1=${genuine}`, "ok"],
    [`t=1700000000, v1=${genuine}`, "ok"],
    [`v1=${genuine},t=1700000000`, "ok"],
    [`t=1700000000,v1=${genuine.toUpperCase()}`, "ok"],
    [`t=1700000000,v0=abc,v1=${genuine}`, "ok"],
    [`t=1700000000,v1=junk,v1=${genuine}`, "ok"],
    [`t=1700000000,v1=${genuine},v1=${"0".repeat(64)}`, "ok"],
    [`t=1700000000,v1=${genuine.slice(0, 62)}`, "mismatch"],
    [`t=1700000000,v1=${genuine}00`, "mismatch"],
    ["t=1700000000,v1=", "mismatch"],
    [`t=1700000000,V1=${genuine}`, "no_v1"],
    [`t=1700000000,v0=${genuine}`, "no_v1"],
    ["t=1700000000", "no_v1"],
    [`v1=${genuine}`, "malformed_header"],
    ["", "malformed_header"],
    [",", "malformed_header"],
    [`t=1700000000,v1=${genuine},`, "malformed_header"],
    [`t=1700000000;v1=${genuine}`, "malformed_header"],
    [`t=1700000000,t=1700000000,v1=${genuine}`, "malformed_header"],
    [`t=,v1=${genuine}`, "malformed_header"],
    [`t=01700000000,v1=${genuine}`, "malformed_header"],
    [`t=+1700000000,v1=${genuine}`, "malformed_header"],
    [`t=-1,v1=${genuine}`, "malformed_header"],
    [`t=1.7e9,v1=${genuine}`, "malformed_header"],
    [`t=1700000000.0,v1=${genuine}`, "malformed_header"],
    [`t=9999999999999999,v1=${genuine}`, "malformed_header"],
    [`t=NaN,v1=${genuine}`, "malformed_header"],
    [`t 1700000000,v1=${genuine}`, "malformed_header"],
    ["malformed", "malformed_header"],
  ])("%s: %s", (header, expected) => {
    assert.strictEqual(shown(verify(signed({ header }))), expected)
  })
})

describe("parseSignatureHeader", () => {
  const value = fc.stringMatching(/^[0-9a-zA-Z+/=_-]{0,70}$/)
  const others = fc.array(fc.tuple(fc.constantFrom("v0", "v2", "v1a", "k"), value))

  it("reads back any header of its grammar, in any order", () => {
    fc.assert(
      fc.property(
        seconds,
        fc.array(value, { minLength: 1 }),
        others,
        fc.infiniteStream(fc.nat()),
        (t, v1, rest, order) => {
          const named = v1.map((each): readonly [string, string] => ["v1", each])
          const items = [["t", `${t}`] as const, ...rest, ...named]
            .map((item) => ({ item, rank: order.next().value ?? 0 }))
            .sort((left, right) => left.rank - right.rank)
            .map(({ item }) => item)
          const header = items.map((item) => item.join("=")).join(",")
          const inOrder = items.filter(([scheme]) => scheme === "v1").map(([, each]) => each)
          assert.deepEqual(parseSignatureHeader(header), { ok: true, t: `${t}`, v1: inOrder })
        },
      ),
    )
  })

  it("answers to any text at all, and never finds what is not there", () => {
    const noise = fc.string({ unit: fc.constantFrom("t", "v", "1", "=", ",", " ", "a", "\u00e9", "\u0000") })
    fc.assert(
      fc.property(fc.oneof(noise, fc.string({ unit: codePoint })), (header) => {
        const result = parseSignatureHeader(header)
        if (!result.ok) return
        assert.include(header, `t=${result.t}`)
        for (const each of result.v1) assert.include(header, `v1=${each}`)
      }),
      { numRuns: 1000 },
    )
  })
})
