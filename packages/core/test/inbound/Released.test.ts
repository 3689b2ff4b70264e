import { assert, it } from "@effect/vitest"
import { InboundAgents, Numbers } from "@carillon/core"
import { Effect } from "effect"
import { samplePhoneNumber } from "../../src/testing/Samples.ts"
import { Between } from "../../src/testing/world/Between.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

const number = samplePhoneNumber(organizationId, "+15555550101")
const { phone_number_id } = number

/** Gives a number up and binds an agent to it, one in front of the nth operation of the other; whether there was an nth. */
const met = Effect.fnUntraced(function* (first: "release" | "bind", nth: number) {
  const between = new Between()
  const world = new World({ interpose: between.interpose, rows: [{ put: "phone_number", row: number }] })
  yield* world.start()
  const acts = {
    release: world.run(Effect.flatMap(Numbers, (numbers) => Effect.exit(numbers.release(caller, phone_number_id)))),
    bind: world.run(
      Effect.flatMap(InboundAgents, (inbound) =>
        Effect.exit(inbound.bind(caller, { agent_id: agentId, phone_number_id })),
      ),
    ),
  }
  between.arm(nth, acts[first === "bind" ? "release" : "bind"])
  yield* acts[first]
  if (!between.disarm()) return false
  const isThere = world.tables.phoneNumbers.find(organizationId, phone_number_id) !== null
  const isBound = world.tables.inboundAgents.findByKey(organizationId, phone_number_id) !== null
  assert.isTrue(isThere || !isBound)
  return true
})

for (const first of ["release", "bind"] as const) {
  it.effect(`no agent answers a number that was given up, whatever comes between the two, the ${first} first`, () =>
    Effect.gen(function* () {
      let nth = 0
      while (yield* Effect.scoped(met(first, nth))) nth += 1
      assert.isAbove(nth, 2)
    }),
  )
}
