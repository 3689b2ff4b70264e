import { ask, dialOutcomeOf, readAs, readBounded } from "@carillon/core/carrier"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

const fault = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) })

/** One question to a vendor that answers like this; an error is its text after `!`. */
const asked = (fetch: (request: Request) => Promise<Response>, answerBytes = 100) => {
  const errorOf = (body: string) => (body.startsWith("!") ? body.slice(1) : null)
  return Effect.runPromise(ask({ fetch, answerBytes, errorOf }, "https://vendor.test/calls", { method: "POST" }))
}

const meaningOf = (error: string) => (error === "number" ? "invalid_destination" : error === "unclear" ? error : null)

const outcome = async (fetch: (request: Request) => Promise<Response>, sid: string | null = null) =>
  dialOutcomeOf(await asked(fetch), sid, meaningOf)

describe("a question to a vendor", () => {
  it("was not sent where no connection was made, and only there", async () => {
    for (const code of ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]) {
      assert.deepStrictEqual(await asked(() => Promise.reject(fault(code))), { _tag: "NotSent" })
    }
    for (const error of [fault("ECONNRESET"), fault("UND_ERR_SOCKET"), new Error("ENOTFOUND"), null, "ECONNREFUSED"]) {
      assert.deepStrictEqual(await asked(() => Promise.reject(error)), { _tag: "Lost" })
    }
  })

  it("is lost where its answer breaks off or is too long", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) })
    assert.deepStrictEqual(await asked(async () => new Response(broken)), { _tag: "Lost" })
    assert.deepStrictEqual(await asked(async () => new Response("x".repeat(101))), { _tag: "Lost" })
    assert.strictEqual((await asked(async () => new Response("x".repeat(100))))._tag, "Answered")
  })

  it("follows no redirect, and is given up with whoever asks", async () => {
    const seen: Array<Request> = []
    const never = (request: Request) => {
      seen.push(request)
      return new Promise<Response>((_, reject) =>
        request.signal.addEventListener("abort", () => reject(new Error("gone"))),
      )
    }
    const question = ask({ fetch: never, answerBytes: 1, errorOf: () => null }, "https://vendor.test/", {})
    await Effect.runPromise(Effect.timeoutOption(question, 5))
    assert.deepStrictEqual(
      seen.map(({ redirect, signal }) => [redirect, signal.aborted]),
      [["manual", true]],
    )
  })

  it("is lost where nobody answers in time, or not to the end", async () => {
    const never = (request: Request) =>
      new Promise<Response>((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("late"))))
    const halfway = async (request: Request) =>
      new Response(
        new ReadableStream({
          start: (controller) => request.signal.addEventListener("abort", () => controller.error(new Error("late"))),
        }),
      )
    for (const fetch of [never, halfway]) {
      const question = ask({ fetch, answerBytes: 1, answerMs: 5, errorOf: () => null }, "https://vendor.test/", {})
      assert.deepStrictEqual(await Effect.runPromise(question), { _tag: "Lost" })
    }
  })

  it("is read where it is an answer of the shape", async () => {
    const One = Schema.Struct({ id: Schema.Number })
    const read = async (body: string, status: number) =>
      readAs(One, await asked(async () => new Response(body, { status })))
    assert.deepStrictEqual(await read(`{"id":1}`, 200), { id: 1 })
    for (const [body, status] of [
      [`{"id":1}`, 400],
      [`{"id":"1"}`, 200],
      ["{", 200],
    ] as const) {
      assert.isNull(await read(body, status))
    }
    assert.isNull(readAs(One, { _tag: "Lost" }))
  })
})

describe("what became of a dial", () => {
  it("is a refusal only on the vendor's own word, or where nothing was sent", async () => {
    const tag = fc.record({
      status: fc.integer({ min: 200, max: 599 }),
      error: fc.constantFrom("", "!number", "!unclear"),
    })
    await fc.assert(
      fc.asyncProperty(tag, async ({ error, status }) => {
        const isBare = status === 204 || status === 205 || status === 304
        const answer = await outcome(async () => new Response(isBare ? null : error, { status }), "sid")
        if (answer._tag === "Refused") {
          assert.isTrue(status >= 400 && status < 500 && ![408, 409, 425].includes(status) && error !== "!unclear")
        }
        if (answer._tag === "Accepted") assert.include([200, 201], status)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    [
      "is unreachable where nothing was sent",
      () => Promise.reject(fault("ECONNREFUSED")),
      { _tag: "Refused", kind: "unreachable" },
    ],
    ["is unknown where the answer got lost", () => Promise.reject(fault("ECONNRESET")), { _tag: "Unknown" }],
    ["is unknown where the leg has no name", async () => new Response("{}", { status: 201 }), { _tag: "Unknown" }],
    [
      "is what the vendor's table says",
      async () => new Response("!number", { status: 400 }),
      { _tag: "Refused", kind: "invalid_destination" },
    ],
    [
      "is the operator's to mend where it does not",
      async () => new Response("!odd", { status: 400 }),
      { _tag: "Refused", kind: "rejected" },
    ],
    [
      "waits as long as it is told",
      async () => new Response("", { status: 429, headers: { "retry-after": "7" } }),
      { _tag: "Refused", kind: "throttled", retryAfterSeconds: 7 },
    ],
    [
      "waits by itself for a date",
      async () => new Response("", { status: 429, headers: { "retry-after": "Mon, 5 Jan" } }),
      { _tag: "Refused", kind: "throttled", retryAfterSeconds: null },
    ],
  ] as const)("%s", async (_, fetch, expected) => {
    assert.deepStrictEqual(await outcome(fetch), expected)
  })
})

describe("a bounded body", () => {
  it("is read whole up to its bound, and no further", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 8 }), fc.nat(40), async (pieces, max) => {
        let given = 0
        const body = async function* () {
          for (const piece of pieces) {
            given += piece.length
            yield piece
          }
        }
        const whole = pieces.flatMap((piece) => [...piece])
        const read = await readBounded(body(), max)
        assert.deepStrictEqual(read === null ? null : [...read], whole.length > max ? null : whole)
        assert.isAtMost(given, max + 8)
      }),
    )
  })
})
