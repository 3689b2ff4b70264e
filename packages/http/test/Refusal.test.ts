import {
  type Dependency,
  DependencyTimeout,
  DependencyUnavailable,
  Forbidden,
  InsufficientCredits,
  InvalidField,
  LimitExceeded,
  Malformed,
  MissingField,
  NotFound,
  StateConflict,
} from "@carillon/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { envelope, refusal, refusalOf } from "../src/Refusal.ts"

describe("refusalOf", () => {
  it.each([
    [new Malformed({ message: "Bad." }), 1000, 400, "Bad.", null],
    [new InvalidField({ field: "a.b", reason: "must be" }), 1001, 422, "Invalid value for 'a.b': must be.", null],
    [new MissingField({ field: "a" }), 1002, 400, "Missing required parameter 'a'.", null],
    [new Forbidden({ message: "No.", missing: ["calls:write"] }), 1102, 403, "No.", null, ["calls:write"]],
    [new NotFound({ message: "Call not found." }), 1200, 404, "Call not found.", null],
    [new StateConflict({ message: "No." }), 1201, 409, "No.", null],
    [new StateConflict({ message: "Soon.", retryAfterSeconds: 2 }), 1201, 409, "Soon.", 2],
    [new LimitExceeded({ message: "Full.", retryAfterSeconds: 5 }), 1300, 429, "Full.", 5],
    [new InsufficientCredits(), 1400, 402, "Insufficient credits to place this call.", null],
  ])("%s", (error, code, status, message, retryAfterSeconds, missingScopes = []) => {
    expect(refusalOf(error)).toEqual({ _tag: "Refusal", code, status, message, retryAfterSeconds, missingScopes })
  })

  it.each<[Dependency, string]>([
    ["agent_service", "Agent service"],
    ["telephony_service", "Telephony service"],
    ["call_storage", "Call storage"],
    ["scheduling_service", "Scheduling service"],
    ["translation_service", "Translation service"],
    ["authentication_service", "Authentication service"],
    ["api_key_store", "The API key store"],
    ["account_service", "The account service"],
    ["usage_reporting", "Usage reporting"],
  ])("names %s by its public label", (dependency, label) => {
    const away = refusalOf(new DependencyUnavailable({ dependency }))
    expect([away.code, away.status, away.message]).toEqual([1501, 503, `${label} is temporarily unavailable.`])
    const late = refusalOf(new DependencyTimeout({ dependency }))
    expect([late.code, late.status, late.message]).toEqual([1502, 504, `${label} did not respond in time.`])
  })
})

describe("envelope", () => {
  it("has exactly two keys and never a run of seven digits", () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^\d{7,20}$/), (text, digits) => {
        const body: { error: number; message: string } = JSON.parse(envelope(refusal(1000, `${text}+${digits}.`)))
        expect(Object.keys(body)).toEqual(["error", "message"])
        expect(body.message).not.toMatch(/\d{7}/)
      }),
    )
  })
})
