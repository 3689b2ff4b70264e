import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { AgentsQuery } from "../src/Agents.ts"
import { CallQuery, CallsQuery, RecordingQuery } from "../src/Calls.ts"
import { decoder } from "../src/Decoding.ts"
import { KeysQuery } from "../src/Keys.ts"

const calls = decoder(CallsQuery)
const keys = decoder(KeysQuery)

const failureOf = (result: ReturnType<typeof calls> | ReturnType<typeof keys>) =>
  Result.isFailure(result) ? result.failure : undefined

describe("query parameters", () => {
  it("reads whole numbers within bounds and refuses everything else", () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 20_000 }), (page) => {
        const result = keys({ page: String(page) })
        if (page >= 1 && page <= 10_000) assert.deepStrictEqual(Result.getOrThrow(result).page, page)
        else assert.deepInclude(failureOf(result), { field: "page", reason: "must be between 1 and 10000" })
      }),
    )
    for (const page_size of ["", "x", "1.0", "1e1", " 1", "0x1", "١", "+1", "--1"]) {
      assert.deepInclude(failureOf(keys({ page_size })), {
        kind: "invalid",
        field: "page_size",
        reason: "must be an integer",
      })
    }
    assert.deepInclude(failureOf(keys({ page_size: "101" })), { reason: "must be between 1 and 100" })
    assert.deepInclude(failureOf(keys({ page_size: "9".repeat(400) })), { reason: "must be an integer" })
  })

  it("reads booleans", () => {
    const call = decoder(CallQuery)
    assert.strictEqual(Result.getOrThrow(call({ include_transcript: "true" })).include_transcript, true)
    assert.strictEqual(Result.getOrThrow(call({ include_transcript: "False" })).include_transcript, false)
    assert.strictEqual(Result.getOrThrow(call({})).include_transcript, undefined)
    for (const redirect of ["", "1", "yes", "truee"]) {
      const result = decoder(RecordingQuery)({ redirect })
      assert.deepInclude(Result.isFailure(result) ? result.failure : undefined, {
        field: "redirect",
        reason: "must be true or false",
      })
    }
  })

  it("wants dates with an offset", () => {
    assert.isTrue(Result.isSuccess(calls({ from_date: "2026-01-05T09:00:00Z", to_date: "2026-01-05T14:30:00+05:30" })))
    for (const from_date of ["2026-01-05T09:00:00", "2026-01-05", "", "2026-01-05T09:00:00 05:30"]) {
      assert.deepInclude(failureOf(calls({ from_date })), {
        field: "from_date",
        reason: "must be a timestamp with a UTC offset",
      })
    }
  })

  it("leaves enumerations and unknown parameters alone", () => {
    const query: object = { status: "nonsense", direction: "sideways", organization_id: "org_1" }
    assert.deepStrictEqual({ ...Result.getOrThrow(calls({ ...query, utm_source: "x" })) }, query)
    const sorting: object = { status: "x", sort_by: "y", sort_order: "z" }
    assert.deepStrictEqual({ ...Result.getOrThrow(decoder(AgentsQuery)(sorting)) }, sorting)
  })

  it("refuses a parameter that is given twice", () => {
    assert.deepInclude(failureOf(calls({ status: ["queued", "busy"] })), {
      field: "status",
      reason: "must be given once",
    })
  })

  it("reports the first offending parameter in schema order", () => {
    assert.deepInclude(failureOf(calls({ page_size: "0", page: "x", from_date: "x" })), { field: "from_date" })
    assert.deepInclude(failureOf(keys({ page_size: "0", page: "x" })), { field: "page" })
  })

  it("writes what it reads, for clients", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.boolean(), (page_size, include_transcript) => {
        const encoded = Schema.encodeSync(CallsQuery)({ page_size, include_transcript })
        assert.deepStrictEqual({ ...Result.getOrThrow(calls(encoded)) }, { page_size, include_transcript })
      }),
    )
  })
})
