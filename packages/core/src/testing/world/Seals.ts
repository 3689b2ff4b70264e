import { Effect } from "effect"
import { hash128Hex } from "../../engine/rules/Hash.ts"
import { readSealed, sealedText } from "../../secrets/rules/SealedText.ts"
import type { SecretsShape } from "../../secrets/ports/Secrets.ts"
import { unreadable } from "../../secrets/rules/SecretUnreadable.ts"
import type { SecretPlace } from "../../secrets/rules/SecretPlace.ts"

const placeText = ({ field, id, kind, organization_id }: SecretPlace) => [organization_id, kind, id, field].join("\n")

/** A text in hexadecimal digits, each character's code changed by a stream that the key and the nonce decide. */
const veiled = (codes: ReadonlyArray<number>, key: string, nonce: string): ReadonlyArray<number> =>
  codes.map((code, nth) => code ^ Number.parseInt(hash128Hex(key, nonce, nth).slice(0, 4), 16))

const width = 4

const hex = (codes: ReadonlyArray<number>) => codes.map((code) => code.toString(16).padStart(width, "0")).join("")

const codesOf = (text: string): ReadonlyArray<number> =>
  Array.from({ length: text.length / width }, (_, nth) =>
    Number.parseInt(text.slice(nth * width, (nth + 1) * width), 16),
  )

const payloadParts = /^([0-9a-f]{32})\.([0-9a-f]{32})\.((?:[0-9a-f]{4})*)$/

/**
 * Seals as a test can follow it: the ids of the keys are the keys, and what is sealed depends on what was sealed before. It keeps nothing from
 * anybody who tries.
 */
export const testSecrets = (keyIds: ReadonlyArray<string>): SecretsShape => {
  let sealed = 0
  const [first = "none"] = keyIds
  const markOf = (key: string, nonce: string, body: string, place: SecretPlace) =>
    hash128Hex("mark", key, nonce, body, placeText(place))
  return {
    seal: (text, place) =>
      Effect.sync(() => {
        const nonce = hash128Hex("nonce", first, sealed++)
        const codes = Array.from({ length: text.length }, (_, nth) => text.charCodeAt(nth))
        const body = hex(veiled(codes, first, nonce))
        return sealedText(first, `${nonce}.${markOf(first, nonce, body, place)}.${body}`)
      }),
    open: (text, place) => {
      const read = readSealed(text)
      if (read._tag === "Plain") return Effect.succeed(read.text)
      const { key_id, payload } = read
      if (!keyIds.includes(key_id)) return Effect.fail(unreadable(key_id, "unknown_key", place))
      const [, nonce = "", mark, body = ""] = payloadParts.exec(payload) ?? []
      if (mark !== markOf(key_id, nonce, body, place)) return Effect.fail(unreadable(key_id, "damaged", place))
      return Effect.succeed(String.fromCharCode(...veiled(codesOf(body), key_id, nonce)))
    },
    isCurrent: (text) => {
      const read = readSealed(text)
      return read._tag === "Sealed" && read.key_id === first
    },
  }
}
