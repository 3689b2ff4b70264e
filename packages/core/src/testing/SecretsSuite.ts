import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Base64, Hex } from "effect/encoding"
import * as fc from "fast-check"
import type { SecretsShape } from "../secrets/ports/Secrets.ts"
import type { SecretUnreadable } from "../secrets/rules/SecretUnreadable.ts"
import type { SecretPlace } from "../secrets/rules/SecretPlace.ts"
import type { PortError } from "../Errors.ts"
import { law } from "./Law.ts"

const place: fc.Arbitrary<SecretPlace> = fc.record({
  organization_id: fc.string({ minLength: 1, maxLength: 8 }),
  kind: fc.constantFrom("organization", "subscription", "provider"),
  id: fc.string({ minLength: 1, maxLength: 8 }),
  field: fc.string({ minLength: 1, maxLength: 8 }),
})

/** Texts that may look like what is sealed. */
const text = fc
  .tuple(
    fc.constantFrom("", "", "carillon-sealed:", "carillon-sealed::", "carillon-sealed:a:"),
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      // Halves of letters, too, are kept as they came.
      fc.string({ unit: fc.constantFrom("a", "\ud800", "\udfff", '"', "\\", "\u0000") }),
    ),
  )
  .map(([start, rest]) => start + rest)
  .filter((whole) => whole !== "")

/** Long enough that it lies nowhere by chance. */
const long = fc.string({ unit: "grapheme-ascii", minLength: 12, maxLength: 60 })

const encodings = (secret: string): ReadonlyArray<string> => {
  const base64 = Base64.encode(secret).replace(/=+$/, "")
  const hex = Hex.encode(secret)
  return [secret, base64, base64.replaceAll("+", "-").replaceAll("/", "_"), hex, hex.toUpperCase()]
}

const refused = (opening: Effect.Effect<string, SecretUnreadable | PortError>) =>
  Effect.map(Effect.result(opening), (result) =>
    Result.isFailure(result) && result.failure._tag === "SecretUnreadable" ? result.failure : null,
  )

type Make = (keyIds: ReadonlyArray<string>) => SecretsShape

const everywhere = (make: Make) => {
  it.effect("opens what it has sealed, whatever it looks like", () =>
    law(
      fc.tuple(text, place),
      Effect.fnUntraced(function* ([secret, at]) {
        const secrets = make(["a"])
        const sealed = yield* secrets.seal(secret, at)
        assert.strictEqual(yield* secrets.open(sealed, at), secret)
        assert.isTrue(secrets.isCurrent(sealed))
      }),
    ),
  )

  it.effect("opens what lies there as it is", () =>
    law(fc.tuple(long, place), ([secret, at]) =>
      Effect.map(make(["a"]).open(secret, at), (open) => assert.strictEqual(open, secret)),
    ),
  )

  it.effect("says which key is missing, and nothing of the secret", () =>
    law(
      fc.tuple(long, place),
      Effect.fnUntraced(function* ([secret, at]) {
        const sealed = "carillon-sealed:gone:AAAA"
        const error = yield* refused(make(["a"]).open(sealed, at))
        assert.strictEqual(error?.reason, "unknown_key")
        assert.include(error?.message, "'gone'")
        assert.notInclude(JSON.stringify(error), secret)
        assert.isFalse(make(["a"]).isCurrent(sealed))
      }),
    ),
  )
}

const sealing = (make: Make) => {
  it.effect("shows nothing of what it has sealed, and seals it differently each time", () =>
    law(
      fc.tuple(long, place),
      Effect.fnUntraced(function* ([secret, at]) {
        const secrets = make(["a"])
        const sealed = yield* secrets.seal(secret, at)
        for (const shown of encodings(secret)) assert.notInclude(sealed, shown)
        assert.notStrictEqual(yield* secrets.seal(secret, at), sealed)
      }),
    ),
  )

  it.effect("opens it in no other place", () =>
    law(
      fc.tuple(text, place, place),
      Effect.fnUntraced(function* ([secret, at, other]) {
        const secrets = make(["a"])
        const sealed = yield* secrets.seal(secret, at)
        const moved: ReadonlyArray<SecretPlace> = [
          { ...at, organization_id: `${at.organization_id}${other.organization_id}` },
          { ...at, kind: at.kind === "provider" ? "subscription" : "provider" },
          { ...at, id: `${at.id}${other.id}` },
          { ...at, field: `${at.field}${other.field}` },
          { ...at, id: at.id + at.field, field: "" },
        ]
        for (const elsewhere of moved) {
          assert.strictEqual((yield* refused(secrets.open(sealed, elsewhere)))?.reason, "damaged")
        }
        assert.strictEqual(yield* secrets.open(sealed, at), secret)
      }),
    ),
  )

  it.effect("does not open it when a character was changed, taken or added", () =>
    law(
      fc.tuple(text, place, fc.nat(), fc.constantFrom("A", "a", "0", "z", "_", "-", ".")),
      Effect.fnUntraced(function* ([secret, at, nth, character]) {
        const secrets = make(["a"])
        const sealed = yield* secrets.seal(secret, at)
        const head = "carillon-sealed:a:".length
        const index = head + (nth % (sealed.length - head))
        const [before, after] = [sealed.slice(0, index), sealed.slice(index + 1)]
        const changed = [`${before}${character}${after}`, before + after, `${before}${character}${sealed.slice(index)}`]
        for (const other of changed.filter((each) => each !== sealed)) {
          assert.strictEqual((yield* refused(secrets.open(other, at)))?.reason, "damaged")
        }
      }),
    ),
  )

  it.effect("turns its keys: the first seals, all open", () =>
    law(
      fc.tuple(long, place),
      Effect.fnUntraced(function* ([secret, at]) {
        const [old, both, next, last] = [make(["a"]), make(["a", "b"]), make(["b", "a"]), make(["b"])]
        const first = yield* old.seal(secret, at)
        const second = yield* next.seal(secret, at)
        for (const secrets of [both, next]) {
          assert.strictEqual(yield* secrets.open(first, at), secret)
          assert.strictEqual(yield* secrets.open(second, at), secret)
        }
        assert.deepStrictEqual(
          [both.isCurrent(first), next.isCurrent(first), next.isCurrent(second)],
          [true, false, true],
        )
        assert.isFalse(next.isCurrent(secret))
        const gone = yield* refused(last.open(first, at))
        assert.deepStrictEqual([gone?.reason, gone?.key_id], ["unknown_key", "a"])
        assert.strictEqual((yield* refused(old.open(second, at)))?.key_id, "b")
      }),
    ),
  )
}

/**
 * Lays down what every adapter of `Secrets` must do. `make` is given the ids of its keys, the same key for the same id in every call;
 * `seals: false` is for one that keeps texts as they are.
 */
export const suite = (name: string, make: Make, { seals = true }: { readonly seals?: boolean } = {}): void => {
  describe(`${name} (${seals ? "sealed" : "plain"})`, () => {
    everywhere(make)
    if (seals) sealing(make)
  })
}
