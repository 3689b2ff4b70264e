import { describe, expect, it } from "vitest"
import { limits } from "@carillon/core"
import { type OwedEnd, OwedEnds } from "../../src/idempotency/OwedEnds.ts"

const requestOf = (organization_id: string, nth: number) => ({
  organization_id,
  route: "POST /v2/calls",
  key: String(nth),
})

const endOf = (organization_id: string, nth: number, characters: number | null = null): OwedEnd => ({
  held: { ...requestOf(organization_id, nth), expires_at: nth, holding: 1 },
  answer: characters === null ? null : { status: 201, body: "x".repeat(characters) },
  mayStand: false,
})

/** Whether the end of a request is owed; it is taken out. */
const isOwed = (owed: OwedEnds, organization_id: string, nth: number): boolean =>
  owed
    .take(requestOf(organization_id, nth))
    .some(({ held }) => held.organization_id === organization_id && held.expires_at === nth)

describe("ends that a store has not heard of", () => {
  it("are given out once, those of the request first", () => {
    const owed = new OwedEnds()
    for (let nth = 0; nth < 20; nth++) owed.add(endOf("one", nth))
    const taken = owed.take(requestOf("one", 19))
    expect(taken.map(({ held }) => held.expires_at)).toEqual([19, ...Array(limits.idempotencyOwedAtOnce).keys()])
    expect(isOwed(owed, "one", 19)).toBe(false)
  })

  it("of one organization drive out its own, and nobody else's", () => {
    const owed = new OwedEnds()
    owed.add(endOf("quiet", 0))
    const share = limits.idempotencyOwedOfOrganization
    for (let nth = 0; nth < 3 * share; nth++) owed.add(endOf("noisy", nth))
    expect(owed.size).toBe(1 + share)
    expect(isOwed(owed, "quiet", 0)).toBe(true)
  })

  it("are bounded by number and by the length of their answers, and the oldest go", () => {
    const many = new OwedEnds()
    for (let nth = 0; nth < 2 * limits.idempotencyOwed; nth++) many.add(endOf(`org_${nth}`, nth))
    expect(many.size).toBe(limits.idempotencyOwed)
    const long = new OwedEnds()
    const third = Math.ceil(limits.idempotencyOwedCharacters / 3)
    for (let nth = 0; nth < 4; nth++) long.add(endOf(`org_${nth}`, nth, third))
    expect(long.size).toBe(2)
    long.add(endOf("org_9", 9, limits.idempotencyOwedCharacters + 1))
    expect(long.size).toBe(2)
    expect(isOwed(long, "org_3", 3)).toBe(true)
  })
})
