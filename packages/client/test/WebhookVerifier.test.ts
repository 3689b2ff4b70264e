import { WebhookSignature } from "@carillon/core/domain"
import { codePoint } from "@carillon/core/testing"
import * as fc from "fast-check"
import Stripe from "stripe"
import { assert, describe, it } from "vitest"
import { webhookVerifier } from "../src/WebhookVerifier.ts"

const event = { event_type: "call_completed", event_id: "evt_1", call_id: "exec_1", status: "busy" }
const body = JSON.stringify(event)
const at = 1_700_000_000
const signature = WebhookSignature.sign("whsec_a", at, body)
const verifier = (secrets: ReadonlyArray<string>, nowSeconds = at) =>
  webhookVerifier({ secrets, now: () => nowSeconds * 1000 + 999 })

const stripeAccepts = (raw: string, header: string, secret: string, now: number): boolean => {
  try {
    Stripe.webhooks.constructEvent(raw, header, secret, 300, undefined, now * 1000)
    return true
  } catch {
    return false
  }
}

describe("a verifier", () => {
  it("hands out the event of a genuine delivery, from text and from bytes", () => {
    for (const raw of [body, new TextEncoder().encode(body)]) {
      assert.deepStrictEqual<unknown>(verifier(["whsec_a"])({ body: raw, signature }), {
        ok: true,
        event,
        timestampSeconds: at,
      })
    }
  })

  it("takes any of several secrets and of several signatures, while a secret is rotated", () => {
    const both = `${signature},v1=${WebhookSignature.sign("whsec_b", at, body).split("v1=")[1]}`
    for (const secrets of [["whsec_a"], ["whsec_b"], ["whsec_c", "whsec_b"]]) {
      assert.isTrue(verifier(secrets)({ body, signature: both }).ok)
    }
    assert.deepStrictEqual(verifier(["whsec_c"])({ body, signature: both }), { ok: false, reason: "mismatch" })
  })

  it("says why it refuses", () => {
    const refusal = (over: object, nowSeconds = at) => {
      const verified = verifier(["whsec_a"], nowSeconds)({ body, signature, ...over })
      return verified.ok ? "ok" : verified.reason
    }
    assert.strictEqual(refusal({ signature: null }), "unsigned")
    assert.strictEqual(refusal({ signature: undefined }), "unsigned")
    assert.strictEqual(refusal({ signature: "v1=" }), "malformed_header")
    assert.strictEqual(refusal({ signature: `t=${at}` }), "no_v1")
    assert.strictEqual(refusal({ body: `${body} ` }), "mismatch")
    assert.strictEqual(refusal({}, at + 300), "ok")
    assert.strictEqual(refusal({}, at + 301), "stale")
    assert.strictEqual(refusal({}, at - 300), "ok")
    assert.strictEqual(refusal({}, at - 301), "future")
    const signed = (text: string) => ({ body: text, signature: WebhookSignature.sign("whsec_a", at, text) })
    assert.strictEqual(refusal(signed("{")), "not_json")
    assert.strictEqual(refusal(signed("[1]")), "not_an_event")
    assert.strictEqual(refusal(signed('{"event_id":7}')), "not_an_event")
  })

  it("agrees with Stripe's verifier on what is genuine, at every age that both accept or refuse", () => {
    const ages = fc.integer({ min: -250, max: 700 })
    fc.assert(
      fc.property(
        fc.json(),
        fc.stringMatching(/^whsec_[!-~]{1,30}$/),
        ages,
        fc.boolean(),
        (raw, secret, age, forged) => {
          const header = WebhookSignature.sign(forged ? `${secret}x` : secret, at, raw)
          const ours = verifier([secret], at + age)({ body: raw, signature: header })
          const genuine = ours.ok || ours.reason === "not_an_event"
          assert.strictEqual(genuine, stripeAccepts(raw, header, secret, at + age))
        },
      ),
    )
  })

  it("throws at nothing", () => {
    const untyped = (body: unknown, signature: unknown) =>
      Reflect.apply(verifier(["whsec_a"]), undefined, [{ body, signature }])
    assert.deepStrictEqual(untyped({ parsed: true }, "t=1,v1=00"), { ok: false, reason: "not_raw" })
    assert.deepStrictEqual(untyped("{}", ["t=1,v1=00", "t=1,v1=00"]), { ok: false, reason: "malformed_header" })
    const anything = fc.oneof(fc.string({ unit: codePoint }), fc.stringMatching(/^[tv1=,0-9a-f ]{0,80}$/))
    fc.assert(
      fc.property(anything, fc.oneof(fc.string(), fc.uint8Array()), (header, raw) => {
        assert.isFalse(verifier(["whsec_a"])({ body: raw, signature: header }).ok)
      }),
    )
  })
})
