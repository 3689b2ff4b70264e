import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { codePoint } from "../../src/testing/CodePoint.ts"
import { parseHeaders } from "../../src/webhooks/rules/DeliveryHeaders.ts"
import { destinationFaults, mayConnect, parseDestination } from "../../src/webhooks/rules/Destination.ts"

const faults: ReadonlySet<string> = new Set(Object.values(destinationFaults))

const judged = (url: string, allowed: ReadonlyArray<string> = []) => {
  const result = parseDestination(url, allowed)
  return Result.isSuccess(result) ? "allowed" : result.failure
}

describe("destinations", () => {
  it.each([
    "http://127.1",
    "http://0x7f.1",
    "http://2130706433",
    "http://017700000001",
    "http://①②⑦.0.0.1",
    "http://127。0。0。1",
    "http://%31%32%37.0.0.1",
    "http://127.0.0.1.",
    "http://0/",
    "http://[::]",
    "http://[::1]",
    "http://[::ffff:127.0.0.1]",
    "http://[::127.0.0.1]",
    "http://[64:ff9b::7f00:1]",
    "http://[2002:7f00:1::]",
    "http://[fe80::1]",
    "http://[fd00:ec2::254]",
    "http://169.254.169.254",
    "http://168.63.129.16",
    "http://metadata.google.internal.",
    "http://localhost.",
    "http://localhost",
    "http://a.localhost",
    "http://printer.local",
    "http://db.internal",
    "http://instance-data",
    "http://metadata",
    "http://intranet",
    "http://intranet.",
    "https://user:pw@hooks.example.com",
    "https://user@hooks.example.com",
    "ftp://hooks.example.com",
    "file:///etc/passwd",
    "data:text/plain,x",
    "javascript:alert(1)",
    "http://example.com\t/",
    "http:\\\\127.0.0.1\\x",
    "http://hooks.example.com:0/",
    "http://hooks.example.com:65536/",
    "http://",
    "http:///x",
    "//hooks.example.com",
    "hooks.example.com",
    "",
    " https://hooks.example.com",
    "https://hooks.example.com/\u0000",
    "http://kubernetes.default.svc",
    "http://..",
    `https://hooks.example.com/${"x".repeat(2_048)}`,
    "http://localhost..",
    "http://metadata.google.internal..",
    "http://.hooks.example.com",
    "http://hooks..example.com",
  ])("such as %s are refused with a sentence that tells no address", (url) => {
    const fault = judged(url)
    assert.isTrue(faults.has(fault), `${url}: ${fault}`)
    assert.match(fault, /^[A-Z].*\.$/)
    assert.notMatch(fault, /\d{2}/)
  })

  it.each([
    "https://hooks.example.com",
    "http://hooks.example.com:8080/a?b=c#d",
    "https://93.184.216.34/",
    "https://[2606:4700::1111]/",
    "https://hooks.example.com./",
    "https://bücher.example/",
    "http://x.inbox.test/y",
  ])("such as %s are allowed", (url) => {
    assert.strictEqual(judged(url), "allowed")
  })

  it("are opened by name, by name and port, or by block, and by nothing close to it", () => {
    assert.strictEqual(judged("http://127.0.0.1:8080/", ["127.0.0.1:8080"]), "allowed")
    assert.strictEqual(judged("http://127.0.0.1:8080/", ["127.0.0.0/8"]), "allowed")
    assert.strictEqual(judged("http://localhost:1/", ["localhost"]), "allowed")
    assert.strictEqual(judged("http://[::1]:9/", ["[::1]:9"]), "allowed")
    assert.notStrictEqual(judged("http://127.0.0.1:8081/", ["127.0.0.1:8080"]), "allowed")
    assert.notStrictEqual(judged("http://xlocalhost/", ["localhost"]), "allowed")
    const name = { hostname: "hooks.example.com", port: 443 }
    assert.isFalse(mayConnect(name, "10.0.0.1", []))
    assert.isTrue(mayConnect(name, "10.0.0.1", ["10.0.0.0/8"]))
    assert.isTrue(mayConnect(name, "10.0.0.1", ["hooks.example.com"]))
    assert.isFalse(mayConnect(name, "10.0.0.1", ["hooks.example.com:80"]))
    assert.isFalse(mayConnect(name, "", ["hooks.example.com"]))
  })

  it("never throw, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.webUrl()), (url) => {
        const verdict = judged(url)
        assert.isTrue(verdict === "allowed" || faults.has(verdict))
      }),
    )
  })
})

describe("extra headers", () => {
  const verdict = (headers: Readonly<Record<string, string>>) => {
    const read = parseHeaders(headers)
    if (Result.isSuccess(read)) return read.success
    return read.failure._tag === "Malformed" ? read.failure.message : read.failure.reason
  }

  it.each([
    "Host",
    "Connection",
    "content-LENGTH",
    "Content-Type",
    "Transfer-Encoding",
    "TE",
    "Upgrade",
    "Proxy-Authorization",
    "Sec-Fetch-Mode",
    "Cookie",
    "X-Service-Signature",
    "x-service-anything",
    "Expect",
    "Keep-Alive",
    "Trailer",
    "",
    "a b",
    "a:b",
    "a\r\nb",
    "ä",
    "a".repeat(257),
  ])("named %s are refused", (name) => {
    assert.isString(verdict({ [name]: "x" }))
  })

  it.each(["a\r\nb", "a\nb", "a\0", "日", "x".repeat(4_097)])(
    "with the value %j are refused, and the value is not told",
    (value) => {
      const refusal = verdict({ "x-tenant": value })
      assert.isString(refusal)
      assert.notInclude(String(refusal), value)
    },
  )

  it.each([
    "Authorization",
    "User-Agent",
    "Webhook-Id",
    "X-Forwarded-For",
    "Forwarded",
    "Date",
    "Content-Encoding",
    "Origin",
    "Set-Cookie",
    "Host-Name",
    "Security",
  ])("named %s are allowed: the contract lists what is refused", (name) => {
    assert.deepStrictEqual(verdict({ [name]: "x" }), [[name, "x"]])
  })

  it("are kept in order with what is allowed, names that JavaScript knows included", () => {
    const headers = Object.fromEntries(
      [
        ["Authorization", "Bearer x"],
        ["constructor", "1"],
        ["x-é", "1"],
      ].slice(0, 2),
    )
    assert.deepStrictEqual(verdict(headers), [
      ["Authorization", "Bearer x"],
      ["constructor", "1"],
    ])
    assert.deepStrictEqual(verdict(JSON.parse('{"__proto__": "1"}')), [["__proto__", "1"]])
    assert.isString(verdict({ "X-A": "1", "x-a": "2" }))
    assert.isString(verdict(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, "1"]))))
  })
})
