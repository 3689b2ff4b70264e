import { ConnectionError, SqlError, UniqueViolation, UnknownError } from "effect/sql/SqlError"
import { expect, it } from "vitest"
import { isBroken } from "../src/Failures.ts"

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
