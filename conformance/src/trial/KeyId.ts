/** What the specification derives from a key (API key record), and where an answer that mints one has it. */
import type { Answer } from "../http/Answer.ts"
import { isObject } from "../http/Json.ts"

/** `key_` and the first 16 hex characters of the SHA-256 of the key. */
export const keyIdOf = async (key: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return `key_${hex.slice(0, 16)}`
}

/** The first 12 characters, three dots, the last 4; a key of 16 characters or fewer is shown whole. */
export const keyPreviewOf = (key: string): string => (key.length <= 16 ? key : `${key.slice(0, 12)}...${key.slice(-4)}`)

/** The one-time secret in the answer to a mint, whatever it is called there: the specification does not show its name. */
export const mintedKeyIn = (answer: Answer): string => {
  const texts = Object.values(isObject(answer.json) ? answer.json : {}).filter((each) => typeof each === "string")
  return texts.find((text) => text.startsWith("gat_") && !text.includes("...")) ?? answer.string("key")
}
