import type { Exchange } from "./Exchange.ts"

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

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
  if (exchange.requestBody !== "") parts.push("--data-raw", quote(exchange.requestBody))
  parts.push(quote(exchange.url))
  return parts.join(" ")
}
