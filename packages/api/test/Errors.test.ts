import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import {
  errorClasses,
  errorStatuses,
  httpStatus,
  invalidValueMessage,
  missingParameterMessage,
  unexpectedErrorMessage,
} from "../src/Errors.ts"

const pairOf = (errorClass: (typeof errorClasses)[number]): string => {
  const error = new errorClass({ message: "A sentence." })
  return `${error.error}/${Schema.resolveAnnotations(errorClass)?.httpApiStatus}`
}

describe("Errors", () => {
  it("has one class for each pair of code and status, and no other", () => {
    const table = Object.entries(errorStatuses).flatMap(([code, statuses]) =>
      statuses.map((status) => `${code}/${status}`),
    )
    assert.deepStrictEqual(errorClasses.map(pairOf).toSorted(), table.toSorted())
  })

  it("derives the status of a code as the specification's table does", () => {
    const statuses = [1000, 1001, 1002, 1100, 1101, 1102, 1200, 1201, 1300, 1400, 1500, 1501, 1502] as const
    assert.deepStrictEqual(statuses.map(httpStatus), [400, 422, 400, 401, 401, 403, 404, 409, 429, 402, 500, 503, 504])
  })

  it("encodes every error as exactly its code and message, and reads it back", () => {
    for (const errorClass of errorClasses) {
      const error = new errorClass({ message: "A sentence." })
      const body: unknown = JSON.parse(JSON.stringify(Schema.encodeUnknownSync(errorClass)(error)))
      assert.deepStrictEqual(body, { error: error.error, message: "A sentence." })
      assert.strictEqual(Schema.decodeUnknownSync(errorClass)(body)._tag, error._tag)
    }
  })

  it("words its messages as the specification does", () => {
    assert.strictEqual(
      invalidValueMessage("timeout_seconds", "must be between 5 and 120"),
      "Invalid value for 'timeout_seconds': must be between 5 and 120.",
    )
    assert.strictEqual(missingParameterMessage("agent_id"), "Missing required parameter 'agent_id'.")
    assert.strictEqual(unexpectedErrorMessage, "An unexpected error occurred.")
  })
})
