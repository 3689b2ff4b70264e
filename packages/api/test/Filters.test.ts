import { callStatuses } from "@carillon/core/domain"
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  agentSortBy,
  agentStatusFilter,
  callStatusFilter,
  deliveryStatusFilter,
  directionFilter,
  sortOrder,
} from "../src/Filters.ts"

const refusal = (result: Result.Result<unknown, string>): string | undefined =>
  Result.isFailure(result) ? result.failure : undefined

const callWords = `${callStatuses.join(", ")}, voicemail`

describe("enumerations in the query", () => {
  it("reads every list of call statuses", () => {
    fc.assert(
      fc.property(fc.subarray([...callStatuses], { minLength: 1 }), fc.boolean(), (statuses, voicemail) => {
        const words = voicemail ? [...statuses, "voice-mail"] : statuses
        assert.deepStrictEqual(Result.getOrThrow(callStatusFilter(words.join(","))), {
          statuses: new Set(statuses),
          voicemail,
        })
      }),
    )
  })

  it("names the unknown call status and the valid ones", () => {
    assert.strictEqual(
      refusal(callStatusFilter("completed,cancelled")),
      `Unknown status 'cancelled'. Valid values are: ${callWords}.`,
    )
    assert.strictEqual(refusal(callStatusFilter("")), `Unknown status ''. Valid values are: ${callWords}.`)
  })

  it("quotes at most 64 characters and no number", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 1_000_000 }), (text, number) => {
        const message = refusal(directionFilter(`${text}${number}`)) ?? ""
        const quoted = message.slice("Invalid value for 'direction': '".length, message.lastIndexOf("'. Valid"))
        assert.isAtMost(Array.from(quoted).length, 64)
        assert.notMatch(quoted, /\d{7}/)
      }),
    )
  })

  it("words its refusals as the specification does", () => {
    assert.strictEqual(
      refusal(directionFilter("sideways")),
      "Invalid value for 'direction': 'sideways'. Valid values are inbound and outbound.",
    )
    assert.strictEqual(
      refusal(agentStatusFilter("draft")),
      "Unknown status 'draft'. Valid values are: DRAFT, ACTIVE, INACTIVE, ARCHIVED.",
    )
    assert.strictEqual(
      refusal(deliveryStatusFilter("sent")),
      "Unknown status 'sent'. Valid values are: pending, retrying, delivered, failed.",
    )
    assert.strictEqual(
      refusal(agentSortBy("age")),
      "Invalid value for 'sort_by': 'age'. Valid values are created_at, updated_at, name and status.",
    )
    assert.strictEqual(
      refusal(sortOrder("DESC")),
      "Invalid value for 'sort_order': 'DESC'. Valid values are asc and desc.",
    )
  })

  it("reads the words that it names", () => {
    assert.strictEqual(Result.getOrThrow(directionFilter("inbound")), "inbound")
    assert.strictEqual(Result.getOrThrow(agentStatusFilter("ARCHIVED")), "ARCHIVED")
    assert.strictEqual(Result.getOrThrow(agentSortBy("updated_at")), "updated_at")
    assert.strictEqual(Result.getOrThrow(sortOrder("asc")), "asc")
  })
})
