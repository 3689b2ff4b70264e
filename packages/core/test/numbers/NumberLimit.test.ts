import { assert, it } from "@effect/vitest"
import { limits, Numbers } from "@carillon/core"
import { Effect, Exit } from "effect"
import { samplePhoneNumber } from "../../src/testing/Samples.ts"
import { Between } from "../../src/testing/world/Between.ts"
import { caller, organizationId, World } from "../../src/testing/world/World.ts"

const most = limits.numbersPerOrganization

const rows = Array.from({ length: most - 1 }, (_, nth) => {
  const row = samplePhoneNumber(organizationId, `+1555${String(nth).padStart(7, "0")}`)
  return { put: "phone_number", row } as const
})

/** Where there is room for one number more, registers two, the second in front of the nth operation of the first. */
const raced = Effect.fnUntraced(function* (nth: number) {
  const between = new Between()
  const world = new World({ rows, interpose: between.interpose })
  yield* world.start()
  const register = (number: string) =>
    world.run(Effect.flatMap(Numbers, (numbers) => numbers.register(caller, number, {})))
  between.arm(nth, Effect.exit(register("+15559990001")))
  const first = yield* Effect.exit(register("+15559990002"))
  if (!between.disarm()) return false
  assert.strictEqual(world.tables.phoneNumbers.count(organizationId), most)
  if (Exit.isFailure(first)) assert.include(String(first.cause), "can register no more")
  return true
})

it.effect("of two numbers that are registered at once where there is room for one, one is had", () =>
  Effect.gen(function* () {
    let nth = 0
    while (yield* Effect.scoped(raced(nth))) nth += 1
    assert.isAbove(nth, 3)
  }),
)
