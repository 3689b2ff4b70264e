import type { Exchange } from "./Exchange.ts"

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** What only `$'…'` can say on one line. */
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const ansi = (text: string): string => `$'${text.replaceAll(/[\\'\n\r\t]/g, (found) => escapes[found] ?? found)}'`

/** The end of a body that was cut. */
const cut = /… \(\d+ more characters\)$/

/** A body on one line; a file to be filled by whoever sends it where it was cut, or is no text. */
const bodyOf = (text: string): string => {
  if (cut.test(text) || text.includes("\u0000") || text.includes("\ufffd")) return "--data-binary @body"
  return `--data-raw ${/[\n\r\t]/.test(text) ? ansi(text) : quote(text)}`
}

/** A shell line that sends the request of an exchange again; the key is left as a variable. */
export const curlOf = (exchange: Exchange): string => {
  const parts = ["curl", "-i"]
  if (exchange.method !== "GET") parts.push("-X", exchange.method)
  for (const [name, value] of Object.entries(exchange.requestHeaders)) {
    if (name === "x-request-id") continue
    const shown = value.includes("gat_<redacted>")
      ? `"${name}: ${value.replaceAll("gat_<redacted>", "$KEY")}"`
      : quote(`${name}: ${value}`)
    parts.push("-H", shown)
  }
  if (exchange.requestBody !== "") parts.push(bodyOf(exchange.requestBody))
  parts.push(quote(exchange.url))
  return parts.join(" ")
}
