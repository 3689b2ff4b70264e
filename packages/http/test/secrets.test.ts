import { createHash } from "node:crypto"
import { signingSecretMax, subscriptionDescriptionMax } from "@carillon/api"
import { limits } from "@carillon/core"
import { eventTypes } from "@carillon/core/domain"
import { sampleSubscription, SecretsSuite } from "@carillon/core/testing"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { isSecretKey, nodeSecrets, secretKeysOf } from "../src/secrets.ts"

/** The same key for the same id. */
const keyOf = (id: string) => ({ id, key: createHash("sha256").update(id).digest() })

SecretsSuite.suite("secrets with AES-256-GCM", (ids) => nodeSecrets({ keys: ids.map(keyOf) }))

const place = { organization_id: "org_1", kind: "provider", id: "prv_1", field: "provider_value" } as const

describe("keys", () => {
  const faults: ReadonlyArray<readonly [says: RegExp, keys: Parameters<typeof nodeSecrets>[0]["keys"]]> = [
    [/1 to 16 keys/, []],
    [/1 to 16 keys/, Array.from({ length: 17 }, (_, nth) => keyOf(`k${nth}`))],
    [/'short' must have 32 bytes/, [{ id: "short", key: new Uint8Array(16) }]],
    [/key 2 has no id/, [keyOf("a"), { ...keyOf("b"), id: "b:c" }]],
    [/'a' is given twice/, [keyOf("a"), keyOf("b"), keyOf("a")]],
  ]
  for (const [says, keys] of faults) {
    it(`are refused before anything is sealed: ${says.source}`, () => {
      assert.throws(() => nodeSecrets({ keys }), says)
    })
  }

  it("are read from a text, and one that cannot be read is not told", () => {
    const text = (id: string) => `${id}=${keyOf(id).key.toString("base64")}`
    const read = secretKeysOf(`${text("2026-11")},${text("old")}`)
    assert.deepStrictEqual(
      read.map(({ id, key }) => [id, Buffer.from(key)]),
      [
        ["2026-11", keyOf("2026-11").key],
        ["old", keyOf("old").key],
      ],
    )
    assert.isTrue(isSecretKey(text("a")))
    for (const wrong of ["", "secret", "a=secret", `a=${"A".repeat(43)}`, `=${"A".repeat(43)}=`]) {
      assert.isFalse(isSecretKey(wrong))
      assert.throws(
        () => secretKeysOf(`${text("a")},${wrong}`),
        /^secrets: key 2 must be an id, '=' and 32 bytes in base64$/,
      )
    }
  })

  it("with the same id and another content open nothing", async () => {
    const sealed = await Effect.runPromise(nodeSecrets({ keys: [keyOf("a")] }).seal("text", place))
    const other = nodeSecrets({ keys: [{ ...keyOf("b"), id: "a" }] })
    const error = await Effect.runPromise(Effect.flip(other.open(sealed, place)))
    assert.deepInclude(error, { _tag: "SecretUnreadable", reason: "damaged", key_id: "a" })
  })
})

it("makes no subscription larger than what customers may store, whatever they write of it", async () => {
  const secrets = nodeSecrets({ keys: [keyOf("k".repeat(32))] })
  const organization_id = `org_${"0".repeat(26)}`
  const subscription = sampleSubscription(organization_id, `agt_${"0".repeat(26)}`, {
    subscription_id: `sub_${"0".repeat(26)}`,
    callback_url: `https://a.example/${"\ud800".repeat(limits.callbackUrlCharacters - "https://a.example/".length)}`,
    description: "\ud800".repeat(subscriptionDescriptionMax),
    event_types: eventTypes,
    health: {
      failing_since: 1_700_000_000_000,
      last_failure: { at: 1_700_000_000_000, http_status: 500, error_class: "http_error" },
    },
  })
  const ofSubscription = { organization_id, kind: "subscription", id: subscription.subscription_id } as const
  const sealed = (text: string, field: string) => Effect.runPromise(secrets.seal(text, { ...ofSubscription, field }))
  const { bytes, count, nameBytes } = limits.webhookHeaders
  const headers = Array.from({ length: count }, async (_, nth) => {
    const name = `x-${nth}`.padEnd(nth === 0 ? nameBytes : 4, "x")
    const value = '"'.repeat((bytes - nameBytes - 4 * (count - 1)) / count)
    return [name, await sealed(value, `headers.${name}`)] as const
  })
  const row = {
    ...subscription,
    headers: await Promise.all(headers),
    secret: await sealed("\ud800".repeat(signingSecretMax), "secret"),
  }
  assert.isBelow(Buffer.byteLength(JSON.stringify(row)), limits.settingsBytes)
})

it("is the same for the same nonces, and refuses a nonce of another length", async () => {
  const seal = (nonces: () => Uint8Array) =>
    Effect.runPromise(nodeSecrets({ keys: [keyOf("a")], nonces }).seal("text", place))
  assert.strictEqual(await seal(() => new Uint8Array(12)), await seal(() => new Uint8Array(12)))
  assert.notStrictEqual(await seal(() => new Uint8Array(12)), await seal(() => new Uint8Array(12).fill(1)))
  await seal(() => new Uint8Array(11)).then(
    () => assert.fail("It took a nonce of 11 bytes."),
    (error: unknown) => assert.include(String(error), "12 bytes"),
  )
})

it("seals as NIST's AES-256-GCM does: nonce, text as JSON, tag", async () => {
  const { createDecipheriv } = await import("node:crypto")
  const sealed = await Effect.runPromise(nodeSecrets({ keys: [keyOf("a")] }).seal("what it says", place))
  const bytes = Buffer.from(sealed.slice("carillon-sealed:a:".length), "base64url")
  const decipher = createDecipheriv("aes-256-gcm", keyOf("a").key, bytes.subarray(0, 12))
    .setAAD(Buffer.from('["org_1","provider","prv_1","provider_value"]'))
    .setAuthTag(bytes.subarray(-16))
  const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString()
  assert.strictEqual(JSON.parse(text), "what it says")
})
