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

it("keeps what an organization had answered within its share, however many keys another one sends", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: share }),
      fc.uniqueArray(fc.nat(), { minLength: share, maxLength: 3 * capacity }),
      fc.boolean(),
      (quiet, noisy, areAnswered) => {
        const table = new IdempotencyTable(capacity, share)
        for (const key of quiet) {
          table.begin(requestOf("quiet", String(key)), 0, 1000)
          table.keep(requestOf("quiet", String(key)), 1000, answer)
        }
        for (const key of noisy) {
          table.begin(requestOf("noisy", String(key)), 1, 1001)
          if (areAnswered) table.keep(requestOf("noisy", String(key)), 1001, answer)
        }
        for (const key of quiet) {
          expect(table.begin(requestOf("quiet", String(key)), 2, 1002)).toEqual({ _tag: "Answered", answer })
        }
        // The noisy one has its share, its latest keys, and no more.
        for (const key of noisy.slice(-share)) {
          expect(table.begin(requestOf("noisy", String(key)), 2, 1002)._tag).not.toBe("Begun")
        }
        const given = noisy.at(-share - 1)
        if (given !== undefined) expect(table.begin(requestOf("noisy", String(given)), 2, 1002)._tag).toBe("Begun")
      },
    ),
  )
})

it("gives a place back that was abandoned or has expired", () => {
  const table = new IdempotencyTable(capacity, share)
  for (let nth = 0; nth < share; nth++) table.begin(requestOf("one", String(nth)), 0, 10)
  table.abandon(requestOf("one", "5"), 10)
  table.begin(requestOf("one", "new"), 1, 11)
  expect(table.begin(requestOf("one", "0"), 2, 12)._tag).toBe("Running")
  // All but the last are over by now, and leave room for as many.
  for (let nth = 0; nth < share - 1; nth++)
    expect(table.begin(requestOf("one", `later ${nth}`), 10, 20)._tag).toBe("Begun")
  expect(table.begin(requestOf("one", "new"), 10, 20)._tag).toBe("Running")
})
