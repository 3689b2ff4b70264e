import { assert, describe, it } from "@effect/vitest"
import { DependencyUnavailable, Experiments } from "@carillon/core"
import { Conflict } from "@carillon/core/ports"
import { Effect, References } from "effect"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import type { Interposition } from "../../src/testing/world/World.ts"
import { agent, agentId, caller, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const challenger = "agt_challenger"

/** A campaign of some contacts, of which so many in a hundred are the challenger's, where each agent has few lines. */
const contested = Effect.fnUntraced(function* (
  { lines, share, contacts }: { readonly lines: number; readonly share: number; readonly contacts: number },
  interpose: Interposition,
) {
  const world = new World({
    script: () => ending("completed"),
    organization: { concurrency: { organization: 20, per_agent: lines, enforced: true } },
    rows: [{ put: "agent", row: { ...agent, agent_id: challenger, revision: 1 } }],
    interpose,
  })
  yield* world.start()
  const body = { variant_agent_id: challenger, version_name: "B", variant_traffic_pct: share } as const
  yield* world.run(
    Effect.flatMap(Experiments, (experiments) => experiments.create(caller, agentId, { ...body, status: "active" })),
  )
  const test = new Campaigning(world)
  const { campaign_id } = yield* test.create(contactsOf(contacts))
  return { world, test, campaign_id }
})

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

describe("contacts whose calls are begun together", () => {
  it.live("are all dialled though something fails while one of them is passed over", () =>
    Effect.gen(function* () {
      /** Lets the nth thing that the dispatcher asks for fail; returns whether there was one. */
      const withFault = Effect.fnUntraced(function* (fault: number) {
        let nth = 0
        let isOn = false
        const { world, test, campaign_id } = yield* contested(
          { lines: 3, share: 50, contacts: 10 },
          (operation, effect) =>
            Effect.suspend(() => {
              if (!isOn || !/^(experiments|contacts|store)\./.test(operation) || nth++ !== fault) return effect
              return Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))
            }),
        )
        isOn = true
        yield* world.advance(0)
        isOn = false
        yield* world.advance(10 * minute)
        assert.deepStrictEqual(
          test.calls().map(({ status }) => status),
          Array.from({ length: 10 }, () => "completed"),
          `fault ${fault}`,
        )
        assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
        return nth > fault
      })
      let faults = 0
      while (yield* Effect.scoped(withFault(faults))) faults += 1
      assert.isAbove(faults, 10)
    }).pipe(quietly),
  )

  it.effect("are passed over once, where none of them has a line", () =>
    Effect.gen(function* () {
      let conflicts = 0
      const { world, test, campaign_id } = yield* contested({ lines: 1, share: 100, contacts: 5 }, (_, effect) =>
        Effect.tapError(effect, (error) =>
          Effect.sync(() => {
            if (error instanceof Conflict) conflicts += 1
          }),
        ),
      )
      yield* world.advance(0)
      assert.strictEqual(conflicts, 0)
      yield* world.advance(10 * minute)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
    }),
  )
})
