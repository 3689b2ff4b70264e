/** Keeps secrets out of everything that is printed or stored. */

const keyPattern = /gat_[A-Za-z0-9_-]{8,}/g

/** A key is no less secret without its prefix, in which form some cases send it. */
const formsOf = (secret: string): ReadonlyArray<string> =>
  secret.startsWith("gat_") && secret.length >= 12 ? [secret, secret.slice("gat_".length)] : [secret]

/** The text with every API key, and every other secret that is named, replaced. */
export const redact = (text: string, secrets: Iterable<string> = []): string => {
  let cleaned = text.replace(keyPattern, "gat_<redacted>")
  for (const secret of secrets) {
    for (const form of formsOf(secret)) if (form.length >= 4) cleaned = cleaned.replaceAll(form, "<redacted>")
  }
  return cleaned
}
