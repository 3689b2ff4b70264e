import { assert, it } from "@effect/vitest"
import { callLimits } from "@carillon/core"
import { applyDialOutcome } from "../../src/calls/rules/DialOutcomes.ts"
import { sampleCall } from "../../src/testing/Samples.ts"

it.each([
  [null, 1],
  [0, 1],
  [0.2, 1],
  [2, 2],
  [2.5, 3],
])("a carrier that is busy for %s s has its caller come again in whole seconds: %i", (retryAfterSeconds, seconds) => {
  const call = sampleCall("org_1", {})
  const outcome = { _tag: "Refused", kind: "throttled", retryAfterSeconds } as const
  const { refusal } = applyDialOutcome(call, outcome, call.created_at, callLimits())
  assert.deepInclude(refusal, {
    _tag: "LimitExceeded",
    message: `The telephony service is busy. Retry in ${seconds}s.`,
    retryAfterSeconds: seconds,
  })
})
