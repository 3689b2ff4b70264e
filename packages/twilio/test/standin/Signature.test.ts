import { expect, it } from "vitest"
import { signature, signedUrl } from "./Signature.ts"

/** Each signature was made by the vendor's SDK (`twilio` 6.2.0, `getExpectedTwilioSignature`). */
const vectors = [
  {
    token: "12345",
    url: "https://example.com/myapp.php?foo=1&bar=2",
    parameters: [
      ["CallSid", "CA1234567890ABCDE"],
      ["Caller", "+14158675310"],
      ["Digits", "1234"],
      ["From", "+14158675310"],
      ["To", "+18005551212"],
    ],
    signed: "L/OH5YylLD5NRKLltdqwSvS0BnU=",
  },
  {
    token: "s3cret",
    url: "http://127.0.0.1:8080/voice?execution=a%20b",
    parameters: [
      ["To", "+12125550100"],
      ["FromCity", ""],
      ["CallSid", "CA1"],
      ["CalledCity", "São Paulo"],
      ["a", "z"],
      ["A", "y"],
    ],
    signed: "SFbHF7PKMuQbSGdUdr1E1/sX0kQ=",
  },
  {
    token: "s3cret",
    url: "https://host.test/voice?CallSid=CA1&To=%2B12125550100",
    parameters: [],
    signed: "W8YogrAwrYwiR6vJcRwVcshgfrE=",
  },
] as const

it.each(vectors)("signs as the vendor's SDK does: $url", ({ parameters, signed, token, url }) => {
  expect(signature(token, url, parameters)).toBe(signed)
})

it("does not hang on the order of the parameters", () => {
  for (const { parameters, signed, token, url } of vectors) {
    expect(signature(token, url, parameters.toReversed())).toBe(signed)
  }
})

it("signs the URL as the security notes have it: no credentials, no fragment, and no port over HTTPS", () => {
  expect(signedUrl(new URL("https://a:b@host.test:8443/x?y=1#rc=2"))).toBe("https://host.test/x?y=1")
  expect(signedUrl(new URL("http://a:b@host.test:8080/x?y=1#rc=2"))).toBe("http://host.test:8080/x?y=1")
})
