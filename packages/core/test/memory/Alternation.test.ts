import { assert, it } from "@effect/vitest"
import { Alternation } from "../../src/memory/Alternation.ts"

const organization_id = "org_1"
const asking = (...levels: ReadonlyArray<"organization" | "campaign">) => ({
  organization_id,
  levels: levels.map((level) => ({ level, key: level, ceiling: 1 })),
})
const dial = asking("organization")
const contact = asking("organization", "campaign")

it("a line that is freed after a dial had one is kept for contacts that wait, and the next one is not", () => {
  const alternation = new Alternation()
  assert.isFalse(alternation.want(organization_id, true))
  assert.isFalse(alternation.keepsFrom(dial))
  alternation.given(dial)
  assert.isTrue(alternation.keepsFrom(dial))
  assert.isTrue(alternation.isKeptFrom(dial))
  assert.isFalse(alternation.isKeptFrom(contact))
  assert.isFalse(alternation.keepsFrom(dial))
  alternation.given(contact)
  assert.isFalse(alternation.isKeptFrom(dial))
  assert.isFalse(alternation.keepsFrom(dial))
})

it("nothing is kept where no contacts wait, and what was kept is free once they say anything anew", () => {
  const alternation = new Alternation()
  alternation.given(dial)
  assert.isFalse(alternation.keepsFrom(dial))
  for (const wanting of [true, false]) {
    alternation.want(organization_id, true)
    alternation.given(dial)
    assert.isTrue(alternation.keepsFrom(dial))
    assert.isTrue(alternation.want(organization_id, wanting))
    assert.isFalse(alternation.isKeptFrom(dial))
    assert.isFalse(alternation.want(organization_id, wanting))
  }
})
