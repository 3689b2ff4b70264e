import { limits } from "@carillon/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Reading, ReadingRoom } from "../src/ReadingRoom.ts"

const { assured, organization, process } = limits.readingBytes

const step = fc.record({
  organization: fc.integer({ min: 0, max: 5 }),
  bytes: fc.oneof(fc.nat({ max: 2 * assured }), fc.nat({ max: organization })),
  leaves: fc.boolean(),
})

describe("the room for bodies", () => {
  it("holds no more than its bounds, knows what it holds, and never refuses the first mebibyte", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const room = new ReadingRoom()
        const open: Array<{ readonly of: number; readonly reading: Reading; held: number }> = []
        const heldBy = (of: number) => open.reduce((sum, one) => sum + (one.of === of ? one.held : 0), 0)
        for (const { bytes, leaves, organization: of } of steps) {
          const reading = room.enter(`org_${of}`, organization)
          const refused = reading.take(bytes)
          const before = heldBy(of)
          if (before + bytes > organization) expect(refused).toBe("crowded")
          else if (before + bytes <= assured) expect(refused).toBeNull()
          open.push({ of, reading, held: refused === null ? bytes : 0 })
          if (leaves) {
            const first = open.shift()
            first?.reading.leave()
            // Once is enough, and nothing comes after it.
            first?.reading.leave()
            expect(first?.reading.take(1)).toBe("broken")
          }
          const total = open.reduce((sum, one) => sum + one.held, 0)
          expect(room.heldBytes).toBe(total)
          expect(total).toBeLessThanOrEqual(process + 6 * assured)
          expect(heldBy(of)).toBeLessThanOrEqual(organization)
        }
        for (const { reading } of open) reading.leave()
        expect(room.heldBytes).toBe(0)
      }),
    )
  })

  it("tells whether an organization has its share or all have everything", () => {
    const room = new ReadingRoom()
    const one = room.enter("one", organization)
    expect(one.take(organization)).toBeNull()
    expect(one.take(1)).toBe("crowded")
    for (let nth = 1; nth < process / organization; nth++) {
      expect(room.enter(`other_${nth}`, organization).take(organization)).toBeNull()
    }
    const neighbour = room.enter("neighbour", organization)
    expect(neighbour.take(assured)).toBeNull()
    expect(neighbour.take(1)).toBe("busy")
  })
})
