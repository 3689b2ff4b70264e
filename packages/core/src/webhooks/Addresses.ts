/**
 * Which addresses a delivery may reach (decisions.md, "Webhooks"). Text is read strictly: one decimal dotted quad, one IPv6 text
 * without a zone. What cannot be read is refused.
 */

const quad = /^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/

/** The four bytes of a dotted quad, or null. */
export const parseIpv4 = (text: string): Uint8Array | null => {
  const parts = quad.exec(text)?.slice(1).map(Number)
  return parts === undefined || parts.some((part) => part > 255) ? null : Uint8Array.from(parts)
}

const group = /^[0-9a-f]{1,4}$/i

/** The groups of one side of an IPv6 text as bytes; only the last group may be a dotted quad. */
const groupBytes = (text: string, mayEndInQuad: boolean): ReadonlyArray<number> | null => {
  if (text === "") return []
  const bytes: Array<number> = []
  const groups = text.split(":")
  for (const [index, item] of groups.entries()) {
    if (group.test(item)) {
      const value = Number.parseInt(item, 16)
      bytes.push(value >> 8, value & 255)
      continue
    }
    const inner = mayEndInQuad && index === groups.length - 1 ? parseIpv4(item) : null
    if (inner === null) return null
    bytes.push(...inner)
  }
  return bytes
}

/** The sixteen bytes of an IPv6 text without brackets and zone, or null. */
export const parseIpv6 = (text: string): Uint8Array | null => {
  const sides = text.split("::")
  if (sides.length > 2) return null
  const [left = "", right] = sides
  const head = groupBytes(left, right === undefined)
  const tail = right === undefined ? [] : groupBytes(right, true)
  if (head === null || tail === null) return null
  const written = head.length + tail.length
  // "::" stands for at least one group.
  if (right === undefined ? written !== 16 : written > 14) return null
  const bytes = new Uint8Array(16)
  bytes.set(head)
  bytes.set(tail, 16 - tail.length)
  return bytes
}

/** The bytes of an address of either family, or null. */
export const parseAddress = (text: string): Uint8Array | null => parseIpv4(text) ?? parseIpv6(text)

/** A block of addresses of one family. */
export interface Block {
  readonly prefix: Uint8Array
  readonly bits: number
}

/** Reads `10.0.0.0/8` or `fd00::/8`, or gives null. */
export const parseBlock = (text: string): Block | null => {
  const [, address, length] = /^([^/]+)\/([0-9]{1,3})$/.exec(text) ?? []
  if (address === undefined || length === undefined) return null
  const prefix = parseAddress(address)
  const bits = Number(length)
  return prefix === null || bits > prefix.length * 8 ? null : { prefix, bits }
}

/** Whether an address lies in a block of its own family. */
export const isIn = (address: Uint8Array, { prefix, bits }: Block): boolean => {
  if (address.length !== prefix.length) return false
  return prefix.every((byte, index) => {
    const mask = (0xff00 >> Math.min(8, Math.max(0, bits - index * 8))) & 255
    return ((byte ^ (address[index] ?? 0)) & mask) === 0
  })
}

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

const isWithin = (address: Uint8Array, list: ReadonlyArray<Block>): boolean =>
  list.some((block) => isIn(address, block))

/** Whether an address is one of the public internet, so that a delivery may be sent to it. */
export const isPublic = (address: Uint8Array): boolean => {
  if (address.length === 4) return !isWithin(address, refusedIpv4)
  if (isWithin(address, carriers)) return isPublic(address.subarray(12))
  return isWithin(address, globalIpv6) && !isWithin(address, refusedIpv6)
}
