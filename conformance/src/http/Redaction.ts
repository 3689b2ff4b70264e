/** Keeps secrets out of everything that is printed or stored. */

const keyPattern = /gat_[A-Za-z0-9_-]{8,}/g

const shortestSecret = 4

/** A key is no less secret without its prefix, in which form some cases send it. */
const bareOf = (secret: string): string =>
  secret.startsWith("gat_") && secret.length >= 12 ? secret.slice("gat_".length) : secret

/** The text with every API key, and every other secret that is named, replaced. */
export const redact = (text: string, secrets: Iterable<string> = []): string => {
  let cleaned = text.replace(keyPattern, "gat_<redacted>")
  for (const secret of secrets) {
    const bare = bareOf(secret)
    // Most texts have none of the secrets, and there are hundreds of both.
    if (bare.length < shortestSecret || bare.length > cleaned.length || !cleaned.includes(bare)) continue
    cleaned = cleaned.replaceAll(secret, "<redacted>").replaceAll(bare, "<redacted>")
  }
  return cleaned
}
