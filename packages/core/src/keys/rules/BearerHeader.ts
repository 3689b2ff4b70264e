import { hasKeyPrefix } from "./ApiKeyFormat.ts"

/** `missing` is step 1 of the rejection order (1100), `not_an_api_key` step 2 (1101). */
export type BearerResult =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly reason: "missing" | "not_an_api_key" }

// HTTP knows two kinds of white space, and trims both around a header's value; a no-break space is part of a word.
const twoParts = /^[ \t]*([^ \t]+)[ \t]+([^ \t]+)[ \t]*$/

/**
 * Reads the `Authorization` header (specification, "Authentication"): exactly two parts, the scheme `Bearer` in any case.
 * Everything else counts as no credential. Whether the key exists is another question.
 */
export const parseBearer = (header: string | undefined): BearerResult => {
  const parts = header === undefined ? null : twoParts.exec(header)
  const credential = parts?.[2]
  if (credential === undefined || parts?.[1]?.toLowerCase() !== "bearer") return { ok: false, reason: "missing" }
  return hasKeyPrefix(credential) ? { ok: true, key: credential } : { ok: false, reason: "not_an_api_key" }
}
