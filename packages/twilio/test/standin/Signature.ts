import { createHmac } from "node:crypto"

/**
 * The URL that is signed. https://www.twilio.com/docs/usage/security#notes: name and password are dropped, and over HTTPS the port too. The
 * fragment goes too: it holds overrides that no server is sent, so no server could check it.
 */
export const signedUrl = (url: URL): string => {
  const signed = new URL(url)
  signed.hash = ""
  signed.username = ""
  signed.password = ""
  if (signed.protocol === "https:") signed.port = ""
  return signed.href
}

/**
 * `X-Twilio-Signature`. https://www.twilio.com/docs/usage/webhooks/webhooks-security: the URL with its query, then each POST parameter's name
 * and value, sorted by name, under HMAC-SHA1 with the account's token, as Base64.
 */
export const signature = (
  authToken: string,
  url: string,
  parameters: ReadonlyArray<readonly [name: string, value: string]>,
): string => {
  const sorted = parameters.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const text = url + sorted.map(([name, value]) => name + value).join("")
  return createHmac("sha1", authToken).update(text, "utf8").digest("base64")
}
