import { limits } from "@carillon/core"
import { CurrentParty } from "@carillon/core/ports"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { makeWorld, toEdge } from "./World.ts"

it.each([
  { target: "/v2/agents", reads: "agents.list", told: 200 },
  { target: "/v2/campaigns/cmp_1/explain", reads: "store.rows", told: 404 },
])(
  "rows of $target are read in a place only, a neighbour has its own, and what nobody waits for any more is not read",
  async ({ reads, target, told }) => {
    const read: Array<string> = []
    const open = Deferred.makeUnsafe<void>()
    const world = await makeWorld(Layer.empty, (operation, effect) =>
      operation === reads
        ? Effect.flatMap(CurrentParty, (organizationId) => {
            read.push(organizationId)
            return Effect.andThen(Deferred.await(open), effect)
          })
        : effect,
    )
    const [noisy, quiet] = [world.mint({}), world.mint({ organization_id: "org_quiet" })]
    const leaving: Array<() => void> = []
    const whenGone = (listener: () => void) => {
      leaving.push(listener)
      return () => {}
    }
    const ask = (key: string): Promise<number> =>
      new Promise((resolve) => {
        world.handle({ ...toEdge({ target, key }), whenGone }, ({ status }) => resolve(status))
      })
    const asked = Array.from({ length: 20 }, () => ask(noisy))
    const beside = ask(quiet)
    while (!read.includes("org_quiet")) await new Promise((resolve) => setImmediate(resolve))
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(read.filter((of) => of !== "org_quiet").length, limits.pagesAtOnce)
    // The last ten go away while they wait.
    for (const leave of leaving.slice(10, 20)) leave()
    Effect.runSync(Deferred.succeed(open, undefined))
    assert.strictEqual(await beside, told)
    const statuses = await Promise.all(asked)
    assert.deepStrictEqual(
      statuses,
      statuses.map((_, nth) => (nth < 10 ? told : 503)),
    )
    assert.strictEqual(read.length, 11)
    await world.close()
  },
)
