import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64Url from "effect/encoding/Base64Url"

/** The literal prefix of every key. */
export const keyPrefix = "gat_"

/** Entropy of a key (specification, "API key record"). */
export const keyEntropyBytes = 32

const previewHeadCharacters = 12
const previewTailCharacters = 4
const unmaskedMaxCharacters = 16
const keyIdHexCharacters = 16

/** The key that 32 random bytes make: `gat_` and their unpadded base64url, 47 characters. */
export const formatKey = (entropy: Uint8Array): string => {
  if (entropy.length !== keyEntropyBytes) {
    throw new RangeError(`A key is made of ${keyEntropyBytes} bytes, not ${entropy.length}`)
  }
  return keyPrefix + Base64Url.encode(entropy)
}

/** Whether a credential looks like an API key at all: a local check, before any store is read. Case counts. */
export const hasKeyPrefix = (credential: string): boolean => credential.startsWith(keyPrefix)

/** First 12 characters, `...`, last 4; a key of 16 characters or fewer is returned unmasked. For display only. */
export const keyPreview = (key: string): string =>
  key.length <= unmaskedMaxCharacters
    ? key
    : `${key.slice(0, previewHeadCharacters)}...${key.slice(-previewTailCharacters)}`

/** SHA-256 of the key in lower-case hex: all that is stored of it, and what it is looked up by. */
export const hashKey = (key: string): string => bytesToHex(sha256(utf8ToBytes(key)))

/** The public id of a stored key: `key_` and the first 16 hex characters of its hash. */
export const keyIdOfHash = (hash: string): string => `key_${hash.slice(0, keyIdHexCharacters)}`

/** The public id of a key: stable, and of no use to find the key again. */
export const keyId = (key: string): string => keyIdOfHash(hashKey(key))
