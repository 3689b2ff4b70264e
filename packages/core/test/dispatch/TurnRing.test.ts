import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Turns } from "@carillon/core/domain"
import { TurnRing } from "../../src/dispatch/rules/TurnRing.ts"

const ids = ["a", "b", "c", "d", "e", "f"] as const

/** What changes between two lines: who wants one, who is blocked for itself, and lines that come back. */
const changes = fc.array(
  fc.record({
    id: fc.constantFrom(...ids),
    wants: fc.boolean(),
    blocked: fc.boolean(),
    used: fc.integer({ min: 0, max: 4 }),
  }),
  { maxLength: 3 },
)

describe("TurnRing", () => {
  it("chooses as the rule does, which looks at every campaign each time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 6 }),
        fc.array(fc.record({ changes, mayBorrow: fc.boolean() }), { minLength: 1, maxLength: 60 }),
        (share, lines) => {
          const ring = new TurnRing()
          const candidates = new Map<string, { used: number; blocked: boolean }>()
          const served = new Set<string>()
          let state = Turns.noTurns
          for (const line of lines) {
            // The rule does not see who leaves and comes back between two lines.
            const last = new Map(line.changes.map((change) => [change.id, change]))
            for (const { id, wants, blocked, used } of last.values()) {
              if (wants) {
                candidates.set(id, { used, blocked })
                ring.set(id, used, blocked)
              } else {
                candidates.delete(id)
                served.delete(id)
                ring.remove(id)
              }
            }
            const next = Turns.next(state, {
              // A campaign at its floor is blocked where no line is left beside the reserve, as every other one at its floor is.
              candidates: [...candidates].map(([id, { used, blocked }]) => ({
                id,
                used,
                floor: share,
                blocked: blocked || (used >= share && !line.mayBorrow),
              })),
              share,
              directWaiting: false,
            })
            state = next.state
            const turn = ring.next(share, line.mayBorrow)
            const expected = next.choice?.to === "campaign" ? { id: next.choice.id, by: next.choice.by } : null
            const tie =
              turn?.by === "floor" && expected?.by === "floor" && !served.has(turn.id) && !served.has(expected.id)
            // Two that have had no line are equal, whichever came first.
            if (tie && candidates.get(turn.id)?.used === candidates.get(expected.id)?.used) return
            assert.deepStrictEqual(turn === null ? null : { id: turn.id, by: turn.by }, expected)
            turn?.take()
            const chosen = turn === null ? undefined : candidates.get(turn.id)
            if (turn !== null && chosen !== undefined) {
              served.add(turn.id)
              chosen.used += 1
              ring.set(turn.id, chosen.used, chosen.blocked)
            }
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
