import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { SecretPlace, SecretsShape } from "@carillon/core"
import { keyIdPattern, readSealed, sealedText, unreadable } from "@carillon/core/ports"
import { Effect } from "effect"

/** A key of AES-256. Its id lies beside everything that it seals: never give an id to another key. */
export interface SecretKey {
  /** 1 to 32 letters, digits, `.`, `_` or `-`. */
  readonly id: string
  /** 32 bytes that nobody can guess. */
  readonly key: Uint8Array
}

/** How secrets are sealed on Node. */
export interface NodeSecretsOptions {
  /** The first seals, and all of them open: 1 to 16. */
  readonly keys: ReadonlyArray<SecretKey>
  /** Twelve bytes that were never given before. Default: random ones; for a simulation that repeats itself only, another source. */
  readonly nonces?: () => Uint8Array
}

const algorithm = "aes-256-gcm"
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const keysMax = 16

/** Opened secrets that a process remembers: every delivery is signed with one. */
const openedKept = 1_024

const wrong = (keys: ReadonlyArray<SecretKey>): string | null => {
  if (keys.length === 0 || keys.length > keysMax) return `secrets: there must be 1 to ${keysMax} keys`
  for (const [nth, { id, key }] of keys.entries()) {
    if (!keyIdPattern.test(id)) return `secrets: key ${nth + 1} has no id of 1 to 32 letters, digits, '.', '_' or '-'`
    if (key.length !== keyBytes) return `secrets: the key '${id}' must have ${keyBytes} bytes`
    if (keys.findIndex((other) => other.id === id) < nth) return `secrets: the id '${id}' is given twice`
  }
  return null
}

/** The place as bytes, which are authenticated with the secret: moved elsewhere it does not open. */
const placeText = ({ field, id, kind, organization_id }: SecretPlace): string =>
  JSON.stringify([organization_id, kind, id, field])

const isSame = (one: SecretPlace, other: SecretPlace): boolean =>
  one.id === other.id &&
  one.field === other.field &&
  one.kind === other.kind &&
  one.organization_id === other.organization_id

const sealWith = ({ id, key }: SecretKey, text: string, place: string, nonce: Uint8Array): string => {
  if (nonce.length !== nonceBytes) throw new TypeError(`A nonce must have ${nonceBytes} bytes.`)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place))
  // As JSON every text is kept as it is: of UTF-8 alone, halves of letters would not come back.
  const written = cipher.update(JSON.stringify(text), "utf8")
  const sealed = Buffer.concat([nonce, written, cipher.final(), cipher.getAuthTag()])
  return sealedText(id, sealed.toString("base64url"))
}

/** The text, or null where it was not sealed with this key for this place. */
const openWith = ({ key }: SecretKey, payload: string, place: string): string | null => {
  const bytes = Buffer.from(payload, "base64url")
  // There is one way to write it: what decodes to the same bytes in another is a change as well.
  if (bytes.length < nonceBytes + tagBytes || bytes.toString("base64url") !== payload) return null
  const tagAt = bytes.length - tagBytes
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(tagAt))
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, tagAt)), decipher.final()])
    const text: unknown = JSON.parse(opened.toString("utf8"))
    return typeof text === "string" ? text : null
  } catch {
    return null
  }
}

/**
 * Keeps secrets with AES-256-GCM, each bound to the row and the field in which it lies. What earlier releases wrote as it is opens as well.
 * Throws a `TypeError` that names the key where one cannot be used; it never tells the key itself.
 */
export const nodeSecrets = ({ keys, nonces = () => randomBytes(nonceBytes) }: NodeSecretsOptions): SecretsShape => {
  const [first] = keys
  const fault = wrong(keys)
  if (first === undefined || fault !== null) throw new TypeError(fault ?? "secrets: there is no key")
  const byId = new Map(keys.map((key) => [key.id, key]))
  const opened = new Map<string, { readonly place: SecretPlace; readonly text: string }>()

  const remember = (sealed: string, place: SecretPlace, text: string) => {
    const [oldest] = opened.keys()
    if (opened.size >= openedKept && oldest !== undefined) opened.delete(oldest)
    opened.set(sealed, { place, text })
  }

  return {
    seal: (text, place) => Effect.sync(() => sealWith(first, text, placeText(place), nonces())),
    open: (sealed, place) =>
      Effect.suspend(() => {
        const read = readSealed(sealed)
        if (read._tag === "Plain") return Effect.succeed(read.text)
        const known = opened.get(sealed)
        if (known !== undefined && isSame(known.place, place)) return Effect.succeed(known.text)
        const key = byId.get(read.key_id)
        if (key === undefined) return Effect.fail(unreadable(read.key_id, "unknown_key", place))
        const text = openWith(key, read.payload, placeText(place))
        if (text === null) return Effect.fail(unreadable(read.key_id, "damaged", place))
        remember(sealed, place, text)
        return Effect.succeed(text)
      }),
    isCurrent: (sealed) => {
      const read = readSealed(sealed)
      return read._tag === "Sealed" && read.key_id === first.id
    },
  }
}

const written = /^([A-Za-z0-9][A-Za-z0-9._-]{0,31})=([A-Za-z0-9+/]{43}=)$/

/** Whether a text is `<id>=<32 bytes in base64>`, as `openssl rand -base64 32` writes them. */
export const isSecretKey = (text: string): boolean => written.test(text)

/** Reads keys that are written so, with commas between them. Throws a `TypeError` that tells which one cannot be read, and nothing of it. */
export const secretKeysOf = (text: string): ReadonlyArray<SecretKey> =>
  text.split(",").map((each, nth) => {
    const [, id, key] = written.exec(each) ?? []
    if (id === undefined || key === undefined) {
      throw new TypeError(`secrets: key ${nth + 1} must be an id, '=' and 32 bytes in base64`)
    }
    return { id, key: Buffer.from(key, "base64") }
  })
