import { createHash, randomBytes } from "node:crypto"

/** An id that nobody guesses: `agt_…`. */
export const mint = (prefix: string): string => `${prefix}_${randomBytes(16).toString("base64url")}`

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A number that is always the same for the same text, below a bound. */
export const spread = (text: string, below: number): number => Number.parseInt(sha256(text).slice(0, 12), 16) % below
