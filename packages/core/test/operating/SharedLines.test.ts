import { assert, describe, it } from "@effect/vitest"
import { SharedLines } from "../../src/operating/rules/SharedLines.ts"

const everyMs = 60_000
const bound = { organization: 5, process: 20 }

describe("the lines that name an organization", () => {
  it("are few for one organization, and others have theirs", () => {
    const lines = new SharedLines(bound, everyMs)
    const told = Array.from({ length: 100 }, () => lines.may("noisy", 0)).filter(Boolean)
    assert.lengthOf(told, bound.organization)
    assert.isTrue(lines.may("quiet", 0))
  })

  it("are few for all, and come again when the time is over", () => {
    const lines = new SharedLines(bound, everyMs)
    const told = Array.from({ length: 100 }, (_, nth) => lines.may(`o${nth}`, 0)).filter(Boolean)
    assert.lengthOf(told, bound.process)
    assert.isFalse(lines.may("o99", everyMs - 1))
    assert.isTrue(lines.may("o0", everyMs))
  })
})
