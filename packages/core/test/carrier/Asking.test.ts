import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { ask, dialOutcomeOf, readAs, readBounded, tellRefusal } from "@carillon/core/carrier"
import { Effect, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { outagesLayer } from "../../src/operating/Outages.ts"
import { CarrierName } from "../../src/telephony/ports/CarrierName.ts"

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

  it("is lost in time where nobody answers, though garbage was collected meanwhile", async () => {
    setFlagsFromString("--expose-gc")
    const collectGarbage: () => void = runInNewContext("gc")
    const never = (request: Request) =>
      new Promise<Response>((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("late"))))
    const asking = { fetch: never, answerBytes: 1, answerMs: 300, errorOf: () => null }
    const answer = Effect.runPromise(ask(asking, "https://vendor.test/", { method: "POST" }))
    const collecting = setInterval(collectGarbage, 50)
    try {
      assert.deepStrictEqual(await answer, { _tag: "Lost" })
    } finally {
      clearInterval(collecting)
    }
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

describe("who asks a vendor", () => {
  const status = (code: number) => async () => new Response("", { status: code })
  const cut = () => Promise.reject(fault("ECONNRESET"))

  /** What the log says after such answers of a carrier called `main`, each a second after the one before. */
  const lines = (...answers: ReadonlyArray<(request: Request) => Promise<Response>>) =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void told.push(`${logLevel} ${String(message)}`))
      const all = Effect.forEach(answers, (fetch) =>
        Effect.andThen(
          ask({ fetch, answerBytes: 10, errorOf: () => null }, "https://vendor.test/", {}),
          TestClock.adjust(1_000),
        ),
      )
      yield* Effect.provide(
        all,
        Layer.mergeAll(Logger.layer([logger]), outagesLayer, Layer.succeed(CarrierName, "main")),
      )
      return told
    }).pipe(Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise)

  it("tells after three requests without an answer that it is away, and that it is back", async () => {
    const follows = "contacts are held, and dials without an answer are asked about."
    assert.deepStrictEqual(await lines(cut, cut), [])
    assert.deepStrictEqual(await lines(cut, status(200), cut, cut), [])
    assert.deepStrictEqual(await lines(cut, status(503), cut, cut), [
      `Warn The carrier does not answer (main: no answer): ${follows}`,
    ])
    assert.deepStrictEqual(await lines(cut, cut, status(500), status(200), status(200), status(200)), [
      `Warn The carrier does not answer (main: status 500): ${follows}`,
      "Info The carrier answers again, after 4.0 s: 3 operations and 0 requests went without it.",
    ])
  })

  it("takes any other answer for one, also a refusal", async () => {
    for (const code of [400, 401, 403, 404, 429]) {
      assert.deepStrictEqual(await lines(cut, cut, status(code), cut, cut), [])
    }
  })

  it("tells once of credentials that are refused, and once that they are taken again", async () => {
    const refused = status(401)
    const follows = "nobody is dialled by it, and contacts are held."
    assert.deepStrictEqual(await lines(refused, refused), [])
    assert.deepStrictEqual(await lines(refused, refused, status(404), refused, refused), [])
    const gone = `Warn The carrier refuses the credentials (main: status 401): ${follows}`
    assert.deepStrictEqual(await lines(refused, refused, refused, refused, refused), [gone])
    // Servers that fail, and answers that are lost, say nothing of credentials.
    assert.deepStrictEqual(await lines(refused, refused, status(500), refused, cut, refused), [gone])
    assert.deepStrictEqual(await lines(refused, refused, refused, refused, status(200), status(200), status(200)), [
      gone,
      "Info The carrier takes the credentials again, after 5.0 s: 4 operations and 0 requests went without it.",
    ])
  })

  it("tells of no single dial while the credentials are refused", async () => {
    const answer = { _tag: "Answered", status: 401, error: null, retryAfter: null, body: "" } as const
    const told: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void told.push(`${logLevel} ${String(message)}`))
    const dial = Effect.andThen(
      ask({ fetch: status(401), answerBytes: 10, errorOf: () => null }, "https://vendor.test/", {}),
      tellRefusal("Vendor", "exe_one", answer, 20003, undefined),
    )
    const layer = Layer.mergeAll(Logger.layer([logger]), outagesLayer, Layer.succeed(CarrierName, "main"))
    await Effect.runPromise(Effect.provide(Effect.repeat(dial, { times: 9 }), layer))
    const one = "Warn Vendor refused a dial (401, code 20003)."
    assert.deepStrictEqual(told, [
      one,
      one,
      "Warn The carrier refuses the credentials (main: status 401): nobody is dialled by it, and contacts are held.",
    ])
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
