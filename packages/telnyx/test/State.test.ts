import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type CallState, readState, stateOf, stateOfOtherLeg } from "../src/State.ts"

const visible = fc.stringMatching(/^[!-~]{1,60}$/)
const deed: fc.Arbitrary<CallState["deed"]> = fc.oneof(
  fc.constant(null),
  fc.constant({ type: "hang_up_after_audio" } as const),
  visible.map((rest) => ({ type: "transfer", address: `sip:${rest}` }) as const),
)

describe("the state of a call", () => {
  it("is read as it was written, and is base64", () => {
    fc.assert(
      fc.property(visible, deed, (execution_id, what) => {
        const text = stateOf({ execution_id, deed: what })
        assert.match(text, /^[A-Za-z0-9+/]+=*$/)
        assert.deepStrictEqual(readState(text), { execution_id, deed: what })
      }),
    )
  })

  it.each([
    null,
    undefined,
    "",
    "no base64 !",
    stateOfOtherLeg,
    btoa("two words"),
    btoa("a sip:b c"),
    btoa("a "),
    btoa("\u00ff"),
    btoa("\n"),
    btoa("x".repeat(256)),
    btoa(`x sip:${"y".repeat(10_000)}`),
  ])("%j is of no call of ours", (text) => {
    assert.isNull(readState(text))
  })
})
