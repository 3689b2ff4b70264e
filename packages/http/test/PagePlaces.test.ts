import { Activity, AgentStore, limits } from "@carillon/core"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as fc from "fast-check"
import { PagePlaces } from "../src/PagePlaces.ts"
import { makeWorld, toEdge } from "./World.ts"

interface Asked {
  readonly party: string
  /** Turns of the loop that its page takes, and after which the next is asked for. */
  readonly turns: number
  readonly after: number
  /** After how many turns its request is interrupted, if it is. */
  readonly interrupted: number | null
  readonly fails: boolean
}

const scripts: fc.Arbitrary<ReadonlyArray<Asked>> = fc.array(
  fc.record({
    party: fc.constantFrom("a", "a", "b"),
    turns: fc.nat(30),
    after: fc.nat(1),
    interrupted: fc.option(fc.nat(40), { nil: null }),
    fails: fc.boolean(),
  }),
  { maxLength: 40 },
)

const turnsOfLoop = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })

const played = (script: ReadonlyArray<Asked>) =>
  Effect.gen(function* () {
    const activity = yield* Activity
    const places = new PagePlaces(activity)
    const making = new Map<string, number>()
    const begun = new Map<string, Array<number>>()
    const ended = new Set<number>()
    let most = 0
    const change = (party: string, by: number) => {
      const now = (making.get(party) ?? 0) + by
      making.set(party, now)
      most = Math.max(most, now)
    }
    const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
    for (const [nth, { after, fails, interrupted, party, turns }] of script.entries()) {
      const page = Effect.gen(function* () {
        change(party, 1)
        begun.set(party, [...(begun.get(party) ?? []), nth])
        yield* turnsOfLoop(turns)
        if (fails) yield* Effect.fail("no page")
      }).pipe(Effect.ensuring(Effect.sync(() => change(party, -1))))
      const request = places.within({ organization_id: party }, page)
      const noted = Effect.onExit(request, () => Effect.sync(() => ended.add(nth)))
      const fiber = yield* Effect.forkChild(activity.track(noted), { startImmediately: true })
      fibers.push(fiber)
      if (interrupted !== null) {
        yield* Effect.forkChild(Effect.andThen(turnsOfLoop(interrupted), Fiber.interrupt(fiber)))
      }
      yield* turnsOfLoop(after)
    }
    for (const fiber of fibers) yield* Fiber.await(fiber)
    return { begun, ended, left: places.organizations, making, most, open: activity.open() }
  }).pipe(Effect.provide(Activity.layer))

it.effect("an organization has so many pages in the making at most, each in order, whoever fails or goes away", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const { begun, ended, left, making, most, open } = await Effect.runPromise(played(script))
        assert.isAtMost(most, limits.pagesAtOnce)
        for (const order of begun.values()) {
          assert.deepStrictEqual(
            order,
            [...order].sort((a, b) => a - b),
          )
        }
        for (const [nth, { interrupted, party }] of script.entries()) {
          assert.isTrue(ended.has(nth))
          if (interrupted === null) assert.isTrue(begun.get(party)?.includes(nth))
        }
        for (const count of making.values()) assert.strictEqual(count, 0)
        assert.deepStrictEqual([left, open], [0, 0])
      }),
      { numRuns: 100 },
    ),
  ),
)

it.effect("who waits for pages that wait themselves does not count as open", () =>
  Effect.gen(function* () {
    const activity = yield* Activity
    const places = new PagePlaces(activity)
    const goesOn = yield* Deferred.make<void>()
    const parked = Effect.acquireUseRelease(
      Effect.sync(activity.leave),
      () => Deferred.await(goesOn),
      () => Effect.sync(activity.enter),
    )
    const request = activity.track(places.within({ organization_id: "a" }, parked))
    const fibers = yield* Effect.forEach(Array.from({ length: 3 * limits.pagesAtOnce }), () =>
      Effect.forkChild(request, { startImmediately: true }),
    )
    assert.strictEqual(activity.open(), 0)
    yield* Deferred.succeed(goesOn, undefined)
    for (const fiber of fibers) yield* Fiber.join(fiber)
    assert.deepStrictEqual([places.organizations, activity.open()], [0, 0])
  }).pipe(Effect.provide(Activity.layer)),
)

it("rows are read in a place only, a neighbour has its own, and what nobody waits for any more is not read", async () => {
  const read: Array<string> = []
  const open = Deferred.makeUnsafe<void>()
  const page = (organizationId: string) =>
    Effect.suspend(() => {
      read.push(organizationId)
      return Effect.as(Deferred.await(open), { items: [], total: 0 })
    })
  const never = Effect.die("not asked for")
  const world = await makeWorld(Layer.succeed(AgentStore, { find: () => never, page, usesKnowledgeBase: () => never }))
  const [noisy, quiet] = [world.mint({}), world.mint({ organization_id: "org_quiet" })]
  const leaving: Array<() => void> = []
  const whenGone = (listener: () => void) => {
    leaving.push(listener)
    return () => {}
  }
  const ask = (key: string): Promise<number> =>
    new Promise((resolve) => {
      world.handle({ ...toEdge({ target: "/v2/agents", key }), whenGone }, ({ status }) => resolve(status))
    })
  const asked = Array.from({ length: 20 }, () => ask(noisy))
  const beside = ask(quiet)
  while (!read.includes("org_quiet")) await new Promise((resolve) => setImmediate(resolve))
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.strictEqual(read.filter((of) => of !== "org_quiet").length, limits.pagesAtOnce)
  // The last ten go away while they wait.
  for (const leave of leaving.slice(10, 20)) leave()
  Effect.runSync(Deferred.succeed(open, undefined))
  assert.strictEqual(await beside, 200)
  const statuses = await Promise.all(asked)
  assert.deepStrictEqual(
    statuses,
    statuses.map((_, nth) => (nth < 10 ? 200 : 503)),
  )
  assert.strictEqual(read.length, 11)
  await world.close()
})
