/**
 * Which addresses a delivery may reach (decisions.md, "Webhooks"). Text is read strictly: one decimal dotted quad, one IPv6 text
 * without a zone. What cannot be read is refused. `ipaddr.js` reads and matches; it takes more spellings than that, so they are
 * looked at first.
 */
import ipaddr from "ipaddr.js"

/** An address of either family. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The most characters that an address has: eight groups, the last two as a dotted quad. */
const longestText = 45

/** What every dotted quad looks like: `ipaddr.js` makes an error of any other text, which takes far longer than to look. */
const quad = /^[0-9]{1,3}(\.[0-9]{1,3}){3}$/

/** The address of a dotted quad, or null. */
export const parseIpv4 = (text: string): ipaddr.IPv4 | null =>
  quad.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null

/** Whether a part of an IPv6 text is a group, or nothing, or the dotted quad at its end. */
const isPart = (part: string, index: number, { length }: ReadonlyArray<string>): boolean =>
  /^[0-9a-f]{0,4}$/i.test(part) || (index === length - 1 && parseIpv4(part) !== null)

/** The address of an IPv6 text without brackets and zone, or null. */
export const parseIpv6 = (text: string): ipaddr.IPv6 | null =>
  text.length <= longestText && text.split(":").every(isPart) && ipaddr.IPv6.isValid(text)
    ? ipaddr.IPv6.parse(text)
    : null

/** The address of either family, or null. */
export const parseAddress = (text: string): Address | null => parseIpv4(text) ?? parseIpv6(text)

/** A block of addresses of one family. */
export interface Block {
  readonly prefix: Address
  readonly bits: number
}

/** Reads `10.0.0.0/8` or `fd00::/8`, or gives null. */
export const parseBlock = (text: string): Block | null => {
  const [, address, length] = /^([^/]+)\/([0-9]{1,3})$/.exec(text) ?? []
  if (address === undefined || length === undefined) return null
  const prefix = parseAddress(address)
  const bits = Number(length)
  return prefix === null || bits > prefix.toByteArray().length * 8 ? null : { prefix, bits }
}

/** Whether an address lies in a block of its own family. */
export const isIn = (address: Address, { prefix, bits }: Block): boolean =>
  address.kind() === prefix.kind() && address.match(prefix, bits)

const blocks = (...texts: ReadonlyArray<string>): ReadonlyArray<Block> =>
  texts.map(parseBlock).filter((block) => block !== null)

const refusedIpv4 = blocks(
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
)

const globalIpv6 = blocks("2000::/3")

const refusedIpv6 = blocks("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")

/** Forms that carry an IPv4 address in their last four bytes: mapped, compatible and translated. */
const carriers = blocks("::ffff:0:0/96", "::/96", "64:ff9b::/96")

const isWithin = (address: Address, list: ReadonlyArray<Block>): boolean => list.some((block) => isIn(address, block))

/** Whether an address is one of the public internet, so that a delivery may be sent to it. */
export const isPublic = (address: Address): boolean => {
  if (address.kind() === "ipv4") return !isWithin(address, refusedIpv4)
  if (isWithin(address, carriers)) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(12)))
  return isWithin(address, globalIpv6) && !isWithin(address, refusedIpv6)
}
