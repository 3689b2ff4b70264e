import { BlockList, isIPv4, isIPv6 } from "node:net"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { isIn, isPublic, parseAddress, parseBlock, parseIpv4, parseIpv6 } from "../../src/webhooks/rules/Addresses.ts"

// The refused blocks as the decisions write them, judged by the platform's own implementation.
const refused = new BlockList()
for (const block of [
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
  const [address = "", bits] = block.split("/")
  refused.addSubnet(address, Number(bits), "ipv4")
}
const open6 = new BlockList()
open6.addSubnet("2000::", 3, "ipv6")
const refused6 = new BlockList()
for (const block of ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]) {
  const [address = "", bits] = block.split("/")
  refused6.addSubnet(address, Number(bits), "ipv6")
}

// Both random and close to the edges of the blocks.
const edges = [
  0, 1, 9, 10, 11, 63, 64, 99, 100, 101, 126, 127, 128, 168, 169, 172, 192, 198, 203, 223, 224, 239, 240, 255,
]
const octet = fc.oneof(fc.nat(255), fc.constantFrom(...edges, 2, 15, 16, 17, 18, 19, 20, 31, 32, 51, 88, 113, 129, 254))
const ipv4 = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join("."))
const group = fc.oneof(
  fc.nat(0xffff),
  fc.constantFrom(
    0,
    1,
    0x64,
    0xff9b,
    0x2000,
    0x2001,
    0x2002,
    0x2620,
    0x3fff,
    0x4f,
    0x8000,
    0xdb8,
    0x1ff,
    0x200,
    0xffff,
  ),
)
const groups = fc.array(group, { minLength: 8, maxLength: 8 })

const isPublicText = (text: string): boolean => {
  const address = parseAddress(text)
  return address !== null && isPublic(address)
}

describe("addresses", () => {
  it("of IPv4 are public exactly outside the refused blocks", () => {
    fc.assert(
      fc.property(ipv4, (text) => {
        assert.strictEqual(isPublicText(text), !refused.check(text, "ipv4"), text)
      }),
      { numRuns: 3_000 },
    )
  })

  it("of IPv6 are public exactly inside 2000::/3 and outside what is taken out of it, unless they carry an IPv4 address", () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const text = parts.map((part) => part.toString(16)).join(":")
        const zeros = (count: number) => parts.slice(0, count).every((part) => part === 0)
        const carries = zeros(6) || (zeros(5) && parts[5] === 0xffff)
        const translated = parts[0] === 0x64 && parts[1] === 0xff9b && parts.slice(2, 6).every((part) => part === 0)
        const inner = parts
          .slice(6)
          .flatMap((part) => [part >> 8, part & 255])
          .join(".")
        const expected =
          carries || translated
            ? !refused.check(inner, "ipv4")
            : open6.check(text, "ipv6") && !refused6.check(text, "ipv6")
        assert.strictEqual(isPublicText(text), expected, text)
      }),
      { numRuns: 3_000 },
    )
  })

  it("that carry an IPv4 address are judged by it", () => {
    fc.assert(
      fc.property(ipv4, fc.constantFrom("::ffff:", "::", "64:ff9b::"), (inner, prefix) => {
        assert.strictEqual(isPublicText(prefix + inner), !refused.check(inner, "ipv4"), prefix + inner)
      }),
    )
  })

  it("are read as the platform reads them, and as nothing else", () => {
    const close = fc.stringMatching(/^[0-9a-fx:.]{1,30}$/)
    fc.assert(
      fc.property(fc.oneof(close, fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        assert.strictEqual(parseIpv4(text) !== null, isIPv4(text), text)
        assert.strictEqual(parseIpv6(text) !== null, isIPv6(text) && !text.includes("%"), text)
      }),
      { numRuns: 5_000 },
    )
  })

  it("lie in blocks as the platform says", () => {
    fc.assert(
      fc.property(ipv4, ipv4, fc.nat(32), (text, base, bits) => {
        const list = new BlockList()
        list.addSubnet(base, bits, "ipv4")
        const [address, block] = [parseIpv4(text), parseBlock(`${base}/${bits}`)]
        assert.isTrue(address !== null && block !== null)
        if (address === null || block === null) return
        assert.strictEqual(isIn(address, block), list.check(text, "ipv4"), `${text} ${base}/${bits}`)
      }),
    )
    assert.isNull(parseBlock("10.0.0.0/33"))
    assert.isNull(parseBlock("10.0.0.0"))
  })

  it.each([
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "100::1",
    "100:0:0:1::1",
    "4000::1",
    "5f00::1",
    "2002:7f00:1::",
    "::7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "::ffff:0:127.0.0.1",
    "fec0::1",
    "168.63.129.16",
  ])("such as %s are refused", (text) => {
    assert.isFalse(isPublicText(text))
  })
})
