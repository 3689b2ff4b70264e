import type { ApiKey } from "./ApiKey.ts"
import { hashKey, keyIdOfHash, keyPreview } from "./ApiKeyFormat.ts"

/** What is kept of a key's text. */
export type KeptText = Pick<ApiKey, "key_id" | "hash" | "key_preview">

export const keptText = (key: string): KeptText => {
  const hash = hashKey(key)
  return { key_id: keyIdOfHash(hash), hash, key_preview: keyPreview(key) }
}
