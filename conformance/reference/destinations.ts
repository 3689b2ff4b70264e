import { BlockList, isIP } from "node:net"
import { malformed } from "./errors.ts"

/** Where webhooks must not go: private, loopback and metadata addresses. */
const refused4 = new BlockList()
for (const network of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]) {
  const [address = "", bits] = network.split("/")
  refused4.addSubnet(address, Number(bits), "ipv4")
}

const open6 = new BlockList()
open6.addSubnet("2000::", 3, "ipv6")

const refused6 = new BlockList()
for (const network of ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]) {
  const [address = "", bits] = network.split("/")
  refused6.addSubnet(address, Number(bits), "ipv6")
}

/** The eight groups of an IPv6 address as the URL parser writes it. */
const groupsOf = (address: string): ReadonlyArray<number> => {
  const { hostname } = new URL(`http://[${address}]/`)
  const [head = "", tail] = hostname.slice(1, -1).split("::")
  const read = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)))
  if (tail === undefined) return read(head)
  const [before, after] = [read(head), read(tail)]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

/** The IPv4 address inside a mapped, compatible or translated one. */
const inner4 = (address: string): string | null => {
  const groups = groupsOf(address)
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(":")
  if (!["0:0:0:0:0:0", "0:0:0:0:0:ffff", "64:ff9b:0:0:0:0"].includes(prefix)) return null
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}

export const isRefused = (address: string): boolean => {
  if (isIP(address) === 4) return refused4.check(address, "ipv4")
  if (isIP(address) !== 6) return true
  const inner = inner4(address)
  if (inner !== null) return refused4.check(inner, "ipv4")
  return !open6.check(address, "ipv6") || refused6.check(address, "ipv6")
}

const refusedNames: ReadonlySet<string> = new Set([
  "localhost",
  "metadata",
  "metadata.google.internal",
  "instance-data",
])

const isRefusedName = (host: string): boolean => {
  const name = host.replace(/\.$/, "")
  return refusedNames.has(name) || !name.includes(".") || /\.(?:localhost|local|internal)$/.test(name)
}

/** The literal address that a host is, or null. */
export const literalOf = (host: string): string | null => {
  const bare = host.replace(/^\[|\]$/g, "")
  return isIP(bare) === 0 ? null : bare
}

/** A callback URL that may be kept; what its name resolves to is judged when something is sent. */
export const checkedUrl = (text: string): URL => {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw malformed("The callback URL is not a URL.")
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw malformed("The callback URL must be http or https.")
  if (url.username !== "" || url.password !== "") throw malformed("The callback URL must not carry credentials.")
  const literal = literalOf(url.hostname)
  const refused = literal === null ? isRefusedName(url.hostname) : isRefused(literal)
  if (refused) throw malformed("The callback URL leads to an address that is not allowed.")
  return url
}

const refusedHeader =
  /^(?:host|content-length|content-type|transfer-encoding|connection|te|upgrade|cookie|proxy-.*|sec-.*|x-service-.*)$/i

/** Extra headers that a webhook may carry. */
export const checkedHeaders = (headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name) || refusedHeader.test(name) || /[\r\n\0]/.test(value)) {
      throw malformed("A header of the webhook has a name or value that is not allowed.")
    }
  }
}
