import * as fc from "fast-check"
import { expect, it } from "vitest"
import { IdempotencyTable } from "../../src/memory/IdempotencyTable.ts"

const [capacity, share] = [40, 10]
const answer = { status: 201, body: "{}" }
const requestOf = (organization_id: string, key: string) => ({
  organization_id,
  route: "POST /v2/calls",
  key,
  fingerprint: "f",
})

const taking = (now: number, expires_at: number) => ({ now, expires_at, held_until: now + 100, subject: "exec_one" })

const heldOf = (organization_id: string, key: string, expires_at: number) => ({
  organization_id,
  route: "POST /v2/calls",
  key,
  expires_at,
  holding: 1,
})

it("keeps what an organization had answered within its share, however many keys another one sends", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: share }),
      fc.uniqueArray(fc.nat(), { minLength: share, maxLength: 3 * capacity }),
      fc.boolean(),
      (quiet, noisy, areAnswered) => {
        const table = new IdempotencyTable(capacity, share)
        for (const key of quiet) {
          table.begin(requestOf("quiet", String(key)), taking(0, 1000))
          table.keep(heldOf("quiet", String(key), 1000), answer)
        }
        for (const key of noisy) {
          table.begin(requestOf("noisy", String(key)), taking(1, 1001))
          if (areAnswered) table.keep(heldOf("noisy", String(key), 1001), answer)
        }
        for (const key of quiet) {
          expect(table.begin(requestOf("quiet", String(key)), taking(2, 1002))).toEqual({ _tag: "Answered", answer })
        }
        // The noisy one has its share, its latest keys, and no more.
        for (const key of noisy.slice(-share)) {
          expect(table.begin(requestOf("noisy", String(key)), taking(2, 1002))._tag).not.toBe("Begun")
        }
        const given = noisy.at(-share - 1)
        if (given !== undefined)
          expect(table.begin(requestOf("noisy", String(given)), taking(2, 1002))._tag).toBe("Begun")
      },
    ),
  )
})

it("gives a place back that was abandoned or has expired", () => {
  const table = new IdempotencyTable(capacity, share)
  for (let nth = 0; nth < share; nth++) table.begin(requestOf("one", String(nth)), taking(0, 10))
  table.abandon(heldOf("one", "5", 10))
  table.begin(requestOf("one", "new"), taking(1, 11))
  expect(table.begin(requestOf("one", "0"), taking(2, 12))._tag).toBe("Running")
  // All but the last are over by now, and leave room for as many.
  for (let nth = 0; nth < share - 1; nth++)
    expect(table.begin(requestOf("one", `later ${nth}`), taking(10, 20))._tag).toBe("Begun")
  expect(table.begin(requestOf("one", "new"), taking(10, 20))._tag).toBe("Running")
})
