import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { JsonObject } from "../Json.ts"
import { law } from "./Law.ts"
import { oddVariables } from "./Odd.ts"
import { fresh } from "./Samples.ts"

/** What a sample of a kind of rows that name caller IDs is made with. */
interface Named<Status> {
  readonly status: Status
  readonly phone_numbers: ReadonlyArray<string> | null
  readonly metadata: JsonObject
}

/** A kind of rows that name caller IDs, and the read that looks for one. */
interface Naming<Status, E, R> {
  readonly statuses: ReadonlyArray<Status>
  /** Whether a row that stands there may still dial by itself. */
  readonly isOpen: (status: Status) => boolean
  /** Writes a row, and then what becomes of it. */
  readonly put: (organizationId: string, versions: ReadonlyArray<Named<Status>>) => Effect.Effect<void, E, R>
  readonly callsFrom: (organizationId: string, phoneNumber: string) => Effect.Effect<boolean, E, R>
}

const numbers = ["+12125550101", "+12125550102", "+12125550103"] as const

/** A phone number is called from where, and only where, a row of the organization names it that may still dial. */
export const callerIdLaw = <Status extends string, E, R>({
  callsFrom,
  isOpen,
  put,
  statuses,
}: Naming<Status, E, R>) => {
  const status = fc.constantFrom(...statuses)
  const phone_numbers = fc.option(fc.uniqueArray(fc.constantFrom(...numbers), { maxLength: 2 }))
  // Its number may stand in a row that does not call from it.
  const metadata = fc.oneof(oddVariables, fc.constantFrom({ callers: numbers }, { phone_numbers: numbers }))
  const versions = fc.array(fc.record({ status, phone_numbers, metadata }), { minLength: 1, maxLength: 4 })
  return law(
    fc.record({ own: fc.array(versions, { maxLength: 4 }), others: fc.array(versions, { maxLength: 2 }) }),
    Effect.fnUntraced(function* ({ others, own }) {
      const [organizationId, other] = [fresh("org_"), fresh("org_")]
      for (const each of own) yield* put(organizationId, each)
      for (const each of others) yield* put(other, each)
      const open = own.flatMap((each) => each.slice(-1)).filter((last) => isOpen(last.status))
      for (const number of numbers) {
        const expected = open.some((each) => each.phone_numbers?.includes(number) === true)
        assert.strictEqual(yield* callsFrom(organizationId, number), expected)
      }
    }),
    { numRuns: 40 },
  )
}
