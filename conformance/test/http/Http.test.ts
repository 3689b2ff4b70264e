import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Answer } from "../../src/http/Answer.ts"
import { curlOf } from "../../src/http/Curl.ts"
import { excerpt, bodyExcerptChars, type Exchange } from "../../src/http/Exchange.ts"
import { canonical, valueAt } from "../../src/http/Json.ts"
import { Pacing, refusalPauseMs } from "../../src/http/Pacing.ts"
import { redact } from "../../src/http/Redaction.ts"
import { bucketOf } from "../../src/http/Route.ts"

const exchange: Exchange = {
  at: "2026-01-05T09:00:00.000Z",
  durationMs: 1,
  method: "POST",
  url: "http://server.test/v2/calls?a=it's",
  requestHeaders: { authorization: "Bearer gat_<redacted>", "content-type": "application/json" },
  requestBody: `{"name":"O'Hara"}`,
  status: 201,
  responseHeaders: {},
  responseBody: "",
}

const answerWith = (headers: Readonly<Record<string, string>>, status = 200, body: unknown = {}) =>
  new Answer({ status, headers: new Headers(headers), text: JSON.stringify(body), record: () => exchange })

describe("redaction", () => {
  it("leaves no key in a text", () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^gat_[A-Za-z0-9_-]{8,60}$/), fc.string(), (before, key, after) => {
        expect(redact(`${before}${key}${after}`)).not.toContain(key)
      }),
    )
  })

  it("leaves no secret that is named", () => {
    expect(redact("token s3cr3t!", ["s3cr3t!"])).toBe("token <redacted>")
  })

  it("leaves no key without its prefix either", () => {
    const key = "gat_keykeykeykey"
    expect(redact("Bearer keykeykeykey, gat_keykeykeykey", [key])).toBe("Bearer <redacted>, gat_<redacted>")
    expect(redact("keykeykeykey", ["gat_other-one", key])).toBe("<redacted>")
  })
})

describe("curl", () => {
  it("is a line for a shell, with the key as a variable", () => {
    expect(curlOf(exchange)).toBe(
      `curl -i -X POST -H "authorization: Bearer $KEY" -H 'content-type: application/json' --data-raw '{"name":"O'\\''Hara"}' 'http://server.test/v2/calls?a=it'\\''s'`,
    )
  })

  it("stays one line, and sends no body that it does not have", () => {
    expect(curlOf({ ...exchange, requestBody: "a\\b\r\n'c'" })).toContain(
      String.raw` --data-raw $'a\\b\r\n\'c\'' 'http`,
    )
    for (const body of [excerpt("x".repeat(bodyExcerptChars + 1)), "PNG\u0000", "\ufffd"]) {
      expect(curlOf({ ...exchange, requestBody: body })).toContain(" --data-binary @body 'http")
    }
  })
})

describe("exchanges", () => {
  it("keep long bodies short, and say so", () => {
    const text = "x".repeat(bodyExcerptChars + 5)
    expect(excerpt(text).endsWith("(5 more characters)")).toBe(true)
    expect(excerpt("short")).toBe("short")
  })
})

describe("json", () => {
  it("is equal whatever the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const turned = (child: unknown): unknown =>
          Array.isArray(child)
            ? child.map(turned)
            : typeof child === "object" && child !== null
              ? Object.fromEntries(
                  Object.entries(child)
                    .map(([name, inner]) => [name, turned(inner)])
                    .reverse(),
                )
              : child
        expect(canonical(turned(value))).toBe(canonical(value))
      }),
    )
  })

  it("is read by dotted path, never through the prototype", () => {
    expect(valueAt({ a: [{ b: 1 }] }, "a.0.b")).toBe(1)
    expect(valueAt({ a: 1 }, "a.b.c")).toBe(undefined)
    expect(valueAt({}, "constructor")).toBe(undefined)
  })
})

describe("pacing", () => {
  it("pauses when a bucket is nearly empty, for that bucket alone", () => {
    const pacing = new Pacing()
    pacing.observe("POST", "/v2/calls", answerWith({ "x-ratelimit-remaining": "1", "x-ratelimit-reset": "20" }), 1_000)
    expect(pacing.pauseMs("POST", "/v2/calls/exec_1/stop", 6_000)).toBe(15_000)
    expect(pacing.pauseMs("GET", "/v2/calls", 6_000)).toBe(0)
    expect(pacing.pauseMs("POST", "/v2/calls", 30_000)).toBe(0)
  })

  it("never pauses for longer than a window and a second", () => {
    const pacing = new Pacing()
    pacing.observe("GET", "/v2/user/me", answerWith({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "86400" }), 0)
    expect(pacing.pauseMs("GET", "/v2/agents", 0)).toBe(61_000)
  })

  it("waits out refusals by the request rate, not by concurrency", () => {
    const refused = (message: string) => answerWith({ "retry-after": "5" }, 429, { error: 1300, message })
    expect(refusalPauseMs(refused("Rate limit exceeded: wait."))).toBe(5_000)
    expect(refusalPauseMs(refused("Account concurrency limit reached; all lines are in use."))).toBe(undefined)
  })
})

describe("buckets", () => {
  it.each([
    ["POST", "/v2/calls", "calls.create"],
    ["POST", "/v2/calls/x/stop", "calls.create"],
    ["POST", "/v2/campaigns", "calls.create"],
    ["POST", "/v2/batches/upload", "calls.create"],
    ["POST", "/v2/batches/x/schedule", "calls.create"],
    ["POST", "/v2/batches/x/stop", "default"],
    ["GET", "/v2/calls", "executions.list"],
    ["GET", "/v2/calls/x/timing", "executions.list"],
    ["GET", "/v2/calls/x/other", "default"],
    ["GET", "/v2/agents/x/executions", "executions.list"],
    ["GET", "/v2/usage", "executions.list"],
    ["POST", "/v2/knowledge-bases/x/documents", "knowledge.upload"],
    ["GET", "/v2/knowledge-bases", "default"],
    ["DELETE", "/v2/calls", "default"],
  ])("%s %s counts in %s", (method, path, bucket) => {
    expect(bucketOf(method, path)).toBe(bucket)
  })
})
