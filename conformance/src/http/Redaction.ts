/** Keeps secrets out of everything that is printed or stored. */

const keyPattern = /gat_[A-Za-z0-9_-]{8,}/g

/** The text with every API key, and every other secret that is named, replaced. */
export const redact = (text: string, secrets: Iterable<string> = []): string => {
  let cleaned = text.replace(keyPattern, "gat_<redacted>")
  for (const secret of secrets) if (secret.length >= 4) cleaned = cleaned.replaceAll(secret, "<redacted>")
  return cleaned
}
