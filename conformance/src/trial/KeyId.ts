/** What the specification derives from a key (API key record), and where an answer that mints one has it. */
import type { Answer } from "../http/Answer.ts"

/** `key_` and the first 16 hex characters of the SHA-256 of the key. */
export const keyIdOf = async (key: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return `key_${hex.slice(0, 16)}`
}

/** The first 12 characters, three dots, the last 4; a key of 16 characters or fewer is shown whole. */
export const keyPreviewOf = (key: string): string => (key.length <= 16 ? key : `${key.slice(0, 12)}...${key.slice(-4)}`)

/** The one-time secret in the answer to a mint, wherever it stands: the specification does not show the name of its field. */
export const mintedKeyIn = (answer: Answer): string => /"(gat_[\w-]+)"/.exec(answer.text)?.[1] ?? answer.string("key")
