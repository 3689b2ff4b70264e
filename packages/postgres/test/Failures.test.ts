import { DependencyTimeout } from "@carillon/core"
import { outagesLayer } from "@carillon/core/ports"
import { ConnectionError, SqlError, UniqueViolation, UnknownError } from "effect/sql/SqlError"
import { expect, it } from "vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { isBroken, noted, reading } from "../src/Failures.ts"

const withCode = (code: string) => ({ cause: Object.assign(new Error("told by the server"), { code }) })

it.each(["57P01", "57P02", "57P03", "57P05", "25P03", "53300"])(
  "%s says that the server ended the connection",
  (code) => {
    expect(isBroken(new SqlError({ reason: new UnknownError(withCode(code)) }))).toBe(true)
  },
)

it("a connection that broke is broken, an answer of any other kind is not", () => {
  expect(isBroken(new SqlError({ reason: new ConnectionError({ cause: new Error("ECONNRESET") }) }))).toBe(true)
  expect(isBroken(new SqlError({ reason: new UnknownError(withCode("54000")) }))).toBe(false)
  expect(isBroken(new SqlError({ reason: new UniqueViolation({ ...withCode("23505"), constraint: "x" }) }))).toBe(false)
})

/** The lines that are logged as errors of PostgreSQL come, each with its level. */
const linesOf = (codes: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel !== "Debug") lines.push(`${logLevel} ${String(Array.isArray(message) ? message[0] : message)}`)
  })
  const noting = Effect.forEach(codes, (code) =>
    noted("store", new SqlError({ reason: new UnknownError(withCode(code)) })),
  )
  Effect.runSync(noting.pipe(Effect.provide(Layer.mergeAll(outagesLayer, Logger.layer([logger])))))
  return lines
}

it.each([
  ["25006", "it is read-only"],
  ["53100", "its disk is full"],
  ["53200", "it has no memory left"],
  ["57P03", "it is starting"],
])("%s, however often, is one line that says: %s", (code, words) => {
  const lines = linesOf(Array.from({ length: 50 }, () => code))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(`Warn PostgreSQL does not answer (${words}, ${code})`)
})

it("what is wrong here or in the schema is an error each time", () => {
  const lines = linesOf(["42703", "XX001", "42703"])
  expect(lines).toEqual(Array.from({ length: 3 }, () => "Error PostgreSQL refused a statement."))
})

it("a read that is never answered fails after ten seconds, also in a step that cannot be interrupted", async () => {
  const read = Effect.flip(reading("call_storage", Effect.never))
  const failure = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.uninterruptible(read), { startImmediately: true })
    yield* TestClock.adjust(9_999)
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    return yield* Fiber.join(fiber)
  })
  expect(await Effect.runPromise(Effect.provide(failure, TestClock.layer()))).toEqual(
    new DependencyTimeout({ dependency: "call_storage" }),
  )
})

it("what is logged of an error names parts of the schema and quotes no value of a customer", () => {
  const secret = "s3cret of a customer"
  const texts = ["message", "detail", "hint", "where", "internalQuery", "dataType", "query", "parameters"]
  fc.assert(
    fc.property(fc.subarray(texts, { minLength: 1 }), (fields) => {
      const cause = Object.assign(new Error(`invalid input syntax: ${secret}`), {
        code: "22P02",
        table: "contacts",
        constraint: "contacts_pkey",
        ...Object.fromEntries(fields.map((field) => [field, `Key (to_number)=(${secret}) already exists.`])),
      })
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(inspect(message, { depth: null })))
      const reason = new UnknownError({ cause, message: secret })
      const noting = noted("contacts", new SqlError({ reason }))
      Effect.runSync(noting.pipe(Effect.provide(Logger.layer([logger]))))
      expect(lines).toHaveLength(1)
      expect(lines[0]).not.toContain(secret)
      for (const name of ["22P02", "contacts_pkey", "table"]) expect(lines[0]).toContain(name)
    }),
  )
})
